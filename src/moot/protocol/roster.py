"""Rosters: what those of several formats have in common, and who argues for what.

Who argues for what is read from the topic once, when a debate is made, and frozen with its roster.
A topic with two alternatives gives each side one of them: whoever is PRO argues for the first, CON
for the second. To any other question PRO answers yes and CON no; anything else PRO is for and CON
against. It is guessed from a few plain forms of English, and where a form could mean something else
it is not taken: a debater who is told the wrong side is worse off than one who is told less.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from moot.errors import InvalidInput
from moot.protocol.names import find_clash, slug
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, SAMPLE_MODEL, Role, Stance

# --- who sits there -------------------------------------------------------------------------------

PAIR = 2


def pair_and_judge(
    participants: tuple[Participant, ...], stance: Stance
) -> tuple[Participant, ...]:
    """Two debaters on opposite sides and at most one judge, in that order.

    The debaters' own stances decide; if neither has one, the first is on `stance`.
    Raises InvalidInput if anybody is missing, too many, or both are on the same side.
    """
    debaters = [one for one in participants if one.role is Role.DEBATER]
    judges = [one for one in participants if one.role is Role.JUDGE]
    if len(debaters) != PAIR or len(judges) > 1 or PAIR + len(judges) < len(participants):
        message = "this format takes two debaters and at most one judge, and nobody else"
        raise InvalidInput(message, field="participants")
    return (*_opposed(debaters[0], debaters[1], stance), *judges)


def _opposed(a: Participant, b: Participant, stance: Stance) -> tuple[Participant, Participant]:
    if a.stance is not Stance.NONE:
        stance = a.stance
    elif b.stance is not Stance.NONE:
        stance = b.stance.opposite
    if b.stance not in (Stance.NONE, stance.opposite):
        message = (
            f"{a.name} and {b.name} are on the same side; make one of them pro and the other con"
        )
        raise InvalidInput(message, field="participants")
    replace = msgspec.structs.replace
    return replace(a, stance=stance), replace(b, stance=stance.opposite)


def judge_beside(members: Sequence[Participant], called: Sequence[str]) -> Participant:
    """A judge where none was named, with the first of the names in `called` that clashes with no
    member's name."""
    names = [one.name for one in members]
    name = next(one for one in called if find_clash([*names, one]) is None)
    return Participant(id=slug("judge", {one.id for one in members}), name=name, role=Role.JUDGE)


def shared_model(participants: Sequence[Participant]) -> tuple[str, ...]:
    """A caution if all members have one model: they share its blind spots, whatever they are told
    to be."""
    members = [one for one in participants if one.role is Role.MEMBER]
    models = {one.model for one in members}
    model = models.pop() if len(models) == 1 and len(members) > 1 else ""
    if model in ("", HUMAN, SAMPLE_MODEL):
        return ()
    return (f"All members use {model}: they may agree too easily.",)


# --- who argues for what --------------------------------------------------------------------------


class Sides(NamedTuple):
    """What follows "argues", for each side: `for "tabs"`, `for "spaces"`."""

    pro: str
    con: str


YES_OR_NO = Sides("that the answer is yes", "that the answer is no")
FOR_OR_AGAINST = Sides("in favour of the topic", "against the topic")
# A question of another kind, or one that may have alternatives which we cannot make out.
IN_GENERAL = Sides(
    "in favour: for yes, or for the first of two alternatives",
    "against: for no, or for the second of two alternatives",
)

LONGEST = 300
"""The most characters of a topic about two alternatives; what is longer tells a story."""
MOST_WORDS = 6
"""Words that an alternative may have."""

