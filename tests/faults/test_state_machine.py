"""Everything that can be done to debates, in any order, against a model of a hundred lines.

Hypothesis invents the stories: people's commands and answers, replies of every kind, crashes after
any beat of the event loop, leases that run out, jobs delivered again and again, a database that
goes away. After each chapter the log is read and compared with `reference_model`; at the end of
every story the faults stop, and everything has to come to rest.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, ClassVar

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.faults.reference_model import ACTIVE, COMMANDS, DELETABLE, TERMINAL, Model, plain
from tests.faults.world import (
    NONSENSE,
    OK,
    REFUSE,
    RETRY,
    TTL_S,
    Call,
    World,
    new_debate,
    use_world,
)

from moot.errors import InvalidInput, MootError, NotFound, Refused, StoreUnavailable
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.words import PASSED
from moot.testing.oracles import Landed, check_book, read_book, transcript_hash

pytestmark = pytest.mark.faults

MOST_DEBATES = 3
JUDGEMENT = (
    '{"summary": "So it is.", "score_a": 7, "score_b": 6, "winner": "debater_a",'
    ' "no_new_substantive_arguments": false}'
)
some = st.integers(0, 5)
forms = st.sampled_from(["duel", "rounds", "custom"])
slots = st.integers(0, 1)
outcomes = st.sampled_from([OK, OK, OK, OK, RETRY, RETRY, REFUSE, NONSENSE, NONSENSE])
commands = st.sampled_from(
    ["start", "start", "stop", "resume", "resume", "end", "cancel", "retry", "retry"]
)


async def _refusal(work: Awaitable[Any]) -> MootError | None:
    try:
        await work
    except (NotFound, Refused, InvalidInput, StoreUnavailable) as error:
        return error
    return None


class Story(RuleBasedStateMachine):
    path: ClassVar[Path | None] = None
    landed: ClassVar[Landed]
    gone: ClassVar[set[str]]
    clock: ClassVar[list[Any]]
    transcripts: ClassVar[dict[tuple[str, str], str]]

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.world = World(self.landed)
        self.clock[:] = [self.world.lease_clock]
        self.home = Path(tempfile.mkdtemp()) if self.path else None
        self.models: dict[str, Model] = {}
        self.forms: dict[str, tuple[str, str]] = {}
        # Debates of which somebody has not been told yet.
        self.untold: set[str] = set()
        self.calls_at_the_end: dict[str, int] = {}
        self.calls_when_down: int | None = None
        self.chapters_away = 0
        self.do(self.world.open(self._file()))

    def _file(self) -> Path | None:
        if self.home is None or self.path is None:
            return None
        return Path(shutil.copy(self.path, self.home / "moot.db"))

    @classmethod
    def now(cls) -> float:
        """By the leases' clock of the story that is being told."""
        return float(cls.clock[0].monotonic())

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, 20))

    def pick(self, number: int) -> str | None:
        debates = list(self.models)
        return debates[number % len(debates)] if debates else None

    # --- rules: people ---

    @initialize(form=forms, person=st.sampled_from(["", "bob"]))
    def begin(self, form: str, person: str) -> None:
        self.do(self._create(form, person, slot=0, start=True))

    @rule(
        form=forms,
        person=st.sampled_from(["", "", "bob", "jo"]),
        slot=slots,
        start=st.booleans(),
    )
    def create(self, form: str, person: str, slot: int, start: bool) -> None:
        if len(self.models) < MOST_DEBATES and not self.world.is_down:
            # A duel's judge does not write JSON by hand.
            person = "bob" if form == "duel" and person == "jo" else person
            self.do(self._create(form, person, slot=slot, start=start))

    async def _create(self, form: str, person: str, *, slot: int, start: bool) -> None:
        service = self.world.slots[slot].service
        debate = await service.create(new_debate(form, person), start=start)
        self.models[debate] = Model(form, person)
        self.forms[debate] = form, person
        await self._settle()

    @rule(name=commands, number=some, slot=slots)
    def command(self, name: str, number: int, slot: int) -> None:
        if debate := self.pick(number):
            self.do(self._command(name, debate, slot))

    async def _command(self, name: str, debate: str, slot: int) -> None:
        model = self.models[debate]
        before = model.wishes
        is_possible = name in COMMANDS[model.status] and not self.world.is_down
        refusal = await _refusal(self.world.slots[slot].service.command(debate, name))
        if is_possible and refusal is not None:
            # Whoever runs it may have heard of an earlier command only now, and be through with it.
            await self._read(debate)
            is_possible = name in COMMANDS[model.status]
        assert is_possible == (refusal is None), f"{name} while {model.status}: {refusal}"
        await self._taken(debate, slot, refusal, before)
        self.landed["command refused" if refusal else f"command {name}"] += 1
        await self._settle()

    async def _taken(self, debate: str, slot: int, refusal: MootError | None, before: int) -> None:
        if refusal is None:
            self._tell_late(debate, slot)
            return
        await self._read(debate)
        assert self.models[debate].wishes == before, "refused, and yet in the log"

    def _tell_late(self, debate: str, slot: int) -> None:
        if self.world.owners.get(debate) is not self.world.slots[slot]:
            self.untold.add(debate)

    @rule(name=commands, number=some, outcome=outcomes, beats=st.integers(0, 14), slot=slots)
    def command_in_the_middle(
        self, name: str, number: int, outcome: str, beats: int, slot: int
    ) -> None:
        if call := self._call(number):
            self.do(self._race(name, call, outcome, beats, slot))

    async def _race(self, name: str, call: Call, outcome: str, beats: int, slot: int) -> None:
        """Whether it is taken depends on the beat; what the log says of it must be right."""
        self.world.answer(call, outcome)
        await self.world.beats(beats)
        refusal = await _refusal(self.world.slots[slot].service.command(call.debate, name))
        if refusal is None:
            self._tell_late(call.debate, slot)
        self.landed["command refused in the middle" if refusal else "command in the middle"] += 1
        await self._settle()

    @rule(number=some, slot=slots, passes=st.sampled_from([False, False, False, True]))
    def answer(self, number: int, slot: int, passes: bool) -> None:
        # Mostly where and when somebody is asked: all answers of no use are refused alike.
        if number and not self._asking():
            self.flow(4)
        asking = self._asking() if number else []
        if debate := asking[number % len(asking)] if asking else self.pick(number):
            self.do(self._answer(debate, slot, passes))

    def _asking(self) -> list[str]:
        return [debate for debate, model in self.models.items() if model.asks_somebody]

    async def _answer(self, debate: str, slot: int, passes: bool) -> None:
        model = self.models[debate]
        questions = list(fold(await self.world.store.read(debate)).questions)
        question = questions[0] if questions else "debate/9/bob/speak"
        text = JUDGEMENT if model.person == "jo" else f"What I say at {question}."
        is_possible = (
            model.may_be_answered(plain(question))
            and model.status in ("running", "waiting")
            and not self.world.is_down
        )
        before = model.wishes
        service = self.world.slots[slot].service
        refusal = await _refusal(service.answer(debate, question, "" if passes else text))
        assert is_possible == (refusal is None), f"{question} while {model.status}: {refusal}"
        await self._taken(debate, slot, refusal, before)
        self.landed["answer refused" if refusal else "passed" if passes else "answer"] += 1
        await self._settle()

    @rule(number=some, slot=slots)
    def delete(self, number: int, slot: int) -> None:
        # Seldom, or there is nothing left to tell of.
        if (debate := self.pick(number)) and number > 3:
            self.do(self._delete(debate, slot))

    async def _delete(self, debate: str, slot: int) -> None:
        model = self.models[debate]
        is_possible = model.status in DELETABLE and not self.world.is_down
        refusal = await _refusal(self.world.slots[slot].service.delete(debate))
        assert is_possible == (refusal is None), f"delete while {model.status}: {refusal}"
        if refusal is None:
            self.landed["deleted"] += 1
            del self.models[debate]
            # Whoever still has calls in flight for it finds nothing to write to.
            assert isinstance(await _refusal(self.world.store.read(debate)), NotFound)
        await self._settle()

    # --- rules: the provider ---

    def _call(self, number: int) -> Call | None:
        calls = self.world.in_flight()
        return calls[number % len(calls)] if calls else None

    @rule(number=some, outcome=outcomes)
    def tick(self, number: int, outcome: str) -> None:
        if call := self._call(number):
            self.world.answer(call, outcome)
            self.do(self._settle())

    @rule(count=st.integers(2, 8))
    def flow(self, count: int) -> None:
        for _ in range(count):
            if call := self._call(0):
                self.world.answer(call, OK)
                self.do(self._settle())

    # --- rules: faults ---

    @rule(slot=slots, is_seen=st.booleans())
    def kill(self, slot: int, is_seen: bool) -> None:
        self.do(self._kill(slot, is_seen))

    @rule(number=some, outcome=outcomes, beats=st.integers(0, 14), is_seen=st.booleans())
    def kill_in_the_middle(self, number: int, outcome: str, beats: int, is_seen: bool) -> None:
        if call := self._call(number):
            self.do(self._kill_after(call, outcome, beats, is_seen))

    async def _kill_after(self, call: Call, outcome: str, beats: int, is_seen: bool) -> None:
        self.world.answer(call, outcome)
        await self.world.beats(beats)
        if call.process in self.world.slots:
            await self._kill(self.world.slots.index(call.process), is_seen)

    async def _kill(self, slot: int, is_seen: bool) -> None:
        await self.world.kill(slot, is_seen=is_seen, gone=self.gone)
        await self._settle()

    @rule(slot=slots, times=st.integers(2, 7))
    def kill_again_and_again(self, slot: int, times: int) -> None:
        self.do(self._kill_often(slot, times))

    async def _kill_often(self, slot: int, times: int) -> None:
        for _ in range(times):
            await self._kill(slot, is_seen=True)
            await self._look(slot)

    @rule(renewed=st.sampled_from([(), (0,), (1,), (0, 1), (0, 1)]))
    def let_leases_run_out(self, renewed: tuple[int, ...]) -> None:
        self.do(self._run_out(renewed))

    async def _run_out(self, renewed: tuple[int, ...]) -> None:
        if not self.world.is_down:
            self.world.lease_clock.advance(TTL_S + 1)
            for slot in renewed:
                await self.world.renew(slot)
            await self._settle()

    @rule(slot=slots)
    def look_for_abandoned(self, slot: int) -> None:
        self.do(self._look(slot))

    async def _look(self, slot: int) -> None:
        await self.world.slots[slot].dispatcher.look()
        await self._settle()

    @rule(number=some, slot=slots, times=st.integers(1, 8))
    def deliver_again(self, number: int, slot: int, times: int) -> None:
        if debate := self.pick(number):
            self.do(self._deliver(debate, slot, times))

    async def _deliver(self, debate: str, slot: int, times: int) -> None:
        process = self.world.slots[slot]
        for _ in range(times):
            process.dispatcher.wake(debate)
            process.deliver(debate)
        self.landed["delivered again"] += times
        await self._settle()

    @rule()
    def tell(self) -> None:
        self.do(self._tell())

    async def _tell(self) -> None:
        for debate in self.models:
            for process in self.world.slots:
                process.hear(debate)
        if not self.world.is_down:
            self.untold.clear()
        await self._settle()

    @rule(slot=slots)
    def steal(self, slot: int) -> None:
        self.do(self._steal(slot))

    async def _steal(self, slot: int) -> None:
        """The other one sleeps beyond its leases, and has calls in flight all the same."""
        await self._run_out((slot,))
        await self._look(slot)

    @rule(chapters=st.integers(1, 4))
    def take_the_database_away(self, chapters: int) -> None:
        if not self.world.is_down:
            self.world.is_down = True
            self.chapters_away = chapters
            self.calls_when_down = len(self.world.calls)
            self.landed["database away"] += 1

    @invariant()
    def the_database_comes_back(self) -> None:
        self.chapters_away -= 1
        if self.world.is_down and self.chapters_away < 0:
            self._bring_back()
            self.do(self._settle())

    def _bring_back(self) -> None:
        self.world.up()
        self.calls_when_down = None

    @rule(count=st.integers(1, 2))
    def lose_the_answer_to_the_next_commit(self, count: int) -> None:
        self.world.answers_to_lose = count

    @rule(seconds=st.sampled_from([-86_400.0, 7_200.0, 3.2e8]))
    def jump(self, seconds: float) -> None:
        self.world.clock.jumped_s = seconds

    # --- what must be true ---

    async def _settle(self) -> None:
        await self.world.quiet()
        while not self.world.is_down and self.world.clock.is_slept_by:
            # Whoever paused because an answer was lost tries again.
            self.world.clock.advance(5.0)
            await self.world.quiet()
        await self._check()

    async def _read(self, debate: str) -> list[e.Recorded]:
        model = self.models[debate]
        records = await self.world.store.read(debate)
        for record in records[model.seq :]:
            model.replay(record.seq, type(record.event).__name__, record.event)
        return records

    async def _check(self) -> None:
        assert not self.world.strays, "bought without the lease"
        assert self.calls_when_down in (None, len(self.world.calls)), "bought what can't be stored"
        for debate, model in self.models.items():
            records = await self._read(debate)
            summary = await self.world.store.summary(debate)
            state = fold(records)
            assert summary.status == state.status == model.status
            assert summary == state.summary(debate, summary.cursor), "row and log differ"
            self._check_calls(debate, model, records)
            self._check_terminal(debate, model)
            self._check_attended(debate, model)

    def _check_calls(self, debate: str, model: Model, records: list[e.Recorded]) -> None:
        """Bought once, unless there is an excuse; and what came back is written down."""
        noted: Counter[str] = Counter()
        for record in records:
            match record.event:
                case e.TurnRecorded(step_key=key, model=by) if by:
                    noted[key] += 1
                case e.AttemptFailed(attempt_of=key):
                    noted[key] += 1
                case _:
                    pass
        bought: Counter[str] = Counter()
        owed: Counter[str] = Counter()
        for call in self.world.calls:
            if call.debate != debate:
                continue
            bought[call.key] += 1
            is_excused = bool(call.excuse) or model.ending or model.status == "canceled"
            assert not call.was_aborted or is_excused, f"{call.key} was aborted for nothing"
            if not is_excused and not call.is_in_flight:
                owed[call.key] += 1
        for key, count in owed.items():
            is_stuck = self.world.is_down or not noted[key] < count
            assert is_stuck, f"a reply to {key} was lost"
        excuses = Counter(call.key for call in self._of(debate) if call.excuse)
        aborted = Counter(call.key for call in self._of(debate) if call.was_aborted)
        pending = Counter(call.key for call in self.world.in_flight(debate) if not call.excuse)
        for key, count in bought.items():
            most = noted[key] + excuses[key] + aborted[key] + pending[key]
            late = 0 if model.status != "canceled" and not self.world.is_down else count
            assert count <= most + late, f"{key} was bought {count} times"
        delivered = Counter(call.key for call in self._of(debate) if call.outcome)
        assert noted <= delivered, "recorded more often than it was bought"

    def _of(self, debate: str) -> list[Call]:
        return [call for call in self.world.calls if call.debate == debate]

    def _check_terminal(self, debate: str, model: Model) -> None:
        if model.status in TERMINAL:
            calls = len(self._of(debate))
            assert self.calls_at_the_end.setdefault(debate, calls) == calls, "called after the end"

    def _check_attended(self, debate: str, model: Model) -> None:
        """Where somebody is at work who knows everything, all conclusions are drawn."""
        process = self.world.owners.get(debate)
        if (
            self.world.is_down
            or debate in self.untold
            or process is None
            or process.is_dead
            or not process.runs(debate)
        ):
            return
        in_flight = {plain(call.key) for call in self.world.in_flight(debate, process)}
        assert model.status == model.settled(in_flight), f"{model.status} with {in_flight}"
        if model.status == "running" and not model.failed:
            assert in_flight == model.wanted(), "not all, or more than what could be asked"

    # --- the end ---

    def teardown(self) -> None:
        try:
            self.do(self._come_to_rest())
        finally:
            self.do(self.world.close())
            self.loop.close()
            if self.home is not None:
                shutil.rmtree(self.home)

    async def _come_to_rest(self) -> None:
        world = self.world
        if world.is_down:
            self._bring_back()
        world.answers_to_lose = 0
        for _ in range(40):
            await self._run_out((0, 1))
            for slot in (0, 1):
                await self._look(slot)
            await self._tell()
            while call := self._call(0):
                world.answer(call, OK)
                await self._settle()
            if not any(model.status in ACTIVE for model in self.models.values()):
                break
        for debate, model in self.models.items():
            assert model.status not in ACTIVE, f"{model.status} for ever"
            await self._check_rest(debate, model)

    async def _check_rest(self, debate: str, model: Model) -> None:
        self.landed[f"ends {model.status}"] += 1
        book = await read_book(self.world.store, debate)
        if model.status != "created":
            check_book(book, status=book.state.status)
        was_sensible = all(call.outcome != NONSENSE for call in self._of(debate))
        # Whether and where somebody passes is chance, and part of what is said.
        passed = any(PASSED in turn.said.flags for turn in book.state.turns.values())
        if model.status == "completed" and not model.ending and was_sensible and not passed:
            told = transcript_hash(book.records)
            assert self.transcripts.setdefault(self.forms[debate], told) == told, "another story"
            self.landed["same transcript"] += 1


