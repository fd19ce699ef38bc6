"""Moderated formats, apart from their order: stages, rows, how the moderator closes, and prompts.

Nobody wins. The outcome is what the moderator wrote and who that was; without a moderator there is
no outcome. The summary is written exactly once, whatever leads to it.

In prompts, the seed's `[SYSTEM]` line comes first, word for word; then where the debate stands and
who speaks after them; then the task. All of it is the step's prompt, so it is in the log and in a
person's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from moot.protocol.answers import OnUnreadable, Text
from moot.protocol.bench.spoken import have_spoken, spoken
from moot.protocol.briefs import brief, introduced, length, opposite, persona, task
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.moderated.order import (
    CONCLUSION,
    MANUAL,
    Order,
    Speech,
    check_roster,
    has_moderator,
    moderator,
    moderator_first,
    order_of,
    speakers,
)
from moot.protocol.hearing.case import Case
from moot.protocol.machine import END, UPCOMING, Format, Stage, Transition
from moot.protocol.order import COMPLETE, LIMIT
from moot.protocol.outcomes import Summary
from moot.protocol.settings import Settings, frozen
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StepKind, StopReason, View, Visibility


class Moderated(Format):
    default_roster: tuple[Participant, ...] = ()
    gives_verdict = False
    said_all: StopReason = StopReason.MAX_ROUNDS
    """Why the debate is over when everything has been said."""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """At most one moderator, who comes first, and two to twelve others."""
        del settings
        check_roster(self.name, participants)
        return moderator_first(participants)

    def fold(self, config: Config, settings: Settings) -> Order:
        raise NotImplementedError

    def most_calls(self, config: Config) -> int:
        """Every speech and the summary; one follows the other."""
        order = self.fold(config, frozen(self.settings, config.settings))
        return order.most_speeches() + (moderator(config) is not None)

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return self.said_all if order_of(state).is_through(state) else None

    def can_be_heard(self, state: DebateState) -> bool:
        return have_spoken(state)

    def case(self, state: DebateState) -> Case | None:
        return spoken(state)

    def outcome(self, state: DebateState) -> Summary | None:
        turn = _summary(state)
        if turn is None or turn.is_silent:
            return None
        by = turn.said.participant
        return Summary(summary=turn.said.content, by=state.participants[by].name, by_id=by)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Each as often as they will speak: two debaters can fill all UPCOMING places."""
        del now
        if _summary(state):
            return ()
        return tuple(one.id for one in order_of(state).next_speakers(state, UPCOMING))


def _summary(state: DebateState) -> Turn | None:
    """The moderator's last word, whether or not somebody asked for it."""
    chair = moderator(state.config)
    if chair is None:
        return None
    key = f"{CONCLUSION}/1/{chair.id}/{StepKind.SUMMARIZE}"
    return state.turn(key) or state.turn(key + MANUAL)


# --- the stages -----------------------------------------------------------------------------------


def stages(**about: str) -> tuple[Stage, ...]:
    """The stages of an order with a sentence for people about each, and the conclusion."""
    spoken = tuple(
        Stage(name=name, about=sentence, steps=_speaking, emits=_said)
        for name, sentence in about.items()
    )
    last = Stage(
        name=CONCLUSION,
        about="The moderator sums up; nobody wins.",
        steps=_concluding,
        emits=_concluded,
        closes=True,
    )
    return (*spoken, last)


