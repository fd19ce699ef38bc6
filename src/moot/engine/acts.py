"""What people do in a debate, as the events that record it. Pure: `Service` appends them.

Every function raises, having changed nothing, where the debate does not allow it.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.lifecycle import LIFECYCLE
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState, Turn
from moot.protocol.visibility import veil_of
from moot.protocol.words import USER, Status

GOES_ON = (Status.STOPPED, Status.STOPPING)
"""A conversation that was stopped goes on when somebody speaks."""


def allowed(state: DebateState, events: tuple[e.AnyEvent, ...]) -> tuple[e.AnyEvent, ...]:
    """The events, if each is allowed after the ones before. Raises Refused if status or format do
    not allow one of them."""
    rules = format_named(state.config.format)
    status = state.status
    for event in events:
        if type(event) not in LIFECYCLE[status]:
            message = f"that is not possible while the debate is {state.status}"
            raise Refused(message)
        status = LIFECYCLE[status][type(event)]
        if reason := rules.refusal(state, event):
            raise Refused(reason)
    return events


def said(state: DebateState, participant: str, content: str) -> Sequence[e.AnyEvent]:
    """Somebody speaks without having been asked. In a conversation `content` may be empty,
    which lets the others go on."""
    is_open_ended = format_named(state.config.format).is_open_ended
    if not content and not is_open_ended:
        raise InvalidInput("the message is empty; write something", field="content")
    if participant != USER and not _is_human(state, participant):
        message = f"{participant!r} is not a person who takes part"
        raise InvalidInput(message, field="participant")
    goes_on = is_open_ended and state.status in GOES_ON
    before = (e.DebateResumed(),) if goes_on else ()
    return (*before, e.MessageSaid(participant=participant, content=content))


def opened(state: DebateState, elsewhere: Sequence[str]) -> e.AnyEvent:
    """The event that opens the cards. `elsewhere` are the debates because of which something may be
    hidden here."""
    is_own = veil_of(state).is_drawn
    if elsewhere and not is_own:
        message = f"what is hidden here is hidden for debate {elsewhere[0]}: open the cards there"
        raise Refused(message)
    if state.has_open_cards:
        raise Refused("the cards are open already")
    if not state.status.is_terminal and not is_own:
        raise Refused("nothing is hidden in this debate, so there are no cards to open")
    return e.CardsOpened()


def renamed(state: DebateState, title: str) -> e.AnyEvent | None:
    """The event that gives the debate this title, or None if it has it already."""
    return None if title == state.title else e.DebateRenamed(title=title)


def toggled(state: DebateState, seq: int, *, included: bool) -> e.AnyEvent | None:
    """The event that puts the turn recorded by event `seq` into prompts, or keeps it out of them;
    None if that is so already."""
    turn = turn_of(state, seq)
    if state.status.is_terminal:
        message = f"cannot include or exclude turns of a debate that is {state.status}"
        raise Refused(message)
    if turn.included is included and not turn.is_pending:
        return None
    return e.TurnIncluded(turn=seq) if included else e.TurnExcluded(turn=seq)


def turn_of(state: DebateState, seq: int) -> Turn:
    """The turn that event `seq` recorded. Raises NotFound."""
    turn = state.turn_at(seq)
    if turn is None:
        message = f"there is no turn {seq}"
        raise NotFound(message)
    return turn


def _is_human(state: DebateState, participant: str) -> bool:
    found = state.participants.get(participant)
    return found is not None and found.is_human
