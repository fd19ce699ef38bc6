"""`moot.open`: a database, models and a worker in this process, and the debates in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from moot.asking import staged
from moot.definitions.own_panels import as_text, data_of
from moot.engine.once import Make, Once
from moot.engine.reads import FoundDebate
from moot.engine.service import Service
from moot.errors import InvalidInput
from moot.intake import Intake
from moot.library import panels
from moot.library.debate import Debate, opened
from moot.library.panels import Answer, Panel, listed
from moot.library.seating import one_of, seated
from moot.models.own import ModelFunction, WithOwn
from moot.models.port import Models
from moot.protocol.registry import USUAL
from moot.protocol.row import DebateRow
from moot.protocol.values import Participant, Persona
from moot.protocol.words import Status
from moot.settings import MootSettings, load_settings
from moot.staging import (
    DebateRequest,
    HearingRequest,
    ModelChoice,
    Sources,
    hearing,
    stage,
)
from moot.staging.panels import Question, request_of
from moot.wiring import open_models, open_system, secret_of

PAGE = 200

# As libraries do: what is logged is for programs that ask for it, and never printed by itself.
logging.getLogger("moot").addHandler(logging.NullHandler())

Rows = list[DebateRow]
Finds = list[FoundDebate]
Panels = list[Panel]


class Moot:
    """An open Moot: a database, models, and a worker in this process. `moot.open` gives you one."""

    def __init__(self, service: Service, settings: MootSettings, models: Models) -> None:
        self.service = service
        """The engine itself. It hides nothing."""
        self.settings = settings
        self._models = models
        self._once: Once | None = None

    async def create(  # noqa: PLR0913 - what a debate is made of, each by name
        self,
        topic: str,
        *,
        format: str | None = None,  # noqa: A002 - the glossary's word
        participants: Sequence[Participant | Persona | str] = (),
        team: str | None = None,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """Create a debate on a topic. It does not start until you run it.

        The format is a duel unless you name one, or a council for a `team`. Each of `participants`
        is a `Participant`, a `Persona`, or the name of a persona (`"Ada"`), your own or one that
        comes with Moot; personas take part as debaters, or as members in rooms and councils.
        Without any, participants are drawn. `model` is used for everyone, `judge_model` for judges
        and moderators only. Every other argument is a setting of the format. Calling this again
        with the same `idempotency_key` returns the debate it made the first time. Raises
        InvalidInput, NotFound or NoModel.
        """
        _check_text(topic=topic, format=format, team=team, model=model, judge_model=judge_model)
        return await self._create(
            DebateRequest(
                topic=topic or "",
                format=format,
                participants=seated(participants, format or USUAL),
                team=team or "",
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
        """Create a debate from a YAML file, or from one that comes with Moot, by name.

        Everything else is as in `create`.
        """
        return await self._create(
            DebateRequest(
                file=path_or_name,
                settings=_given(settings),
                models=_models(model, judge_model),
                seed=seed,
            ),
            idempotency_key,
        )

    async def ask(  # noqa: PLR0913 - what a question is made of, each by name
        self,
        panel: str | Path | Panel,
        question: str,
        *,
        after: Debate | str | None = None,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Answer:
        """Ask a panel a question, run the debate to its end, and return the answer.

        A panel is one of `m.panels()` by its name (`"red-team"`), a format (`"rounds"`), a team
        (`"design"`), the path of a panel file or of a debate file, whose topic is replaced by the
        question, or a `Panel` that your program has made. `after` is an earlier debate, or its id:
        everybody may then read its question and answer. If the debate cannot finish, this raises
        what `Debate.finish` raises; with an `idempotency_key`, the same call picks it up again.
        Everything else is as in `create`. Raises InvalidInput for a panel that cannot give an
        answer, such as a room, and Refused if the debate of `after` has no answer yet.
        """
        _check_text(question=question, model=model, judge_model=judge_model)
        found = await asyncio.to_thread(
            panels.find, panel, self.settings.panels_path, self.settings.personas_path
        )
        wanted = Question(
            panel=found,
            text=question,
            settings=_given(settings),
            models=_models(model, judge_model),
            follows=await self._id_of(after),
            seed=seed,
        )
        given = as_text(data_of(found)) if isinstance(panel, Panel) else str(panel)
        debate = await self._ask(wanted, given, idempotency_key)
        outcome = await debate.finish()
        text = await debate.export(found.export)
        assert outcome is not None  # noqa: S101 - `export` raises where there is none
        return Answer(
            text=text.rstrip("\n"), outcome=outcome, debate_id=debate.id, cost_usd=debate.cost_usd
        )

    async def judge(
        self,
        debate: Debate | str,
        bench: Sequence[str] = (),
        *,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """Create a hearing: ask a bench of judges about a finished debate, given as a `Debate` or
        by its id.

        The hearing is a debate of its own. `await hearing.finish()` runs it and returns a
        `Certificate`, which says whether the bench agrees more than chance explains. `bench`
        lists the judges: models as `provider:name`, personas by name, `human`, or one team; by
        default, models that are ready here and took no part. Settings are `repeats`, `orders`,
        `allow_own`, `max_cost_usd` and those of all formats. Raises Refused if the debate is not
        over or there is nothing to choose between, InvalidInput or NoModel for a bench that
        cannot be asked.
        """
        source = await self._id_of(debate)
        given = _given(settings)
        wanted = HearingRequest(bench=tuple(bench), settings=given)

        async def make(debate_id: str | None) -> str:
            state = await self.service.state(source)
            new = await asyncio.to_thread(hearing, state, source, wanted, self._sources())
            return await self.service.create(new, debate_id=debate_id)

        return await self._made(idempotency_key, {"hears": source, "wanted": wanted}, make)

    async def panels(self) -> Panels:
        """List the panels that can be asked by name, your own first.

        Your own are YAML files in the directory `panels` below MOOT_HOME.
        """
        own, personas = self.settings.panels_path, self.settings.personas_path
        return await asyncio.to_thread(listed, own, personas)

    async def import_log(self, log: bytes | str | Path) -> Debate:
        """Import a finished debate from its log, as written by `debate.export("log")`.

        `log` is a path, or the contents as bytes. Importing the same log again returns the debate
        that is already there. Raises InvalidInput if it is not such a log.
        """
        data = log if isinstance(log, bytes) else await asyncio.to_thread(_read, Path(log))
        made, _ = await Intake(self.service, await self._secret()).take(data)
        return await opened(self.service, made)

    async def get(self, debate_id: str) -> Debate:
        """Get a debate by its id, or by the beginning of its id. Raises NotFound."""
        return await opened(self.service, await self.service.find(debate_id))

    async def list(
        self,
        *,
        status: Status | str | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
    ) -> Rows:
        """List debates as rows, newest first, at most `limit` of them.

        `query` is looked for in topics and titles; `door` is the way by which a debate came:
        `"v1"`, `"mcp"` or `"import"`, or `""` for every other. Raises InvalidInput for an unknown
        status.
        """
        wanted = None if status is None else one_of(Status, status, "status")
        rows: Rows = []
        cursor: str | None = None
        while len(rows) < limit:
            page = await self.service.list(
                status=wanted,
                format=format,
                door=door,
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
        """Search all debates for the words of `query`, newest first, at most `limit` of them, each
        with up to three passages.

        Searches titles, topics, public turns and outcomes. All words must occur; a word matches
        from its beginning, and words in double quotes match as a phrase. Case and accents are
        ignored. Raises InvalidInput for an unknown status.
        """
        wanted = None if status is None else one_of(Status, status, "status")
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
        async def make(debate_id: str | None) -> str:
            new = await asyncio.to_thread(stage, request, self._sources())
            return await self.service.create(new, debate_id=debate_id)

        return await self._made(key, {"library": msgspec.to_builtins(request, enc_hook=str)}, make)

    async def _ask(self, question: Question, panel: str, key: str | None) -> Debate:
        """`panel` is how the caller named it: what a file says may have been edited since."""

        async def make(debate_id: str | None) -> str:
            new = await staged(question, self.service, self._sources())
            return await self.service.create(new, debate_id=debate_id)

        asked = msgspec.structs.replace(request_of(question), file=panel)
        return await self._made(key, {"library": msgspec.to_builtins(asked, enc_hook=str)}, make)

    async def _made(self, key: str | None, sent: object, make: Make) -> Debate:
        if key is None:
            return await opened(self.service, await make(None))
        made, _ = await (await self._keyed()).made(key, sent, make)
        return await opened(self.service, made)

    async def _id_of(self, after: Debate | str | None) -> str:
        if not after:
            return ""
        return await self.service.find(after if isinstance(after, str) else after.id)

    def _sources(self) -> Sources:
        return Sources(
            models=self._models,
            personas=self.settings.personas_path,
            root=self.settings.context_root or Path.cwd(),
        )

    async def _keyed(self) -> Once:
        if self._once is None:
            secret = await self._secret()
            # Asked again: another call may have made one meanwhile, and be at work with it.
            self._once = self._once or Once(self.service, secret, field="idempotency_key")
        return self._once

    async def _secret(self) -> bytes:
        return await asyncio.to_thread(secret_of, self.settings)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"cannot read {path}: {error.strerror or error}"
        raise InvalidInput(message, field="log") from None


def _check_text(**given: object) -> None:
    """Raises InvalidInput for what is not text: programs need not be type checked."""
    for field, value in given.items():
        if value is not None and not isinstance(value, str):
            message = f"must be text, not {type(value).__name__}"
            raise InvalidInput(message, field=field)


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not None: None counts as left out, so that a program can pass on what
    it was not given."""
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
    """Open Moot on your own database, or on the one given by `home` or `database_url`.

    `models` adds functions of your own to the usual providers: with `models={"mine": f}`, `f` is
    called wherever a debate says `model="mine"`. It is given the messages, a list of dictionaries
    with `role` (`system`, `user` or `assistant`) and `content`, and returns the reply as text. It
    may be `async`, or a generator that yields the reply piece by piece. A function that blocks is
    called in a thread. If it raises, the debate fails and says which function it was.

    On exit, calls in progress get `MOOT_GRACE_SECONDS` to finish, so that replies you have paid for
    are kept. Cancelling, for example with Ctrl-C, cuts them off.
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
