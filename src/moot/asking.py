"""Asks panels: a question becomes a durable debate, and whoever asked may lose patience, die, come
back and ask again, and still there is one debate, paid for once.

The doors `/v1` and MCP translate what their clients say into a `Question` and what comes of it into
what their clients understand; everything in between is here and knows of neither.

A debate that is asked for goes on while somebody attends to it. When the last of them is gone, it
is stopped after a while: nothing more is spent, nothing is lost, and whoever asks the same again
goes on with it. Who attends is in the store, so that a server that dies leaves no debate running
for nobody. A debate that is asked for in the background is attended by nobody, and runs to its end.

Errands are calls to models outside any debate, for clients that come and go: each is made once. A
client that loses patience leaves, and comes back with the same question. An errand goes on
meanwhile in a task of the process, and whoever asks for it again is given what came of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from moot.definitions.panels import Library
from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.creation import NewDebate
from moot.engine.hearings import with_debate
from moot.engine.looking import looked_at
from moot.engine.service import GO_ON, Service
from moot.errors import ModelUnavailable, NotFound, Refused, StoreError
from moot.export import render
from moot.export.ending import is_cut
from moot.protocol import events as e
from moot.protocol.deciding import steps_to_come
from moot.protocol.log import fold
from moot.protocol.outcomes import Certificate, Outcome, certificate_in
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import Status, StopReason
from moot.staging import Sources
from moot.staging.panels import Question, check, earlier, stage_question
from moot.store.port import Asked

BEAT_S = 5.0
"""How often it is noted which debates are attended."""
KEPT_S = 3 * BEAT_S
"""How long such a note holds: two beats may be missed."""

T = TypeVar("T")

RESULT_KEPT_S = 60.0
"""For how long a result is kept for whoever may not have received it."""


def fingerprint(secret: bytes, *parts: Any) -> str:
    """What identifies a question when it is asked again: the same text for the same parts, on every
    server with that secret. Others cannot tell from it what was asked."""
    told = msgspec.json.encode(parts, order="sorted")
    return hmac.new(secret, told, hashlib.sha256).hexdigest()[:40]


async def staged(question: Question, service: Service, sources: Sources) -> NewDebate:
    """The debate in which the panel answers, complete; a follow-up is told what it follows.

    Raises InvalidInput, NotFound, NoModel or, for a follow-up to what has no answer, Refused.
    """
    if question.follows:
        log, veils = await service.log_and_sources(question.follows)
        told = earlier(log, veils, question.follows)
        question = msgspec.structs.replace(question, files=(told, *question.files))
    new = await asyncio.to_thread(stage_question, question, sources)
    check(new)
    return new


class Asker:
    """`panels` are those that can be asked, read anew each time: people edit their files."""

    def __init__(
        self,
        service: Service,
        sources: Sources,
        clock: Clock,
        panels: Callable[[], Library] = Library,
    ) -> None:
        self.service = service
        self.sources = sources
        self.panels = panels
        self.errands = Errands(clock)
        self._clock = clock
        self._attended: Counter[str] = Counter()
        self._left: dict[str, float] = {}
        self._news = asyncio.Event()
        self._stopping = asyncio.Lock()

    # --- asking ---

    async def create(
        self, question: Question, *, debate_id: str | None = None, start: bool = False
    ) -> str:
        """Make the debate in which the panel answers; its id.

        Raises InvalidInput, NotFound, NoModel or, for a follow-up to what has no answer, Refused.
        """
        new = await staged(question, self.service, self.sources)
        return await self.service.create(new, start=start, debate_id=debate_id)

    async def ask(
        self,
        question: Question,
        is_answered: Callable[[Asked, Status], bool] = lambda asked, _status: asked.is_delivered,
    ) -> tuple[str, bool]:
        """The debate that answers the question, and whether it is new. When this returns, the
        debate is running, over, or waiting for people.

        A question with the fingerprint of one that was asked before leads to the same debate,
        unless that is canceled or `is_answered` says that it was answered for good.
        """
        origin = question.origin
        if origin is None or not origin.fingerprint:
            return await self.create(question, start=True), True

        async def is_over(asked: Asked) -> bool:
            try:
                status = (await self.service.summary(asked.debate_id)).status
            except NotFound:  # whoever reserved the id has not made it yet, or died before
                return False
            return status is Status.CANCELED or is_answered(asked, status)

        async def make(debate_id: str) -> None:
            await self.create(question, debate_id=debate_id, start=True)

        debate_id, is_new = await self.service.asked.made(origin.fingerprint, make, is_over)
        if not is_new:
            await self.go_on(debate_id)
        return debate_id, is_new

    async def go_on(self, debate_id: str) -> None:
        """Let a debate that was stopped or has failed go on from where it stands."""
        state = await self.service.state(debate_id)
        if command := GO_ON.get(state.status):
            with suppress(Refused):  # somebody else may have been quicker
                await self.service.command(debate_id, command)

    async def delivered(self, question_fingerprint: str, debate_id: str) -> None:
        """Note that whoever asked has the whole answer: if it is asked again, another is wanted."""
        await self.service.asked.deliver(question_fingerprint, debate_id)

    # --- waiting ---

    async def report(self, debate_id: str, *, as_: str = "answer") -> Report:
        """How the debate stands. Raises NotFound."""
        log, veils = await self.service.log_and_sources(debate_id)
        told = await self.service.certificate(debate_id)
        now = self._clock.now()
        return report(log, veils, debate_id, now, as_=as_, certificate=told)

    async def wait(self, debate_id: str, *, seconds: float) -> None:
        """Return when nothing is left to run: it is over, failed, stopped, or waits for people; or
        when the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for _ in self.service.watch(debate_id):
                    pass

    @asynccontextmanager
    async def attended(self, debate_id: str, *, grace_s: float) -> AsyncIterator[None]:
        """Somebody waits for that debate while the block lasts; `grace_s` after the last of them
        has gone, it is stopped.

        Inside the block, the debate is not stopped for want of anybody who waits. It may have been
        stopped just before: call `go_on` for a debate that was there already.
        """
        self._attended[debate_id] += 1
        self._left.pop(debate_id, None)
        try:
            # Inside: somebody who leaves while this is noted must not attend for ever.
            await self._note([debate_id], KEPT_S + grace_s)
            async with self._stopping:  # a stop that was under way when we came is over now
                pass
            yield
        finally:
            self._attended[debate_id] -= 1
            if not self._attended[debate_id]:
                del self._attended[debate_id]
                self._left[debate_id] = self._clock.monotonic() + grace_s
                self._news.set()

    # --- the loop ---

    async def run(self) -> None:
        """Until cancelled: note which debates are attended, and stop those that nobody attends any
        more. Outlives a store that is away."""
        while True:
            failpoints.reach("asking")
            with suppress(StoreError):
                await self._note(list(self._attended), KEPT_S)
                await self._stop_left()
                for debate_id in await self.service.asked.unattended():
                    if debate_id not in self._attended:
                        await self._stop(debate_id)
            await self._pause()

    async def _pause(self) -> None:
        soonest = min(self._left.values(), default=float("inf")) - self._clock.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.01, min(BEAT_S, soonest))):
                await self._news.wait()
        self._news.clear()

    async def _note(self, debate_ids: list[str], seconds: float) -> None:
        await self.service.asked.attend(debate_ids, seconds=seconds)

    async def _stop_left(self) -> None:
        now = self._clock.monotonic()
        for debate_id in [one for one, until in self._left.items() if until <= now]:
            await self._stop(debate_id)
            self._left.pop(debate_id, None)

    async def _stop(self, debate_id: str) -> None:
        async with self._stopping:
            if debate_id in self._attended:
                return
            with suppress(NotFound, Refused):
                state = await self.service.state(debate_id)
                if state.status is Status.RUNNING:
                    await self.service.command(debate_id, "stop")
            await self.service.asked.leave(debate_id)