def _speaking(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    speech = order.due(state)
    if speech is not None:
        yield _pause(order, state, speech) or step_for(order, state, speech)


def _pause(order: Order, state: DebateState, speech: Speech) -> Step | None:
    """The question to the user before a new round of the same stage."""
    first, *_ = order.speeches(speech.stage, speech.round)
    over = speech.round - 1 if speech == first else 0
    return checkpoint(state, over=over, place=(*order.place(speech)[:1], over, LAST))


def _said(state: DebateState) -> str | None:
    return order_of(state).emits(state)


def _concluding(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    speech = order.conclusion(state)
    if speech is not None and _summary(state) is None:
        yield step_for(order, state, speech)


def _concluded(state: DebateState) -> str | None:
    return COMPLETE if _summary(state) else None


# --- the rows -------------------------------------------------------------------------------------


def to_the_end(source: str, *events: str) -> tuple[Transition, ...]:
    """Each event leads to the conclusion, or to the end where there is no moderator."""
    return tuple(
        row
        for event in events
        for row in (
            Transition(source=source, event=event, target=CONCLUSION, guard=has_moderator),
            Transition(source=source, event=event, target=None),
        )
    )


CONCLUDED = Transition(source=CONCLUSION, event=COMPLETE, target=None)


def early_ends(*sources: str) -> tuple[Transition, ...]:
    """A limit, or somebody, may end the debate in any stage before the conclusion."""
    return tuple(row for source in sources for row in to_the_end(source, LIMIT, END))


# --- what each participant is told ----------------------------------------------------------------

NEXT_NAMES = 3
"""How many of the next speakers a prompt names."""
NOBODY = "nobody, you have the last word"
OTHER_SIDE = "the other side"
OPPOSED = "against that"

LIMITS = {
    StopReason.MAX_RUNTIME: "Time limit",
    StopReason.MAX_TOKENS: "Token limit",
    StopReason.MAX_COST: "Cost limit",
}
REBUTTALS = ("classic/rebuttal_task", "classic/defence_task")
SUMMARY = "classic/summary_task"
PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)


def step_for(order: Order, state: DebateState, speech: Speech) -> Step:
    """The step that asks for a speech, or for the thought before it."""
    chair = moderator(state.config)
    is_chair = speech.speaker.role is Role.MODERATOR
    is_thought = speech.kind is StepKind.THINK
    return Step(
        key=speech.key,
        participant=speech.speaker.id,
        kind=speech.kind,
        stage=speech.stage,
        round=speech.round,
        place=order.place(speech),
        prompt=_thought(order, state, speech) if is_thought else _turn(order, state, speech),
        system=_moderator(state.config, speech) if is_chair else _debater(state.config, speech),
        for_people=_for_people(order, state, speech) if speech.speaker.is_human else None,
        visibility=Visibility.PRIVATE if is_thought else Visibility.PUBLIC,
        view=View.TRANSCRIPT,
        max_tokens=speech.max_tokens,
        answer=PRIVATE_TEXT if is_thought else Text(),
        is_owed=speech.is_answer,
        asker=chair.id if chair and not is_chair else "",
    )


def listed(names: Sequence[str]) -> str:
    """`Ada`, `Ada and Bo`, `Ada, Bo and Cy`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# --- the step's own prompt ------------------------------------------------------------------------


def _turn(order: Order, state: DebateState, speech: Speech) -> Prompt:
    asked = length(speech.speaker, speech.words)
    return Prompt("moderated/turn", {**_parts(order, state, speech), "length": asked})


def _thought(order: Order, state: DebateState, speech: Speech) -> Prompt:
    parts = _parts(order, state, speech)
    return Prompt("moderated/think", {**parts, "name": speech.speaker.name})


def _for_people(order: Order, state: DebateState, speech: Speech) -> Prompt | None:
    """The prompt for a person, with what was said last in place of all that was said."""
    one, parts = speech.speaker, _parts(order, state, speech)
    before = state.transcript_before(order.place(speech))
    return brief(
        state,
        one,
        Prompt("moderated/turn", {**parts, "task": task(parts["task"])}),
        side="" if one.role is Role.MODERATOR else _side(state.config, one),
        said=next((turn for turn in reversed(before) if _is_heard(turn, one)), None),
    )


def _is_heard(turn: Turn, listener: Participant) -> bool:
    is_public = turn.said.visibility is Visibility.PUBLIC
    return turn.is_heard and is_public and turn.said.participant != listener.id


def _parts(order: Order, state: DebateState, speech: Speech) -> dict[str, Prompt]:
    after = _names_after(order, state, speech)
    status = Prompt(
        "moderated/status",
        {
            "stage": speech.stage.replace("_", " "),
            "round": order.shown_round(speech),
            "next": ", ".join(after) or NOBODY,
        },
    )
    next_name = after[0] if after else ""
    return {
        "signal": _signal(state, speech, next_name),
        "status": status,
        "task": _task(state, speech, next_name),
    }


def _signal(state: DebateState, speech: Speech, next_name: str) -> Prompt:
    # A moderator who opens the floor opens it for somebody else.
    is_chair = speech.speaker.role is Role.MODERATOR
    slots = {
        "topic": state.config.topic,
        "name": next_name if is_chair else speech.speaker.name,
        "limit": next((LIMITS.get(one, "Limit") for one in state.limits), ""),
    }
    return Prompt(speech.signal, slots)


def _names_after(order: Order, state: DebateState, speech: Speech) -> list[str]:
    if speech.stage == CONCLUSION:
        return []
    return [one.name for one in order.next_speakers(state, NEXT_NAMES + 1)[1:]]


def _task(state: DebateState, speech: Speech, next_name: str) -> Prompt:
    one, config = speech.speaker, state.config
    slots = {
        "name": one.name,
        "next": next_name,
        "roster": _roster(config),
        "opponents": listed([other.name for other in _opponents(config, one)]),
        "side": one.stance,
    }
    if speech.task in REBUTTALS:
        return _rebuttal(state, speech, slots)
    if speech.task == SUMMARY:
        slots["heard"] = _heard(state, one)
    return Prompt(speech.task, slots)


def _rebuttal(state: DebateState, speech: Speech, slots: dict[str, str]) -> Prompt:
    """The task that fits what was said: somebody who passed cannot be rebutted."""
    opener, rebutter = (_name_of(state, speech.speaker, one) for one in ("opening", "rebuttal"))
    template = speech.task if rebutter else "classic/rebuttal_task"
    if not opener:
        template = "classic/unopened_task"
    return Prompt(template, {**slots, "opener": opener, "rebutter": rebutter})


def _name_of(state: DebateState, one: Participant, part: str) -> str:
    """Who of the other side spoke in that part of the debate; nobody if they passed."""
    stage = f"{one.stance.opposite}_{part}"
    turns = (turn for turn in state.transcript() if turn.said.stage == stage)
    spoken = [turn.said.participant for turn in turns if _is_heard(turn, one)]
    return state.participants[spoken[-1]].name if spoken else ""


def _heard(state: DebateState, one: Participant) -> str:
    """Those of the other side who have spoken so far."""
    spoken = {turn.said.participant for turn in state.transcript() if _is_heard(turn, one)}
    names = [other.name for other in _opponents(state.config, one) if other.id in spoken]
    return listed(names) or OTHER_SIDE


def _roster(config: Config) -> str:
    return "\n".join(f"- {one.label}{_stands(one)}" for one in speakers(config))


def _stands(one: Participant) -> str:
    if one.stance is Stance.NONE:
        return ""
    return f" ({one.stance}: argues {one.argues})" if one.argues else f" ({one.stance})"


def _others(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in speakers(config) if one.id != speaker.id]


def _opponents(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in speakers(config) if one.stance is speaker.stance.opposite]


# --- the system prompt ----------------------------------------------------------------------------


def _moderator(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots = {
        "who": introduced(one, "the moderator"),
        "topic": config.topic,
        "roster": _roster(config),
        "persona_block": persona(one.personality, one.position, one.instructions),
    }
    return Prompt(speech.chair, slots)


def _debater(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots: dict[str, str | Prompt] = {
        "name": one.name,
        "topic": config.topic,
        "persona_block": persona(one.personality, one.position, one.instructions),
        "side_block": _side(config, one),
        "others_block": _whom_with(config, one),
    }
    return Prompt("moderated/debater", slots)


def _side(config: Config, one: Participant) -> Prompt:
    """What they argue: as the topic has it, as their persona says, or simply pro and con."""
    slots = {"stance": one.stance.upper()}
    if one.argues:
        told = {"argues": one.argues, "other": opposite(one, config.participants) or OPPOSED}
        return Prompt("moderated/side_argues", {**slots, **told})
    if one.position.strip() and one.stance is not Stance.NONE:
        return Prompt("moderated/side_position", slots)
    return Prompt(f"moderated/side_{one.stance}")


def _whom_with(config: Config, one: Participant) -> Prompt:
    """Whom one debates with: team and opponents, or simply the others."""
    others = _others(config, one)
    opponents = _opponents(config, one) if one.stance is not Stance.NONE else []
    mates = [other for other in others if other.stance is one.stance]
    if not opponents or len(opponents) + len(mates) < len(others):
        return Prompt("moderated/others", {"others": listed([other.name for other in others])})
    slots = {
        "opponents": listed([other.name for other in opponents]),
        "mates": listed([other.name for other in mates]),
    }
    return Prompt("moderated/others_team" if mates else "moderated/others_opponents", slots)
