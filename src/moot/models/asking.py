"""Asks a model in the way that its server accepts.

Every call to a backend goes through this module: one shape of messages, a budget with room for
thoughts, and only those parameters that the server has not refused. A refusal that names a
parameter is answered at once, within the same attempt, by the same request without that parameter
or with its next form.
"""

from __future__ import annotations

import msgspec

from moot.errors import BudgetSpent, ModelRefused, ParameterRefused
from moot.models.endpoint import Endpoint
from moot.models.learning import SAMPLED, Lessons, schema_form
from moot.models.messages import Shaper, with_last, without_tools
from moot.models.port import ChatModel, ChatReply, ChatRequest, Learned, ModelFacts, OnText
from moot.protocol.answers import Schema

ADVICE = "raise max_tokens or set reasoning_effort=low"
UNSAID = "{budget} went into thoughts, and nothing was said"
CUT_OFF = "{budget} were used up by thoughts before the answer was whole"
SCHEMA_IN_WORDS = "Answer with one JSON object and nothing else. It must fit this JSON schema:\n"


class Asking:
    """A ChatModel around another: one model at one endpoint, with what its calls have taught."""

    def __init__(self, backend: ChatModel, *, endpoint: Endpoint, facts: ModelFacts) -> None:
        self._backend = backend
        self._endpoint = endpoint
        self._lessons = Lessons(endpoint=endpoint, facts=facts)
        self._shape = Shaper()

    @property
    def learned(self) -> Learned:
        return self._lessons.learned

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`."""
        most: int | None = None
        while True:
            sent = self._prepared(request, most)
            try:
                reply = await self._backend.reply(sent, on_text)
            except BudgetSpent as error:
                raise self._spent(error, sent) from None
            except ModelRefused as error:
                left = self._lessons.limit(str(error), sent)
                if left is None and not self._is_lesson(error, sent, on_text):
                    raise
                most = most if left is None else left
                continue
            if self._lessons.heard(reply, sent):
                raise BudgetSpent(self._told(CUT_OFF, sent), usage=reply.usage)
            return _with_ignored(reply, request, sent)

    async def close(self) -> None:
        """See `port.ChatModel`."""
        await self._backend.close()

    def _is_lesson(self, error: ModelRefused, sent: ChatRequest, on_text: OnText | None) -> bool:
        """Takes in the refusal; whether the same request can be sent again in another form."""
        if not isinstance(error, ParameterRefused):
            return False
        is_streamed = on_text is not None
        return self._lessons.refuse(error.parameter, str(error), sent, is_streamed=is_streamed)

    def _spent(self, error: BudgetSpent, sent: ChatRequest) -> BudgetSpent:
        """The same error, with advice. Not retryable if the next budget would be no larger."""
        told = BudgetSpent(self._told(UNSAID, sent), usage=error.usage)
        told.retryable = self._lessons.spent(sent)
        return told

    def _told(self, what: str, sent: ChatRequest) -> str:
        budget = "the whole budget" if sent.budget is None else f"all {sent.budget:,} tokens"
        return f"{self._endpoint.provider}: {what.format(budget=budget)}: {ADVICE}"

    def _prepared(self, request: ChatRequest, most: int | None) -> ChatRequest:
        """The request as it is sent: for a plain one in shape, little more than a copy."""
        refused = self._lessons.refused
        messages, tools, schema = request.messages, request.tools, request.schema
        if tools and _lacks_tools(request, refused):
            messages, tools = without_tools(messages), ()
        if tools and request.may_call:
            # A model that is held to a schema from its first word on could not call a tool.
            schema = None
        messages = self._shape(messages)
        if schema is not None and schema_form(self._endpoint, refused) == "none":
            messages = with_last(messages, _in_words(schema))
        asked = msgspec.structs.replace(
            request,
            messages=messages,
            tools=tools,
            schema=schema,
            sampling=self._lessons.wish(request.sampling),
            refused=refused,
        )
        return self._lessons.budgeted(asked, most)


def _lacks_tools(request: ChatRequest, refused: frozenset[str]) -> bool:
    return "tools" in refused or ("tool_choice" in refused and not request.may_call)


def _in_words(schema: Schema) -> str:
    return SCHEMA_IN_WORDS + msgspec.json.encode(schema.body).decode()


def _with_ignored(reply: ChatReply, request: ChatRequest, sent: ChatRequest) -> ChatReply:
    """The reply; `ignored` also names the sampling parameters that were not sent as wished."""
    if sent.sampling == request.sampling:
        return reply
    dropped = (
        name for name in SAMPLED if getattr(request.sampling, name) != getattr(sent.sampling, name)
    )
    return msgspec.structs.replace(reply, ignored=(*reply.ignored, *dropped))
