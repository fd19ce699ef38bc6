"""How a question over `/v1` finds its debate: the one that it became when it was asked before, the
one that waits for this very answer, or a new one.

A question is never asked twice because its client has lost patience, and an answer goes to the
questions that it was given to and to no others.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

import msgspec

from moot.api.parts import ApiParts
from moot.api.v1.conversation import Said, context_of, question_of, so_far
from moot.api.v1.refusals import Refusal
from moot.api.v1.replies import questions_in
from moot.api.v1.wanted import Wanted
from moot.asking import fingerprint
from moot.definitions.values import Panel
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.values import SAMPLING_SEED_MAX, Origin
from moot.protocol.words import Status
from moot.staging.panels import QUESTION, Question

DOOR = "v1"
RESPONSE = "resp_"
"""How the id of a response begins; the rest is the debate's."""
RETRIED_WITHIN = timedelta(seconds=60)
"""For this long after the end, a client that says it tries again has not read the answer."""
_NUMBERED = re.compile(r"^[ \t>*_-]*(\d{1,2})[.):][ \t]*", re.MULTILINE)
_INHERITED = {
    "reasoning_effort": "reasoning_effort",
    "temperature": "temperature",
    "top_p": "top_p",
}


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, as far as it says so of itself."""

    identity: str = ""
    """What it sent as its key: two keys never share a debate."""
    name: str = ""
    conversation: str = ""
    is_retry: bool = False
    address: str = ""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The debate of a question."""

    debate_id: str
    fingerprint: str
    is_new: bool


