"""What each participant sees, models in their prompts and people in any view. The only module that
decides it.

A prompt is made of the participant's own earlier prompts and replies in full, of public turns that
are included, of the notes that the user left for them at checkpoints, and of nothing private of
anyone else. Lists only ever grow at the end while nobody includes or excludes a turn, so that
providers' prefix caches hit.

While a person sits in a chair, views show what that chair may know and no more: every view asks the
veil, and shows the events as it lets them be seen. It is lifted when the debate is over, or when
the person opens the cards. If several people take part, nobody is shown what one may not know.
A fork is no way around it: what it shares with a debate in which somebody still takes part, and
whatever came of that, is hidden as it is there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import msgspec

from moot.protocol import events as e
from moot.protocol.checkpoints import ALL, guidance, is_checkpoint
from moot.protocol.deciding import UNREADABLE, open_steps, steps_to_come
from moot.protocol.log import fold
from moot.protocol.quoting import quoted
from moot.protocol.registry import format_named
from moot.protocol.state import INHERITED, DebateState, Turn
from moot.protocol.steps import Step
from moot.protocol.turns import Reading
from moot.protocol.values import Message, Place
from moot.protocol.words import HIDDEN, USER, Finish, StepKind, View, Visibility

REMEMBERED_FROM = 64
"""From so many turns on, it pays to remember what somebody has been given."""
NOTHING_READ = Reading()


def history(state: DebateState, step: Step) -> list[Message]:
    """The messages that come between a step's system prompt and its own prompt, oldest first."""
    match step.view:
        case View.BLANK:
            return notes_for(state, step)
        case View.OWN:
            return _own(state, step)
        case View.TRANSCRIPT:
            return _transcript(state, step)


def _own(state: DebateState, step: Step) -> list[Message]:
    turns = state.own_turns.get(step.participant, [])
    begin = _count_before(turns, step.since) if step.since else 0
    end = _count_before(turns, step.horizon or step.place)
    if step.hears is not None or _checkpoints(state, step):
        return _own_and_guidance(state, step, turns[begin:end])
    known = _known(state, step, end)
    # Done for every call to a model: no function call for each turn.
    fresh = [
        message
        for turn in turns[max(begin, known.count) : end]
        if turn.is_heard
        for message in turn.exchange or turn.as_exchange()
    ]
    return _remembered(state, step, end, [*known.messages, *fresh])


def _count_before(turns: list[Turn], place: Place) -> int:
    """How many turns, which are sorted by place, stand before `place`: nearly always all."""
    if not turns or turns[-1].place < place:
        return len(turns)
    return bisect_left(turns, place, key=lambda turn: turn.place)


def _checkpoints(state: DebateState, step: Step) -> list[Turn]:
    """The answers to checkpoints that stand before a step; none for a step of the user's own."""
    if step.participant == USER:
        return []
    horizon = step.horizon or step.place
    return [
        turn
        for turn in state.own_turns.get(USER, ())
        if is_checkpoint(turn) and turn.place < horizon
    ]


def notes_for(state: DebateState, step: Step, *, after: Place = ()) -> list[Message]:
    """The notes from checkpoints that the step's participant may read, from a place on."""
    turns = [turn for turn in _checkpoints(state, step) if turn.place > after]
    found = (guidance(state, turn, step.participant) for turn in turns)
    return [message for message in found if message is not None]


def _own_and_guidance(state: DebateState, step: Step, own: list[Turn]) -> list[Message]:
    messages: list[Message] = []
    for turn in sorted([*own, *_checkpoints(state, step)], key=lambda turn: turn.place):
        if is_checkpoint(turn):
            note = guidance(state, turn, step.participant)
            messages += [note] if note else []
        elif turn.is_heard:
            messages += _exchange(state, step, turn)
    return messages


