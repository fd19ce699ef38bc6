"""The courses of the golden logs of rounds, the moderated formats, the council and the poll.

Played with 0.1 by `tests.golden.make`, and never again; they stay to show what the logs hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
from tests.unit.protocol.moderating import MO, debaters, moderated
from tests.unit.protocol.playing import (
    Play,
    configured,
    council,
    duel,
    exam,
    hearing,
    poll,
    readable,
    rounds,
)

from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.bench.asking import all_slots
from moot.protocol.formats.hearing import HearingSettings, plan_of
from moot.protocol.hearing.certificate import CertificateStatus
from moot.protocol.hearing.plan import Order
from moot.protocol.outcomes import Certificate, ExamReport
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config, Usage
from moot.protocol.words import HUMAN, PASSED, USER, StepKind, StopReason

HOUR = timedelta(hours=1)
USAGE = Usage(input_tokens=90, output_tokens=30, cached_tokens=10, cost_usd=0.0002)


class Course(Play):
    """A debate in which models answer by `replies`, and people when they are asked."""

    def __init__(self, config: Config) -> None:
        super().__init__(FORMATS[config.format], config)
        self.replies: dict[str, str] = {}

    def go(self, until: str = "") -> Step:
        """Let models speak, one after the other, until a person or the step `until` is next."""
        while ready := self.ready():
            step = ready[0]
            if self.state.is_person(step.participant) or until in (step.key, *keys(ready[1:])):
                return next((one for one in ready if one.key == until), step)
            self.perform(step, self.replies.get(step.key, readable(step)), usage=USAGE)
        raise AssertionError("the debate is over")

    def end(self) -> Course:
        """Let models speak to the end."""
        while ready := self.ready():
            step = ready[0]
            self.perform(step, self.replies.get(step.key, readable(step)), usage=USAGE)
        return self

    def ask(self, *steps: Step) -> None:
        for step in steps:
            question = e.QuestionOpened(
                question_id=step.key,
                participant=step.participant,
                kind=step.kind,
                stage=step.stage,
                round=step.round,
                text=render(step.for_people or step.prompt),
                asker=step.asker,
                form=step.answer.form,
                may_pass=step.may_pass,
            )
            self.append(question)
        self.append(e.DebateSuspended())

    def answer(self, step: Step, text: str = "") -> None:
        """What a person says; nothing is a pass."""
        asked = self.state.questions[step.key].text
        if text:
            self.perform(step, text, model="", prompt=asked)
            return
        data = step.answer.fallback(PASSED)
        turn = self.turn(step, "", model="", prompt=asked)
        self.append(msgspec.structs.replace(turn, content="", data=data, flags=(PASSED,)))

    def turn(self, step: Step, text: str, **fields: Any) -> e.TurnRecorded:
        prompt = fields.pop("prompt", None)
        turn = super().turn(step, text, **fields)
        return turn if prompt is None else msgspec.structs.replace(turn, prompt=prompt)

    def try_in_vain(self, step: Step, code: str, reply: str = "", attempt: int = 1) -> None:
        paid = USAGE if reply else Usage()
        self.append(
            e.AttemptFailed(
                attempt_of=step.key,
                attempt=attempt,
                code=code,
                error=f"{code} it was",
                model="test:model",
                usage=paid,
                duration_ms=20,
                reply=reply,
            )
        )

    def fail(self, step: Step, code: str = "model_unavailable") -> None:
        self.append(e.StepFailed(failed_key=step.key, code=code, error="it is down", attempts=4))


def keys(steps: Iterable[Step]) -> list[str]:
    return [step.key for step in steps]


def seated(config: Config, person: str) -> Config:
    """The same with that participant a person."""
    roster = tuple(
        msgspec.structs.replace(one, model=HUMAN) if one.id == person else one
        for one in config.participants
    )
    return msgspec.structs.replace(config, participants=roster)


def judgement(winner: str, a: float, b: float, *, is_quiet: bool = False) -> str:
    return json.dumps(
        {
            "summary": f"“{winner}”, all told.\nTwo lines of it.",
            "score_a": a,
            "score_b": b,
            "winner": winner,
            "no_new_substantive_arguments": is_quiet,
        }
    )


def guided() -> Play:
    """Rounds, judged every round: a person debates, the user guides, two quiet rounds end it."""
    config = rounds(max_rounds=5, judge_each_round=True, checkpoint="every_round")
    played = Course(seated(config, "bo"))
    for round_, is_quiet in ((1, False), (2, True), (3, True)):
        step = played.go()
        if step.participant == USER:
            note = {"action": "guide", "note": "Give an example.", "to": "ada"}
            secret = {**note, "visibility": "private"}
            played.ask(step)
            played.answer(step, json.dumps(secret if round_ == 2 else {"action": "continue"}))
            step = played.go()
        played.ask(step)
        played.answer(step, f"A person, in round {round_}: “No.”")
        judge = played.go(until=f"verdict/{round_}/judith/verdict")
        if round_ == 2:
            played.try_in_vain(judge, "unreadable", reply="Bo, I think.")
        played.perform(judge, judgement("debater_b", 6.5, 8, is_quiet=is_quiet), usage=USAGE)
    played.ready()
    assert played.state.stop_reason is StopReason.NO_NEW_ARGUMENTS
    return played


def tie() -> Play:
    """A limit in the middle of a round: the other side still answers, and the judge sees a tie."""
    played = Course(rounds(max_rounds=4, max_total_output_tokens=80))
    played.go(until="debate/2/ada/speak")
    played.append(e.StopRequested(), e.DebateStopped())
    played.append(e.DebateResumed(), after=HOUR)
    played.replies["verdict/2/judith/verdict"] = judgement("tie", 7, 7)
    played.end()
    assert played.state.stop_reason is StopReason.MAX_TOKENS
    return played


def undecided() -> Play:
    """Con begins; the judge cannot be read, three times over."""
    played = Course(rounds(max_rounds=1, stance_a="con"))
    judge = played.go(until="verdict/1/judith/verdict")
    for attempt in (1, 2):
        played.try_in_vain(judge, "unreadable", reply="Hm.", attempt=attempt)
    played.perform(judge, "Hm, still.", usage=USAGE, attempts=3)
    played.ready()
    return played


def slept() -> Play:
    """The machine slept for an hour and the clock was set back: neither counts as running time."""
    played = Course(rounds(max_rounds=2, max_runtime_seconds=600))
    played.go(until="debate/1/bo/speak")
    played.append(e.ClockJumped(ran_s=20.0), after=HOUR)
    played.go(until="debate/2/ada/speak")
    played.append(e.ClockJumped(ran_s=30.0), after=-2 * HOUR)
    played.append(e.StopRequested(), e.ClockJumped(ran_s=32.0), e.DebateStopped())
    played.append(e.DebateResumed(), after=HOUR)
    played.end()
    assert played.state.stop_reason is StopReason.MAX_ROUNDS
    return played


def canceled() -> Play:
    played = Course(rounds(max_rounds=2))
    played.go(until="debate/1/bo/speak")
    played.append(e.DebateCanceled())
    return played


def standard() -> Play:
    """Somebody interjects; ended while a person is being asked, whose question is closed."""
    played = Course(seated(moderated("standard", 3, max_rounds=20), "cy"))
    step = played.go()
    played.append(e.MessageSaid(participant=USER, content="What about\n[Mo]: zero?"))
    played.ask(step)
    played.answer(step, "Nothing is not a number.")
    step = played.go()
    played.ask(step)
    played.append(e.EndRequested(), e.QuestionClosed(question_id=step.key))
    played.end()
    assert played.state.stop_reason is StopReason.ENDED
    return played


def custom() -> Play:
    """All rounds, a person who passes once, guidance for all, a reply that was cut."""
    played = Course(
        seated(moderated("custom", 2, max_rounds=2, checkpoint="every_round", max_tokens=64), "bo")
    )
    first = played.go(until="discussion/1/ada/speak")
    played.perform(first, "Cut in the mid", usage=USAGE, flags=("truncated",))
    step = played.go()
    played.ask(step)
    played.answer(step)
    step = played.go()
    played.ask(step)
    played.answer(step, json.dumps({"action": "guide", "note": "Be shorter, both of you."}))
    step = played.go()
    played.ask(step)
    played.answer(step, "Short.")
    played.end()
    assert played.state.stop_reason is StopReason.MAX_ROUNDS
    return played


def classic() -> Play:
    """Two against one: a rate limit, a failure and a retry, and a budget that ends it early."""
    teams = debaters(3, stances=True)
    played = Course(configured("classic", (*teams, MO), free_rounds=2, max_cost_usd=0.0015))
    step = played.go(until="con_rebuttal/1/bo/speak")
    played.try_in_vain(step, "rate_limited")
    played.fail(step)
    played.append(
        e.DebateFailed(error="it is down", code="model_unavailable", step_key=step.key),
        e.DebateRetried(),
        after=HOUR,
    )
    played.append(e.DebateRecovered(), after=HOUR)
    played.end()
    assert played.state.stop_reason is StopReason.MAX_COST
    return played


def voted() -> Play:
    """Questions, a tool, a critique that is left out, a member that sits out, votes, agreement."""
    config = council(
        4,
        rounds=3,
        termination="convergence",
        threshold=70,
        interactive_clarifications=True,
        clarifications_max_iterations=2,
        decision="vote",
    )
    played = Course(config)
    played.replies["clarification/1/ada/ask"] = '{"questions": ["How much?", "Until when?"]}'
    for key in ("1/bo", "1/cy", "1/di", "2/ada", "2/bo", "2/cy", "2/di"):
        played.replies[f"clarification/{key}/ask"] = '{"questions": []}'
    first = played.go()
    second = played.ready()[1]
    played.ask(first, second)
    played.answer(first, "Ten francs.")
    played.answer(second)
    proposal = played.go(until="proposal/1/bo/propose")
    used = e.ToolUsed(
        used_by=proposal.key,
        exchange=1,
        tool="search",
        arguments='{"query":"francs"}',
        call_id="call_1",
        result_sha256="cd" * 32,
        result_chars=80,
        duration_ms=3,
        said="Let me look.",
        model="test:model",
        usage=USAGE,
        reply_ms=40,
    )
    played.append(used)
    rated(played)
    dead = played.go(until="critique/1/cy/critique/ada")
    for _ in range(2):  # as often as it is tried
        played.fail(dead)
        played.ready()
    dead = played.go(until="refinement/1/di/refine")
    for _ in range(2):
        played.fail(dead)
        played.ready()
    for round_, agreement in ((1, 40), (2, 75)):
        evaluated = {"confidence": agreement, "quality": 66, "reasons": "Nearer."}
        played.replies[f"evaluation/{round_}/judith/evaluate"] = json.dumps(evaluated)
    played.replies["synthesis/2/cy/vote"] = '{"choice": "Proposal B", "reasons": "It is short."}'
    played.end()
    assert played.state.stop_reason is StopReason.CONSENSUS
    return played


def rated(played: Course) -> None:
    """Critiques of the first round that favour Bo."""
    for by in ("ada", "bo", "cy", "di"):
        for of in ("ada", "bo", "cy", "di"):
            critique = {"weaknesses": [f"{of} is vague"], "rating": 90 if of == "bo" else 35}
            played.replies[f"critique/1/{by}/critique/{of}"] = json.dumps(critique)


def ended() -> Play:
    """A council that is ended after its first proposals, and a judge that cannot be read."""
    played = Course(council(2, rounds=2, decision="rank"))
    played.go(until="critique/1/bo/critique/ada")
    played.append(e.EndRequested())
    played.replies["synthesis/1/ada/vote"] = '{"ranking": ["B", "A"], "reasons": "It is short."}'
    played.replies["synthesis/1/bo/vote"] = "spoilt"
    step = played.go(until="synthesis/1/judith/synthesize")
    played.try_in_vain(step, "unreadable", reply="Both.")
    played.perform(step, "Both of them,\nsomehow.", usage=USAGE, attempts=3)
    played.ready()
    assert played.state.stop_reason is StopReason.ENDED
    return played


def polled() -> Play:
    """Samples, an answer that is left out, one that nobody can read, a person who passes, votes."""
    played = Course(seated(poll(4, samples=2, answer_type="number", decision="vote"), "di"))
    given = {"ada/answer": 4.5, "ada/answer/2": "4.50", "bo/answer": 5, "bo/answer/2": "five or so"}
    for key, answer in {**given, "cy/answer/2": 4.5}.items():
        reply = {"reasons": "Zahlen,\n数学 — π.", "answer": answer}
        played.replies[f"answers/1/{key}"] = json.dumps(reply)
    dead = played.go(until="answers/1/cy/answer")
    for _ in range(2):  # as often as it is tried
        played.fail(dead, "unreadable")
        played.ready()
    first = played.go()
    played.ask(first)
    played.answer(first)
    played.replies["decision/1/bo/vote"] = "spoilt"
    ballot = played.go()
    played.ask(ballot)
    played.answer(ballot, '{"reasons": "It is exact.", "choice": "A"}')
    assert not played.ready()
    assert played.state.stop_reason is StopReason.DONE
    return played


def heard() -> Play:
    """A bench that needs a second look, with a spoilt ballot and one that never comes."""
    played = Course(hearing(3))
    for slot in all_slots(plan_of(played.state.config.participants, HearingSettings())):
        winner = "X" if slot.order is Order.ONE else "Y"
        vote = {
            "reasons": f"{winner} answers,\n数学 — π. ({slot.key})",
            "winner": winner,
            "margin": 2,
        }
        played.replies[f"hearing/{slot.key}"] = json.dumps(vote)
    played.replies["hearing/1/j3/two/1/vote"] = '{"reasons": "Even.", "winner": "tie", "margin": 0}'
    played.replies["hearing/2/j3/one/2/vote"] = "Both of them."
    dead = played.go(until="hearing/2/j2/two/3/vote")
    for _ in range(2):  # as often as it is tried
        played.fail(dead, "unreadable")
        played.ready()
    while ready := played.ready():
        played.perform(ready[0], played.replies[ready[0].key], usage=USAGE)
    assert isinstance(played.state.outcome, Certificate)
    assert played.state.outcome.status is CertificateStatus.STABLE
    return played


def examined() -> Play:
    """A judge that calls equals equal, goes by the name once, and cannot be read once."""
    played = Course(exam())
    for key, winner in (("same/one", "tie"), ("same/two", "tie"), ("padded/one", "X")):
        margin = 0 if winner == "tie" else 1
        vote = {"reasons": "Zwei Reden,\n数学 — π.", "winner": winner, "margin": margin}
        played.replies[f"exam/{key}/vote"] = json.dumps(vote)
    played.replies["exam/padded/two/vote"] = "Y, I think."
    while ready := played.ready():
        played.perform(ready[0], played.replies[ready[0].key], usage=USAGE)
    assert isinstance(played.state.outcome, ExamReport)
    assert played.state.outcome.exam.unreadable == 1
    return played


def seated_duel() -> Play:
    """A duel of 0.1 in which two people are asked step by step, and one of them opens the cards."""
    played = Course(seated(seated(duel(turns=2), "ada"), "judith"))
    while ready := played.ready():
        asked = [step for step in ready if played.state.is_person(step.participant)]
        if not asked:
            played.perform(ready[0], readable(ready[0]), usage=USAGE)
            continue
        step = asked[0]
        played.ask(*(one for one in asked if one.key not in played.state.questions))
        if step.key.endswith("score/ada"):
            played.append(e.CardsOpened())
        played.answer(step, "" if step.kind is StepKind.THINK else readable(step))
    return played
