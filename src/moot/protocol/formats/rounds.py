"""The debate of seed 003: debater A and debater B in every round, and one judge at the end.

With `judge_each_round` the judge speaks after every round instead, and two verdicts in a row that
find nothing new end the debate.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot.protocol import forms
from moot.protocol.answers import Answer, Schema, Text, Unreadable
from moot.protocol.briefs import brief
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.machine import (
    END,
    START,
    UPCOMING,
    Format,
    Rounds as RoundChange,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.parsing import read_number, read_object, words
from moot.protocol.roster import pair_and_judge
from moot.protocol.settings import RoundSettings, Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import EXPIRED, PASSED, Role, Stance, StepKind, StopReason, View

DEBATE, VERDICT = "debate", "verdict"
LOWEST, HIGHEST = 0, 10
QUIET_ROUNDS = 2
"""Verdicts in a row without a new substantive argument that end a debate judged every round."""
SIDES = {
    Stance.PRO: (
        "you are in favour. A question you answer yes, a proposal you support, "
        "a claim you hold to be true"
    ),
    Stance.CON: (
        "you are against. A question you answer no, a proposal you oppose, "
        "a claim you hold to be false"
    ),
}
NO_ANSWER = {PASSED: "the judge passed", EXPIRED: "the judge did not answer in time"}
AS_PERSON = {Stance.PRO: "for it", Stance.CON: "against it"}


class RoundsSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_rounds: Annotated[
        int, Meta(ge=1, le=100, description="Rounds; in each of them both debaters speak once.")
    ] = 5
    # Seed 003, "Default stop conditions" and "Per-step output limits".
    max_runtime_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=2_592_000)] | None,
        Meta(description="Running time, pauses left out."),
    ] = 600
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Tokens written by all models."),
    ] = 8000
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of one statement, in tokens.")
    ] = 600
    max_tokens_judge: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of the judge's reply, in tokens.")
    ] = 400
    stance_a: Annotated[
        Literal["pro", "con"], Meta(description="Debater A's side; B takes the other.")
    ] = "pro"
    judge_each_round: Annotated[
        bool, Meta(description="Judge after every round, and end when nothing new is said.")
    ] = False


# --- the judge's answer --------------------------------------------------------------------------


class JudgeAnswer(Answer, frozen=True, kw_only=True):
    """Seed 003, "Structured judge verdict metadata". An unreadable judge decides nothing."""

    debaters: tuple[Participant, Participant]

    @property
    def schema(self) -> Schema:
        score = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
        properties = {
            "summary": {"type": "string"},
            "score_a": score,
            "score_b": score,
            "winner": {"type": "string", "enum": ["debater_a", "debater_b", "tie"]},
            "no_new_substantive_arguments": {"type": "boolean"},
        }
        return Schema(
            "judgement",
            {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        )

    @property
    def form(self) -> dict[str, Any]:
        names = [one.name for one in self.debaters]
        winners = [("debater_a", names[0]), ("debater_b", names[1]), ("tie", "A tie")]
        return forms.form(
            forms.number("score_a", f"Score of {names[0]}", minimum=LOWEST, maximum=HIGHEST),
            forms.number("score_b", f"Score of {names[1]}", minimum=LOWEST, maximum=HIGHEST),
            forms.choice("winner", "Winner", winners),
            forms.text("summary", "What decided it"),
            forms.truth("no_new_substantive_arguments", "Nothing new in the latest round"),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        summary, quiet = found.get("summary"), found.get("no_new_substantive_arguments", False)
        if not isinstance(summary, str) or not summary.strip():
            return Unreadable("summary must be a text")
        if not isinstance(quiet, bool):
            return Unreadable("no_new_substantive_arguments must be true or false")
        winner = self._winner(found.get("winner"))
        if winner is None:
            return Unreadable('winner must be "debater_a", "debater_b" or "tie"')
        scores = [
            read_number(found.get(name), lowest=LOWEST, highest=HIGHEST, name=name)
            for name in ("score_a", "score_b")
        ]
        for score in scores:
            if isinstance(score, Unreadable):
                return score
        return {
            "summary": summary.strip(),
            "score_a": scores[0],
            "score_b": scores[1],
            "winner": winner,
            "no_new_substantive_arguments": quiet,
        }

    def _winner(self, given: object) -> str | None:
        """Models write the id, the letter or the name; all of them mean the same."""
        if not isinstance(given, str):
            return None
        said = words(given)
        for letter, debater in zip("ab", self.debaters, strict=True):
            known = (debater.id, debater.name, letter, f"debater {letter}", f"debater_{letter}")
            if said in {words(name) for name in known}:
                return debater.id
        return "tie" if said in {("tie",), ("draw",)} else None

    def fallback(self, reason: str) -> dict[str, Any]:
        """DESIGN section 9: shown as "no verdict"."""
        why = NO_ANSWER.get(reason, f"the judge's reply could not be read ({reason})")
        return {
            "summary": f"No verdict: {why}.",
            "score_a": None,
            "score_b": None,
            "winner": "undecided",
            "no_new_substantive_arguments": False,
            "fallback": True,
            "reason": reason,
        }

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        return str(data["summary"]) if data else text


# --- who and what --------------------------------------------------------------------------------


def _debaters(state: DebateState) -> tuple[Participant, Participant]:
    a, b = (p for p in state.config.participants if p.role is Role.DEBATER)
    return a, b


def _judge(state: DebateState) -> Participant | None:
    return next((p for p in state.config.participants if p.role is Role.JUDGE), None)


def _speak_key(round_: int, debater: Participant) -> str:
    return f"{DEBATE}/{round_}/{debater.id}/speak"


def _judge_key(round_: int, judge: Participant) -> str:
    return f"{VERDICT}/{round_}/{judge.id}/verdict"


def _last_round(state: DebateState) -> int:
    """`max_rounds`, or the round that fairness lets finish once a limit is met."""
    most = int(state.config.settings["max_rounds"])
    return min(most, (state.statements + 1) // 2) if state.limits else most


def _is_said(state: DebateState) -> bool:
    return state.statements >= 2 * _last_round(state)


def _verdicts(state: DebateState) -> Iterator[dict[str, Any]]:
    """The judge's verdicts, newest first."""
    judge = _judge(state)
    turns = state.own_turns.get(judge.id, []) if judge else []
    for turn in reversed(turns):
        yield turn.said.data or {}


