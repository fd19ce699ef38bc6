"""A whole debate whose models send back the examples of their prompts: nobody wins anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from tests.unit.engine.bench import bench, key_of

from moot.cli.view.console import new_console
from moot.cli.view.transcript import TranscriptPrinter
from moot.engine.creation import NewDebate
from moot.models.port import ChatRequest
from moot.protocol import events as e
from moot.protocol.answers import ECHO, Unreadable
from moot.protocol.formats.council.answers import SKIP
from moot.protocol.outcome_words import NO_BALLOT, doubts
from moot.protocol.outcomes import OutcomeStatus, Solution, Verdict
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status, StepKind
from moot.testing.scripted import ScriptedModel, sensible

Said = Callable[[ChatRequest], str]
JUDGE = Participant(id="jo", name="Jo", role=Role.JUDGE, personality="You judge.")
LABELS = ["A", "B", "C"]
TYPED = {"a number": 7, "true if": False, "the letter": "A", '"debater_a"': "debater_a"}


def echoed(request: ChatRequest) -> str:
    """What the prompt says of the answer, with figures and choices where they belong."""
    asked = next(one.content for one in request.messages[::-1] if "JSON object" in one.content)
    example = re.search(r'^\{".*\}$', asked, re.MULTILINE)
    if example:
        return example[0]
    described = re.findall(r'^- "(\w+)": (.+)$', asked, re.MULTILINE)
    return json.dumps({field: _typed(about) for field, about in described})


def _typed(about: str) -> object:
    if about.startswith("a list"):
        return LABELS if "letter" in about else [about]
    return next((value for sign, value in TYPED.items() if about.startswith(sign)), about)


async def held(form: str, *kinds: str, **settings: object) -> DebateState:
    """A debate in which steps of these kinds are answered by an echo, and nobody is confirmed."""
    names = ("Ada", "Bob", "Cyd") if form == "council" else ("Ada", "Bob")
    role = Role.MEMBER if form == "council" else Role.DEBATER
    people = (
        Participant(id=name.lower(), name=name, role=role, personality="You speak.")
        for name in names
    )

    def script(request: ChatRequest) -> str:
        key = key_of(request)
        if key.endswith("/confirm"):
            return "Well."
        is_echo = request.schema is not None and any(f"/{kind}" in key for kind in kinds)
        return echoed(request) if is_echo else sensible(request)

    new = NewDebate(
        topic="Is it so?", format=form, settings=settings, participants=(*people, JUDGE)
    )
    async with bench(ScriptedModel(script)) as on:
        return await on.service.run(await on.service.create(new))


async def test_a_duel_has_no_winner_no_score_and_says_why() -> None:
    state = await held("duel", "score", "record", turns=2)
    assert state.status is Status.COMPLETED
    assert isinstance(state.outcome, Verdict)
    assert (state.outcome.winner, state.outcome.scores) == (None, None)
    assert state.outcome.status is OutcomeStatus.UNREADABLE
    assert ECHO.reason in doubts(state.outcome)[0]
    scores = [turn.said for turn in state.transcript() if turn.said.kind == "score"]
    assert [(one.data, "unreadable" in one.flags) for one in scores] == [(None, True)] * 2


@pytest.mark.parametrize("confirmed", ["Ada", "Bob"])
async def test_a_winner_has_no_scores_that_only_the_example_gave(confirmed: str) -> None:
    """The judge names a winner, and has not scored a single statement."""

    def script(request: ChatRequest) -> str:
        key = key_of(request)
        if key.endswith("/confirm"):
            return confirmed
        if key.endswith("/record"):
            return f'{{"winner": "{confirmed}", "scores": {{"Ada": 8, "Bob": 6}}}}'
        return "Hm." if "/score" in key else sensible(request)

    people = (
        Participant(id=name.lower(), name=name, role=Role.DEBATER, personality="You speak.")
        for name in ("Ada", "Bob")
    )
    new = NewDebate(topic="Is it so?", settings={"turns": 2}, participants=(*people, JUDGE))
    async with bench(ScriptedModel(script)) as on:
        state = await on.service.run(await on.service.create(new))
    assert isinstance(state.outcome, Verdict)
    assert (state.outcome.winner, state.outcome.scores) == (confirmed, None)
    assert state.outcome.status is OutcomeStatus.SCORES_UNKNOWN


async def test_rounds_have_no_winner() -> None:
    state = await held("rounds", "verdict", "judge", max_rounds=1)
    assert isinstance(state.outcome, Verdict)
    assert (state.outcome.winner, state.outcome.scores) == (None, None)
    assert state.outcome.status is OutcomeStatus.UNREADABLE
    assert ECHO.reason in doubts(state.outcome)[0]


async def test_a_council_has_no_solution() -> None:
    state = await held("council", "synthesize", rounds=1)
    assert isinstance(state.outcome, Solution)
    assert (state.outcome.status, state.outcome.description) == (OutcomeStatus.UNREADABLE, "")
    assert ECHO.reason in doubts(state.outcome)[0]


async def test_a_council_that_has_voted_has_what_it_chose_and_shows_no_prompt() -> None:
    state = await held("council", "synthesize", rounds=1, decision="vote")
    assert isinstance(state.outcome, Solution)
    assert state.outcome.decision["is_solution"]
    assert ECHO.reason in doubts(state.outcome)[0]
    (echoed,) = (turn for turn in state.transcript() if turn.said.kind is StepKind.SYNTHESIZE)
    assert state.outcome.description not in ("", echoed.said.content)
    assert not TranscriptPrinter(new_console(), state).shows(echoed.said)


@pytest.mark.parametrize("decision", ["vote", "rank"])
async def test_no_ballot_of_a_council_counts(decision: str) -> None:
    state = await held("council", "vote", "rank", rounds=1, decision=decision)
    assert isinstance(state.outcome, Solution)
    assert not state.outcome.decision.get("winner")
    assert not any(state.outcome.decision["points"].values())
    lost, why = doubts(state.outcome)
    assert why == NO_BALLOT
    assert lost.count("no ballot") == 3
    assert ECHO.reason in lost


async def spoken(said: Said, *kinds: str, **settings: object) -> DebateState:
    """A council of three in which steps of these kinds of Ada and Jo are answered so."""

    def script(request: ChatRequest) -> str:
        key = key_of(request)
        is_meant = any(f"/ada/{kind}" in key or f"/jo/{kind}" in key for kind in kinds)
        return said(request) if is_meant else sensible(request)

    members = tuple(
        Participant(id=name.lower(), name=name, role=Role.MEMBER, personality="You speak.")
        for name in ("Ada", "Bob", "Cyd")
    )
    given = {"rounds": 1, "step_retries": 0, **settings}
    new = NewDebate(
        topic="Is it so?", format="council", settings=given, participants=(*members, JUDGE)
    )
    async with bench(ScriptedModel(script)) as on:
        return await on.service.run(await on.service.create(new))


def repeated(request: ChatRequest) -> str:
    return request.messages[-1].content


NO_ANSWERS: dict[str, tuple[Said, Unreadable]] = {
    "prompt": (repeated, ECHO),
    "part of it": (lambda request: repeated(request).splitlines()[-1][:60], ECHO),
    "skip": (lambda _: "**SKIP**", SKIP),
}


@pytest.mark.parametrize("case", NO_ANSWERS)
@pytest.mark.parametrize("kind", ["propose", "refine"])
async def test_a_prompt_sent_back_or_skip_is_no_proposal(kind: str, case: str) -> None:
    said, why = NO_ANSWERS[case]
    state = await spoken(said, kind)
    assert isinstance(state.outcome, Solution)
    assert state.outcome.sat_out == ("ada",)
    assert why.reason in state.outcome.left_out[0]
    assert not any(kind in key and "/ada/" in key for key in state.turns)


@pytest.mark.parametrize("case", NO_ANSWERS)
async def test_a_prompt_sent_back_or_skip_is_no_critique(case: str) -> None:
    said, why = NO_ANSWERS[case]
    state = await spoken(said, "critique")
    assert isinstance(state.outcome, Solution)
    assert len(state.outcome.left_out) == 2
    assert all(why.reason in one for one in state.outcome.left_out)


@pytest.mark.parametrize("case", ["prompt", "skip"])
async def test_a_prompt_sent_back_or_skip_is_not_shown_as_a_solution(case: str) -> None:
    said, why = NO_ANSWERS[case]
    state = await spoken(said, "synthesize")
    assert isinstance(state.outcome, Solution)
    assert (state.outcome.status, state.outcome.description) == (OutcomeStatus.UNREADABLE, "")
    assert why.reason in doubts(state.outcome)[0]


async def test_a_critique_is_left_out_and_the_solution_says_so() -> None:
    state = await held("council", "critique", rounds=1, step_retries=0)
    assert isinstance(state.outcome, Solution)
    assert state.outcome.status is OutcomeStatus.DECIDED
    (told,) = doubts(state.outcome)
    assert told.count("no critique") == 6
    assert ECHO.reason in told


async def test_a_council_without_a_proposal_fails_and_says_why() -> None:
    state = await held("council", "propose", rounds=1, step_retries=0)
    assert state.status is Status.FAILED
    assert state.outcome is None
    assert state.failure is not None
    assert ECHO.reason in state.failure.error


async def test_a_council_whose_judge_says_nothing_fails_and_says_whose_it_was() -> None:
    state = await spoken(lambda _: " ", "synthesize")
    assert state.status is Status.FAILED
    assert state.failure is not None
    assert state.failure.error == "Jo: no solution (the reply was empty)"


async def test_an_echo_that_was_given_up_before_a_kill_is_not_bought_a_third_time() -> None:
    """Both echoes are in the log; that the step has failed with them is not."""
    asked: list[str] = []

    def script(request: ChatRequest) -> str:
        asked.append(key_of(request))
        return echoed(request) if key_of(request).endswith("/ada/propose") else sensible(request)

    members = tuple(
        Participant(id=name.lower(), name=name, role=Role.MEMBER, personality="You speak.")
        for name in ("Ada", "Bob", "Cyd")
    )
    settings = {"rounds": 1, "step_retries": 0}
    new = NewDebate(
        topic="Is it so?", format="council", settings=settings, participants=(*members, JUDGE)
    )
    async with bench(ScriptedModel(script)) as on:
        debate = await on.service.create(new, start=True)
        key = "proposal/1/ada/propose"
        for attempt in (1, 2):
            failed = e.AttemptFailed(
                attempt_of=key,
                attempt=attempt,
                code="unreadable",
                error=ECHO.reason,
                participant="ada",
                model="scripted:debater",
                duration_ms=1,
                reply="{}",
            )
            on.append_now(debate, failed)
        state = await on.service.run(debate)
    assert state.status is Status.COMPLETED
    assert key not in asked


async def duel(script: Callable[[ChatRequest], str], turns: int = 2) -> DebateState:
    people = tuple(
        Participant(id=name.lower(), name=name, role=Role.DEBATER, personality="You speak.")
        for name in ("Ada", "Bob")
    )
    new = NewDebate(topic="Is it so?", settings={"turns": turns}, participants=(*people, JUDGE))
    async with bench(ScriptedModel(script)) as on:
        return await on.service.run(await on.service.create(new))


def sending_back(ending: str) -> Callable[[ChatRequest], str]:
    """The prompt itself where the step's key ends so, and what is sensible elsewhere."""

    def script(request: ChatRequest) -> str:
        is_sought = key_of(request).endswith(ending)
        return request.messages[-1].content if is_sought else sensible(request)

    return script


