"""Forks: at every event of a debate a legal log that goes on and ends, and pays for itself."""

from __future__ import annotations

import re
import typing
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.unit.engine.bench import (
    ADA,
    ALL_STEPS,
    BOB,
    JO,
    OPENING,
    PLANS,
    ROSTER,
    Bench,
    HeldModel,
    bench,
    by_step,
    finished,
    human,
    key_of,
)
from tests.unit.protocol.examples import ALL
from tests.unit.protocol.playing import configured

from moot.engine.creation import NewDebate
from moot.engine.forking import COPIED, LEFT_OUT, Changes, forked_log
from moot.errors import InvalidInput, ModelRefused, NoModel, NotFound, Refused
from moot.models.port import Caller, ChatRequest
from moot.protocol import events as e
from moot.protocol.checker import BEGINNING, rehearse
from moot.protocol.log import fold
from moot.protocol.registry import FORMATS
from moot.protocol.state import INHERITED, DebateState
from moot.protocol.steps import Finish, Record, Run, Step
from moot.protocol.values import Config, ForkPoint, Participant, Sampling, Usage
from moot.protocol.words import Effort, Pacing, Role, Status, StepKind, StopReason, Visibility
from moot.testing.replies import reply_for_schema
from moot.testing.scripted import Said, ScriptedModel, sensible

CONFIGS = pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])


def reply(step: Step, _state: DebateState) -> str:
    schema = step.answer.schema
    return reply_for_schema(schema.body) if schema else f"What I say at {step.key}."


def forked(
    log: Sequence[e.Recorded], at: int, settings: Any = None, **models: str
) -> list[e.Recorded]:
    changes = Changes(settings=settings or {}, models=models)
    point = ForkPoint(debate="source", at=at)
    return forked_log(log, point, changes, now=BEGINNING, version="new")


def said(state: DebateState) -> list[tuple[str, str]]:
    return [(turn.said.step_key, turn.said.content) for turn in state.transcript()]


def recorded(*events: e.AnyEvent) -> list[e.Recorded]:
    return [e.Recorded(seq, BEGINNING, event) for seq, event in enumerate(events, 1)]


def turn(key: str, **fields: Any) -> e.TurnRecorded:
    stage, round_, participant, kind = key.split("/")[:4]
    given: dict[str, Any] = {"content": key, "place": (0,), "visibility": Visibility.PRIVATE}
    return e.TurnRecorded(
        step_key=key,
        participant=participant,
        kind=StepKind(kind) if kind in set(StepKind) else StepKind.VERDICT,
        stage=stage,
        round=int(round_),
        **(given | fields),
    )


# --- the log --------------------------------------------------------------------------------------


def test_every_event_is_copied_or_left_out() -> None:
    assert set(typing.get_args(e.AnyEvent)) == COPIED | LEFT_OUT
    assert not COPIED & LEFT_OUT


@CONFIGS
def test_at_every_event_it_is_a_legal_log_that_shares_what_was_said(config: Config) -> None:
    log = rehearse(FORMATS[config.format], config, reply).log
    for at in range(1, len(log) + 1):
        made = forked(log, at)
        state, source = fold(made), fold(log[:at])
        assert state.status is (Status.CREATED if at == 1 else Status.STOPPED)
        assert said(state) == said(source)
        assert (state.stage, state.round) == (source.stage, source.round)
        assert state.statements == source.statements
        assert state.config == msgspec.structs.replace(
            config, forked_from=ForkPoint(debate="source", at=at), moot_version="new"
        )
        assert [e.decode(e.encode(one.event)) for one in made] == [one.event for one in made]


@CONFIGS
def test_a_fork_asks_next_for_what_its_source_asked_for(config: Config) -> None:
    form = FORMATS[config.format]
    log = rehearse(form, config, reply).log
    for at in range(2, len(log)):  # the last is the end
        assert form.next(fold(forked(log, at)), BEGINNING) == form.next(fold(log[:at]), BEGINNING)


def test_a_fork_of_a_fork_is_a_fork_of_what_both_share() -> None:
    config = ALL[0][1]
    log = rehearse(FORMATS[config.format], config, reply).log
    first = forked(log, len(log))
    again = forked(first, len(first))
    assert [one.event for one in again[1:]] == [one.event for one in first[1:]]
    config = fold(again).config
    assert config.forked_from == ForkPoint(debate="source", at=len(first))


