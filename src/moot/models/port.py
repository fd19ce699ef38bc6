"""The contract every chat model keeps.

Wire format, endpoint and capability are separate things: a backend speaks one wire format, a row of
`providers.PROVIDERS` names an endpoint, `facts` tell what a model can do. Retry, rate limits and
accounting are wrappers that keep the same contract.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from moot.errors import ModelError
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Sampling, ToolCall, Usage
from moot.protocol.words import Finish

OnText = Callable[[str], None]
"""Receives pieces of the reply as they are written. Called in the event loop; must not block.
If a request has a `silence_s`, an empty piece says that the model is thinking."""


PARAMETERS = frozenset(
    {
        "json_schema",
        "json_object",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "seed",
        "reasoning_effort",
        "stream_options",
        "tools",
        "tool_choice",
    }
)
"""What a server may refuse to take, by `ParameterRefused.parameter`."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What a model may ask for; `parameters` is the JSON schema of its arguments."""

    name: str
    about: str
    parameters: Mapping[str, Any]


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One exchange to be had. `model` is the name the provider knows, without the provider.

    `schema` asks for JSON of that shape; adapters use what the provider can do (schema, JSON mode,
    or nothing: the prompt asks for JSON in words anyway). `deadline_s` is the wall-clock limit of
    one attempt, from connecting to the last byte; `silence_s`, if given, how long the model may
    send nothing; `patience_s` is how long to wait for a provider that does not answer or turns the
    call away, over all attempts. `tools` are what the model may ask for; without `may_call` they
    are only there because the history contains calls to them. `label` is `debate/step`, for logs
    and traces only: it is never sent anywhere.

    `max_tokens` is the length of the answer, and `allowance` the room for thoughts besides: the
    server is told the sum, `budget`. `sampling` is sent as far as the server takes it; `refused`
    are those of PARAMETERS that it is known not to take. Callers leave `allowance` and `refused`
    alone: `asking` fills in what was learned of the model.
    """

    model: str
    messages: Sequence[Message]
    max_tokens: int | None = None
    schema: Schema | None = None
    tools: tuple[Tool, ...] = ()
    may_call: bool = True
    sampling: Sampling = Sampling()
    deadline_s: float = 300.0
    silence_s: float | None = None
    patience_s: float = 10.0
    label: str = ""
    allowance: int = 0
    refused: frozenset[str] = frozenset()

    @property
    def budget(self) -> int | None:
        """The most tokens that may be written, thoughts included; None if that is not bounded."""
        return None if self.max_tokens is None else self.max_tokens + self.allowance


class ChatReply(msgspec.Struct, frozen=True, kw_only=True):
    """A whole reply. `content` is clean text (see `cleaning`); it may be blank, which is no error.

    `usage` is the provider's own count, or an estimate marked as such. `model` is what the provider
    says answered. `tool_calls` are what it wants to know before it answers, as it wrote them: names
    and arguments may be anything. `thought` is what the model thought before it answered, as far
    as the provider shows it. `ignored` names the parameters that the server did not take.
    `is_retracted` says that text which was streamed turned out to be a thought: it is void, and
    `content` is what counts.
    """

    content: str
    finish: Finish
    usage: Usage
    model: str
    duration_ms: int
    attempts: int = 1
    tool_calls: tuple[ToolCall, ...] = ()
    thought: str = ""
    ignored: tuple[str, ...] = ()
    is_retracted: bool = False


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model before calling it. None means unknown, never unlimited.

    `reply_cap` bounds max_tokens (small local models ramble); `has_schema` says it can be held to a
    JSON schema, `has_tools` that it may be given tools. `output_limit` is the most tokens it
    writes at once, thoughts included; `thinks` says whether it thinks before it answers.
    """

    context_window: int | None = None
    output_limit: int | None = None
    thinks: bool | None = None
    reply_cap: int | None = None
    has_schema: bool = False
    has_tools: bool = False


class AttemptNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A try that failed. `retry_in_s` is the pause before the next one, None if there is none.

    `usage` is what was paid for a reply that came to nothing, as far as that is known.
    """

    attempt: int
    error: ModelError
    retry_in_s: float | None
    duration_ms: int
    usage: Usage = Usage()


OnFailure = Callable[[AttemptNotice], Awaitable[None]]
"""Told of every try that failed, before the pause. Text streamed so far in this call is void."""

OnBegin = Callable[[], None]
"""Told when a try is sent: until then, and again after it failed, the call only waits."""


class ChatModel(Protocol):
    """A backend: makes one attempt, and is the same for every model of its provider."""

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """The reply, streamed to `on_text` if given, returned whole.

        Raises a ModelError and nothing else (cancellation excepted, which closes the connection
        before it goes on). A stream that ends without its finish marker raises ReplyBroken.
        """

    async def close(self) -> None:
        """Close connections and free memory; a second call does nothing."""


class Caller(Protocol):
    """One named model behind retry, rate limit and accounting: what the engine calls."""

    async def call(
        self,
        request: ChatRequest,
        on_text: OnText | None = None,
        on_failure: OnFailure | None = None,
        on_begin: OnBegin | None = None,
    ) -> ChatReply:
        """The reply of the first attempt that succeeds, with `attempts` and the cost filled in.

        `request.model` is ignored: a caller knows its model. Raises the last attempt's ModelError.
        """


class Models(Protocol):
    """All models that can be named, as `provider:name`."""

    def get(self, name: str) -> Caller:
        """The model of that name. Raises NoModel if it can't be had, saying what would help."""

    def facts(self, name: str) -> ModelFacts:
        """What is known of the model of that name."""

    def default(self, *, is_judge: bool) -> str:
        """The name to use for a participant that names none (DESIGN section 7). Raises NoModel."""

    async def close(self) -> None:
        """Close every backend that was opened."""


@runtime_checkable
class TellsHold(Protocol):
    """Models that know whether a provider has asked for a pause."""

    def held_for_s(self, name: str) -> float:
        """How much longer calls to this model's provider are held back; 0 if they are not."""

    def expected_s(self, name: str) -> float:
        """How long a call to this model that has not begun is expected to wait in line because of a
        rate limit, whichever debate met it; 0 if none holds it back."""


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What a model at an endpoint has taught since the process began, on top of its facts.

    `refused` are the PARAMETERS that it does not take, `allowance` the tokens that it is given for
    thoughts, `thinks` whether it is known to think, and `thoughts` the most tokens that it was seen
    to use for that.
    """

    refused: tuple[str, ...] = ()
    allowance: int = 0
    thinks: bool | None = None
    thoughts: int = 0
    output_limit: int | None = None


@runtime_checkable
class TellsLearned(Protocol):
    """Models that can say what they have learned."""

    def learned(self, name: str) -> Learned:
        """What is known of this model by now."""


@runtime_checkable
class TellsPrice(Protocol):
    """Models that know what calls cost."""

    def price(self, name: str, usage: Usage) -> float | None:
        """What calls of that size to that model cost in USD; None if nobody knows. May block."""
