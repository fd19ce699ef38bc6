"""A step that looks something up before it answers: what is sent, recorded and bought again."""

from __future__ import annotations

import hashlib

import msgspec
from tests.unit.engine.test_performer import GOOD, SAY, Table, _reply, _state, _step

from moot.engine.files import ENOUGH, TOOLS, Files
from moot.errors import ModelUnavailable
from moot.models.port import ChatReply, ModelFacts
from moot.protocol import events as e
from moot.protocol.values import Attachment, Function, Message, ToolCall, Usage
from moot.testing.scripted import Said, looking_up

PLAN = "Build it of stone.\nNot of wood."
SHA = hashlib.sha256(PLAN.encode()).hexdigest()
FILES = Files((Attachment(name="plan.md", sha256=SHA, size_bytes=len(PLAN)),), {SHA: PLAN})
CAN = ModelFacts(has_schema=True, has_tools=True)
TWICE = msgspec.structs.replace(SAY, tools=2)
READ = looking_up("read_file", name="plan.md")
FIND = looking_up("search_files", query="wood")


def table(*replies: Said, facts: ModelFacts = CAN) -> Table:
    made = Table(*replies, facts=facts)
    made.files = FILES
    return made


def several(*calls: tuple[str, str], content: str = "") -> ChatReply:
    made = tuple(ToolCall(id="same", function=Function(*call)) for call in calls)
    return msgspec.structs.replace(READ, tool_calls=made, content=content)


async def test_quotes_the_files_for_everybody_and_offers_no_tools_unasked() -> None:
    one = table("Stone it is.")
    turn = await one.turn(SAY)
    (system, _), (prompt, asked) = one.sent(0)
    assert (system, prompt) == ("system", "user")
    assert one.sent(0)[0][1].startswith("You are Jo.\n\n")
    assert "  Build it of stone.\n  Not of wood." in one.sent(0)[0][1]
    assert turn.prompt == asked  # the files are kept once, and not with every turn
    assert one.model.requests[0].tools == ()


async def test_quotes_only_what_is_a_fair_part_of_a_small_window() -> None:
    long = "x" * 5000 + "\n" + "y" * 20_000
    sha = hashlib.sha256(long.encode()).hexdigest()
    one = table("Well.", facts=ModelFacts(context_window=6000))
    one.files = Files((Attachment(name="a", sha256=sha, size_bytes=0),), {sha: long})
    await one.turn(SAY)
    assert 5000 < len(one.sent(0)[0][1]) < 6000
    assert "yyy" not in one.sent(0)[0][1]


async def test_looks_up_what_the_model_asks_for_and_lets_it_answer() -> None:
    one = table(FIND, READ, "Stone it is.")
    turn = await one.turn(TWICE)
    assert turn.content == "Stone it is."
    first, second, third = one.model.requests
    assert first.tools == second.tools == third.tools == TOOLS
    assert (first.may_call, second.may_call, third.may_call) == (True, True, False)
    assert [one.role for one in third.messages] == [
        *("system", "user"),
        *("assistant", "tool"),
        *("assistant", "tool"),
    ]
    assert [one.content for one in third.messages if one.role == "tool"] == [
        "plan.md:2| Not of wood.",
        "1| Build it of stone.\n2| Not of wood.",
    ]
    assert third.messages[: len(first.messages)] == first.messages  # the prefix never changes


async def test_records_each_tool_with_what_its_reply_cost() -> None:
    one = table(several(("search_files", '{"query": "wood"}'), ("list_files", ""), content="Hm."))
    await one.perform(TWICE)
    found, listed = one.used
    assert (found.used_by, found.exchange, found.tool) == (TWICE.key, 1, "search_files")
    assert found.arguments == '{"query": "wood"}'
    assert found.result_sha256 == hashlib.sha256(b"plan.md:2| Not of wood.").hexdigest()
    assert (found.result_chars, found.is_error, found.said) == (23, False, "Hm.")
    assert (found.model, found.usage) == ("scripted:jo", READ.usage)
    assert (listed.tool, listed.arguments, listed.said) == ("list_files", "{}", "")
    assert (listed.model, listed.usage) == ("", Usage())
    assert found.call_id != listed.call_id  # whatever the model called them


