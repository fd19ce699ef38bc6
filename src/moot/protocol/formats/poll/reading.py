"""The answers of a poll as the log has them: given, unreadable, passed, missing."""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.formats.poll.counting import Given
from moot.protocol.formats.poll.order import Asked, asked, settings_of
from moot.protocol.state import DebateState, Turn

ECHO = "echo"
"""The flag of a text that only repeats its prompt."""


def all_asked(state: DebateState) -> tuple[Asked, ...]:
    return tuple(asked(state.config, settings_of(state)))


def said(state: DebateState, key: str) -> Turn | None:
    """The turn of that step, if something was said in it and nobody has excluded it."""
    turn = state.turn(key)
    return turn if turn is not None and turn.included and not turn.is_silent else None


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
        return None if ECHO in turn.said.flags else turn.said.content
    answer = (turn.said.data or {}).get("answer")
    return None if answer is None else str(answer)
