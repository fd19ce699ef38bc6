"""What spans say, in the words of OpenTelemetry's conventions for generative AI (1.41).

What only Moot knows begins with `moot.`. Texts that people or models wrote are left to the
functions for content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.models.port import ChatReply, ChatRequest
from moot.protocol.events import ToolUsed
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Message, Usage

Attributes = dict[str, Any]

# The conventions' names for providers that we call something else.
PROVIDERS: Mapping[str, str] = {
    "gemini": "gcp.gemini",
    "google": "gcp.gemini",
    "bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "mistral": "mistral_ai",
    "xai": "x_ai",
}


# The effort has no name in the conventions yet.
SAMPLING: Mapping[str, str] = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "seed": "gen_ai.request.seed",
    "reasoning_effort": "moot.request.reasoning_effort",
}


def of_debate(debate_id: str, state: DebateState) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": state.config.format,
        "gen_ai.conversation.id": debate_id,
        "moot.status": state.status.value,
        "moot.stop_reason": state.stop_reason.value if state.stop_reason else "",
        "moot.calls": state.calls,
        **of_usage(state.usage),
    }


def of_stage(debate_id: str, stage: str, round_: int) -> Attributes:
    return {"gen_ai.conversation.id": debate_id, "moot.stage": stage, "moot.round": round_}


def of_step(debate_id: str, step: Step, name: str) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.id": step.participant,
        "gen_ai.agent.name": name,
        **of_stage(debate_id, step.stage, step.round),
        "moot.step.key": step.key,
        "moot.step.kind": step.kind.value,
    }


def of_call(model: str, request: ChatRequest) -> Attributes:
    provider, _, name = model.partition(":")
    found: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": name or provider,
        "gen_ai.output.type": "json" if request.schema is not None else "text",
    }
    if request.max_tokens is not None:
        found["gen_ai.request.max_tokens"] = request.max_tokens
    found |= {SAMPLING[name]: value for name, value in request.sampling.given}
    return found


def of_reply(reply: ChatReply) -> Attributes:
    finish = "tool_calls" if reply.tool_calls else reply.finish.value
    return {
        "gen_ai.response.model": reply.model,
        "gen_ai.response.finish_reasons": [finish],
        "moot.attempts": reply.attempts,
        **of_usage(reply.usage),
    }


def of_usage(usage: Usage) -> Attributes:
    found: Attributes = {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.thought_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    }
    if usage.cost_usd is not None:
        found["moot.cost_usd"] = usage.cost_usd
    return found


def of_tool(use: ToolUsed) -> Attributes:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": use.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": use.call_id,
        "moot.result.sha256": use.result_sha256,
    }


# --- content, for those who asked for it ----------------------------------------------------------


def sent(request: ChatRequest) -> Attributes:
    first = request.messages[0] if request.messages else None
    system = first.content if first is not None and first.role == "system" else ""
    rest = request.messages[1:] if system else request.messages
    found = {"gen_ai.input.messages": _dumped([_message(one) for one in rest])}
    if system:
        found["gen_ai.system_instructions"] = _dumped([{"type": "text", "content": system}])
    return found


def received(reply: ChatReply) -> Attributes:
    said = Message(role="assistant", content=reply.content, tool_calls=reply.tool_calls)
    message = {**_message(said), "finish_reason": reply.finish.value}
    if reply.thought:
        message["parts"].insert(0, {"type": "reasoning", "content": reply.thought})
    return {"gen_ai.output.messages": _dumped([message])}


def looked_up(use: ToolUsed, result: str) -> Attributes:
    return {"gen_ai.tool.call.arguments": use.arguments, "gen_ai.tool.call.result": result}


def _message(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if message.role == "tool":
        answer = {"type": "tool_call_response", "id": message.tool_call_id}
        parts.append({**answer, "response": message.content})
    elif message.content:
        parts.append({"type": "text", "content": message.content})
    parts += [
        {
            "type": "tool_call",
            "id": call.id,
            "name": call.function.name,
            "arguments": call.function.arguments,
        }
        for call in message.tool_calls
    ]
    return {"role": message.role, "parts": parts}


def _dumped(value: Sequence[Any]) -> str:
    return msgspec.json.encode(value).decode()
