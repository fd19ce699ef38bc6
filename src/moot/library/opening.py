"""`moot.open`: a database, models and a worker in this process, and the debates in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions.casting import seat
from moot.engine.once import Once
from moot.engine.searching import FoundDebate
from moot.engine.service import Service
from moot.errors import InvalidInput
from moot.library.debate import Debate, opened
from moot.models.own import ModelFunction, WithOwn
from moot.models.port import Models
from moot.protocol.registry import format_named
from moot.protocol.row import DebateRow
from moot.protocol.values import Participant, Persona
from moot.protocol.words import Role, Stance, Status
from moot.settings import MootSettings, load_settings
from moot.staging import OWN_SEATS, DebateRequest, ModelChoice, Sources, stage
from moot.wiring import open_models, open_system, secret_of

PAGE = 200
Rows = list[DebateRow]
Finds = list[FoundDebate]


class Moot:
    """An open Moot: a database, models, and a worker in this process. Made by `moot.open`."""

    def __init__(self, service: Service, settings: MootSettings, models: Models) -> None:
        self.service = service
        """The engine itself, which hides nothing."""
        self.settings = settings
        self._models = models
        self._once: Once | None = None

    async def create(  # noqa: PLR0913 - what a debate is made of, each by name
        self,
        topic: str,
        *,
        format: str = "duel",  # noqa: A002 - the glossary's word
        participants: Sequence[Participant | Persona] = (),
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """A debate on a topic, between those given or drawn from the shipped personas.

        A Persona sits as a debater, in rooms and councils as a member. `model` is for everybody,
        `judge_model` for judges and moderators. The same call with the same `idempotency_key`
        finds the debate that it has made before. Raises InvalidInput, NotFound or NoModel.
        """
        return await self._create(
            DebateRequest(
                topic=topic,
                format=format,
                participants=_seated(participants, format),
                settings=_given(settings),
                models=_models(model, judge_model),
                seed=seed,
            ),
            idempotency_key,
        )

    async def load(
        self,
        path_or_name: str | Path,
        *,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """A debate from a YAML file, or a shipped one by its name. The rest is as in `create`."""
        return await self._create(
            DebateRequest(
                file=path_or_name,
                settings=_given(settings),
                models=_models(model, judge_model),
                seed=seed,
            ),
            idempotency_key,
        )

    async def get(self, debate_id: str) -> Debate:
        """A debate that exists, by its id or the beginning of it. Raises NotFound."""
        return await opened(self.service, await self.service.find(debate_id))

    async def list(
        self,
        *,
        status: Status | str | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        query: str = "",
        limit: int = 50,
    ) -> Rows:
        """The newest debates, at most `limit`, as rows; `query` is looked for in their topics.

        Raises InvalidInput for a status that there is not.
        """
        wanted = None if status is None else _status(status)
        rows: Rows = []
        cursor: str | None = None
        while len(rows) < limit:
            page = await self.service.list(
                status=wanted,
                format=format,
                query=query,
                limit=min(PAGE, limit - len(rows)),
                cursor=cursor,
            )
            rows += page.items
            cursor = page.next
            if cursor is None:
                break
        return rows

    async def search(
        self,
        query: str,
        *,
        status: Status | str | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        limit: int = 20,
    ) -> Finds:
        """The newest debates in which all words of `query` occur, at most `limit`, each with up to
        three of the texts.

        Looked for in titles, topics, public turns and outcomes: words by their beginnings, in
        double quotes a phrase; case and accents do not matter. Raises InvalidInput for a status
        that there is not.
        """
        wanted = None if status is None else _status(status)
        found: Finds = []
        cursor: str | None = None
        while len(found) < limit:
            size = min(PAGE, limit - len(found))
            page = await self.service.search(
                query, status=wanted, format=format, limit=size, cursor=cursor
            )
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        return found

    async def _create(self, request: DebateRequest, key: str | None) -> Debate:
        sources = Sources(
            models=self._models,
            personas=self.settings.personas_path,
            root=self.settings.context_root or Path.cwd(),
        )

        async def make(debate_id: str | None) -> str:
            new = await asyncio.to_thread(stage, request, sources)
            return await self.service.create(new, debate_id=debate_id)

        if key is None:
            return await opened(self.service, await make(None))
        sent = {"library": msgspec.to_builtins(request, enc_hook=str)}
        made, _ = await (await self._keyed()).made(key, sent, make)
        return await opened(self.service, made)

    async def _keyed(self) -> Once:
        if self._once is None:
            secret = await asyncio.to_thread(secret_of, self.settings)
            # Again: somebody else may have made it meanwhile, and is at work with it.
            self._once = self._once or Once(self.service, secret, field="idempotency_key")
        return self._once


def _seated(given: Sequence[Participant | Persona], form: str) -> tuple[Participant, ...]:
    """Everybody with a chair: a persona in the usual one of the format."""
    given = [
        _with_role(one, place) if isinstance(one, Participant) else one
        for place, one in enumerate(given)
    ]
    if not any(isinstance(one, Persona) for one in given):
        return tuple(one for one in given if isinstance(one, Participant))
    roles = [one.role for one in format_named(form).default_roster if one.role in OWN_SEATS]
    role = roles[0] if roles else Role.DEBATER
    personas = [one for one in given if isinstance(one, Persona)]
    seated = iter(seat((one, role, Stance.NONE) for one in personas))
    return tuple(next(seated) if isinstance(one, Persona) else one for one in given)


def _with_role(one: Participant, place: int) -> Participant:
    """The same, where the role may have been given as a plain word, as in a debate file."""
    try:
        role = Role(one.role)
    except ValueError:
        message = f"there is no role {one.role!r}; known: {', '.join(Role)}"
        raise InvalidInput(message, field=f"participants.{place}.role") from None
    return msgspec.structs.replace(one, role=role)


def _status(given: Status | str) -> Status:
    try:
        return Status(given)
    except ValueError:
        message = f"there is no status {given!r}; known: {', '.join(Status)}"
        raise InvalidInput(message, field="status") from None


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
    models: Mapping[str, ModelFunction] | Models | None = None,
) -> AsyncIterator[Moot]:
    """Moot on the database of this user, or on the one that is named. `moot.open` for short.

    `models` are functions by their names, beside the ordinary providers: with
    `models={"mine": f}`, `f` is asked where a debate says `model="mine"`. It takes the messages,
    a list of dictionaries with `role` (`system`, `user`, `assistant`) and `content`, and returns
    the reply: as text, by `async def`, or piece by piece as a generator of either kind. One that
    blocks is called in a thread. What it raises fails the debate and says which function it was.

    On the way out, calls under way have `MOOT_GRACE_SECONDS` to finish, so that replies which are
    paid for are kept. To be cancelled, as by Ctrl-C, cuts them.
    """
    settings = load_settings(home=home, database_url=database_url)
    own = WithOwn(open_models(settings), models) if isinstance(models, Mapping) else models
    async with open_system(settings, models=own) as system:
        is_cut = False
        try:
            yield Moot(system.service, settings, system.models)
        except asyncio.CancelledError:
            is_cut = True
            raise
        finally:
            if not is_cut:
                await system.service.drain(settings.grace_seconds)
