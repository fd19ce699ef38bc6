"""One client's way through a debate: in, along while it is held, and out with the answer.

Whoever waits for an answer attends to its debate. A client that goes away stops attending, and the
debate is stopped after the panel's grace; in the background, nobody attends and nothing stops it.

While a panel works, its client is shown a line for each step, or the texts themselves. What is
private to a participant, or veiled while a person takes part, is never told: of such a step, only
that it was taken.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext

import msgspec

from moot.api.parts import ApiParts
from moot.api.v1 import tasks
from moot.api.v1.asked import Asked, Client, Entry
from moot.api.v1.replies import EXPORTS, Reply, is_capped, reply_to, unfinished
from moot.api.v1.tasks import in_shape
from moot.api.v1.wanted import Wanted
from moot.asking import Report
from moot.definitions.values import Panel
from moot.engine.feed import Item, StepBegan, TextVoided, TextWritten
from moot.protocol import events as e
from moot.protocol.extracts import cut
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.visibility import Veil
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import USER, Visibility

STEP_MAX = 200
"""Characters of a step that are told."""
_BEGINS_AGAIN = "\n(The reply broke off and begins again.)\n\n"


class Course:
    """`origin` is the address of this server as the client knows it, for links. `task` is set if
    the request is not a question for the panel, and then there is no debate."""

    def __init__(
        self,
        parts: ApiParts,
        asked: Asked,
        wanted: Wanted,
        panel: Panel,
        client: Client,
        origin: str,
    ) -> None:
        self.wanted = wanted
        self.panel = panel
        self.task = tasks.task_of(wanted)
        self.entry: Entry | None = None
        self._parts = parts
        self._asked = asked
        self._client = client
        self._origin = origin

    async def begin(self) -> None:
        """Find the debate, or make it. Raises a MootError or Refusal if it cannot be had."""
        if self.task or self.entry is not None:
            return
        self.entry = await self._asked.enter(self.wanted, self.panel, self._client)
        if self.wanted.is_background:
            await self._parts.service.asked.leave(self.entry.debate_id)

    @property
    def debate_id(self) -> str:
        return self.entry.debate_id if self.entry else ""

    def attended(self) -> AbstractAsyncContextManager[None]:
        """A block for as long as somebody waits for the answer."""
        if self.entry is None or self.wanted.is_background:
            return nullcontext()
        grace_s = float(self.panel.grace_seconds)
        return self._parts.asker.attended(self.entry.debate_id, grace_s=grace_s)

    async def thoughts(self) -> AsyncIterator[str]:
        """What is to be shown of the debate, from its beginning until nothing is left to run."""
        if self.entry is None:
            return
        service = self._parts.service
        if not self.entry.is_new:  # its stop may have been under way when we came
            await self._parts.asker.go_on(self.entry.debate_id)
        veil, _ = await service.veil(self.entry.debate_id)
        state = await service.state(self.entry.debate_id)
        thinking = Thinking(self.panel.thinking, state, veil)
        wants_text = self.panel.thinking == "text"
        async with (
            service.following(self.entry.debate_id, text=wants_text) as viewer,
            aclosing(viewer.batches(after=0, until_still=True)) as batches,
        ):
            async for batch in batches:
                if told := thinking.told(batch):
                    yield told

    async def reply(self) -> Reply:
        """What came of the question. Raises Refusal if that is no reply, or a ModelError."""
        if self.entry is None:
            return await self._task()
        debate_id = self.entry.debate_id
        report = await self._report(debate_id)
        log = await self._parts.service.log(debate_id)
        url = f"{self._origin}/debates/{debate_id}" if self._origin else ""
        reply = reply_to(self.wanted, self.panel, report, log, url)
        if reply.is_question and self.entry.fingerprint:
            await self._asked.expect(self.wanted, self.panel, self._client, debate_id, reply.text)
        elif self.wanted.schema is not None:
            reply = await in_shape(self._parts, self.panel, self.entry, reply, self.wanted.schema)
        return reply

    async def _task(self) -> Reply:
        """The reply to a task, made once even if the client loses patience and asks again."""
        return await self._parts.asker.errands.done(
            self._errand, lambda: tasks.answered(self._parts, self.panel, self.wanted, self.task)
        )

    @property
    def _errand(self) -> str:
        return f"task/{self._asked.mark(self.wanted, self.panel, self._client)}"

    async def _report(self, debate_id: str) -> Report:
        asker = self._parts.asker
        report = await asker.report(debate_id, as_=EXPORTS[self.panel.answer])
        if report.answer or not is_capped(report):
            return report
        # A limit came before the outcome: what was said until then is what there is.
        there = await asker.report(debate_id, as_=EXPORTS["transcript"])
        return msgspec.structs.replace(there, answer=unfinished(there))

    def delivering(self) -> AbstractAsyncContextManager[None]:
        """A block for the sending of the last part of the answer."""
        if self.entry is None:
            return self._delivering_task()
        return self._asked.delivering(self.entry) if self.entry.fingerprint else nullcontext()

    @asynccontextmanager
    async def _delivering_task(self) -> AsyncIterator[None]:
        yield
        self._parts.asker.errands.forget(self._errand)

    @property
    def ignored(self) -> tuple[str, ...]:
        """The parameters that were sent and have no effect here."""
        unused = () if self.panel.inherit or self.task else tuple(self.wanted.sampling)
        late = (
            ("max_output_tokens",) if self.wanted.is_background and self.wanted.max_tokens else ()
        )
        return (*self.wanted.ignored, *unused, *late)

    def with_thoughts(self, reply: Reply, thoughts: str) -> Reply:
        return msgspec.structs.replace(reply, thoughts=thoughts.strip())


class Thinking:
    """Tells what is new of one debate, for one client. `how` is the panel's: steps, text or off."""

    def __init__(self, how: str, state: DebateState, veil: Veil) -> None:
        self._tell: Callable[[Item], Iterable[str]] = {
            "steps": self._step,
            "text": self._text,
        }.get(how, lambda _item: ())
        self._names = names_in(state.config)
        self._veil = veil
        # With `text`, turns are shown as they are written, one at a time: this is that one.
        self._leader = ""
        self._led = 0

    def told(self, batch: Iterable[Item]) -> str:
        """What there is to tell of these items; "" if nothing."""
        return "".join(part for item in batch for part in self._tell(item))

    def _step(self, item: Item) -> Iterator[str]:
        match item:
            case e.Recorded(event=e.TurnRecorded() as turn) if turn.participant != USER:
                shown = cut(" ".join(self._said(item, turn).split()), STEP_MAX)
                heading = self._heading(turn)
                yield f"{heading}: {shown}\n\n" if shown else f"{heading}.\n\n"
            case e.Recorded(event=e.StepFailed() as failed):
                yield f"A step failed: {cut(failed.error, STEP_MAX)}\n\n"
            case _:
                pass

    def _text(self, item: Item) -> Iterator[str]:
        match item:
            case StepBegan(step=step) if not self._leader and self._is_open(step):
                self._leader, self._led = step.key, 0
            case TextWritten(step=step, text=text) if step.key == self._leader:
                yield from () if self._led else (f"{self._name(step.participant)}:\n\n",)
                self._led += len(text)
                yield text
            case TextVoided(step=step) if step.key == self._leader and self._led:
                yield _BEGINS_AGAIN
            case e.Recorded(event=e.TurnRecorded() as turn) if turn.participant != USER:
                yield self._whole(item, turn)
            case _:
                yield from self._step(item) if isinstance(item, e.Recorded) else ()

    def _whole(self, item: e.Recorded, turn: e.TurnRecorded) -> str:
        """The turn, or the end of it if it was shown as it was written."""
        if turn.step_key == self._leader:
            self._leader = ""
            if self._led:
                return "\n\n"
        said, heading = self._said(item, turn), self._heading(turn)
        return f"{heading}:\n\n{said}\n\n" if said else f"{heading}.\n\n"

    def _said(self, record: e.Recorded, turn: e.TurnRecorded) -> str:
        shown = self._veil.seen(record).event
        is_public = turn.visibility is Visibility.PUBLIC and isinstance(shown, e.TurnRecorded)
        return shown.content.strip() if is_public and isinstance(shown, e.TurnRecorded) else ""

    def _is_open(self, step: Step) -> bool:
        # An answer with a schema is JSON while it is written: it is told when it can be read.
        is_prose = step.answer.schema is None
        return is_prose and step.visibility is Visibility.PUBLIC and not self._veil.hides(step)

    def _heading(self, turn: e.TurnRecorded) -> str:
        about = f" ({self._name(turn.about)})" if turn.about else ""
        return f"{self._name(turn.participant)} {KINDS[turn.kind].does}{about}"

    def _name(self, participant: str) -> str:
        return self._names.get(participant, participant)


def names_in(config: Config) -> Mapping[str, str]:
    return {one.id: one.name for one in config.participants}