def _exchange(state: DebateState, step: Step, turn: Turn) -> tuple[Message, ...]:
    if step.hears is None or turn.exchange:
        return turn.as_exchange()
    return turn.as_exchange(step.hears(state, turn, step.participant).text)


def _transcript(state: DebateState, step: Step) -> list[Message]:
    end = state.count_before(step.horizon or step.place)
    known = _known(state, step, end)
    fresh = _read(state, step, state.part(known.count, end))
    return _remembered(state, step, end, [*known.messages, *fresh])


def _known(state: DebateState, step: Step, end: int) -> Reading:
    """What the step's participant has been given of those first `end` turns, if it still holds."""
    known = state.readings.get((step.participant, step.view))
    if known is None or (known.edits, known.since) != (state.edits, step.since):
        return NOTHING_READ
    return known if known.count <= end else NOTHING_READ


def _remembered(state: DebateState, step: Step, end: int, messages: list[Message]) -> list[Message]:
    if end >= REMEMBERED_FROM:
        state.readings[step.participant, step.view] = Reading(
            edits=state.edits, since=step.since, count=end, messages=tuple(messages)
        )
    return messages


def _read(state: DebateState, step: Step, turns: list[Turn]) -> list[Message]:
    labels = {one.id: one.label for one in (*state.left.values(), *state.participants.values())}
    labels[USER] = state.label_of(USER)
    messages: list[Message] = []
    for turn in turns:
        said = turn.said
        if not turn.is_heard or said.place < (step.since or ()):
            continue
        if said.participant == step.participant:
            messages += _exchange(state, step, turn)
        elif is_checkpoint(turn):
            note = guidance(state, turn, step.participant)
            messages += [note] if note else []
        elif said.visibility is Visibility.PUBLIC and not turn.is_pending:
            messages.append(_quotation(state, step, turn, labels))
    return messages


def _quotation(state: DebateState, step: Step, turn: Turn, labels: Mapping[str, str]) -> Message:
    if step.hears is None:
        return turn.as_quotation(labels.get(turn.said.participant, turn.said.participant))
    heard = step.hears(state, turn, step.participant)
    return Message(role="user", content=quoted(heard.label, heard.text))


# --- what views may show while people take part ---------------------------------------------------

JUDGING = frozenset({StepKind.EVALUATE, StepKind.SCORE, StepKind.DELIBERATE, StepKind.CONFIRM})
"""What a judge makes of a debate before its end. No other chair knows it; an audience may."""
UNREAD = "the reply could not be read"
UNTOLD = "What was measured is hidden while somebody takes part who may not know it."

LIFTING = (e.TurnRecorded, e.CardsOpened, e.DebateCompleted, e.DebateCanceled)
"""What may lift the veil, or a part of it: a person's answer, open cards, the end."""

Spoken = e.TurnRecorded | Step
"""A turn, or the step whose turn is being written: both say who, what and where."""