def _is_quiet(state: DebateState) -> bool:
    newest = [verdict for verdict, _ in zip(_verdicts(state), range(QUIET_ROUNDS), strict=False)]
    return len(newest) == QUIET_ROUNDS and all(
        verdict.get("no_new_substantive_arguments") for verdict in newest
    )


# --- prompts and steps ---------------------------------------------------------------------------


def _persona(*fields: str) -> str:
    return "\n\n".join(field.strip() for field in fields if field.strip())


def _debater_system(state: DebateState, debater: Participant) -> Prompt:
    return Prompt(
        "rounds/system",
        {
            "name": debater.name,
            "stance": debater.stance.upper(),
            "side": SIDES[debater.stance],
            "topic": state.config.topic,
            "persona_block": _persona(debater.personality, debater.position, debater.instructions),
        },
    )


def _judge_system(state: DebateState, judge: Participant) -> Prompt:
    a, b = _debaters(state)
    return Prompt(
        "rounds/judge_system",
        {
            "name": judge.name,
            "a": a.name,
            "b": b.name,
            "a_stance": a.stance.upper(),
            "b_stance": b.stance.upper(),
            "topic": state.config.topic,
            "persona_block": _persona(judge.personality, judge.judging_criteria),
        },
    )


def _speak_prompt(state: DebateState, round_: int, index: int) -> Prompt:
    pair = _debaters(state)
    rounds = _last_round(state)
    is_first = round_ == 1 and index == 0
    name = "open" if is_first else "close" if round_ == rounds else "answer"
    slots = {
        "round": str(round_),
        "rounds": str(rounds),
        "name": pair[index].name,
        "opponent": pair[1 - index].name,
    }
    return Prompt(f"rounds/{name}", slots)


