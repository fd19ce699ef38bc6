"""A moderated format but for its order: its stages, its rows, what is said to whom, and how the
moderator closes it.

Nobody wins. The outcome is what the moderator wrote and who that was; without a moderator there is
none. The summary is written exactly once, whatever leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from moot.protocol.briefs import brief, task
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.moderated import roster
from moot.protocol.formats.moderated.order import CONCLUSION, MANUAL, Order, Speech, order_of
from moot.protocol.machine import END, UPCOMING, Format, Stage, Transition
from moot.protocol.order import COMPLETE, LIMIT
from moot.protocol.outcomes import Summary
from moot.protocol.settings import Settings, frozen
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StepKind, StopReason, View, Visibility

NEXT_NAMES = 3
"""How many of the next speakers a prompt names."""
NOBODY = "nobody, you have the last word"

LIMITS = {
    StopReason.MAX_RUNTIME: "Time limit",
    StopReason.MAX_TOKENS: "Token limit",
    StopReason.MAX_COST: "Cost limit",
}


class Moderated(Format):
    default_roster: tuple[Participant, ...] = ()
    gives_verdict = False
    said_all: StopReason = StopReason.MAX_ROUNDS
    """Why it is over when everything has been said."""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """At most one moderator, who comes first, and two to twelve others."""
        del settings
        roster.check(self.name, participants)
        return roster.moderator_first(participants)

    def fold(self, config: Config, settings: Settings) -> Order:
        raise NotImplementedError

    def most_calls(self, config: Config) -> int:
        """Every speech and the summary; one follows the other."""
        order = self.fold(config, frozen(self.settings, config.settings))
        return order.most_speeches() + (roster.moderator(config) is not None)

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        return self.said_all if order_of(state).is_through(state) else None

    def outcome(self, state: DebateState) -> Summary | None:
        turn = _summary(state)
        if turn is None or turn.is_silent:
            return None
        by = turn.said.participant
        return Summary(summary=turn.said.content, by=state.participants[by].name, by_id=by)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """As often as they will speak: of two debaters, four are known."""
        del now
        if _summary(state):
            return ()
        return tuple(one.id for one in order_of(state).next_speakers(state, UPCOMING))


def _summary(state: DebateState) -> Turn | None:
    """The moderator's last word, whichever it was."""
    chair = roster.moderator(state.config)
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
            Transition(source=source, event=event, target=CONCLUSION, guard=roster.has_moderator),
            Transition(source=source, event=event, target=None),
        )
    )


CONCLUDED = Transition(source=CONCLUSION, event=COMPLETE, target=None)


def early_ends(*sources: str) -> tuple[Transition, ...]:
    """A limit, or somebody, may end it in any stage before the conclusion."""
    return tuple(row for source in sources for row in to_the_end(source, LIMIT, END))


# --- what participants are told -------------------------------------------------------------------
#
# Who they are, whose turn it is, what is asked. The seed's `[SYSTEM]` line comes first, word for
# word; then where the debate stands and who speaks next; then the task. All of it is the step's
# prompt, so it is in the log and in a person's question.


def step_for(order: Order, state: DebateState, speech: Speech) -> Step:
    """The step that asks for a speech."""
    chair = roster.moderator(state.config)
    is_chair = speech.speaker.role is Role.MODERATOR
    return Step(
        key=speech.key,
        participant=speech.speaker.id,
        kind=speech.kind,
        stage=speech.stage,
        round=speech.round,
        place=order.place(speech),
        prompt=Prompt("moderated/turn", _parts(order, state, speech)),
        system=_moderator(state.config, speech) if is_chair else _debater(state.config, speech),
        for_people=_for_people(order, state, speech) if speech.speaker.is_human else None,
        view=View.TRANSCRIPT,
        max_tokens=speech.max_tokens,
        is_owed=speech.is_answer,
        asker=chair.id if chair and not is_chair else "",
    )


def listed(names: Sequence[str]) -> str:
    """`Ada`, `Ada and Bo`, `Ada, Bo and Cy`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# --- the step's own prompt ------------------------------------------------------------------------


def _for_people(order: Order, state: DebateState, speech: Speech) -> Prompt | None:
    """The same for a person, with what was said last in place of all that was said."""
    one, parts = speech.speaker, _parts(order, state, speech)
    before = state.transcript_before(order.place(speech))
    return brief(
        state,
        one,
        Prompt("moderated/turn", {**parts, "task": task(parts["task"])}),
        side="" if one.role is Role.MODERATOR else Prompt(f"moderated/side_{one.stance}"),
        said=next((turn for turn in reversed(before) if _is_heard(turn, one)), None),
    )


def _is_heard(turn: Turn, listener: Participant) -> bool:
    is_there = turn.included and not turn.is_silent
    is_public = turn.said.visibility is Visibility.PUBLIC
    return is_there and is_public and turn.said.participant != listener.id


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
        "task": _task(state.config, speech, next_name),
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


def _task(config: Config, speech: Speech, next_name: str) -> Prompt:
    one = speech.speaker
    slots = {
        "name": one.name,
        "next": next_name,
        "roster": _roster(config),
        "others": listed([other.name for other in _others(config, one)]),
        "opponents": listed([other.name for other in _opponents(config, one)]),
        "side": one.stance,
    }
    return Prompt(speech.task, slots)


def _roster(config: Config) -> str:
    return "\n".join(
        f"- {one.label}" if one.stance is Stance.NONE else f"- {one.label} ({one.stance})"
        for one in roster.speakers(config)
    )


def _others(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in roster.speakers(config) if one.id != speaker.id]


def _opponents(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in roster.speakers(config) if one.stance is speaker.stance.opposite]


# --- the system prompt ----------------------------------------------------------------------------


def _moderator(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots = {
        "name": one.name,
        "topic": config.topic,
        "roster": _roster(config),
        "persona_block": _persona(one),
    }
    return Prompt("moderated/moderator", slots)


def _debater(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots: dict[str, str | Prompt] = {
        "name": one.name,
        "topic": config.topic,
        "persona_block": _persona(one),
        "side_block": Prompt(f"moderated/side_{one.stance}"),
        "company_block": _company(config, one),
    }
    return Prompt("moderated/debater", slots)


def _persona(one: Participant) -> str:
    fields = (one.personality, one.position, one.instructions)
    return "\n\n".join(field.strip() for field in fields if field.strip())


def _company(config: Config, one: Participant) -> Prompt:
    """Whom one debates with: team and opponents, or simply the others."""
    others = _others(config, one)
    opponents = _opponents(config, one) if one.stance is not Stance.NONE else []
    mates = [other for other in others if other.stance is one.stance]
    if not opponents or len(opponents) + len(mates) < len(others):
        return Prompt("moderated/company", {"others": listed([other.name for other in others])})
    slots = {
        "opponents": listed([other.name for other in opponents]),
        "mates": listed([other.name for other in mates]),
    }
    return Prompt("moderated/company_team" if mates else "moderated/company_opponents", slots)