class Veil(msgspec.Struct, frozen=True, kw_only=True):
    """What is withheld from every view at one moment of a debate."""

    chairs: Mapping[str, Place | None] = {}
    """The people who take part, each with the place from which on they may not read the others,
    because what stands there is written side by side with an answer which they still owe; None if
    they owe none."""
    judged: frozenset[str] = frozenset()
    """The stages and rounds with a judgement that is hidden: notices about them would tell it."""
    unnamed: frozenset[StepKind] = frozenset()
    """The kinds of turns that those who take part know by labels only: they read them in what they
    are asked; see `Format.unnamed`."""
    own: Mapping[str, str] = {}
    """The people's own turns of those kinds, without names, by step key; "" if what a turn is about
    gives an author away."""

    @property
    def is_drawn(self) -> bool:
        return bool(self.chairs)

    def hides(self, said: Spoken) -> bool:
        """Whether somebody who takes part may not know its words, or whose they are."""
        if said.kind in self.unnamed and not self._is_own(said):
            return True
        return any(_is_unknown(said, who, horizon) for who, horizon in self.chairs.items())

    def _is_own(self, said: Spoken) -> bool:
        key = said.key if isinstance(said, Step) else said.step_key
        return set(self.chairs) == {said.participant} and self.own.get(key) != ""

    @property
    def hides_outcome(self) -> bool:
        """Whether a fork's outcome is hidden from the people of its source: it was made of turns
        that they may read only once they have answered, or it tells whose proposal was whose."""
        is_owed = any(horizon is not None for horizon in self.chairs.values())
        return is_owed or StepKind.SYNTHESIZE in self.unnamed

    def is_early(self, said: Spoken) -> bool:
        """Whether it is hidden only until somebody has given the answer that they owe."""
        is_public = said.visibility is Visibility.PUBLIC and said.kind not in JUDGING
        is_public = is_public and said.kind not in self.unnamed
        return is_public and self.hides(said)

    def seen(self, record: e.Recorded) -> e.Recorded:
        """The event as it may be shown: the very same if there is nothing to withhold."""
        withheld = _withheld(self, record.event) if self.chairs else {}
        if not withheld:
            return record
        event: e.AnyEvent = msgspec.structs.replace(record.event, **withheld)
        return e.Recorded(record.seq, record.at, event)


def veil_of(state: DebateState, sources: Sequence[Veil] = (), *, who: str | None = None) -> Veil:
    """What views may not show of a debate in this state. In a conversation that is nothing, because
    nothing there is private.

    `sources` are the veils of the debates that it was forked from; they hold as long as they are
    drawn there. With `who`, only what that person may not know is hidden.
    """
    chairs = _chairs(state, who)
    rules = format_named(state.config.format)
    unnamed = rules.unnamed
    if sources and _shares_turns(state):
        for source in sources:
            chairs = _both(chairs, source.chairs)
    if not chairs:
        return Veil()
    own = {
        key: rules.without_names(turn)
        for key, turn in state.turns.items()
        if turn.said.kind in unnamed and turn.said.participant in chairs
    }
    veil = Veil(chairs=chairs, unnamed=unnamed, own=own)
    judged = (turn.said for turn in state.turns.values() if turn.said.kind in JUDGING)
    told = frozenset(f"{said.stage}/{said.round}" for said in judged if veil.hides(said))
    return msgspec.structs.replace(veil, judged=told)


def _chairs(state: DebateState, who: str | None) -> Mapping[str, Place | None]:
    """Who takes part and may not know everything, each with their horizon."""
    rules = format_named(state.config.format)
    people = [one.id for one in state.participants.values() if one.is_human]
    people = people if who is None else [who]
    if not people or state.status.is_terminal or state.has_open_cards or rules.is_open_ended:
        return {}
    now = state.updated_at
    steps = open_steps(rules, state, now)
    if steps is None:
        steps = steps_to_come(rules, state, now)
    return {one: _horizon(steps, one) for one in people}


def _shares_turns(state: DebateState) -> bool:
    return any(INHERITED in turn.said.flags for turn in state.turns.values())


def _both(
    some: Mapping[str, Place | None], others: Mapping[str, Place | None]
) -> dict[str, Place | None]:
    """The chairs of both; somebody in both reads up to the nearer horizon."""
    horizons = {one: (some.get(one), others.get(one)) for one in (*some, *others)}
    return {
        one: min((place for place in places if place is not None), default=None)
        for one, places in horizons.items()
    }


class Shown(msgspec.Struct, frozen=True):
    """A debate as far as it may be shown. Its state tells all that was spent: the sum gives nobody
    away, only the cost of a single turn may."""

    log: Sequence[e.Recorded]
    state: DebateState


def shown(log: Sequence[e.Recorded], sources: Sequence[Veil] = ()) -> Shown:
    """The debate as it may be shown where its log ends."""
    state = fold(log)
    return through(veil_of(state, sources), log, state)


