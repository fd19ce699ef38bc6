"""Providers with a wire format of their own (Anthropic, Google, Bedrock, Cohere), by pydantic-ai.

Only its `direct` API is used: one request, one reply, no agent. The SDKs' own retries are switched
off, because they sleep inside the call where nobody sees it. The library is an extra and slow to
import, so it is imported with the first call, on a thread.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from moot.errors import (
    BudgetSpent,
    KeyRefused,
    ModelError,
    ModelNotOffered,
    ModelRefused,
    ModelUnavailable,
    NoModel,
    ParameterRefused,
    QuotaUsedUp,
    RateLimited,
    ReplyBroken,
)
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.thoughts import MAX_THOUGHT_CHARS, Speech, split_thoughts
from moot.protocol.values import Function, Message, ToolCall, Usage
from moot.protocol.words import Effort, Finish

if TYPE_CHECKING:
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequestPart,
        ModelResponse,
        ModelResponsePart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.usage import RequestUsage

MAX_RETRY_AFTER_S = 300.0
# Of the 4xx, those that can succeed by themselves.
TRANSIENT = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY})
FINISH = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.FILTER,
}
MOST_CALLS = 64
"""Tools called for by one reply that are read at all."""
UNREAD = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""Statuses that say: the request was read, and something in it is not accepted."""
PARAMETER_NAMES = {
    "thinking": "reasoning_effort",
    "effort": "reasoning_effort",
    "output_config": "json_schema",
    "output_format": "json_schema",
    "response_schema": "json_schema",
    "response_format": "json_schema",
}
"""Providers' names for a parameter, and ours, where they differ."""
_PARAMETER = re.compile(
    r"\b(?:temperature|top_p|seed|tool_choice|tools|max_tokens|"
    + "|".join(PARAMETER_NAMES)
    + r")\b"
)
INSTALL = "pip install 'moot[providers]'"


