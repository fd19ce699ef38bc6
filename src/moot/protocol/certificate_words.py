"""The words for what a bench came to: part of the vocabulary, and the only place that has them.

A certificate says that a bench agrees more than chance explains, whatever the sides are called. No
sentence here may say more: not that the bench is right, and not that repeats of one judge are
opinions. There is no percentage of confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from moot.protocol.answer_words import plural
from moot.protocol.hearing.certificate import TIE, CertificateStatus
from moot.protocol.hearing.families import bare
from moot.protocol.outcomes import Certificate, HeardJudge, HeardSide, Outcome, certificate_in
from moot.protocol.winners import TIE as TOLD_TIE

TITLE = "Certificate"
STATUSES: Mapping[CertificateStatus, str] = {
    CertificateStatus.STABLE: "Stable",
    CertificateStatus.TIE: "A tie",
    CertificateStatus.CONTESTED: "Contested",
    CertificateStatus.UNREADABLE: "Unreadable",
    CertificateStatus.INSUFFICIENT: "Not enough",
    CertificateStatus.OPEN: "Still open",
}
MEANINGS: Mapping[CertificateStatus, str] = {
    CertificateStatus.STABLE: "By chance, a bench would hardly ever agree this much.",
    CertificateStatus.TIE: "Most ballots find neither side better, in both orders. This is a "
    "count: it was not tested against chance.",
    CertificateStatus.CONTESTED: "This bench does not settle it.",
    CertificateStatus.UNREADABLE: "Too few ballots could be counted, and nothing was made up.",
    CertificateStatus.INSUFFICIENT: "Nothing can be certified from so few ballots.",
    CertificateStatus.OPEN: "Ballots are still to be cast.",
}
"""What each status means, in a sentence or two."""
NOT_RIGHT = "A certificate does not say that the bench is right."
ABOUT_EQUAL = 1.1
"""Two sides count as equally long if neither has this many times the words of the other."""
ONE_IN_A_HUNDRED = 0.01
TWO = 2


HEADLINES: Mapping[CertificateStatus, str] = {
    CertificateStatus.STABLE: "Stable: {winner}",
    CertificateStatus.TIE: "A tie, says the bench",
    CertificateStatus.CONTESTED: "Contested: the bench is not of one mind",
    CertificateStatus.UNREADABLE: "Unreadable: too few ballots could be counted",
    CertificateStatus.OPEN: "Still open: ballots are to be cast",
}


def headline(told: Certificate) -> str:
    """`Stable: Ada`, `Contested: ...`."""
    if not told.is_finished and told.status is not CertificateStatus.OPEN:
        return "Not finished: it ended before all ballots were cast"
    if told.status is CertificateStatus.INSUFFICIENT:
        return f"{STATUSES[told.status]}: {_too_few(told)}"
    return HEADLINES[told.status].format(winner=told.winner)


def _too_few(told: Certificate) -> str:
    if not told.is_both_orders:
        return "one order of the names certifies nothing"
    if told.unreadable:
        return "too few ballots could be counted"
    return "most ballots were copies" if told.repeated else "so few ballots certify nothing"


def gist(told: Certificate) -> str:
    """The certificate in one line, for a list."""
    if not told.is_finished:
        return headline(told)
    match told.status:
        case CertificateStatus.STABLE:
            return f"{headline(told)} ({told.votes} of {plural(told.ballots, 'ballot')})"
        case CertificateStatus.TIE:
            return f"{headline(told)} ({told.ties} of {plural(told.ballots, 'ballot')})"
        case CertificateStatus.CONTESTED:
            return f"{STATUSES[told.status]}: {_of_ballots(told)}"
        case _:
            return headline(told)


def beside(outcome: Outcome) -> tuple[str, ...]:
    """What is told of a debate's own bench below its outcome, the headline first; nothing if it had
    none. A hearing tells all this as its outcome already, and has nothing to add."""
    told = None if isinstance(outcome, Certificate) else certificate_in(outcome)
    return (f"{TITLE}. {headline(told)}.", *lines(told), NOT_RIGHT) if told else ()


def lines(told: Certificate) -> tuple[str, ...]:
    """All that is to be said of it, a sentence or two in each line."""
    return (*_votes(told), *_verdict(told), *_bench(told), *_facts(told))


# --- the ballots ----------------------------------------------------------------------------------


def _votes(told: Certificate) -> Iterator[str]:
    if told.status is CertificateStatus.STABLE:
        flips = tuple(_flips(told))
        under = "" if flips else f", under either {_what(told)}"
        yield f"{_of_ballots(told)}{_by(told)}{under}."
        yield _chance(told)
        yield from flips
    else:
        yield f"{_of_ballots(told)}{_by(told)}."
        yield from _why_not(told)
    if told.repeated:
        were = "was" if told.repeated == 1 else "were"
        yield (
            f"{plural(told.repeated, 'more ballot')} {were} to the letter what the same judge had "
            f"said before, told nothing new, and {were} not counted."
        )
    if told.not_counted:
        yield f"Not counted: {'; '.join(told.not_counted)}."


def _of_ballots(told: Certificate) -> str:
    """`6 of 6 ballots for Ada`, `4 of 6 ballots for Ada, 2 for Bo`."""
    ranked = sorted(told.counts.items(), key=lambda one: (-one[1], one[0]))
    parts = [f"{count} for {told.name_of(side)}" for side, count in ranked]
    if told.ties:
        parts.append(plural(told.ties, "tie"))
    if told.unreadable:
        parts.append(f"{told.unreadable} not counted")
    if not parts:
        return f"None of {plural(told.ballots, 'ballot')} has been cast"
    if told.unreadable == told.ballots:
        return f"None of {plural(told.ballots, 'ballot')} could be counted"
    first, *rest = parts
    head = first.replace(" for ", f" of {plural(told.ballots, 'ballot')} for ", 1)
    if head == first:  # ties only, or nothing that counts
        head = f"Of {plural(told.ballots, 'ballot')}: {first}"
    return ", ".join((head, *rest))


def _by(told: Certificate) -> str:
    """Who cast the ballots. Repeats are not opinions, so it says how few judges voted how often."""
    judges = plural(len(told.judges), "judge")
    asked = {_times(one) for one in told.judges}
    times = max(asked, default=0)
    if times <= TWO:
        return f", by {judges}"
    if len(told.judges) == 1:
        return f", by one judge asked {times} times"
    return f", by {judges} asked {'' if len(asked) == 1 else 'up to '}{times} times each"


def _times(judge: HeardJudge) -> int:
    return sum(judge.one.values()) + sum(judge.two.values()) + judge.unreadable


def _what(told: Certificate) -> str:
    return "letter" if told.are_proposals else "name"


def _chance(told: Certificate) -> str:
    share = told.by_chance or 0.0
    often = (
        "in fewer than 1 of 100 hearings"
        if share < ONE_IN_A_HUNDRED
        else f"in about {round(share * 100)} of 100 hearings"
    )
    return (
        f"Judges who flip coins would agree this much {often}; at most 5 of 100 of their hearings "
        "are called stable."
    )


def _why_not(told: Certificate) -> Iterator[str]:
    if told.status is CertificateStatus.OPEN:
        return
    if not told.is_finished:
        yield "It ended before all ballots were cast, so nothing is certified."
        return
    if not told.is_both_orders:
        yield "With one order of the names, nobody can tell whether a judge goes by the name."
        return
    yield MEANINGS[told.status]
    if told.status is CertificateStatus.INSUFFICIENT and told.unreadable:
        yield "Those that could be counted agree. Ask other judges in place of the rest."
    elif told.status is CertificateStatus.INSUFFICIENT:
        yield "Ask more judges; one judge alone needs eight ballots (`--repeats 4`)."
    if told.status is CertificateStatus.CONTESTED:
        yield from _contest(told)


def _contest(told: Certificate) -> Iterator[str]:
    """What kept it from being certified."""
    yield from _flips(told)
    leader = max(told.counts, key=lambda one: told.counts[one], default=None)
    for one in told.judges:
        if leader and one.is_for not in (None, TIE, leader):
            yield f"{one.name} is consistently for {told.name_of(one.is_for)}."
    if told.needed is not None and told.votes < told.needed:
        yield f"Stable would have been {told.needed} of {told.ballots} for one side."


def _flips(told: Certificate) -> Iterator[str]:
    """What is said of judges who were not for the same side in both orders."""
    flips = [one for one in told.judges if one.one and one.two and one.is_for is None]
    by_name = [one.name for one in flips if _goes_by_name(one)]
    others = [one.name for one in flips if not _goes_by_name(one)]
    if by_name:
        changed = f"once the {_what(told)}s were exchanged"
        yield f"{_listed(by_name)} voted for another side {changed}."
    if others:
        yield f"{_listed(others)} did not vote for the same side in both orders."


def _goes_by_name(judge: HeardJudge) -> bool:
    """Whether all its ballots in each order are for one side, but not for the same in both."""
    return len(judge.one) == len(judge.two) == 1 and TIE not in {*judge.one, *judge.two}


# --- beside the ballots ---------------------------------------------------------------------------


def _verdict(told: Certificate) -> Iterator[str]:
    """What the debate itself ended with, which is not counted."""
    own = told.verdict
    if own is None:
        yield "The debate itself named no winner."
        return
    named = "called it a tie" if own in (TIE, TOLD_TIE) else f"named {told.name_of(own)}"
    decided = told.winner_id or (TIE if told.status is CertificateStatus.TIE else None)
    if decided is None:
        yield f"The debate itself {named}."
    elif decided == own:
        yield f"The debate itself {named}, too."
    else:
        yield f"The debate itself {named} instead."


def _bench(told: Certificate) -> Iterator[str]:
    yield f"{_families(told.judges)}."
    for one in told.judges:
        sides = _listed([told.name_of(side) for side in one.kin])
        if one.is_own:
            yield f"{one.name} judged its own case: its own model was among those it judged."
        elif one.kin:
            yield f"{one.name} is of the same family as the model of {sides}."
        if one.judged:
            yield f"{one.name} is the model that judged the debate itself."
        if one.people:
            who = _listed([told.name_of(side) for side in one.people])
            yield f"{one.name} is a person, and so is {who}: it may be one and the same."
    if told.left_out:
        yield f"Left out: {'; '.join(told.left_out)}."


def _families(judges: Sequence[HeardJudge]) -> str:
    """`3 judges, 2 families`; an unknown family is called that, and people have none."""
    models = [one for one in judges if not one.is_person]
    people = len(judges) - len(models)
    known = {one.family for one in models if one.family}
    unknown = sum(one.family is None for one in models)
    parts = [plural(len(judges), "judge")]
    distinct = {bare(one.model) for one in models}
    if len(distinct) < len(models):
        parts.append(f"but only {plural(len(distinct), 'model')}")
    if known:
        parts.append("1 family" if len(known) == 1 else f"{len(known)} families")
    if unknown == len(judges):
        parts.append("of unknown family")
    elif unknown:
        parts.append(f"{unknown} of unknown family")
    if people:
        parts.append("1 person" if people == 1 else f"{people} people")
    return ", ".join(parts)


def _facts(told: Certificate) -> Iterator[str]:
    """The advantages of a side that no exchange of names can cancel."""
    if len(told.sides) != TWO:
        return
    longer = _longer(told.sides)
    last = next((one.name for one in told.sides if one.had_last_word), "")
    if longer and last == longer[0]:
        yield f"{longer[0]} said {longer[1]} times as many words, and had the last word."
        return
    if longer:
        yield f"{longer[0]} said {longer[1]} times as many words."
    if last:
        yield f"{last} had the last word."


def _longer(sides: Sequence[HeardSide]) -> tuple[str, str] | None:
    """Who said more, and how many times as much; None if they are about as long."""
    short, long = sorted(sides, key=lambda one: one.words)
    if not short.words or long.words < ABOUT_EQUAL * short.words:
        return None
    return long.name, f"{long.words / short.words:.1f}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# --- the table ------------------------------------------------------------------------------------


def table(told: Certificate) -> tuple[tuple[str, str, str], ...]:
    """A row for each judge: its name, and its ballots in each order; the head comes first."""
    heads = ("first letters", "other letters") if told.are_proposals else _heads(told)
    rows = ((one.name, _cell(told, one.one), _cell(told, one.two)) for one in told.judges)
    return (("", *heads), *rows)


def _heads(told: Certificate) -> tuple[str, str]:
    """In the first order, the side that is listed first is X."""
    first = told.sides[0].name if told.sides else ""
    one, two = told.pair
    return f"{first} as {one}", f"{first} as {two}"


def _cell(told: Certificate, votes: Mapping[str, int]) -> str:
    if not votes:
        return "-"
    ranked = sorted(votes.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(
        f"{'tie' if side == TIE else told.name_of(side)}{f' x{count}' if count > 1 else ''}"
        for side, count in ranked
    )