def through(veil: Veil, log: Sequence[e.Recorded], state: DebateState) -> Shown:
    """What the veil lets be seen of a log, and of the state that it amounts to."""
    if not veil.is_drawn:
        return Shown(log, state)
    log = [veil.seen(record) for record in log]
    found = fold(log)
    found.usage = state.usage
    return Shown(log, found)


def is_lifted(log: Sequence[e.Recorded], seq: int, sources: Sequence[Veil] = ()) -> bool:
    """Whether event `seq` lets something be seen of the events before it that was withheld."""
    event = log[seq - 1].event
    if not isinstance(event, LIFTING) or (isinstance(event, e.TurnRecorded) and event.model):
        return False
    state = fold(log[: seq - 1])
    before = veil_of(state, sources)
    state.apply(log[seq - 1])
    after = veil_of(state, sources)
    return before.is_drawn and any(
        before.seen(record) != after.seen(record) for record in log[: seq - 1]
    )


def _horizon(steps: Sequence[Step], who: str) -> Place | None:
    owed = (step.horizon for step in steps if step.participant == who and step.horizon)
    return min(owed, default=None)


def _is_unknown(said: Spoken, who: str, horizon: Place | None) -> bool:
    is_late = horizon is not None and said.place >= horizon
    if said.participant == who:
        return is_late and _is_by_model(said)
    if said.participant == USER:
        return isinstance(said, e.TurnRecorded) and not _is_told(said, who)
    if said.visibility is Visibility.PRIVATE or said.kind in JUDGING:
        return True
    return is_late


def _is_by_model(said: Spoken) -> bool:
    """Whether these are not the person's own words: in a fork a model may have their chair."""
    return isinstance(said, Step) or bool(said.model)


def _is_told(said: e.TurnRecorded, who: str) -> bool:
    """Whether what the user said is for that person too."""
    data = said.data or {}
    is_for_others = bool(data.get("note")) and data.get("to", ALL) not in (ALL, who)
    return not (said.visibility is Visibility.PRIVATE and is_for_others)


def _withheld(  # noqa: PLR0911 - one return for each kind of event
    veil: Veil, event: e.AnyEvent
) -> dict[str, object]:
    """The fields that are shown with another value than was recorded, and that value."""
    match event:
        case e.TurnRecorded():
            return _words(veil, event)
        case e.AttemptFailed(code=code):
            return {"reply": "", **_error(code)}
        case e.StepFailed(code=code) | e.DebateFailed(code=code):
            return _error(code)
        case e.NoticePosted(about=about) if about in veil.judged:
            return {"text": UNTOLD}
        case e.ToolUsed():
            return {"said": "", "arguments": "{}"}
        case e.DebateCompleted() if veil.hides_outcome:
            return {"outcome": None}
        case _:
            return {}


def _words(veil: Veil, said: e.TurnRecorded) -> dict[str, object]:
    behind: dict[str, object] = {"prompt": "", "reasoning": ""}
    if veil.hides(said):
        length = _length(said) if said.kind in veil.unnamed else {}
        # It is no secret which debate made the call, and calls are counted by that.
        kept = tuple(flag for flag in said.flags if flag == INHERITED)
        return {**behind, **length, "content": "", "data": None, "flags": (HIDDEN, *kept)}
    if said.step_key in veil.own:
        return {**behind, "content": veil.own[said.step_key]}
    is_own = set(veil.chairs) == {said.participant}
    return behind if (said.prompt or said.reasoning) and not is_own else {}


def _length(said: e.TurnRecorded) -> dict[str, object]:
    """Blanks for what tells a text's length, and so whose it is where it can be read unnamed."""
    return {"usage": said.usage.untold, "duration_ms": 0, "finish": Finish.STOP}


def _error(code: str) -> dict[str, object]:
    """A plain reason, if a reply could not be read: the recorded one may quote the reply."""
    return {"error": UNREAD} if code == UNREADABLE else {}