def _speaking(state: DebateState) -> Iterator[Step]:
    round_, index = state.statements // 2 + 1, state.statements % 2
    if index == 0 and (pause := checkpoint(state, over=round_ - 1, place=(round_ - 1, LAST))):
        yield pause
        return
    pair = _debaters(state)
    debater, opponent = pair[index], pair[1 - index]
    prompt = _speak_prompt(state, round_, index)
    said = state.turns.get(_speak_key(round_ - (index == 0), opponent))
    side = f"You speak {AS_PERSON[debater.stance]}."
    yield Step(
        key=_speak_key(round_, debater),
        participant=debater.id,
        kind=StepKind.SPEAK,
        stage=DEBATE,
        round=round_,
        place=(round_, index),
        prompt=prompt,
        system=_debater_system(state, debater),
        for_people=brief(state, debater, prompt, side=side, said=said),
        view=View.TRANSCRIPT,
        max_tokens=int(state.config.settings["max_tokens"]),
        answer=Text(),
    )


def _judging(state: DebateState) -> Iterator[Step]:
    judge = _judge(state)
    if judge is None:
        return
    a, b = _debaters(state)
    is_over = _is_said(state) or state.ending
    occasion = "The debate is over." if is_over else f"Round {state.round} is over."
    prompt = Prompt("rounds/judge", {"occasion": occasion, "a": a.name, "b": b.name})
    yield Step(
        key=_judge_key(state.round, judge),
        participant=judge.id,
        kind=StepKind.VERDICT,
        stage=VERDICT,
        round=state.round,
        place=(state.round, 2),
        prompt=prompt,
        system=_judge_system(state, judge),
        for_people=brief(state, judge, prompt),
        view=View.TRANSCRIPT,
        max_tokens=int(state.config.settings["max_tokens_judge"]),
        answer=JudgeAnswer(debaters=(a, b)),
    )


# --- the tables ----------------------------------------------------------------------------------


def _has_judge(state: DebateState) -> bool:
    return _judge(state) is not None and state.statements > 0


def _judges_each_round(state: DebateState) -> bool:
    return _has_judge(state) and bool(state.config.settings["judge_each_round"])


def _round_said(state: DebateState) -> str | None:
    if _is_said(state):
        return "ALL_SAID"
    return "ROUND_SAID" if state.statements >= 2 * state.round else None


def _judged(state: DebateState) -> str | None:
    judge = _judge(state)
    if judge is None or _judge_key(state.round, judge) not in state.turns:
        return None
    if _is_said(state) or state.ending:
        return "COMPLETE"
    return "NOTHING_NEW" if _is_quiet(state) else "CONTINUE"


def _stop_reason(state: DebateState) -> StopReason:
    if state.ending:
        return StopReason.ENDED
    if state.statements >= 2 * int(state.config.settings["max_rounds"]):
        return StopReason.MAX_ROUNDS
    return next(iter(state.limits), StopReason.NO_NEW_ARGUMENTS)


def _outcome(state: DebateState) -> Verdict | None:
    """The last verdict, in the words every format's outcome has."""
    verdict = next(_verdicts(state), None)
    if verdict is None:
        return None
    a, b = _debaters(state)
    winner = next((one for one in (a, b) if one.id == verdict["winner"]), None)
    has_scores = verdict["score_a"] is not None
    return Verdict(
        status=OutcomeStatus.UNREADABLE if verdict.get("fallback") else OutcomeStatus.DECIDED,
        winner=winner.name if winner else None,
        winner_id=winner.id if winner else None,
        is_tie=verdict["winner"] == "tie",
        scores={a.name: verdict["score_a"], b.name: verdict["score_b"]} if has_scores else None,
        is_contested=_is_contested(verdict, a, b),
        premise_upheld=winner.stance is Stance.PRO if winner else None,
        reasoning=verdict["summary"],
    )