# --- errands ---


class _Errand(msgspec.Struct, kw_only=True):
    work: Callable[[], Awaitable[Any]]
    result: asyncio.Future[Any]
    kept_until: float = float("inf")


class Errands:
    """What is under way, and what was done a short while ago."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, _Errand] = {}
        self._begun: asyncio.Queue[_Errand] = asyncio.Queue()

    async def done(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, or raises. It is begun unless an errand of that key is known, and goes
        on when this is cancelled. A result is kept for a while, unless `forget` says that it has
        arrived; a failure is not."""
        self._clear()
        errand = self._known.get(key)
        if errand is None:
            future = asyncio.get_running_loop().create_future()
            errand = self._known[key] = _Errand(work=work, result=future)
            self._begun.put_nowait(errand)
        result: T = await asyncio.shield(errand.result)
        return result

    def forget(self, key: str) -> None:
        """Forget an errand whose result has arrived: whoever asks again wants another."""
        self._known.pop(key, None)

    async def run(self) -> None:
        """Until cancelled: do what is asked for, all at once."""
        async with asyncio.TaskGroup() as group:
            while True:
                failpoints.reach("errands")
                errand = await self._begun.get()
                group.create_task(self._do(errand))

    async def _do(self, errand: _Errand) -> None:
        try:
            errand.result.set_result(await errand.work())
        except asyncio.CancelledError:
            errand.result.set_exception(ModelUnavailable("the server is leaving; ask again"))
            errand.result.exception()
            raise
        except Exception as error:  # noqa: BLE001 - it is for whoever asked, not for this loop
            errand.result.set_exception(error)
            errand.result.exception()  # nobody may be there to see it
        finally:
            errand.kept_until = self._clock.monotonic() + RESULT_KEPT_S

    def _clear(self) -> None:
        """Drop what was kept long enough, and failures: whoever asks again wants another try."""
        now = self._clock.monotonic()
        for key, one in list(self._known.items()):
            has_failed = one.result.done() and one.result.exception() is not None
            if has_failed or one.kept_until <= now:
                del self._known[key]


