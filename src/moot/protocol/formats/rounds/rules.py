"""The debate of seed 003: debater A and debater B in every round, and one judge at the end.

With `judge_each_round` the judge speaks after every round instead, and two verdicts in a row that
find nothing new end the debate.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from moot.protocol.answers import OnUnreadable, Text
from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.bench.benches import apart, seated
from moot.protocol.bench.spoken import have_spoken, spoken
from moot.protocol.bench.stage import ROWS, Benched, row_to, stage_of
from moot.protocol.briefs import brief, introduced, length, persona, told_criteria
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.rounds.order import (
    DEBATE,
    VERDICT,
    WORDS,
    JudgeAnswer,
    RoundsOrder,
    RoundsSettings,
    order_of,
)
from moot.protocol.hearing.case import Case
from moot.protocol.machine import (
    END,
    START,
    UPCOMING,
    Rounds as RoundChange,
    Stage,
    Transition,
)
from moot.protocol.order import ALL_SAID, COMPLETE, ROUND_SAID, Speech
from moot.protocol.outcomes import OutcomeStatus, Verdict, is_contested
from moot.protocol.quoting import block
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.winners import otherwise
from moot.protocol.words import (
    EXPIRED,
    PASSED,
    Role,
    Stance,
    StepKind,
    StopReason,
    View,
    Visibility,
)

QUIET_ROUNDS = 2
"""Verdicts in a row without a new substantive argument that end a debate judged every round."""
FOR_JUDGES = {
    Stance.PRO: "in favour. A question they answer yes, a proposal they support.",
    Stance.CON: "against. A question they answer no, a proposal they oppose.",
}
OWN_POSITION = "has a position, and will say which."
AS_PERSON = {Stance.PRO: "You speak for it.", Stance.CON: "You speak against it."}
THOUGHTS = {
    "open": "rounds/think_open",
    "answer": "rounds/think",
    "close": "rounds/think_close",
}
"""What is to be thought about before each kind of statement."""
PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)


# --- prompts -------------------------------------------------------------------------------------


def _debater_system(order: RoundsOrder, state: DebateState, debater: Participant) -> Prompt:
    return Prompt(
        "rounds/system",
        {
            "name": debater.name,
            "opponent": order.opponent(debater).name,
            "side": _side(order, debater),
            "topic": state.config.topic,
            "persona_block": persona(debater.personality, debater.position, debater.instructions),
            "judge_block": told_criteria(order.judge, _criteria(order.judge)),
        },
    )


def _side(order: RoundsOrder, debater: Participant) -> Prompt:
    """What they argue: as the topic has it, as their persona says, or simply pro and con."""
    opponent = order.opponent(debater)
    slots = {"stance": debater.stance.upper()}
    if debater.argues:
        told = {"argues": debater.argues, "opponent": opponent.name, "other": opponent.argues}
        return Prompt("rounds/side_argues", {**slots, **told})
    if debater.position.strip():
        return Prompt("rounds/side_position", slots)
    return Prompt(f"rounds/side_{debater.stance}")


def _criteria(judge: Participant | None) -> Prompt:
    """What counts, for debaters: what every judge is told, and what this one is told besides."""
    own = judge.judging_criteria.strip() if judge else ""
    usual = Prompt("rounds/criteria")
    return Prompt("rounds/own_criteria", {"usual": usual, "own": block(own)}) if own else usual


def _judge_system(state: DebateState, judge: Participant) -> Prompt:
    order = order_of(state)
    return Prompt(
        "rounds/judge_system",
        {
            "who": introduced(judge, "the judge"),
            "a": order.a.name,
            "b": order.b.name,
            "a_stance": order.a.stance.upper(),
            "b_stance": order.b.stance.upper(),
            "a_side": _for_judges(order.a),
            "b_side": _for_judges(order.b),
            "topic": state.config.topic,
            "persona_block": persona(judge.personality, judge.judging_criteria),
            "criteria": Prompt("rounds/criteria"),
        },
    )


def _for_judges(debater: Participant) -> str:
    if debater.argues:
        return f"argues {debater.argues}."
    return OWN_POSITION if debater.position.strip() else FOR_JUDGES[debater.stance]


def _speak_prompt(order: RoundsOrder, state: DebateState, speech: Speech) -> Prompt:
    last = order.last_round(state)
    is_first = (speech.round, speech.number) == (1, 0)
    occasion = "open" if is_first else "close" if speech.round == last else "answer"
    slots: dict[str, str | Prompt] = {
        "round": str(speech.round),
        "rounds": str(last),
        "name": speech.speaker.name,
        "opponent": order.opponent(speech.speaker).name,
    }
    if speech.kind is StepKind.THINK:
        return Prompt(THOUGHTS[occasion], slots)
    asked = length(speech.speaker, order.settings.words)
    return Prompt(f"rounds/{occasion}", {**slots, "length": asked})


def _judge_prompt(order: RoundsOrder, state: DebateState) -> Prompt:
    occasion = "The debate is over." if order.is_over(state) else f"Round {state.round} is over."
    return Prompt("rounds/judge", {"occasion": occasion, "a": order.a.name, "b": order.b.name})


# --- steps ---------------------------------------------------------------------------------------


def _speaking(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    speech = order.due(state)
    if speech is not None:
        yield _pause(state, speech) or _speech(order, state, speech)


def _pause(state: DebateState, speech: Speech) -> Step | None:
    """The question before every round but the first."""
    over = speech.round - 1 if speech.number == 0 else 0
    return checkpoint(state, over=over, place=(over, LAST))


def _speech(order: RoundsOrder, state: DebateState, speech: Speech) -> Step:
    debater, opponent = speech.speaker, order.opponent(speech.speaker)
    prompt = _speak_prompt(order, state, speech)
    before = speech.round if speech.number else speech.round - 1
    side = f"You argue {debater.argues}." if debater.argues else AS_PERSON[debater.stance]
    said = state.turns.get(f"{DEBATE}/{before}/{opponent.id}/speak")
    is_thought = speech.kind is StepKind.THINK
    return Step(
        key=speech.key,
        participant=debater.id,
        kind=speech.kind,
        stage=DEBATE,
        round=speech.round,
        place=order.place(speech),
        prompt=prompt,
        system=_debater_system(order, state, debater),
        for_people=brief(state, debater, prompt, side=side, said=said),
        visibility=Visibility.PRIVATE if is_thought else Visibility.PUBLIC,
        view=View.TRANSCRIPT,
        max_tokens=order.settings.max_tokens,
        answer=PRIVATE_TEXT if is_thought else Text(),
        is_owed=speech.is_answer,
    )


def _judging(state: DebateState) -> Iterator[Step]:
    order = order_of(state)
    judge = order.judge
    if judge is None:
        return
    prompt = _judge_prompt(order, state)
    yield Step(
        key=order.judge_key(state.round),
        participant=judge.id,
        kind=StepKind.VERDICT,
        stage=VERDICT,
        round=state.round,
        place=(state.round, 2),
        prompt=prompt,
        system=_judge_system(state, judge),
        for_people=brief(state, judge, prompt),
        view=View.TRANSCRIPT,
        max_tokens=order.settings.max_tokens_judge,
        answer=JudgeAnswer(debaters=order.debaters),
    )


# --- what the judge said -------------------------------------------------------------------------


def _verdicts(state: DebateState) -> Iterator[dict[str, Any]]:
    """The judge's verdicts, newest first."""
    judge = order_of(state).judge
    turns = state.own_turns.get(judge.id, []) if judge else []
    for turn in reversed(turns):
        yield turn.said.data or {}