# --- stories that once ended badly ---------------------------------------------------------------


def a_job_for_a_debate_that_rests(story: Story) -> None:
    """It wrote a row without a cursor."""
    story.begin(form="rounds", person="")
    story.command(name="stop", number=0, slot=0)
    story.flow(count=1)
    story.deliver_again(number=0, slot=1, times=2)


def a_reply_after_the_end_that_was_asked_for_elsewhere(story: Story) -> None:
    """The debate was over before the reply was taken in, and what it cost was never recorded."""
    story.begin(form="duel", person="bob")
    story.command(name="end", number=0, slot=1)
    story.tick(number=0, outcome=OK)


def news_for_one_who_was_taken_over(story: Story) -> None:
    """It began the next step as if it still had the lease."""
    story.begin(form="rounds", person="")
    story.steal(slot=1)
    story.tick(number=1, outcome=OK)
    story.tell()


def an_outage_in_which_another_took_over(story: Story) -> None:
    """With nothing to append, nobody asked for the fence."""
    story.begin(form="rounds", person="")
    story.take_the_database_away(chapters=1)
    story.tick(number=0, outcome=OK)
    # Before it tries again, its leases have run out and the other has done the same step.
    world = story.world
    world.is_down, story.calls_when_down = False, None
    world.lease_clock.advance(TTL_S + 1)
    story.do(world.renew(1))
    story.do(world.slots[1].dispatcher.look())
    story.do(world.quiet())
    world.answer(world.in_flight()[-1], OK)
    story.do(world.quiet())
    story.tell()