# --- how it stands: read from the log; decides nothing ---


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`done` of at most `of` steps are recorded, and `now` says what is going on.

    `answer` is what the debate came to, in Markdown, and "" if there is nothing to be told yet.
    `questions` are open ones that people have to answer; `failure` is why it failed.
    """

    debate_id: str
    topic: str
    format: str
    status: Status
    done: int
    of: int
    now: str
    answer: str = ""
    outcome: Outcome | None = None
    questions: tuple[e.QuestionOpened, ...] = ()
    failure: str = ""
    stop_reason: StopReason | None = None
    cost_usd: float | None = None
    certificate: Certificate | None = None
    """What a bench said about it, if it was asked and the answer is told."""
    is_cut: bool = False
    """Whether the text of the answer ends where its model was not allowed to write on."""

    @property
    def is_over(self) -> bool:
        return self.status.is_terminal


def report(
    log: Sequence[e.Recorded],
    sources: Sequence[Veil],
    debate_id: str,
    now: datetime,
    *,
    as_: str = "answer",
    certificate: Certificate | None = None,
) -> Report:
    """Where the debate stands after that log; `as_` is the export that is its answer, and
    `certificate` what a bench said about it later."""
    state = fold(log)
    rules, done = format_named(state.config.format), len(state.turns)
    most = looked_at(rules, "most_calls", lambda: rules.most_calls(state.config), otherwise=done)
    is_there = state.status is Status.COMPLETED
    answer = _answer(log, sources, debate_id, as_, certificate) if is_there else ""
    own = with_debate(debate_id, certificate_in(state.outcome))
    return Report(
        debate_id=debate_id,
        topic=state.config.topic,
        format=state.config.format,
        status=state.status,
        done=done,
        of=done if state.status.is_terminal else max(done, most),
        now=_now(state, now),
        answer=answer,
        outcome=state.outcome,
        questions=tuple(state.questions.values()),
        failure=state.failure.error if state.failure else "",
        stop_reason=state.stop_reason,
        cost_usd=state.usage.cost_usd,
        certificate=(certificate or own) if answer else None,
        is_cut=is_there and is_cut(state),
    )


def _answer(
    log: Sequence[e.Recorded],
    sources: Sequence[Veil],
    debate_id: str,
    as_: str,
    certificate: Certificate | None,
) -> str:
    try:
        text = render(log, as_, sources, debate_id=debate_id, certificate=certificate)
        return text.rstrip("\n")
    except Refused:  # without an outcome, or with one that may not be shown yet
        return ""


def _now(state: DebateState, now: datetime) -> str:
    """`Ada is writing a proposal`, and how many others are at work."""
    if state.status is not Status.RUNNING:
        return str(state.status)
    steps = steps_to_come(format_named(state.config.format), state, now)
    if not steps:
        return "starting"
    first = min(steps, key=lambda step: step.place)
    known = state.participants.get(first.participant)
    name = known.name if known else state.label_of(first.participant)
    told = f"{name} is {KINDS[first.kind].doing}"
    return f"{told}, and {len(steps) - 1} more at work" if len(steps) > 1 else told