class Asked:
    """Finds debates, and knows which answers this process is delivering right now."""

    def __init__(self, parts: ApiParts) -> None:
        self._asker = parts.asker
        self._service = parts.service
        self._secret = parts.secret
        self._delivering: dict[str, asyncio.Event] = {}

    async def enter(self, wanted: Wanted, panel: Panel, client: Client) -> Entry:
        """The debate, running or over or waiting. Raises what `Asker.ask` raises, or Refusal."""
        mark = self.mark(wanted, panel, client)
        if pending := self._delivering.get(mark):
            await pending.wait()
        if answered := await self._answered(wanted, panel, client, mark):
            return Entry(debate_id=answered, fingerprint=mark, is_new=False)
        question = await self._question(wanted, panel, client, mark)
        keeps = client.is_retry and await self._is_fresh(mark)
        try:
            debate_id, is_new = await self._asker.ask(
                question, lambda asked, _status: asked.is_delivered and not keeps
            )
        except InvalidInput as error:
            raise _whose_fault(error, question, wanted.field) from None
        return Entry(debate_id=debate_id, fingerprint=mark, is_new=is_new)

    async def expect(
        self, wanted: Wanted, panel: Panel, client: Client, debate_id: str, reply: str
    ) -> None:
        """Remember that whoever answers this reply, in this conversation, answers that debate."""
        told = [*wanted.messages, Said("assistant", reply)]
        await self._service.asked.also(self._told(client, panel, told), debate_id)

    @asynccontextmanager
    async def delivering(self, entry: Entry) -> AsyncIterator[None]:
        """A block in which the end of an answer is sent: who asks the same meanwhile waits until it
        is known whether the answer arrived. If the block ends with an error, it did not."""
        over = self._delivering[entry.fingerprint] = asyncio.Event()
        try:
            yield
            await self._asker.delivered(entry.fingerprint, entry.debate_id)
        finally:
            over.set()
            if self._delivering.get(entry.fingerprint) is over:
                del self._delivering[entry.fingerprint]

    # --- a new question ---

    async def _question(self, wanted: Wanted, panel: Panel, client: Client, mark: str) -> Question:
        settings = {
            setting: wanted.sampling[name]
            for name, setting in _INHERITED.items()
            if panel.inherit and name in wanted.sampling
        }
        if panel.inherit and wanted.seed is not None:
            settings["sampling_seed"] = abs(wanted.seed) % SAMPLING_SEED_MAX
        return Question(
            panel=panel,
            text=question_of(wanted.messages),
            files=context_of(wanted.messages),
            settings=settings,
            seed=wanted.seed,
            follows=await self._followed(wanted.follows) if wanted.follows else "",
            origin=Origin(
                door=DOOR,
                panel=panel.name,
                fingerprint=mark,
                client=client.name,
                conversation=client.conversation,
            ),
        )

    async def _followed(self, response: str) -> str:
        """The debate of an earlier response. Raises Refusal if there is none."""
        debate_id = response.removeprefix(RESPONSE)
        try:
            config = (await self._service.state(debate_id)).config
        except NotFound:
            config = None
        if config is None or config.origin is None or config.origin.door != DOOR:
            detail = f"there is no response {response[:80]!r}"
            field = "previous_response_id"
            raise Refusal(400, "previous_response_not_found", detail, field=field)
        return debate_id

    async def _is_fresh(self, mark: str) -> bool:
        before = await self._service.asked.find(mark)
        if before is None:
            return False
        with suppress(NotFound):
            row = await self._service.summary(before.debate_id)
            is_over = row.status.is_terminal
            return not is_over or datetime.now(UTC) - row.updated_at < RETRIED_WITHIN
        return False

    # --- an answer to questions ---

    async def _answered(self, wanted: Wanted, panel: Panel, client: Client, mark: str) -> str:
        """The debate whose open questions this has now answered; "" if there is no such debate."""
        debate_id = await self._waiting(wanted, panel, client)
        if not debate_id:
            return ""
        await self._asker.go_on(debate_id)
        state = await self._service.state(debate_id)
        questions = tuple(state.questions.values())
        if not questions or not (wanted.follows or self._is_asked(wanted.messages, questions)):
            return ""
        text = question_of(wanted.messages)
        # Noted first: if this process dies in between, a client that asks again finds the questions
        # still open.
        await self._service.asked.also(mark, debate_id)
        with suppress(Refused, NotFound):  # somebody else has answered at the same moment
            await self._service.answer_all(debate_id, answers_in(text, questions))
        return debate_id

    async def _waiting(self, wanted: Wanted, panel: Panel, client: Client) -> str:
        if wanted.follows:
            debate_id = await self._followed(wanted.follows)
            status = (await self._service.summary(debate_id)).status
            return debate_id if status is Status.WAITING else ""
        *before, _ = wanted.messages or (Said("user", ""),)
        if not before or before[-1].role != "assistant" or wanted.messages[-1].role != "user":
            return ""
        found = await self._service.asked.find(self._told(client, panel, before))
        return found.debate_id if found else ""

    @staticmethod
    def _is_asked(messages: Sequence[Said], questions: Sequence[e.QuestionOpened]) -> bool:
        """Whether the reply that the user answers asked the questions that are open now."""
        return so_far(messages[-2:-1]) == so_far([Said("assistant", questions_in(questions))])

    # --- fingerprints ---

    def mark(self, wanted: Wanted, panel: Panel, client: Client) -> str:
        """The fingerprint of a request: the same when the same client sends the same one again."""
        return self._mark(client, panel, "question", wanted.messages, wanted.parameters)

    def _told(self, client: Client, panel: Panel, messages: Sequence[Said]) -> str:
        return self._mark(client, panel, "reply", (), so_far(messages))

    def _mark(
        self, client: Client, panel: Panel, kind: str, messages: Sequence[Said], rest: object
    ) -> str:
        said = [(one.role, one.text) for one in messages]
        who = (client.identity, client.conversation)
        return fingerprint(self._secret, DOOR, kind, who, panel.name, said, rest)


def _whose_fault(error: InvalidInput, question: Question, messages: str) -> Exception:
    """The mistake itself if the client made it; else a Refusal, because the panel is at fault.

    `messages` is what the client calls its messages, of which the question and all files are made.
    """
    field = error.field or ""
    if field == QUESTION or field.startswith("attachments"):
        return InvalidInput(error.message, field=messages)
    if field in {f"settings.{name}" for name in question.settings}:
        return error
    detail = f"the panel {question.panel.name} cannot be asked: {error}"
    return Refusal(500, "panel_unreadable", detail)


def answers_in(text: str, questions: Sequence[e.QuestionOpened]) -> dict[str, str]:
    """Which part of a text answers which question: by number, or else all of it answers each."""
    ids = [one.question_id for one in questions]
    found = list(_NUMBERED.finditer(text))
    numbers = [int(one[1]) for one in found]
    is_numbered = len(set(numbers)) == len(numbers) and set(numbers) <= set(range(1, len(ids) + 1))
    if len(ids) == 1 or not found or not is_numbered or text[: found[0].start()].strip():
        return dict.fromkeys(ids, text)
    ends = [one.start() for one in found[1:]] + [len(text)]
    parts = {
        n: text[one.end() : end].strip() for n, one, end in zip(numbers, found, ends, strict=True)
    }
    return {
        one.question_id: parts.get(n, "" if one.may_pass else text)
        for n, one in enumerate(questions, 1)
    }
