"""The tools, with the process's own service: a question becomes a debate, and calls return in time.

Nobody attends to a debate that came by this door: hosts lose patience, sleep and are closed, and
the debate goes on in the background. Whoever asks the same again within ten minutes, or before
anybody was given the result, gets the debate that exists already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from moot.asking import Asker, Report, fingerprint
from moot.definitions.documents import Document
from moot.definitions.panels import Library, find_among, panel_of
from moot.definitions.values import Panel
from moot.engine.attaching import File
from moot.engine.hearings import with_debate
from moot.engine.people import Given
from moot.errors import InvalidInput, NotFound, Refused
from moot.export import render
from moot.mcp.arguments import (
    AnswerTo,
    AskCouncil,
    Debate,
    Judge,
    ListDebates,
    StatusOf,
    Text,
    read,
)
from moot.mcp.exclusion import Choices, without
from moot.mcp.port import Answer, Caller, Listing, Tell, answer_of, certificate_text, listing_of
from moot.protocol.outcomes import certificate_in
from moot.protocol.values import Origin
from moot.protocol.words import Status
from moot.staging import HearingRequest, hearing
from moot.staging.panels import QUESTION, Question
from moot.store.port import Asked

DOOR = "mcp"
KEPT = timedelta(minutes=10)
"""For how long the same question leads to the same debate."""
BEAT_S = 2.0
"""How often whoever waits is told how far the debate is."""
_PASSING = frozenset({"wait_seconds", "fresh"})
"""Arguments that are not part of what is asked."""
_ARGUMENTS = {
    "attachments": "files",
    "attach": "files",
    "context_directory": "files",
    "settings.premise": "premise",
    "settings.turns": "turns",
}
"""The arguments that the rest of Moot calls by other names."""
TOPIC = "topic"
_LISTING = ("`moot list`", "list_debates")
"""The command that errors name for listing debates, and the tool that takes its place here."""

Answers = Mapping[str, Any]
"""By question id."""


class Tools:
    """A `Door` to the debates of this process. `secret` makes fingerprints of what was asked.

    `wait_s` returns the seconds after which one more debate may be begun and, if there are none,
    counts that debate; `is_leaving` says whether the process is about to end, so that nobody should
    wait here any more.
    """

    def __init__(
        self,
        asker: Asker,
        secret: bytes,
        *,
        choices: Choices = tuple,
        wait_s: Callable[[], int] = lambda: 0,
        is_leaving: Callable[[], bool] = lambda: False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._asker = asker
        self._service = asker.service
        self._secret = secret
        self._choices = choices
        self._wait_s = wait_s
        self._is_leaving = is_leaving
        self._now = now
        self._tools: Mapping[str, Callable[..., Awaitable[Answer | Listing]]] = {
            "ask_council": self._ask_council,
            "debate": self._debate,
            "status": self._status,
            "answer": self._answer,
            "judge": self._judge,
            "list_debates": self._list,
        }

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Answer | Listing:
        """See `port.Door`."""
        wanted = read(tool, arguments)
        try:
            return await self._tools[tool](wanted, caller)
        except InvalidInput as error:
            raise _by_argument(error, tool) from None

    async def read(self, debate_id: str) -> str:
        """See `port.Door`."""
        found = await self._find(debate_id)
        log, veils = await self._service.log_and_sources(found)
        told = await self._service.certificate(found)
        return await asyncio.to_thread(render, log, "md", veils, debate_id=found, certificate=told)

    async def certificate(self, debate_id: str) -> str:
        """See `port.Door`."""
        found = await self._find(debate_id)
        outcome = (await self._service.summary(found)).outcome
        told = await self._service.certificate(found) or with_debate(found, certificate_in(outcome))
        if told is None:
            message = f"no bench was asked about debate {found}; call judge with it"
            raise NotFound(message)
        return certificate_text(told, await self._service.judges.right(told))

    # --- the tools ---

    async def _ask_council(self, wanted: AskCouncil, caller: Caller) -> Answer:
        panels = await asyncio.to_thread(self._asker.panels)
        question = Question(
            panel=_found(wanted.panel, panels),
            text=wanted.question,
            files=tuple(File(one.name, one.content) for one in _texts(wanted)),
            attach=self._paths(wanted),
            follows=await self._find(wanted.after, "after") if wanted.after else "",
        )
        question = await without(question, wanted.exclude_models, self._asker, self._choices)
        return await self._asked("ask_council", wanted, question, caller)

    async def _debate(self, wanted: Debate, caller: Caller) -> Answer:
        settings = {
            name: value
            for name, value in (("premise", wanted.premise), ("turns", wanted.turns))
            if value
        }
        question = Question(panel=_panel(wanted.format), text=wanted.topic, settings=settings)
        return await self._asked("debate", wanted, question, caller)

    async def _status(self, wanted: StatusOf, caller: Caller) -> Answer:
        debate_id = await self._find(wanted.debate)
        status = (await self._service.summary(debate_id)).status
        if wanted.stop:
            if status in (Status.RUNNING, Status.WAITING):
                with suppress(Refused):  # somebody else may have been quicker
                    await self._service.command(debate_id, "stop")
        elif status is Status.CREATED:
            # A debate that somebody has only prepared is theirs to start.
            return await self._answered(debate_id, 0, caller.tell)
        else:
            await self._asker.go_on(debate_id)
        return await self._answered(debate_id, wanted.wait_seconds, caller.tell)

    async def _answer(self, wanted: AnswerTo, caller: Caller) -> Answer:
        debate_id = await self._find(wanted.debate)
        if not wanted.answers:
            raise InvalidInput("must have at least one answer", field="answers")
        answers = await self._by_question(debate_id, wanted.answers)
        given = {key: _given(value) for key, value in answers.items()}
        try:
            await self._service.answer_all(debate_id, given)
        except Refused:
            if not await self._has(debate_id, given):
                raise
        except NotFound as error:
            message = f"{error}; {_open(await self._questions(debate_id))}"
            raise NotFound(message) from None
        return await self._answered(debate_id, wanted.wait_seconds, caller.tell)

    async def _judge(self, wanted: Judge, caller: Caller) -> Answer:
        """The newest hearing of the debate by such a bench, or a new one if there is none, or a
        fresh one is wanted."""
        source = await self._find(wanted.debate)
        asked = HearingRequest(bench=wanted.bench)
        origin = Origin(
            door=DOOR,
            fingerprint=fingerprint(self._secret, DOOR, "judge", source, sorted(wanted.bench)),
            client=caller.client,
        )
        if wanted.fresh or await self._service.asked.find(origin.fingerprint) is None:
            self._check_rate()

        async def make(hearing_id: str) -> None:
            state = await self._service.state(source)
            request = msgspec.structs.replace(asked, origin=origin)
            new = await asyncio.to_thread(hearing, state, source, request, self._asker.sources)
            await self._service.create(new, start=True, debate_id=hearing_id)

        async def is_over(found: Asked) -> bool:
            return wanted.fresh or await self._is_canceled(found.debate_id)

        made = self._service.asked.made(origin.fingerprint, make, is_over)
        hearing_id, is_new = await made
        if not is_new:
            await self._asker.go_on(hearing_id)
        return await self._answered(hearing_id, wanted.wait_seconds, caller.tell)

    async def _is_canceled(self, debate_id: str) -> bool:
        try:
            return (await self._service.summary(debate_id)).status is Status.CANCELED
        except NotFound:  # whoever reserved the id has not made it yet, or died before
            return False

    async def _list(self, wanted: ListDebates, _caller: Caller) -> Listing:
        page = await self._service.list(query=wanted.query, limit=wanted.limit)
        return listing_of(page.items)

    async def _find(self, debate: str, field: str = "debate") -> str:
        """The id of the debate. Raises NotFound or InvalidInput, which names the tool that lists
        debates."""
        try:
            return await self._service.find(debate)
        except NotFound as error:
            raise NotFound(str(error).replace(*_LISTING), field=field) from None
        except InvalidInput as error:
            raise InvalidInput(error.message.replace(*_LISTING), field=field) from None

    async def _questions(self, debate_id: str) -> tuple[str, ...]:
        """The ids of the open questions."""
        return tuple((await self._service.state(debate_id)).questions)

    async def _by_question(self, debate_id: str, answers: Mapping[str, Any] | str) -> Answers:
        """The answers by question. A plain text answers the one question that is open; but many
        assistants write answers by question as JSON in a text."""
        if not isinstance(answers, str):
            return answers
        questions = await self._questions(debate_id)
        if written := _object(answers, questions):
            return written
        if not questions:
            raise Refused("this debate has no open questions")
        if len(questions) != 1:
            message = f"must say which question each text answers; {_open(questions)}"
            raise InvalidInput(message, field="answers")
        return {questions[0]: answers}

    async def _has(self, debate_id: str, given: Mapping[str, Given]) -> bool:
        """Whether it has these very answers: the call was made before, and its reply got lost."""
        turns = (await self._service.state(debate_id)).turns
        return all(
            key in turns and turns[key].said.content == value for key, value in given.items()
        )

    # --- asking ---

    async def _asked(
        self, tool: str, wanted: AskCouncil | Debate, question: Question, caller: Caller
    ) -> Answer:
        asked = {
            key: value for key, value in msgspec.to_builtins(wanted).items() if key not in _PASSING
        }
        origin = Origin(
            door=DOOR,
            panel=question.panel.name if tool == "ask_council" else "",
            fingerprint=fingerprint(self._secret, DOOR, tool, asked),
            client=caller.client,
        )
        if wanted.fresh or await self._service.asked.find(origin.fingerprint) is None:
            self._check_rate()
        is_over = _always if wanted.fresh else self._is_over
        question = msgspec.structs.replace(question, origin=origin)
        debate_id, _ = await self._asker.ask(question, is_over)
        return await self._answered(debate_id, wanted.wait_seconds, caller.tell)

    def _check_rate(self) -> None:
        if wait_s := self._wait_s():
            message = f"too many debates were begun in the last minute; try again in {wait_s} s"
            raise Refused(message)

    def _is_over(self, asked: Asked, status: Status) -> bool:
        """Whether the same question now begins a new debate. A result that nobody was given is
        still owed, however old it is."""
        is_old = asked.at < self._now() - KEPT
        return is_old and asked.is_delivered and status.is_terminal

    def _paths(self, wanted: AskCouncil) -> tuple[str, ...]:
        """The files that have to be read. Raises InvalidInput if no file may be."""
        paths = tuple(one for one in wanted.files if isinstance(one, str))
        if paths and self._asker.sources.root is None:
            message = (
                "no file may be read here: start Moot with MOOT_CONTEXT_ROOT set to the directory "
                "that may be, or send the text as {name, content}"
            )
            raise InvalidInput(message, field="files")
        return paths

    # --- waiting ---

    async def _answered(self, debate_id: str, seconds: float, tell: Tell) -> Answer:
        report = await self._waited(debate_id, seconds, tell)
        if report.status is not Status.COMPLETED:
            return answer_of(report)
        origin = (await self._service.state(debate_id)).config.origin
        if origin is not None and origin.door == DOOR:
            if await self._wants_transcript(origin.panel):
                report = await self._asker.report(debate_id, as_="md")
            await self._asker.delivered(origin.fingerprint, debate_id)
        return answer_of(report)

    async def _wants_transcript(self, panel: str) -> bool:
        """Whether the panel answers with the whole transcript."""
        panels = await asyncio.to_thread(self._asker.panels)
        return any(one.name == panel and one.answer == "transcript" for one in panels)

    async def _waited(self, debate_id: str, seconds: float, tell: Tell) -> Report:
        """How the debate stands when nothing is left to run, or when the time is up.

        The progress that is told grows each time, as the protocol demands, and so hosts that give
        up on silent tools hear something.
        """
        clock = asyncio.get_running_loop().time
        until, told = clock() + seconds, 0.0
        while True:
            pause_s = min(max(until - clock(), 0.0), BEAT_S)
            await self._asker.wait(debate_id, seconds=pause_s)
            report = await self._asker.report(debate_id)
            if not report.status.is_active or clock() >= until or self._is_leaving():
                return report
            told = max(report.done, round(told + 0.01, 2))
            await tell(told, max(report.of, told), report.now)


def _by_argument(error: InvalidInput, tool: str) -> InvalidInput:
    """The same error, with the argument that the caller knows in place of what it became here."""
    field = error.field or ""
    inner = next((one for one in _ARGUMENTS if f"{field}.".startswith(f"{one}.")), "")
    told = _ARGUMENTS.get(inner, "") + field.removeprefix(inner)
    if field == QUESTION and tool == "debate":
        told = TOPIC
    return InvalidInput(
        error.message,
        field=told or None,
        source=error.source,
        line=error.line,
        others=tuple(_by_argument(one, tool) for one in error.others),
    )


def _found(name: str, panels: Library) -> Panel:
    """The panel of that name. Raises NotFound, or InvalidInput without the path of its file,
    because the asker may be a stranger."""
    try:
        return find_among(name, panels)
    except InvalidInput as error:
        bad = panels.broken_named(name)
        message = f"cannot be asked: {bad.told if bad else error.message}"
        raise InvalidInput(message, field="panel") from None


def _open(questions: Sequence[str]) -> str:
    return f"open now: {', '.join(questions)}" if questions else "none is open"


def _object(text: str, questions: Sequence[str]) -> Answers | None:
    """The answers by question that are written in the text, if it has nothing else."""
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) and found and found.keys() <= {*questions} else None


def _always(_asked: Asked, _status: Status) -> bool:
    return True


def _texts(wanted: AskCouncil) -> list[Text]:
    return [one for one in wanted.files if isinstance(one, Text)]


def _given(value: Any) -> Given:
    """A text or the fields of a form; a number or a boolean becomes a text, as it was asked for."""
    if isinstance(value, str | Mapping):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _panel(form: str) -> Panel:
    """A panel for one debate. Raises InvalidInput for a format that has no end or does not
    exist."""
    return panel_of(Document(data={"name": "debate", "about": "One debate.", "format": form}))