def _is_quiet(state: DebateState) -> bool:
    newest = list(islice(_verdicts(state), QUIET_ROUNDS))
    is_enough = len(newest) == QUIET_ROUNDS
    return is_enough and all(one.get("no_new_substantive_arguments") for one in newest)


def _status(verdict: dict[str, Any]) -> OutcomeStatus:
    if not verdict.get("fallback"):
        return OutcomeStatus.DECIDED
    why = {PASSED: OutcomeStatus.PASSED, EXPIRED: OutcomeStatus.MISSING}
    return why.get(verdict.get("reason", ""), OutcomeStatus.UNREADABLE)


# --- the tables ----------------------------------------------------------------------------------


def _has_judge(state: DebateState) -> bool:
    return order_of(state).judge is not None and state.statements > 0


def _judges_each_round(state: DebateState) -> bool:
    return _has_judge(state) and order_of(state).settings.judge_each_round


def _said(state: DebateState) -> str | None:
    return order_of(state).emits(state)


def _judged(state: DebateState) -> str | None:
    order = order_of(state)
    if not order.is_judged(state):
        return None
    if order.is_over(state):
        return COMPLETE
    return "NOTHING_NEW" if _is_quiet(state) else "CONTINUE"


def _to_the_end(event: str) -> tuple[Transition, ...]:
    """To the verdict, if there is a judge and something to judge; else to the bench, if any."""
    same = RoundChange.SAME
    return (
        Transition(source=DEBATE, event=event, target=VERDICT, guard=_has_judge, rounds=same),
        row_to(DEBATE, event, have_spoken),
        Transition(source=DEBATE, event=event, target=None),
    )