_AUXILIARY = (
    "is|are|was|were|am|do|does|did|can|could|should|shall|will|would|has|have|had|must|may|might"
    "|isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|shouldn't|won't|wouldn't"
)
_ASKS = re.compile(rf"(?:{_AUXILIARY})\b", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|whether|if|discuss|debate)\b", re.IGNORECASE
)
_FINITE = re.compile(
    rf"(?:{_AUXILIARY}|matters?|makes?|means?|leads?|needs?|causes?|beats?)\b", re.IGNORECASE
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_VERSUS = re.compile(r"\s(?:vs\.?|versus)\s", re.IGNORECASE)
_OR_NOT = re.compile(r",?\s+or\s+(?:not|no)\b", re.IGNORECASE)
# Where one sentence, heading or remark ends and the next begins.
_PART = re.compile(r"(?:[:;?!]|\s[-\u2013\u2014]|(?<!\bvs)\.)(?:\s+|$)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WHICH = re.compile(r"(?:which|what|who)\b[^,]*,\s*", re.IGNORECASE)
_EITHER = re.compile(r"(?:either|whether)\s+", re.IGNORECASE)
_ABOUT = re.compile(r"\s(?:for|in|as|on|at|when|to|of|with|by)\s.*", re.IGNORECASE)
_ALSO = re.compile(r"\s(?:first|next|instead|now|today)$", re.IGNORECASE)
_NOBODY = frozenset(
    ("not", "no", "else", "otherwise", "both", "neither", "nothing", "never", "more", "less", "so")
)

_CHOSEN = "use|choose|pick|prefer|buy|adopt|learn|get|take|try|go with|go for|switch to|work in"
_BETTER = r"(?:the\s+)?(?:better|best|preferable|superior|safer|cheaper|healthier)\b"
_WHOM = "we|i|you|one|they|people"
_SHOULD = rf"(?:should|shall|do|would|will)\s(?:{_WHOM})\s(?:rather\s)?(?:{_CHOSEN})"
_WHERE = r"(?:\s(?:for|in|as|on|at|when)\s.*)?"
_ONE = r"[^\s,]+(?:\s[^\s,]+){0,2}?"
_BEING = r"(?:is|are|was|were)\s(?!(?:it|there|this|that)\b)(?:[^\s,]+\s){1,3}?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # Should we use tabs or spaces? Do you prefer tea or coffee in the morning?
        rf"{_SHOULD}\s(?P<first>{_ONE})\sor\s(?P<second>{_ONE}{_WHERE})\?",
        # Is it better to rent or to buy?
        rf"is\sit\s{_BETTER}\sto\s(?P<first>.+?)\sor\s(?:to\s)?(?P<second>.+)\?",
        # Are cats or dogs better pets?
        rf"(?:is|are)\s(?P<first>{_ONE})\sor\s(?P<second>{_ONE})\s{_BETTER}.*\?",
        # Is mathematics discovered or invented? Is AI a threat or a blessing?
        # But "Is sugar addictive or harmful?" may well be answered with yes.
        rf"{_BEING}(?P<first>an?\s[^\s,]+)\sor\s(?P<second>an?\s[^\s,]+)\?",
        rf"{_BEING}(?P<first>[^\s,]+ed)\sor\s(?P<second>[^\s,]+ed)\?",
    )
)


def sides_of(topic: str) -> Sides:
    """What the two sides of a debate on that topic argue."""
    plain = " ".join(topic.split())
    if found := alternatives(plain):
        return Sides(*(f'for "{one}"' for one in found))
    *before, last = _SENTENCE.split(plain)
    if not last.endswith("?"):
        is_question = any(one.endswith("?") for one in before)
        return IN_GENERAL if is_question or _OPEN.match(last) else FOR_OR_AGAINST
    bare = _OR_NOT.sub("", last)
    is_plain = _ASKS.match(bare) is not None and _OR.search(bare) is None
    return YES_OR_NO if is_plain and not any(one.endswith("?") for one in before) else IN_GENERAL


def alternatives(topic: str) -> tuple[str, str] | None:
    """The two alternatives that a topic names, in its own words and order; None if in doubt."""
    plain = " ".join(topic.split())
    named = len(_OR.findall(plain)) + len(_VERSUS.findall(plain))
    if len(plain) > LONGEST or named != 1 or _OR_NOT.search(plain):
        return None
    for form in _FORMS:
        if found := form.fullmatch(plain):
            return _pair(found["first"], found["second"])
    return _bare(plain)


