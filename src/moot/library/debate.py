"""Moot as a library: create, run, stream and inspect debates from a program.

For example:

    async with moot.open() as m:
        debate = await m.create("Should cities be car-free?", turns=4)
        async for turn in debate.run():
            print(turn.participant, turn.kind, turn.content)
        print(debate.verdict)

While a person takes part, a debate shows what people may see, as HTTP does: turns that somebody may
not know are there with the flag `hidden` and without their words, until the debate is over. A
program that knows who looks asks for `debate.seen_by("ada")`; one at which nobody looks who takes
part, for `debate.unveiled()`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from moot.engine.feed import Item, TextWritten
from moot.engine.people import Given
from moot.engine.service import Service
from moot.errors import InvalidInput
from moot.models.port import Models
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.folding import fold
from moot.protocol.outcomes import Outcome
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.visibility import Veil
from moot.protocol.words import Status
from moot.settings import MootSettings, load_settings
from moot.staging import DebateRequest, ModelChoice, Sources, stage
from moot.wiring import open_system

Veiled = Callable[[Service, str], Awaitable[Veil]]
"""What may not be shown of a debate now, to whoever looks at it."""


async def _for_everybody(service: Service, debate_id: str) -> Veil:
    """What somebody who takes part may not know: the view that HTTP gives."""
    return (await service.veil(debate_id))[0]


async def _for_one(participant: str, service: Service, debate_id: str) -> Veil:
    return (await service.veil(debate_id, who=participant))[0]


async def _for_nobody(service: Service, debate_id: str) -> Veil:
    del service, debate_id
    return Veil()


class Debate:
    """One debate, by its id. `state` is as of the last run or refresh, as far as it may be seen."""

    def __init__(
        self, service: Service, debate_id: str, state: DebateState, veiled: Veiled = _for_everybody
    ) -> None:
        self._service = service
        self._veiled = veiled
        self.id = debate_id
        self.state = state

    async def seen_by(self, participant: str) -> Debate:
        """The same debate as the person in that chair may see it, whoever else takes part.

        Raises InvalidInput if there is no such participant, or it is no person.
        """
        found = (await self._service.state(self.id)).participants.get(participant)
        if found is None or not found.is_human:
            message = f"{participant!r} is no person who takes part"
            raise InvalidInput(message, field="participant")
        return await _opened(self._service, self.id, partial(_for_one, participant))

    async def unveiled(self) -> Debate:
        """The same debate with everything in it. Show it to nobody who takes part."""
        return await _opened(self._service, self.id, _for_nobody)

    @property
    def status(self) -> Status:
        return self.state.status

    @property
    def verdict(self) -> Outcome | None:
        """What the debate ended with: a Verdict, a Summary or a Solution.

        None while it is not over, or if nobody was to decide or to sum up.
        """
        return self.state.outcome

    @property
    def turns(self) -> list[TurnRecorded]:
        """All turns, private ones too, in the order people read them; some may be `hidden`."""
        return [turn.said for turn in self.state.transcript()]

    async def refresh(self) -> DebateState:
        """Read the log again."""
        self.state = await _seen(self._service, self.id, self._veiled)
        return self.state

    async def run(self) -> AsyncGenerator[TurnRecorded, None]:
        """Run it from wherever it stands and give every new turn as it is recorded."""
        async with aclosing(self.stream()) as items:
            async for item in items:
                event = getattr(item, "event", None)
                if isinstance(event, TurnRecorded):
                    yield event

    async def stream(self, *, text: bool = False) -> AsyncGenerator[Item, None]:
        """The same, but every event, and with `text` also the pieces of turns being written.

        What is hidden when it comes is in `turns` as soon as it may be seen, at the end or when
        somebody has answered.
        """
        veil = await self._veiled(self._service, self.id)
        async with aclosing(self._service.play(self.id, text=text)) as items:
            async for item in items:
                if isinstance(item, Recorded):
                    veil = await self._veiled(self._service, self.id)
                    yield veil.seen(item)
                elif not (isinstance(item, TextWritten) and veil.hides(item.step)):
                    yield item
        await self.refresh()

    async def answer(self, question_id: str, given: Given) -> None:
        """A person's turn: a text, the fields of the question's form, or `""` to pass.

        The open questions are in `state.questions`.
        """
        await self._service.answer(self.id, question_id, given)

    async def say(self, content: str) -> None:
        """Speak without having been asked, where the format takes that."""
        await self._service.say(self.id, content)

    async def reveal(self) -> None:
        """Play with open cards: people who take part are shown what their chairs may not know."""
        await self._service.reveal(self.id)

    async def command(self, name: str) -> None:
        """start, stop, resume, end, cancel or retry."""
        await self._service.command(self.id, name)


class Moot:
    """An open Moot: a database, models, and a worker in this process."""

    def __init__(self, service: Service, settings: MootSettings, models: Models) -> None:
        self.service = service
        self.settings = settings
        self._models = models

    async def create(
        self,
        topic: str,
        *,
        format: str = "duel",  # noqa: A002 - the glossary's word
        participants: Sequence[Participant] = (),
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        **settings: Any,
    ) -> Debate:
        """A debate on a topic, between those given or drawn from the shipped personas."""
        return await self._create(
            DebateRequest(
                topic=topic,
                format=format,
                participants=tuple(participants),
                settings=_given(settings),
                models=_models(model, judge_model),
                seed=seed,
            )
        )

    async def load(
        self,
        path_or_name: str | Path,
        *,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        **settings: Any,
    ) -> Debate:
        """A debate from a YAML file, or a shipped one by its name."""
        return await self._create(
            DebateRequest(
                file=path_or_name,
                settings=_given(settings),
                models=_models(model, judge_model),
                seed=seed,
            )
        )

    async def get(self, debate_id: str) -> Debate:
        """A debate that exists, by its id or the beginning of it."""
        found = await self.service.find(debate_id)
        return await _opened(self.service, found)

    async def _create(self, request: DebateRequest) -> Debate:
        sources = Sources(
            models=self._models,
            personas=self.settings.personas_path,
            root=self.settings.context_root or Path.cwd(),
        )
        new = await asyncio.to_thread(stage, request, sources)
        debate_id = await self.service.create(new)
        return await _opened(self.service, debate_id)


async def _opened(service: Service, debate_id: str, veiled: Veiled = _for_everybody) -> Debate:
    return Debate(service, debate_id, await _seen(service, debate_id, veiled), veiled)


async def _seen(service: Service, debate_id: str, veiled: Veiled) -> DebateState:
    veil = await veiled(service, debate_id)
    if not veil.is_drawn:
        return await service.state(debate_id)
    return fold([veil.seen(record) for record in await service.log(debate_id)])


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """None is as good as left out: so a program can pass on what it was not told."""
    return {key: value for key, value in settings.items() if value is not None}


def _models(model: str | None, judge_model: str | None) -> ModelChoice:
    return ModelChoice(everyone=model or "", judges=judge_model or "")


@asynccontextmanager
async def open_moot(
    *,
    home: str | Path | None = None,
    database_url: str | None = None,
    models: Models | None = None,
) -> AsyncIterator[Moot]:
    """Moot on the database of this user, or on the one that is named. `moot.open` for short."""
    settings = load_settings(home=home, database_url=database_url)
    async with open_system(settings, models=models) as system:
        yield Moot(system.service, settings, system.models)