DEFAULT_ROSTER = (
    Participant(id="debater_a", name="Debater A", role=Role.DEBATER),
    Participant(id="debater_b", name="Debater B", role=Role.DEBATER),
    Participant(id="judge", name="Judge", role=Role.JUDGE),
)


class RoundsFormat(Benched):
    name = "rounds"
    about = "Two debaters speak once in every round; a judge gives a verdict at the end."
    when_to_use = "When you want a short, fair exchange of pro and con with firm limits."
    words: FormatWord | None = WORDS
    is_pair = True
    settings: type[Settings] = RoundsSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    ends_by = StopReason.NO_NEW_ARGUMENTS
    stages: tuple[Stage, ...] = (
        Stage(
            name=DEBATE,
            about="One debater speaks, then the other answers.",
            steps=_speaking,
            emits=_said,
        ),
        Stage(
            name=VERDICT,
            about="The judge weighs what was said.",
            steps=_judging,
            emits=_judged,
            closes=True,
        ),
        stage_of(spoken),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=DEBATE),
        Transition(
            source=DEBATE,
            event=ROUND_SAID,
            target=VERDICT,
            guard=_judges_each_round,
            rounds=RoundChange.SAME,
        ),
        Transition(source=DEBATE, event=ROUND_SAID, target=DEBATE, rounds=RoundChange.NEXT),
        *_to_the_end(ALL_SAID),
        *_to_the_end(END),
        Transition(source=VERDICT, event="CONTINUE", target=DEBATE, rounds=RoundChange.NEXT),
        row_to(VERDICT, "NOTHING_NEW", have_spoken),
        Transition(source=VERDICT, event="NOTHING_NEW", target=None),
        row_to(VERDICT, COMPLETE, have_spoken),
        Transition(source=VERDICT, event=COMPLETE, target=None),
        *ROWS,
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Debater A and debater B on opposite sides, and at most one judge; then the bench.

        Sides that the roster names win; otherwise `stance_a` says A's, and B takes the other.
        """
        told = narrowed(settings, RoundsSettings)
        others, bench = apart(participants)
        roster = pair_and_judge(others or self.default_roster, Stance(told.stance_a))
        return seated(told, roster, bench)

    def fold(self, config: Config, settings: Settings) -> RoundsOrder:
        return RoundsOrder(config, narrowed(settings, RoundsSettings))

    def own_calls(self, config: Config) -> int:
        """Every speech and every verdict; one follows the other."""
        return self.fold(config, frozen(self.settings, config.settings)).most_calls()

    def owes(self, state: DebateState) -> bool:
        return order_of(state).due(state) is not None

    def reached(self, state: DebateState) -> StopReason | None:
        if order_of(state).is_through(state):
            return StopReason.MAX_ROUNDS
        # The bench is asked only once the debate itself is over, whatever cuts off the hearing.
        return StopReason.NO_NEW_ARGUMENTS if state.stage == HEARING else None

    def can_be_heard(self, state: DebateState) -> bool:
        return have_spoken(state)

    def case(self, state: DebateState) -> Case | None:
        return spoken(state)

    def own_outcome(self, state: DebateState) -> Verdict | None:
        """The last verdict, in the words every format's outcome has."""
        verdict = next(_verdicts(state), None)
        if verdict is None:
            return None
        a, b = order_of(state).debaters
        winner = next((one for one in (a, b) if one.id == verdict["winner"]), None)
        has_scores = verdict["score_a"] is not None
        scores = {a.name: verdict["score_a"], b.name: verdict["score_b"]} if has_scores else None
        name = winner.name if winner else None
        is_tie = verdict["winner"] == "tie"
        is_decided = name is not None or is_tie
        told = otherwise(verdict["summary"], name, (a.name, b.name)) if is_decided else None
        return Verdict(
            status=_status(verdict),
            winner=name,
            winner_id=winner.id if winner else None,
            is_tie=is_tie,
            scores=scores,
            is_contested=is_contested(name, scores, is_tie=is_tie) or told is not None,
            told=told,
            reasoning="" if verdict.get("fallback") else verdict["summary"],
            reason=verdict.get("reason", ""),
        )

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        if state.stage == HEARING:  # all are asked at once, and nobody speaks
            return ()
        return tuple(one.id for one in islice(order_of(state).speakers(state), UPCOMING))