def _bare(plain: str) -> tuple[str, str] | None:
    """`Tabs or spaces?`, `Which is better, tabs or spaces?`, `Postgres vs MySQL: which of them?`"""
    part = next((one for one in _PART.split(plain) if _OR.search(one) or _VERSUS.search(one)), "")
    part = _EITHER.sub("", _WHICH.sub("", part, count=1), count=1)
    is_versus = _VERSUS.search(part) is not None
    if not is_versus and "?" not in plain:
        return None  # "Publish or perish" is no question
    if _ASKS.match(part) or _OPEN.match(part):
        return None
    if not is_versus and _OR.search(part) is None:
        return None  # nothing but signs is left, as of "? vs ?"
    first, second = (_VERSUS if is_versus else _OR).split(part, maxsplit=1)
    return _pair(first, second)


def _pair(first: str, second: str) -> tuple[str, str] | None:
    """The two, if each of them is a few words that can stand alone."""
    first, second = first.strip(" \"'"), second.strip(" \"'?.!")
    if not _ABOUT.search(f"{first} "):
        second = _ALSO.sub("", _ABOUT.sub("", second, count=1)).strip()  # said of both
    return (first, second) if _are_alternatives(first, second) else None


def _are_alternatives(first: str, second: str) -> bool:
    folded = first.casefold(), second.casefold()
    return (
        folded[0] != folded[1]
        and all(0 < len(one.split()) <= MOST_WORDS for one in folded)
        and not any("," in one or '"' in one or _finite(one) for one in folded)
        and _NOBODY.isdisjoint(word for one in folded for word in one.split()[:1])
    )


def _finite(text: str) -> bool:
    """Whether it has the verb of a sentence, and so is more than an alternative."""
    return any(_FINITE.fullmatch(word) for word in text.split())


def is_alternative(argues: str) -> bool:
    """Whether somebody argues for one of two alternatives: then nobody is against anything."""
    return argues.startswith('for "')


def with_sides(
    topic: str, roster: Iterable[Participant], *, premise: str = ""
) -> tuple[Participant, ...]:
    """The roster, everybody on a side told what they argue.

    A premise says it better, and so does a `position` of anybody who is on a side: if there is
    either, nobody is told what we read from the topic.
    """
    people = tuple(roster)
    sided = [one for one in people if _has_side(one)]
    is_said = bool(premise.strip()) or any(one.position.strip() for one in sided)
    sides = None if is_said or not sided else sides_of(topic)
    return tuple(
        msgspec.structs.replace(one, argues=_argued(sides, one) if sides else "") for one in people
    )


def has_two_sides(roster: Iterable[Participant]) -> bool:
    """Whether somebody argues for it and somebody against."""
    return {one.stance for one in roster if _has_side(one)} == {Stance.PRO, Stance.CON}


def swapped(roster: Sequence[Participant]) -> tuple[Participant, ...]:
    """The roster with everybody on the other side, in the same order of speakers.

    A `position` belongs to the side and stays there: of a larger team, the last ones share theirs.
    What follows from the topic is said anew when the debate is made; see `with_sides`.
    """
    replace = msgspec.structs.replace
    held = {
        side: [one.position for one in roster if _has_side(one) and one.stance is side]
        for side in (Stance.PRO, Stance.CON)
    }
    seats: Counter[Stance] = Counter()
    made: list[Participant] = []
    for one in roster:
        if not _has_side(one):
            made.append(one)
            continue
        side = one.stance.opposite
        position = held[side][min(seats[side], len(held[side]) - 1)]
        seats[side] += 1
        made.append(replace(one, stance=side, position=position))
    return tuple(made)


def _argued(sides: Sides, one: Participant) -> str:
    if not _has_side(one):
        return ""
    return sides.pro if one.stance is Stance.PRO else sides.con


def _has_side(one: Participant) -> bool:
    return one.stance is not Stance.NONE and not one.role.is_judging and one.role is Role.DEBATER
