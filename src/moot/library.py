"""Moot as a library: create, run, stream and inspect debates from a program.

For example:

    async with moot.open() as m:
        debate = await m.create("Should cities be car-free?", turns=4)
        async for turn in debate.run():
            print(turn.participant, turn.kind, turn.content)
        print(debate.verdict)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import debates
from moot.definitions.debates import Cast, Definition
from moot.definitions.finding import pick
from moot.engine.creation import NewDebate
from moot.engine.feed import Item
from moot.engine.people import Given
from moot.engine.service import Service
from moot.ids import new_seed
from moot.models.port import Models
from moot.protocol.events import TurnRecorded
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status
from moot.settings import MootSettings, load_settings
from moot.wiring import open_system


def stage(  # noqa: PLR0913 - what somebody may want otherwise
    definition: Definition,
    *,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    model: str | None = None,
    judge_model: str | None = None,
    member_models: Mapping[str, str] | None = None,
    with_judge: bool = True,
) -> NewDebate:
    """A definition made into a debate that can be created: roster drawn, models put in.

    `model` and `judge_model` stand for every participant that is not a person; `member_models`
    has those of single ones, by name, title or the beginning of either, or by role: the first.
    """
    given = {key: value for key, value in (settings or {}).items() if value is not None}
    definition = debates.changed(definition, settings=given)
    cast = _cast(definition, seed=new_seed() if seed is None else seed, with_judge=with_judge)
    named = _by_id(member_models or {}, cast.participants)
    return NewDebate(
        topic=definition.topic,
        format=definition.format,
        settings=definition.settings,
        participants=tuple(
            _with_model(one, model, judge_model)
            if one.id not in named
            else msgspec.structs.replace(one, model=named[one.id])
            for one in cast.participants
        ),
        seed=cast.seed,
        draws=cast.draws,
    )


def _cast(definition: Definition, *, seed: int, with_judge: bool) -> Cast:
    """Who takes part: as written, drawn, or the format's own roster if it has one."""
    roster = format_named(definition.format).default_roster
    if not roster or definition.participants or definition.pools:
        return debates.cast(definition, seed=seed, with_judge=with_judge)
    kept = tuple(one for one in roster if with_judge or one.role is not Role.JUDGE)
    return Cast(participants=kept)


def _by_id(models: Mapping[str, str], participants: Sequence[Participant]) -> dict[str, str]:
    advice = "here are: " + ", ".join(one.label for one in participants)
    found: dict[str, str] = {}
    for wanted, model in models.items():
        in_role = [one for one in participants if one.role == wanted.strip().casefold()]
        one = (
            in_role[0] if in_role else pick(wanted, participants, kind="participant", advice=advice)
        )
        found[one.id] = model
    return found


def _with_model(one: Participant, model: str | None, judge_model: str | None) -> Participant:
    is_judge = one.role in (Role.JUDGE, Role.MODERATOR)
    chosen = (judge_model or model) if is_judge else model
    if not chosen or one.is_human:
        return one
    return msgspec.structs.replace(one, model=chosen)


class Debate:
    """One debate, by its id. `state` is as of the last run or refresh."""

    def __init__(self, service: Service, debate_id: str, state: DebateState) -> None:
        self._service = service
        self.id = debate_id
        self.state = state

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
        """All turns, private ones too, in the order people read them."""
        return [turn.said for turn in self.state.transcript()]

    async def refresh(self) -> DebateState:
        """Read the log again."""
        self.state = await self._service.state(self.id)
        return self.state

    async def run(self) -> AsyncGenerator[TurnRecorded, None]:
        """Run it from wherever it stands and give every new turn as it is recorded."""
        async with aclosing(self.stream()) as items:
            async for item in items:
                event = getattr(item, "event", None)
                if isinstance(event, TurnRecorded):
                    yield event

    async def stream(self, *, text: bool = False) -> AsyncGenerator[Item, None]:
        """The same, but every event, and with `text` also the pieces of turns being written."""
        async with aclosing(self._service.play(self.id, text=text)) as items:
            async for item in items:
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
        definition = debates.from_topic(topic, format=format, settings=settings)
        if participants:
            definition = msgspec.structs.replace(definition, participants=tuple(participants))
        new = stage(definition, seed=seed, model=model, judge_model=judge_model)
        return await self._create(new)

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
        definition = debates.load(path_or_name, self.settings.personas_path)
        debates.check_models(
            definition,
            self._models.get,
            is_replaced=lambda is_judge: bool(model or (is_judge and judge_model)),
        )
        new = stage(definition, seed=seed, settings=settings, model=model, judge_model=judge_model)
        return await self._create(new)

    async def get(self, debate_id: str) -> Debate:
        """A debate that exists, by its id or the beginning of it."""
        found = await self.service.find(debate_id)
        return Debate(self.service, found, await self.service.state(found))

    async def _create(self, new: NewDebate) -> Debate:
        debate_id = await self.service.create(new)
        return Debate(self.service, debate_id, await self.service.state(debate_id))


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
