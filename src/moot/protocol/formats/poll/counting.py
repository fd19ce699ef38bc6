"""What was said in a poll, as the log has it: the answers, which of them are the same, the ballots.

If members vote, every distinct answer is a candidate. Its letter is fixed by a hash of the question
and its text, and stays the same whoever is excluded later: a ballot must not come to mean something
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from moot.protocol import ballots
from moot.protocol.ballots import Tally
from moot.protocol.formats.poll.answers import measured, plain
from moot.protocol.formats.poll.order import Asked, asked, ballot_key, members, settings_of
from moot.protocol.labelling import LETTERS, shuffle_key
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState, Turn
from moot.protocol.words import ECHOED


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that could be read. `by` is who gave it, by id and by name."""

    key: str
    by: str
    name: str
    answer: str
    """The short answer, or the whole text where there is no short one."""
    reasons: str = ""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One answer with all who gave it, in their order."""

    answer: str
    given: tuple[Given, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.name for one in self.given))


def grouped(given: Iterable[Given], *, are_numbers: bool = False) -> tuple[Group, ...]:
    """The distinct answers, most frequent first, otherwise in the order in which they were given.

    With `are_numbers`, a unit is left out if all answers have the same one.
    """
    everybody = list(given)
    measures = [measured(one.answer) for one in everybody]
    units = {one.unit if one else None for one in measures}
    is_bare = are_numbers and len(units) == 1
    found: dict[str, list[Given]] = {}
    shown: dict[str, str] = {}
    for one, measure in zip(everybody, measures, strict=True):
        key = " ".join(measure).strip() if measure else plain(one.answer)
        found.setdefault(key, []).append(one)
        shown.setdefault(key, measure.number if measure and is_bare else one.answer)
    groups = [Group(answer=shown[key], given=tuple(same)) for key, same in found.items()]
    return tuple(sorted(groups, key=lambda one: -len(one.given)))


# --- the answers as the log has them: given, unreadable, passed, missing --------------------------


def all_asked(state: DebateState) -> tuple[Asked, ...]:
    return tuple(asked(state.config, settings_of(state)))


def said(state: DebateState, key: str) -> Turn | None:
    """The turn of that step, if something was said in it and nobody has excluded it."""
    turn = state.turn(key)
    return turn if turn is not None and turn.is_heard else None


def answers(state: DebateState) -> tuple[Given, ...]:
    """The answers that could be read and are not excluded: everybody's first, then second
    ones."""
    return tuple(one for one in every_answer(state) if said(state, one.key))


def every_answer(state: DebateState) -> Iterator[Given]:
    """All answers that could be read, including those that were excluded later."""
    for one in all_asked(state):
        turn = state.turn(one.key)
        answer = _read(state, turn) if turn and not turn.is_silent else None
        if answer is not None:
            yield Given(
                key=one.key,
                by=one.member.id,
                name=one.member.name,
                answer=answer,
                reasons=reasons_of(turn),
            )


def unreadable(state: DebateState) -> tuple[Asked, ...]:
    """The answers that came and could not be read."""
    read = {one.key for one in every_answer(state)}
    return tuple(one for one in all_asked(state) if said(state, one.key) and one.key not in read)


def has_answers(state: DebateState) -> bool:
    return bool(answers(state))


def reasons_of(turn: Turn | None) -> str:
    return str((turn.said.data or {}).get("reasons") or "") if turn else ""


def _read(state: DebateState, turn: Turn) -> str | None:
    """The short answer, or the text itself where that is the answer."""
    if settings_of(state).is_prose:
        return None if ECHOED in turn.said.flags else turn.said.content
    answer = (turn.said.data or {}).get("answer")
    return None if answer is None else str(answer)


# --- what can be voted for, and what the ballots came to ------------------------------------------

MOST_REASONS = 5
"""How many of the reasons for one answer voters read."""


class Candidate(msgspec.Struct, frozen=True):
    """`name` is what people read: the short answer, or whose text it is."""

    label: str
    name: str
    text: str
    group: Group


def candidates(state: DebateState) -> tuple[Candidate, ...]:
    """What can be chosen, labelled A, B, C. Answers that were excluded are left out."""
    settings = settings_of(state)
    groups = grouped(every_answer(state), are_numbers=settings.answer_type == "number")
    in_order = sorted(groups, key=lambda one: shuffle_key(state.config.topic, one.answer))
    names = _names(groups, is_prose=settings.is_prose)
    return tuple(
        Candidate(label, names[group.answer], _read_to_voters(group), group)
        for label, group in zip(LETTERS, in_order, strict=False)
        if any(said(state, one.key) for one in group.given)
    )


def _names(groups: tuple[Group, ...], *, is_prose: bool) -> Mapping[str, str]:
    """Short answers are their own names; texts have those of their authors, made distinct."""
    if not is_prose:
        return {one.answer: one.answer for one in groups}
    names: dict[str, str] = {}
    for group in groups:
        name = " and ".join(group.names)
        again = sum(1 for one in names.values() if one.rpartition(" #")[0] == name or one == name)
        names[group.answer] = f"{name} #{again + 1}" if again else name
    return names


def _read_to_voters(group: Group) -> str:
    reasons = [one.reasons for one in group.given if one.reasons][:MOST_REASONS]
    return "\n\n".join((group.answer, *dict.fromkeys(reasons)))


def is_voted(state: DebateState) -> bool:
    """Whether the members decide, and there is something to choose from."""
    return settings_of(state).is_voted and len(candidates(state)) > 1


def are_in(state: DebateState) -> bool:
    """Whether every member has cast its ballot, or is done without."""
    return all(is_settled(state, ballot_key(one)) for one in members(state.config))


def has_begun(state: DebateState) -> bool:
    return any(ballot_key(one) in state.turns for one in members(state.config))


class Vote(msgspec.Struct, frozen=True):
    """The candidates by name, every ballot by voter, and what they came to."""

    candidates: Mapping[str, Candidate]
    ballots: dict[str, list[str]]
    tally: Tally


def counted(state: DebateState) -> Vote:
    standing = {one.label: one for one in candidates(state)}
    names = {label: one.name for label, one in standing.items()}
    turns = {one.name: state.turn(ballot_key(one)) for one in members(state.config)}
    cast = {
        voter: [names[label] for label in ballots.ranking(turn) if label in names]
        for voter, turn in turns.items()
    }
    is_ranked = settings_of(state).decision == "rank"
    tally = ballots.tallied(cast, list(names.values()), is_ranked=is_ranked)
    return Vote({one.name: one for one in standing.values()}, cast, tally)


def uncounted(state: DebateState) -> tuple[str, ...]:
    """Whose ballot came and counts for nobody, each with the reason."""
    everybody = members(state.config)
    return ballots.uncounted((one.name, state.turn(ballot_key(one))) for one in everybody)