@pytest.mark.parametrize("at", [-1, 0, 3])
def test_there_is_no_fork_outside_of_the_log(at: int) -> None:
    log = recorded(e.DebateCreated(config=ALL[0][1]), e.DebateStarted())
    with pytest.raises(InvalidInput, match="events 1 to 2") as refused:
        forked(log, at)
    assert refused.value.field == "at"


def test_it_leaves_out_how_the_source_was_run() -> None:
    config = ALL[0][1]
    plan = turn("planning/1/ada/plan", model="m", usage=Usage(output_tokens=9, cost_usd=0.5))
    other = turn("planning/1/bo/plan", model="m", usage=Usage(output_tokens=9), flags=("passed",))
    log = recorded(
        e.DebateCreated(config=config),
        e.PacingChanged(pacing=Pacing.MANUAL),
        e.DebateStarted(),
        e.AttemptFailed(attempt_of=plan.step_key, attempt=1, code="x", error="x"),
        e.StepFailed(failed_key=plan.step_key, code="x", error="x", attempts=1),
        e.DebateFailed(error="x"),
        e.DebateRetried(),
        e.QuestionOpened(
            question_id=plan.step_key,
            participant="ada",
            kind=plan.kind,
            stage="planning",
            round=1,
            text="?",
        ),
        plan,
        e.TurnExcluded(turn=9),
        e.DebateRecovered(),
        e.MessageSaid(participant="ada", content="Wait."),
        e.TurnExcluded(turn=12),
        e.ClockJumped(ran_s=4.0),
        e.StopRequested(),
        other,
        e.DebateStopped(),
        e.TurnIncluded(turn=9),
        e.ParticipantMuted(participant="bo"),
        e.DebateResumed(),
        e.QuestionOpened(
            question_id="open", participant="bo", kind=plan.kind, stage="s", round=1, text="?"
        ),
        e.DebateSuspended(),
        e.EndRequested(),
        e.LimitReached(limit=StopReason.MAX_COST, observed=0.5),
        e.DebateCompleted(stop_reason=StopReason.ENDED),
    )
    fold(log)
    made = forked(log, len(log))
    state = fold(made)
    assert [type(one.event).__name__ for one in made] == [
        "DebateCreated",
        "PacingChanged",
        "DebateStarted",
        "QuestionOpened",
        "TurnRecorded",
        "TurnExcluded",
        "MessageSaid",
        "TurnExcluded",
        "TurnRecorded",
        "TurnIncluded",
        "ParticipantMuted",
        "EndRequested",
        "LimitReached",
        "StopRequested",
        "DebateStopped",
    ]
    assert state.questions == {}
    assert state.turns[plan.step_key].included
    assert [one.included for key, one in state.turns.items() if key.startswith("said/")] == [False]
    assert state.participants["bo"].muted
    assert state.ending
    assert state.usage == Usage(cost_usd=0.0)
    assert state.turns[plan.step_key].said.usage == Usage(cost_usd=0.0)
    assert state.turns[other.step_key].said == msgspec.structs.replace(
        other, usage=Usage(), flags=("passed", INHERITED)
    )


# --- changes --------------------------------------------------------------------------------------


SIX = next(config for name, config in ALL if config.settings.get("turns") == 6)


def played() -> tuple[e.Recorded, ...]:
    return rehearse(FORMATS["duel"], SIX, reply).log


def seq_of(log: Sequence[e.Recorded], stage: str) -> int:
    return next(
        one.seq for one in log if isinstance(one.event, e.StageEntered) and one.event.stage == stage
    )


def played_on(made: Sequence[e.Recorded]) -> DebateState:
    """A fork of a duel that was resumed, and played to its end."""
    state = fold(made)
    go_on = e.DebateStarted() if state.status is Status.CREATED else e.DebateResumed()
    state.apply(e.Recorded(state.seq + 1, BEGINNING, go_on))
    while not isinstance(decision := FORMATS["duel"].next(state, BEGINNING), Finish):
        match decision:
            case Run((step, *_)):
                text = reply(step, state)
                fields = {"place": step.place, "visibility": step.visibility}
                event: e.AnyEvent = turn(step.key, data=step.answer.read(text), **fields)
            case Record((event, *_)):
                pass
            case _:
                pytest.fail("it stands still")
        state.apply(e.Recorded(state.seq + 1, BEGINNING, event))
    return state