async def test_a_debater_who_sends_the_prompt_back_is_asked_again_and_shown_as_that() -> None:
    state = await duel(sending_back("/bob/speak"))
    assert state.status is Status.COMPLETED
    spoken = (turn.said for turn in state.transcript() if turn.said.kind == "speak")
    said = {one.participant: one for one in spoken}
    assert said["ada"].flags == ()
    assert (said["bob"].flags, said["bob"].attempts) == (("echo",), 2)


async def test_the_prompt_is_no_reason_for_a_verdict() -> None:
    state = await duel(sending_back("/announce"))
    assert isinstance(state.outcome, Verdict)
    assert state.outcome.winner is not None
    assert state.outcome.reasoning == ""


async def test_the_example_of_an_earlier_prompt_is_no_score_either() -> None:
    earlier = '{"score": 7, "reasoning": "One sentence explaining the score."}'
    state = await duel(
        lambda request: earlier if "/jo/" in key_of(request) else sensible(request), turns=4
    )
    scores = [turn.said for turn in state.transcript() if turn.said.kind == "score"]
    assert [one.data for one in scores] == [None] * 4
    assert isinstance(state.outcome, Verdict)
    assert (state.outcome.winner, state.outcome.reasoning) == (None, "")


async def test_a_record_is_no_announcement() -> None:
    record = '{"winner": "Ada", "scores": {"Ada": 7, "Bob": 5}}'
    state = await duel(
        lambda request: (
            record if key_of(request).endswith(("record", "announce")) else sensible(request)
        )
    )
    assert isinstance(state.outcome, Verdict)
    assert (state.outcome.winner, state.outcome.reasoning) == ("Ada", "")


async def test_nobody_wins_for_the_same_few_words() -> None:
    babble = '{"score": 9, "reasoning": "' + "DebiB: " * 60 + '"}'
    state = await duel(lambda request: babble if "/score" in key_of(request) else sensible(request))
    scores = [turn.said for turn in state.transcript() if turn.said.kind == "score"]
    assert [(one.data, one.flags) for one in scores] == [(None, ("unreadable",))] * 2