async def test_the_turn_has_its_own_cost_and_the_debate_all_of_it() -> None:
    one = table(READ, _reply("Stone."))
    turn = await one.turn(TWICE)
    state = _state(*one.used, turn)
    assert turn.usage == _reply("").usage
    assert state.usage == READ.usage + turn.usage
    assert state.calls == 2


async def test_goes_on_after_a_crash_without_buying_anything_again() -> None:
    before = table(FIND, ModelUnavailable("gone"), ModelUnavailable("gone"))
    await before.perform(TWICE)
    after = table("Stone it is.")
    turn = await after.turn(TWICE, _state(*before.used))
    assert turn.content == "Stone it is."
    (request,) = after.model.requests
    assert request.messages == before.model.requests[1].messages
    assert request.may_call  # one of two was used


async def test_answers_no_more_than_it_may() -> None:
    one = table(*[FIND] * 10)
    await one.perform(TWICE)
    asked = [request.may_call for request in one.model.requests[:5]]
    assert asked == [True, True, False, False, False]
    used = [use.is_error for use in one.used]
    assert used == [False, False, True, True]
    assert [m.content for m in one.model.requests[4].messages if m.role == "tool"][2:] == [
        ENOUGH
    ] * 2


async def test_answers_as_many_calls_of_one_reply_as_are_left() -> None:
    one = table(several(*[("list_files", "{}")] * 40), "Well.")
    await one.turn(TWICE)
    assert [use.is_error for use in one.used] == [False] * 2 + [True] * 14
    again = table("Well.")
    await again.turn(TWICE, _state(*one.used))
    assert again.model.requests[0].messages == one.model.requests[1].messages


async def test_tells_the_model_what_it_did_wrong() -> None:
    odd = several(("rm -rf\n/", "{}"), ("read_file", '{"name": 7}'), ("read_file", "nonsense \n"))
    one = table(odd, "Well.")
    await one.turn(msgspec.structs.replace(SAY, tools=5))
    results = [one.content for one in one.model.requests[1].messages if one.role == "tool"]
    assert [result.split(":")[0] for result in results] == ["Error"] * 3
    calls = one.model.requests[1].messages[-4].tool_calls
    assert [call.function.name for call in calls] == ["rm_-rf__", "read_file", "read_file"]
    assert calls[2].function.arguments == '{"unreadable":"nonsense"}'


async def test_corrects_a_typed_answer_without_looking_up_more() -> None:
    step = _step(tools=3)
    one = table(FIND, "seven", GOOD)
    turn = await one.turn(step)
    assert turn.data == {"score": 7, "reasoning": "Clear."}
    first, second, third = one.model.requests
    assert all(each.schema == step.answer.schema for each in one.model.requests)
    assert [each.may_call for each in (first, second, third)] == [True, True, False]
    assert third.tools == TOOLS
    again = table(GOOD)
    await again.turn(step, _state(*one.used, *one.reported))
    assert again.model.requests[0].messages == third.messages


async def test_does_without_tools_where_the_model_has_none() -> None:
    one = table("Stone.", facts=ModelFacts())
    await one.turn(TWICE)
    assert one.model.requests[0].tools == ()
    assert "Build it of stone" in one.sent(0)[0][1]


async def test_keeps_what_was_looked_up_when_the_window_is_full() -> None:
    small = ModelFacts(has_tools=True, context_window=700)
    looked = msgspec.structs.replace(READ, usage=Usage(is_estimated=True))
    one = table(looked, "Stone.", facts=small)
    said = e.TurnRecorded(
        step_key="k",
        participant="jo",
        kind=SAY.kind,
        stage="s",
        round=1,
        place=(0,),
        visibility=SAY.visibility,
        content="word " * 600,
        prompt="Speak.",
        model="m",
    )
    turn = await one.turn(msgspec.structs.replace(TWICE, max_tokens=50), _state(said))
    assert "shortened" in turn.flags
    roles = [message.role for message in one.model.requests[1].messages]
    assert roles == ["system", "user", "assistant", "tool"]


def test_messages_without_tools_are_written_as_ever() -> None:
    plain = msgspec.json.encode(Message(role="user", content="hi"))
    assert plain == b'{"role":"user","content":"hi"}'