@pytest.mark.parametrize("turns", [1, 2, 4, 8])
def test_other_settings_lead_to_the_end_or_are_refused(turns: int) -> None:
    log = played()
    refusals = 0
    for at in range(1, len(log) + 1):
        try:
            made = forked(log, at, {"turns": turns})
        except InvalidInput as refused:
            # It says where a fork with these settings is possible.
            before = int(refused.message.rpartition(" ")[2])
            made = forked(log, before, {"turns": turns})
            refusals += 1
        assert played_on(made).statements == turns
    assert 0 < refusals < len(log) - 1


def test_more_statements_are_possible_until_the_verdict_has_begun() -> None:
    log = played()
    verdict = seq_of(log, "verdict")
    assert fold(forked(log, verdict - 1, {"turns": 8})).config.settings["turns"] == 8
    with pytest.raises(InvalidInput, match=f"event {verdict} .* at {verdict - 1}"):
        forked(log, verdict, {"turns": 8})


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"nonsense": 1}, "changes.settings.nonsense"),
        ({"turns": 0}, "changes.settings.turns"),
        ({"turns": "8"}, "changes.settings.turns"),
        ({"premise": "Another."}, "changes.settings.premise"),
        ({"model_debater": "scripted:other"}, "changes.settings.model_debater"),
    ],
)
def test_refuses_settings_that_cannot_be_or_cannot_change(
    settings: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        forked(played(), 5, settings)
    assert refused.value.field == field


def test_a_text_may_be_given_if_it_is_the_same() -> None:
    log = played()
    premise = fold(log).config.settings["premise"]
    assert fold(forked(log, 5, {"premise": premise})).config.settings["premise"] == premise


def test_a_limit_that_has_decided_stays() -> None:
    config = msgspec.structs.replace(SIX, settings={**SIX.settings, "max_total_output_tokens": 10})
    log = recorded(
        e.DebateCreated(config=config),
        e.DebateStarted(),
        e.LimitReached(limit=StopReason.MAX_TOKENS, observed=11),
    )
    assert fold(forked(log, 3)).limits == {StopReason.MAX_TOKENS: 11}
    with pytest.raises(InvalidInput, match="fork before it, at 2"):
        forked(log, 3, {"max_total_output_tokens": 100})
    made = fold(forked(log, 2, {"max_total_output_tokens": 100}))
    assert made.config.settings["max_total_output_tokens"] == 100


def test_models_change_for_who_is_there_and_for_nobody_else() -> None:
    guest = Participant(id="gus", name="Gus", role=Role.MEMBER, model="old")
    log = [
        *recorded(e.DebateCreated(config=ALL[0][1]), e.ParticipantJoined(participant=guest)),
    ]
    state = fold(forked(log, 2, ada="new", gus="newer"))
    assert [one.model for one in state.participants.values()] == ["new", "", "", "newer"]
    for at, models in ((1, {"gus": "newer"}), (2, {"nobody": "m"}), (2, {"ada": " "})):
        with pytest.raises(InvalidInput) as refused:
            forked(log, at, **models)
        assert refused.value.field == f"changes.models.{next(iter(models))}"


# --- the service ----------------------------------------------------------------------------------


async def _rounds(on: Bench, **settings: Any) -> str:
    new = NewDebate(topic="Is it so?", format="rounds", settings=settings)
    return await on.service.create(new)


@pytest.mark.parametrize("form", ["duel", "rounds"])
async def test_resumes_from_every_event_and_ends_with_the_same_words(form: str) -> None:
    async with bench() as on:
        source = await (on.create() if form == "duel" else _rounds(on, max_rounds=2))
        end = await on.service.run(source)
        before = on.log(source)
        for at in range(1, len(before) + 1):
            known = len(fold(on.store.rows[source].records[:at]).turns)
            asked = sum(on.asked().values())
            fork = await on.service.fork(source, at)
            state = await on.service.run(fork)
            assert state.status is Status.COMPLETED
            assert said(state) == said(end)
            assert state.outcome == end.outcome
            # What is shared is not bought again.
            assert sum(on.asked().values()) - asked == len(end.turns) - known
        assert on.log(source) == before


async def test_its_limits_are_its_own() -> None:
    async with bench() as on:
        source = await on.create()
        spent = await on.service.run(source)
        on.clock.advance(1000)
        limits = {"max_total_output_tokens": spent.usage.output_tokens, "max_runtime_seconds": 5}
        fork = await on.service.fork(source, len(on.log(source)) - 2, Changes(settings=limits))
        state = await on.state(fork)
        assert (state.usage, state.timeline.runtime_s(on.clock.now())) == (Usage(), 0.0)
        state = await on.service.run(fork)
        assert (state.status, state.limits) == (Status.COMPLETED, {})
        own = [one.said for one in state.turns.values() if INHERITED not in one.said.flags]
        assert len(own) == 1
        assert state.usage == own[0].usage
        assert 0 < state.usage.output_tokens < spent.usage.output_tokens


async def test_private_text_stays_private() -> None:
    def script(request: ChatRequest) -> Said:
        is_private = key_of(request).endswith(("plan", "think"))
        return f"canary {key_of(request)}." if is_private else sensible(request)

    model = ScriptedModel(script)
    async with bench(model) as on:
        source = await on.create()
        await on.service.run(source)
        for at in range(1, len(on.log(source)) - 1):
            fork = await on.service.fork(source, at)
            asked = len(model.requests)
            await on.service.run(fork)
            assert len(model.requests) > asked
            for request in model.requests[asked:]:
                who = key_of(request).split("/")[2]
                text = " ".join(one.content for one in request.messages)
                assert all(f"/{who}/" in found for found in re.findall(r"canary (\S+)", text))


async def _source(on: Bench, model: HeldModel, status: Status) -> str:
    """A debate of that status in which both plans were made."""
    debate = await on.create()
    running = on.start(debate)
    await model.until(*PLANS)
    await model.answer(*PLANS, then=[OPENING[0]])
    match status:
        case Status.STOPPED:
            await on.service.command(debate, "stop")
            on.service.hurry(debate)
        case Status.CANCELED:
            await on.service.command(debate, "cancel")
        case _:
            model.open()
    if status is not Status.RUNNING:
        await finished(running, status)
    return debate


@pytest.mark.parametrize(
    "status", [Status.STOPPED, Status.CANCELED, Status.FAILED, Status.COMPLETED]
)
async def test_forks_whatever_became_of_the_source(status: Status) -> None:
    refuses = by_step(opening__1__ada__think=ModelRefused("no luck"))
    model = HeldModel(refuses) if status is Status.FAILED else HeldModel()
    async with bench(model) as on:
        source = await _source(on, model, status)
        before = on.log(source)
        fork = await on.service.fork(source)
        model.open()
        assert (await on.service.summary(fork)).status is Status.STOPPED
        assert (await on.service.run(fork)).status is Status.COMPLETED
        assert on.log(source) == before


async def test_forks_a_source_that_is_running_and_lets_it_run() -> None:
    model = HeldModel()
    async with bench(model) as on:
        source = await on.create()
        running = on.start(source)
        await model.until(*PLANS)
        await model.answer(*PLANS, then=[OPENING[0]])
        fork = await on.service.fork(source)
        summary = await on.service.summary(fork)
        assert (summary.status, summary.turns) == (Status.STOPPED, 2)
        assert (summary.cursor.stage, summary.cursor.next_actor) == ("opening", "ada")
        model.open()
        await finished(running, Status.COMPLETED)
        assert (await on.service.summary(fork)) == summary


async def test_an_open_question_is_asked_again_by_the_fork_or_put_to_a_model() -> None:
    async with bench() as on:
        source = await on.create((human(ADA), BOB, JO))
        await on.service.run(source)
        fork = await on.service.fork(source)
        assert (await on.state(fork)).questions == {}
        state = await on.service.run(fork)
        assert (state.status, list(state.questions)) == (Status.WAITING, [OPENING[1]])
        to_model = await on.service.fork(source, None, Changes(models={"ada": "scripted:other"}))
        state = await on.service.run(to_model)
        assert state.status is Status.COMPLETED
        assert len(state.turns) == len(ALL_STEPS)


async def test_a_refused_fork_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def get(name: str) -> Caller:
        raise NoModel(name)

    async with bench() as on:
        source = await on.create()
        await on.service.run(source)
        monkeypatch.setattr(on.models, "get", get)
        before = on.log(source)
        for at, changes, error in (
            (999, Changes(), InvalidInput),
            (5, Changes(settings={"turns": 0}), InvalidInput),
            (5, Changes(models={"nobody": "scripted:other"}), InvalidInput),
            (5, Changes(models={"ada": "nowhere"}), NoModel),
        ):
            with pytest.raises(error):
                await on.service.fork(source, at, changes)
        with pytest.raises(NotFound):
            await on.service.fork("nope")
        assert list(on.store.rows) == [source]
        assert on.log(source) == before


# --- including ------------------------------------------------------------------------------------


async def test_an_excluded_turn_goes_into_no_later_prompt() -> None:
    model = ScriptedModel()
    async with bench(model) as on:
        source = await _rounds(on, max_rounds=2)
        await on.service.run(source)
        fork = await on.service.fork(source, 4)  # created, started, the stage, A's first
        (turn_,) = (await on.state(fork)).transcript()
        made = await on.service.include(fork, turn_.seq, included=False)
        assert not made.included
        asked = len(model.requests)
        await on.service.run(fork)
        later = model.requests[asked:]
        assert later
        for request in later:
            assert all(turn_.said.content not in one.content for one in request.messages)


async def test_including_is_idempotent() -> None:
    async with bench() as on:
        source = await on.create()
        await on.service.run(source)
        fork = await on.service.fork(source, len(on.log(source)) - 1)
        seq = (await on.state(fork)).transcript()[0].seq
        before = on.log(fork)
        await on.service.include(fork, seq, included=True)
        assert on.log(fork) == before
        for _ in range(2):
            assert not (await on.service.include(fork, seq, included=False)).included
            assert on.log(fork) == [*before, e.TurnExcluded(turn=seq)]
        assert (await on.service.include(fork, seq, included=True)).included
        assert on.log(fork)[-1] == e.TurnIncluded(turn=seq)


async def test_only_turns_of_debates_that_are_not_over_can_be_excluded() -> None:
    async with bench() as on:
        source = await on.create(ROSTER)
        state = await on.service.run(source)
        before = on.log(source)
        with pytest.raises(Refused, match="completed"):
            await on.service.include(source, state.transcript()[0].seq, included=False)
        for seq in (1, 2, 999):
            with pytest.raises(NotFound, match=f"no turn {seq}"):
                await on.service.include(source, seq, included=False)
        assert on.log(source) == before


# --- wishes ---------------------------------------------------------------------------------------


def with_wishes(config: Config, **wished: Sampling) -> Config:
    people = (
        msgspec.structs.replace(one, sampling=wished.get(one.id, one.sampling))
        for one in config.participants
    )
    return msgspec.structs.replace(config, participants=tuple(people))


def wishes_of(log: Sequence[e.Recorded]) -> dict[str, Sampling]:
    return {one.id: one.sampling for one in fold(log).config.participants}


def test_it_keeps_what_was_wished_and_takes_the_debates_new_wishes() -> None:
    cool, hot = Sampling(temperature=0.2), Sampling(temperature=1.5)
    config = next(config for name, config in ALL if name == "duel-0")
    config = msgspec.structs.replace(config, settings={**config.settings, "temperature": 0.2})
    config = with_wishes(config, ada=cool, bo=hot, judith=cool)
    log = rehearse(FORMATS["duel"], config, reply).log
    assert wishes_of(forked(log, 4)) == {"ada": cool, "bo": hot, "judith": cool}
    changed = {"temperature": 0.9, "temperature_judge": 0.1, "reasoning_effort": "low"}
    low = Effort.LOW
    assert wishes_of(forked(log, 4, changed)) == {
        "ada": Sampling(temperature=0.9, reasoning_effort=low),
        "bo": Sampling(temperature=1.5, reasoning_effort=low),  # its own wish stays
        "judith": Sampling(temperature=0.1, reasoning_effort=low),
    }
    with pytest.raises(InvalidInput) as refused:
        forked(log, 4, {"reasoning_effort": "lots"})
    assert refused.value.field == "changes.settings.reasoning_effort"


def test_who_joined_takes_new_wishes_too() -> None:
    config = configured("room", (), reasoning_effort="low")
    zoe = Participant(
        id="zoe",
        name="Zoe",
        role=Role.MEMBER,
        sampling=Sampling(temperature=1, reasoning_effort=Effort.LOW),
    )
    log = recorded(
        e.DebateCreated(config=config), e.DebateStarted(), e.ParticipantJoined(participant=zoe)
    )
    made = fold(forked(log, 3, {"reasoning_effort": "high"}))
    assert made.participants["zoe"].sampling == Sampling(
        temperature=1, reasoning_effort=Effort.HIGH
    )
