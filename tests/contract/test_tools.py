"""Tools on the wire: what is sent, and what is read of replies that call for them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.contract.test_openai_compatible import REQUEST, Recorder, model_of
from tests.contract.test_pydantic_ai import backend, parts, request

from moot.engine.files import TOOLS
from moot.models.backends.openai_compatible.tools import MOST_CALLS, CalledTools
from moot.models.port import ChatReply, ChatRequest
from moot.protocol.values import Function, Message, ToolCall
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import ChatCall, Lookups

CALL = ToolCall(id="call-1", function=Function("read_file", '{"name": "plan.md"}'))
ASKED = Message(role="assistant", content="", tool_calls=(CALL,))
RESULT = Message(role="tool", content="1| Build it.", tool_call_id="call-1")
WITH_TOOLS = msgspec.structs.replace(REQUEST, tools=TOOLS)


def script(call: ChatCall) -> Any:
    """Looks something up while it may, and then answers."""
    if call.request.may_call:
        return Lookups((("read_file", '{"name": "plan.md"}'), ("list_files", "{}")), "Let me see.")
    return "Stone it is."


async def reply_of(request: ChatRequest, *, is_streamed: bool) -> tuple[ChatReply, list[str]]:
    heard: list[str] = []
    async with ScriptedServer(script=script) as server:
        model = model_of(server)
        reply = await model.reply(request, heard.append if is_streamed else None)
        await model.close()
    return reply, heard


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_reads_what_is_called_for(is_streamed: bool) -> None:
    reply, heard = await reply_of(WITH_TOOLS, is_streamed=is_streamed)
    assert reply.content == "Let me see."
    assert "".join(heard) == ("Let me see." if is_streamed else "")
    assert [one.function for one in reply.tool_calls] == [
        Function("read_file", '{"name": "plan.md"}'),
        Function("list_files", "{}"),
    ]
    assert [one.id for one in reply.tool_calls] == ["call-1-0", "call-1-1"]
    assert not reply.usage.is_estimated


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_calls_for_nothing_where_it_may_not(is_streamed: bool) -> None:
    request = msgspec.structs.replace(WITH_TOOLS, may_call=False)
    reply, _ = await reply_of(request, is_streamed=is_streamed)
    assert (reply.content, reply.tool_calls) == ("Stone it is.", ())


async def test_sends_tools_calls_and_results_as_the_format_has_them() -> None:
    history = [*REQUEST.messages, ASKED, RESULT]
    async with Recorder() as server:
        model = model_of(server)
        await model.reply(msgspec.structs.replace(WITH_TOOLS, messages=history, may_call=False))
        await model.reply(REQUEST)
        await model.close()
        first, second = (json.loads(one.body) for one in server.received)
    assert [tool["function"]["name"] for tool in first["tools"]] == [tool.name for tool in TOOLS]
    assert {tool["type"] for tool in first["tools"]} == {"function"}
    assert first["tool_choice"] == "none"
    assert first["messages"][-2:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "call-1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"name": "plan.md"}'},
                }
            ],
        },
        {"role": "tool", "content": "1| Build it.", "tool_call_id": "call-1"},
    ]
    assert "tools" not in second
    assert "tool_choice" not in second


@pytest.mark.parametrize(
    ("found", "names"),
    [
        (None, []),
        ("read_file", []),
        ([None, 7, "x"], []),
        ([{}], [""]),
        ([{"function": None}], [""]),
        ([{"id": 7, "function": {"name": ["x"], "arguments": 3}}], [""]),
        ([{"function": {"name": "a", "arguments": {"x": 1}}}], ["a"]),
        ([{"index": 1, "function": {"name": "b"}}, {"index": 0, "function": {"name": "a"}}], "ab"),
        ([{"index": True, "function": {"name": "a\x1b[31m"}}], ["a"]),
        ([{"index": n, "function": {"name": "a"}} for n in range(500)], ["a"] * MOST_CALLS),
    ],
)
def test_reads_calls_of_any_shape(found: Any, names: list[str]) -> None:
    called = CalledTools()
    called.feed(found)
    assert [one.function.name for one in called.calls()] == list(names)


# --- pydantic-ai ----------------------------------------------------------------------------------


async def test_the_other_adapter_sends_and_reads_the_same() -> None:
    async def answer() -> Any:
        called = parts.ToolCallPart(
            tool_name="read_file", args={"name": "plan.md"}, tool_call_id="x1"
        )
        return parts.ModelResponse(
            parts=[parts.TextPart(content="Let me see."), called], finish_reason="tool_call"
        )

    model, sent = backend(answer)
    history = [Message(role="user", content="Well?"), ASKED, RESULT]
    reply = await model.reply(request(messages=history, tools=TOOLS, may_call=False))
    assert reply.content == "Let me see."
    (called,) = reply.tool_calls
    assert (called.id, called.function.name) == ("x1", "read_file")
    assert json.loads(called.function.arguments) == {"name": "plan.md"}
    messages, info = sent[0]
    assert [tool.name for tool in info.function_tools] == [tool.name for tool in TOOLS]
    assert info.model_settings["tool_choice"] == "none"
    kinds = [type(part).__name__ for message in messages for part in message.parts]
    assert kinds == ["UserPromptPart", "ToolCallPart", "ToolReturnPart"]
    returned = messages[-1].parts[0]
    assert (returned.tool_name, returned.tool_call_id) == ("read_file", "call-1")
