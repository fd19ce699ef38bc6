"""Who takes part in a moderated debate: at most one moderator, and two to twelve who speak."""

from __future__ import annotations

from collections.abc import Sequence

from moot.errors import InvalidInput
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role

FEWEST, MOST = 2, 12


def moderator(config: Config) -> Participant | None:
    return next((one for one in config.participants if one.role is Role.MODERATOR), None)


def speakers(config: Config) -> tuple[Participant, ...]:
    """Everybody but the moderator, in the order in which they speak."""
    return tuple(one for one in config.participants if one.role is not Role.MODERATOR)


def has_moderator(state: DebateState) -> bool:
    return moderator(state.config) is not None


def check(format_name: str, participants: Sequence[Participant]) -> None:
    """Raises InvalidInput if a debate of that format cannot be held with these participants."""
    moderators = [one.name for one in participants if one.role is Role.MODERATOR]
    judges = [one.name for one in participants if one.role is Role.JUDGE]
    count = len(participants) - len(moderators)
    if judges:
        message = (
            f"{judges[0]} is a judge, and {format_name} has none: its moderator sums up and nobody "
            "wins; leave the judge out (`--no-judge`), or use duel or rounds for a verdict"
        )
    elif len(moderators) > 1:
        message = f"{format_name} has one moderator, not {len(moderators)}: {', '.join(moderators)}"
    elif not FEWEST <= count <= MOST:
        message = f"{format_name} has {FEWEST} to {MOST} participants and a moderator, not {count}"
    else:
        return
    raise InvalidInput(message, field="participants")


def moderator_first(participants: Sequence[Participant]) -> tuple[Participant, ...]:
    """The moderator first, as in the debate; the others as they were given."""
    return tuple(sorted(participants, key=lambda one: one.role is not Role.MODERATOR))