class PydanticAI:
    """A ChatModel. `make_model` replaces how a model is made from its name, for tests."""

    def __init__(
        self, *, endpoint: Endpoint, make_model: Callable[[str], Model] | None = None
    ) -> None:
        self._endpoint = endpoint
        self._make_model = make_model or self._model_by_name
        self._models: dict[str, Model] = {}
        self._provider: Provider[Any] | None = None
        self._lock = asyncio.Lock()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`."""
        started = time.monotonic()
        model = await self._model(request.model)
        try:
            async with asyncio.timeout(request.deadline_s):
                if on_text is None:
                    response = await _whole(model, request)
                else:
                    response = await _streamed(model, request, on_text)
        except TimeoutError:
            problem = f"{self._endpoint.provider} took longer than {request.deadline_s:g} s"
            raise ModelUnavailable(problem) from None
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - what SDKs raise is a matter of the SDK
            raise self._translated(error) from None  # foreign tracebacks may hold the key
        reply = _reply(response, request, round((time.monotonic() - started) * 1000))
        if reply.finish is Finish.LENGTH and not (reply.content.strip() or reply.tool_calls):
            problem = f"{self._endpoint.provider}: it thought until its budget was used up"
            raise BudgetSpent(problem, usage=reply.usage)
        return reply

    async def close(self) -> None:
        """See `port.ChatModel`."""
        models, self._models = self._models, {}
        provider, self._provider = self._provider, None
        del models
        client = getattr(provider, "_own_http_client", None)
        if client is not None:
            await client.aclose()

    async def _model(self, name: str) -> Model:
        async with self._lock:
            if name not in self._models:
                try:
                    self._models[name] = await asyncio.to_thread(self._make_model, name)
                except ImportError as error:
                    problem = f"{self._endpoint.provider} needs an extra: {INSTALL} ({error})"
                    raise NoModel(problem) from error
                except Exception as error:  # noqa: BLE001 - ditto
                    raise NoModel(self._hide_key(str(error))) from None
            return self._models[name]

    def _model_by_name(self, name: str) -> Model:
        from pydantic_ai.models import infer_model

        provider = self._provider = self._provider or _make_provider(self._endpoint)
        return infer_model(f"{self._endpoint.provider}:{name}", lambda _: provider)

    def _translated(self, error: Exception) -> ModelError:
        """Our error for a foreign one."""
        from pydantic_ai import exceptions as foreign

        words = self._hide_key(f"{self._endpoint.provider}: {error}")
        pause_s = getattr(error, "retry_after", None)
        if pause_s is not None:
            pause_s = min(MAX_RETRY_AFTER_S, max(0.0, pause_s))
        if isinstance(error, foreign.ModelRateLimitError):
            return RateLimited(words, retry_after_s=pause_s)
        if parameter := _refused_parameter(error):
            return ParameterRefused(words, parameter=parameter)
        for theirs, ours in (
            (foreign.ModelQuotaExceededError, QuotaUsedUp),
            (foreign.ModelAuthenticationError, KeyRefused),
            (foreign.ModelNotFoundError, ModelNotOffered),
            (foreign.ModelRequestRejectedError, ModelRefused),
            (foreign.ContentFilterError, ModelRefused),
            (foreign.UserError, ModelRefused),
            (foreign.UnexpectedModelBehavior, ReplyBroken),
        ):
            if isinstance(error, theirs):
                return ours(words)
        status = error.status_code if isinstance(error, foreign.ModelHTTPError) else 0
        is_ours = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        if is_ours and status not in TRANSIENT:
            return ModelRefused(words)
        unavailable = ModelUnavailable(words)
        vars(unavailable)["retry_after_s"] = pause_s  # a 503 may ask for a pause too
        return unavailable

    def _hide_key(self, words: str) -> str:
        key = self._endpoint.api_key
        return clean_text(words.replace(key, "***") if key else words)


def _refused_parameter(error: Exception) -> str:
    """The parameter that a rejected request is about, as `PARAMETERS` calls it; "" if none is."""
    from pydantic_ai import exceptions as foreign

    is_unread = isinstance(error, foreign.ModelHTTPError) and error.status_code in UNREAD
    if not is_unread or isinstance(error, foreign.ModelContextWindowExceededError):
        return ""
    found = _PARAMETER.search(str(error))
    return PARAMETER_NAMES.get(found[0], found[0]) if found else ""


def _make_provider(endpoint: Endpoint) -> Provider[Any]:
    """The provider with the key it was given, whatever else the environment holds."""
    if endpoint.provider == "anthropic":
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicProvider(api_key=endpoint.api_key or "none", base_url=endpoint.base_url)
    if endpoint.provider == "google":
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleProvider(api_key=endpoint.api_key or "none", base_url=endpoint.base_url)
    if endpoint.provider == "cohere":
        from pydantic_ai.providers.cohere import CohereProvider

        return CohereProvider(api_key=endpoint.api_key or "none")
    from pydantic_ai.providers import infer_provider

    return infer_provider(endpoint.provider)


async def _whole(model: Model, request: ChatRequest) -> ModelResponse:
    from pydantic_ai.direct import model_request

    return await model_request(
        model,
        _messages(request.messages),
        model_settings=_settings(request),
        model_request_parameters=_parameters(model, request),
    )


async def _streamed(model: Model, request: ChatRequest, on_text: OnText) -> ModelResponse:
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    speech = Speech()
    async with model_request_stream(
        model,
        _messages(request.messages),
        model_settings=_settings(request),
        model_request_parameters=_parameters(model, request),
    ) as stream:
        async for event in stream:
            match event:
                case PartStartEvent(part=TextPart(content=text)):
                    piece = speech.feed(text)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                    piece = speech.feed(text)
                case _:  # thinking, and the ends of parts
                    piece = ""
            if piece or request.silence_s is not None:
                on_text(piece)
        if rest := speech.finish():
            on_text(rest)
        response = stream.get()
    if response.finish_reason is None:
        raise ReplyBroken("the stream ended without its finish marker")
    return response


def _settings(request: ChatRequest) -> Any:
    settings: dict[str, Any] = {"max_retries": 0, "timeout": request.deadline_s}
    if request.budget is not None and "max_tokens" not in request.refused:
        settings["max_tokens"] = request.budget
    wished = request.sampling
    settings |= {
        name: value
        for name in ("temperature", "top_p", "seed")
        if (value := getattr(wished, name)) is not None
    }
    if wished.reasoning_effort is not None:
        # One word for all providers; the library writes it as each of them wants it.
        effort = wished.reasoning_effort
        settings["thinking"] = False if effort is Effort.NONE else effort.value
    if request.tools and not request.may_call:
        settings["tool_choice"] = "none"
    return settings


def _parameters(model: Model, request: ChatRequest) -> ModelRequestParameters:
    """The schema where the model can be held to it; elsewhere the prompt asks in words."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=tool.name, description=tool.about, parameters_json_schema=dict(tool.parameters)
        )
        for tool in request.tools
    ]
    is_held = "json_schema" not in request.refused and model.profile.get(
        "supports_json_schema_output", False
    )
    if request.schema is None or not is_held:
        return ModelRequestParameters(function_tools=tools)
    shape = OutputObjectDefinition(
        json_schema=dict(request.schema.body), name=request.schema.name, strict=True
    )
    return ModelRequestParameters(output_mode="native", output_object=shape, function_tools=tools)


def _messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """The history as pydantic-ai writes it: requests and responses take turns."""
    from pydantic_ai.messages import ModelRequest, ModelResponse

    history: list[ModelMessage] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role == "assistant":
            names |= {call.id: call.function.name for call in message.tool_calls}
            history.append(ModelResponse(parts=_said(message)))
            continue
        last = history[-1] if history else None
        before = last.parts if isinstance(last, ModelRequest) else ()
        if before:
            history.pop()
        history.append(ModelRequest(parts=[*before, _asked(message, names)]))
    return history


def _said(message: Message) -> list[ModelResponsePart]:
    from pydantic_ai.messages import TextPart, ToolCallPart

    calls = [
        ToolCallPart(tool_name=one.function.name, args=one.function.arguments, tool_call_id=one.id)
        for one in message.tool_calls
    ]
    # Providers refuse blank text, and calls often come without any text.
    text = [TextPart(content=message.content)] if message.content.strip() or not calls else []
    return [*text, *calls]


def _asked(message: Message, names: Mapping[str, str]) -> ModelRequestPart:
    from pydantic_ai.messages import SystemPromptPart, ToolReturnPart, UserPromptPart

    if message.role == "tool":
        return ToolReturnPart(
            tool_name=names.get(message.tool_call_id, "unknown"),
            content=message.content,
            tool_call_id=message.tool_call_id,
        )
    kind = SystemPromptPart if message.role == "system" else UserPromptPart
    return kind(content=message.content)


def _reply(response: ModelResponse, request: ChatRequest, duration_ms: int) -> ChatReply:
    usage = response.usage
    content, aloud = split_thoughts(clean_text(response.text or ""))
    parts = (part.content for part in response.parts if part.part_kind == "thinking")
    thought = "\n\n".join(one for one in (*(clean_text(part) for part in parts), aloud) if one)
    return ChatReply(
        content=content,
        thought=thought[:MAX_THOUGHT_CHARS],
        finish=FINISH.get(response.finish_reason or "", Finish.OTHER),
        usage=Usage(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            thought_tokens=min(usage.output_tokens or 0, _thought_tokens(usage)),
            cached_tokens=usage.cache_read_tokens or 0,
        ),
        model=response.model_name or request.model,
        duration_ms=duration_ms,
        tool_calls=_calls(response),
    )


def _thought_tokens(usage: RequestUsage) -> int:
    """The part of the output that was thoughts, under the names that providers have for it."""
    names = ("reasoning_tokens", "thoughts_tokens", "thinking_tokens")
    named = (usage.details[name] for name in names if usage.details.get(name))
    return usage.output_reasoning_tokens or next(named, 0)


def _calls(response: ModelResponse) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(
            id=clean_text(part.tool_call_id),
            function=Function(
                clean_text(part.tool_name, max_chars=200), clean_text(part.args_as_json_str())
            ),
        )
        for part in response.tool_calls[:MOST_CALLS]
    )