class InMemory(Story):
    pass


class InFile(Story):
    pass


STORIES = {InMemory: 70, InFile: 25}
BATCHES = {InMemory: (3, 9), InFile: (1, 3)}
"""So many stories at a time; at least and at most so often. What is rare may not come up in the
first few, whatever they are, and how Hypothesis draws depends on what else was imported."""
MUST = {
    InMemory: {
        "kill": 100,
        "kill with calls in flight": 50,
        "taken from the dead": 50,
        "taken from the living": 10,
        "leases lost": 3,
        "fenced": 3,
        "conflict": 3,
        "answer lost": 10,
        "database away": 10,
        "command refused": 20,
        "command in the middle": 5,
        "answer": 5,
        "ends completed": 20,
        "same transcript": 10,
    },
    # Of twenty-five stories, by whatever seed.
    InFile: {"kill": 20, "kill with calls in flight": 4, "taken from the dead": 4},
}
"""How often each must really have happened: a story in which nothing goes wrong proves nothing."""


def _telling(machine: type[Story]) -> settings:
    return settings(
        max_examples=STORIES[machine],
        stateful_step_count=40,
        phases=[Phase.generate],  # to make a story shorter takes minutes
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("machine", STORIES)
def test_any_story_is_one_the_model_could_tell(
    machine: type[Story],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    machine.landed, machine.gone, machine.clock = Landed(), set(), []
    machine.transcripts = {}
    use_world(monkeypatch, machine.now, machine.gone)
    if machine is InFile:
        machine.path = _empty_database(tmp_path)
    # The same stories each time, unless others are asked for: --hypothesis-seed=N
    first = 100 * int(request.config.getoption("--hypothesis-seed") or 0)
    least, most = BATCHES[machine]
    logging.disable(logging.CRITICAL)
    try:
        for number in range(most):
            if number >= least and not machine.landed.missing(**MUST[machine]):
                break
            run_state_machine_as_test(seed(first + number)(machine), settings=_telling(machine))
    finally:
        logging.disable(logging.NOTSET)
    print(dict(sorted(machine.landed.items())))  # noqa: T201 - shown by pytest -rP
    machine.landed.must_be(**MUST[machine])


@pytest.mark.parametrize(
    "tell",
    [
        a_job_for_a_debate_that_rests,
        a_reply_after_the_end_that_was_asked_for_elsewhere,
        news_for_one_who_was_taken_over,
        an_outage_in_which_another_took_over,
    ],
)
def test_a_story_that_once_ended_badly(
    tell: Callable[[Story], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    InMemory.landed, InMemory.gone, InMemory.clock = Landed(), set(), []
    InMemory.transcripts = {}
    use_world(monkeypatch, InMemory.now, InMemory.gone)
    story = InMemory()
    try:
        tell(story)
    finally:
        story.teardown()


def _empty_database(home: Path) -> Path:
    from moot.store.backends.sqlite.store import SqliteStore  # noqa: PLC0415

    async def make() -> None:
        await (await SqliteStore.open(home / "empty.db")).close()

    asyncio.run(make())
    return home / "empty.db"