def _is_contested(verdict: dict[str, Any], a: Participant, b: Participant) -> bool:
    if verdict["score_a"] is None:
        return False
    lead = float(verdict["score_a"]) - float(verdict["score_b"])
    return (verdict["winner"] == a.id and lead < 0) or (verdict["winner"] == b.id and lead > 0)


def _speakers(state: DebateState) -> Iterator[str]:
    """Who is still to be heard: A and B in every round, the judge where it is their turn."""
    judge, most = _judge(state), 2 * _last_round(state)
    is_judged_now = bool(state.statements) and (state.stage == VERDICT or state.ending)
    if judge and is_judged_now and _judge_key(state.round, judge) not in state.turns:
        yield judge.id
    if state.ending:
        return
    for number in range(state.statements, most):
        yield _debaters(state)[number % 2].id
        is_over = number == most - 1 or (state.config.settings["judge_each_round"] and number % 2)
        if judge is not None and is_over:
            yield judge.id


DEFAULT_ROSTER = (
    Participant(id="debater_a", name="Debater A", role=Role.DEBATER),
    Participant(id="debater_b", name="Debater B", role=Role.DEBATER),
    Participant(id="judge", name="Judge", role=Role.JUDGE),
)


class RoundsFormat(Format):
    name = "rounds"
    about = "Two debaters speak once in every round; a judge gives a verdict at the end."
    when_to_use = "When you want a short, fair exchange of pro and con with firm limits."
    settings: type[Settings] = RoundsSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    stages: tuple[Stage, ...] = (
        Stage(name=DEBATE, about="A speaks, then B answers.", steps=_speaking, emits=_round_said),
        Stage(
            name=VERDICT,
            about="The judge weighs what was said.",
            steps=_judging,
            emits=_judged,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=DEBATE),
        Transition(
            source=DEBATE,
            event="ROUND_SAID",
            target=VERDICT,
            guard=_judges_each_round,
            rounds=RoundChange.SAME,
        ),
        Transition(source=DEBATE, event="ROUND_SAID", target=DEBATE, rounds=RoundChange.NEXT),
        Transition(
            source=DEBATE,
            event="ALL_SAID",
            target=VERDICT,
            guard=_has_judge,
            rounds=RoundChange.SAME,
        ),
        Transition(source=DEBATE, event="ALL_SAID", target=None),
        Transition(
            source=DEBATE, event=END, target=VERDICT, guard=_has_judge, rounds=RoundChange.SAME
        ),
        Transition(source=DEBATE, event=END, target=None),
        Transition(source=VERDICT, event="CONTINUE", target=DEBATE, rounds=RoundChange.NEXT),
        Transition(source=VERDICT, event="NOTHING_NEW", target=None),
        Transition(source=VERDICT, event="COMPLETE", target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Debater A and debater B on opposite sides, and at most one judge.

        Sides that the roster names win; otherwise `stance_a` says A's, and B takes the other.
        """
        stance = Stance(msgspec.structs.asdict(settings)["stance_a"])
        return pair_and_judge(participants or self.default_roster, stance)

    def most_calls(self, config: Config) -> int:
        rounds = int(config.settings["max_rounds"])
        has_judge = any(p.role is Role.JUDGE for p in config.participants)
        verdicts = rounds if config.settings["judge_each_round"] else 1
        return 2 * rounds + verdicts * has_judge

    def next(self, state: DebateState, now: datetime) -> Next:
        del now  # its limits arrive as events
        return walk(self, state, stop_reason=_stop_reason, outcome=_outcome)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        return tuple(islice(_speakers(state), UPCOMING))
