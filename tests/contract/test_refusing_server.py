"""Every format ends well, whatever a server refuses, however it words it and however it thinks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from tests.contract.refusing import FORMATS, MODEL, WISHES, Table, looking, table
from tests.contract.test_openai_compatible import REQUEST, model_of

from moot.engine.creation import NewDebate
from moot.engine.files import TOOLS
from moot.errors import BudgetSpent, ModelRefused, ParameterRefused
from moot.models.port import PARAMETERS
from moot.protocol import events as e
from moot.protocol.answers import Schema
from moot.protocol.state import DebateState
from moot.protocol.values import Function, Message, Sampling, ToolCall, Usage
from moot.protocol.words import Status
from moot.testing.server import ScriptedServer
from moot.testing.server_rules import SENT, WORDINGS, Rules
from moot.testing.server_wire import ChatCall

NAMES = sorted(FORMATS)
EVERYWHERE = frozenset(
    {"max_tokens", "temperature", "top_p", "seed", "stream_options", "reasoning_effort"}
)
TYPED = EVERYWHERE | {"json_schema", "json_object"}
SENT_BY = {"duel": TYPED, "rounds": TYPED, "council": TYPED | {"tools", "tool_choice"}}
"""What is sent at all, at first or once its first form was refused."""
PLAIN = msgspec.structs.replace(FORMATS["council"], files=())


def ended_well(new: NewDebate, state: DebateState) -> None:
    """It came to its end, or in a room to rest, and everybody said what was theirs to say."""
    assert state.status is (Status.WAITING if new.format == "room" else Status.COMPLETED)
    assert len(state.turns) > 3
    flags = {flag for turn in state.transcript() for flag in turn.said.flags}
    assert not flags & {"unreadable", "truncated"}


def refused_once(on: Table, new: NewDebate, refuses: frozenset[str]) -> None:
    """Nothing was wrong but what the server refuses, and that was found out once."""
    assert on.refused.keys() <= refuses
    assert max(on.refused.values(), default=0) <= 1
    assert set(on.learned.refused) == on.refused.keys()


async def hold(rules: Rules, *names: str) -> None:
    """A debate of each of these formats, one after the other, at one server."""
    async with table(rules) as on:
        for name in names:
            ended_well(FORMATS[name], await on.play(FORMATS[name]))
            refused_once(on, FORMATS[name], rules.refuses)


@pytest.mark.parametrize("name", NAMES)
async def test_a_format_ends_well_on_each_single_refusal(name: str) -> None:
    for parameter in sorted(SENT_BY.get(name, EVERYWHERE)):
        # Its form before is refused too, so that it is sent at all.
        before = {"json_schema"} if parameter == "json_object" else set()
        refuses = frozenset({parameter, *before})
        async with table(Rules(refuses=refuses)) as on:
            ended_well(FORMATS[name], await on.play(FORMATS[name]))
            refused_once(on, FORMATS[name], refuses)
            assert parameter in on.refused


@pytest.mark.parametrize("name", NAMES)
async def test_a_format_ends_well_where_everything_is_refused(name: str) -> None:
    await hold(Rules(refuses=PARAMETERS), name)


@pytest.mark.parametrize("wording", WORDINGS)
async def test_a_refusal_is_understood_in_every_wording(wording: str) -> None:
    async with table(Rules(refuses=PARAMETERS, wording=wording)) as on:
        ended_well(FORMATS["council"], await on.play(FORMATS["council"]))
        assert set(on.learned.refused) == PARAMETERS - {"tool_choice"}


async def test_what_was_learned_holds_for_all_debates_of_the_process() -> None:
    rules = Rules(refuses=frozenset({"max_tokens", "temperature", "json_schema"}))
    async with table(rules) as on:
        for name in ("rounds", *NAMES):
            ended_well(FORMATS[name], await on.play(FORMATS[name]))
        assert on.refused == dict.fromkeys(rules.refuses, 1)


async def test_what_was_wished_and_not_taken_is_told() -> None:
    async with table(Rules(refuses=frozenset({"temperature", "seed"}))) as on:
        caller = on.models.get(MODEL)
        reply = await caller.call(REQUEST)
        assert reply.ignored == ("temperature", "seed")


@settings(max_examples=12)
@given(
    name=st.sampled_from(NAMES),
    rules=st.builds(
        Rules,
        refuses=st.frozensets(st.sampled_from(sorted(PARAMETERS))),
        wording=st.sampled_from(sorted(WORDINGS)),
        thoughts=st.sampled_from([0, 300, 1200, 4000]),
        is_blunt=st.booleans(),
    ),
    has_effort=st.booleans(),
)
async def test_a_format_ends_well_on_any_combination(
    name: str, rules: Rules, has_effort: bool
) -> None:
    wishes = WISHES if has_effort else Sampling(temperature=0.0)
    async with table(rules, sampling=wishes) as on:
        state = await on.play(FORMATS[name])
        assert state.status in (Status.COMPLETED, Status.WAITING)
        assert on.refused.keys() <= rules.refuses | {"budget"}
        assert max(on.refused.values(), default=0) <= 1


# Budgets


@pytest.mark.parametrize("is_blunt", [False, True], ids=["blank", "blunt"])
@pytest.mark.parametrize("thoughts", [300, 700, 1200, 4000])
async def test_every_format_ends_well_with_a_model_that_thinks(
    thoughts: int, is_blunt: bool
) -> None:
    """At its default lengths, and with nobody saying that the model thinks."""
    for name in NAMES:
        new = PLAIN if name == "council" else FORMATS[name]
        rules = Rules(thoughts=thoughts, is_blunt=is_blunt)
        async with table(rules, sampling=Sampling()) as on:
            ended_well(new, await on.play(new))
            in_vain = [one for one in on.server.calls if one.refused or not one.reply]
            assert len(in_vain) <= 1
            again = len(on.server.calls)
            ended_well(new, await on.play(new))
            assert all(one.reply for one in on.server.calls[again:])


async def test_what_thoughts_have_cost_is_booked() -> None:
    async with table(Rules(thoughts=4000), sampling=Sampling()) as on:
        debate = await on.service.create(FORMATS["standard"])
        await on.go_on(debate)
        (failed,) = await on.failed(debate)
        assert (failed.code, failed.retry_in_s) == ("budget", 0.0)
        assert failed.usage.output_tokens == on.server.calls[0].usage["completion_tokens"]
        assert failed.usage.output_tokens > 0


async def test_a_limit_that_leaves_no_room_says_what_to_do() -> None:
    async with table(Rules(thoughts=4000, output_limit=2000), sampling=Sampling()) as on:
        debate = await on.service.create(FORMATS["standard"])
        state = await on.go_on(debate)
        assert state.status is Status.FAILED
        last = (await on.failed(debate))[-1]
        assert "raise max_tokens or set reasoning_effort=low" in last.error
        assert on.learned.output_limit == 2000
        assert len(on.server.calls) == 3  # too small, too large, and as large as can be


async def test_a_model_known_to_think_is_never_paid_twice() -> None:
    low = Sampling(reasoning_effort=WISHES.reasoning_effort)
    async with table(Rules(thoughts=4000), sampling=low) as on:
        ended_well(FORMATS["duel"], await on.play(FORMATS["duel"]))
        assert all(one.reply for one in on.server.calls)


# The shape of messages: every debate above is checked too


async def test_a_fork_is_in_shape() -> None:
    async with table(Rules()) as on:
        for name in ("standard", "rounds", "council", "duel"):
            debate = await on.service.create(FORMATS[name])
            await on.go_on(debate)
            log = await on.service.log(debate)
            spoken = [one.seq for one in log if isinstance(one.event, e.TurnRecorded)]
            for at in (spoken[0], spoken[len(spoken) // 2]):
                fork = await on.service.fork(debate, at)
                ended_well(FORMATS[name], await on.go_on(fork))
        assert not on.refused


async def test_a_debate_that_was_stopped_goes_on_in_shape() -> None:
    async with table(Rules()) as on:
        for name in ("custom", "classic", "rounds"):
            debate = await on.service.create(FORMATS[name])
            seen = 0
            async for item in on.service.play(debate, text=True):
                seen += isinstance(getattr(item, "event", None), e.TurnRecorded)
                if seen == 2:
                    break
            await on.service.command(debate, "stop")
            ended_well(FORMATS[name], await on.go_on(debate))
        assert not on.refused


async def test_an_unreadable_answer_is_asked_again_in_shape() -> None:
    """Once in words, once with nothing, as models do."""

    def script(call: ChatCall) -> Any:
        if call.number % 4 == 1:
            return "No." if call.number % 8 == 1 else " "
        return looking(call)

    async with table(Rules(), script=script) as on:
        for name in NAMES:
            state = await on.play(FORMATS[name])
            assert state.status in (Status.COMPLETED, Status.WAITING)
        assert not on.refused


async def test_what_was_looked_up_before_is_told_in_words_where_tools_are_refused() -> None:
    """A process that had tools has died, and another goes on at a server that takes none."""
    call = ToolCall(id="1", function=Function("read_file", '{"name": "plan.md"}'))
    asked = Message(role="assistant", content="", tool_calls=(call,))
    found = Message(role="tool", content="1| Build it of stone.", tool_call_id="1")
    request = msgspec.structs.replace(
        REQUEST, messages=[*REQUEST.messages, asked, found], tools=TOOLS, may_call=False
    )
    async with table(Rules(refuses=frozenset({"tools"}))) as on:
        reply = await on.models.get(MODEL).call(request)
        assert (bool(reply.content), reply.tool_calls) == (True, ())
        assert on.refused == {"tools": 1}
        assert "Build it of stone" in on.server.calls[-1].messages[-1][1]


# The server itself, asked without what Moot does for it


def said(*pairs: str) -> list[Message]:
    roles = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    return [Message(role=roles[one[0]], content=one[2:]) for one in pairs]


CALLS = Message(
    role="assistant", content="", tool_calls=(ToolCall(id="1", function=Function("f", "{}")),)
)


@pytest.mark.parametrize(
    "messages",
    [
        said("u one", "u two"),
        said("u one", "s be", "a yes", "u two"),
        said("s be", "s brief", "u one"),
        said("s be", "a yes", "u two"),
        said("u one", "a yes"),
        said("s be"),
        said("u one", "a  ", "u two"),
        said("s  ", "u one"),
        said("u one", "a yes", "a no", "u two"),
        said("u one", "t result"),
        [*said("u one"), CALLS, *said("u two")],
        [*said("u one"), CALLS],
    ],
)
async def test_the_server_refuses_what_templates_refuse(messages: list[Message]) -> None:
    async with ScriptedServer(rules=Rules()) as server:
        model = model_of(server)
        await model.reply(REQUEST)
        with pytest.raises(ModelRefused):
            await model.reply(msgspec.structs.replace(REQUEST, messages=messages))
        await model.close()
        assert [bool(one.refused) for one in server.calls] == [False, True]


INNER = {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "object", "properties": {"x": {}}, "required": ["x"]},
        INNER,
        {**INNER, "properties": {"x": {"type": "array", "items": INNER}}, "required": ["x"]},
        {**INNER, "properties": {"x": {"anyOf": [INNER]}}, "required": ["x"]},
    ],
)
async def test_the_server_refuses_schemas_that_are_not_strict(body: Any) -> None:
    strict = Schema("strict", {**INNER, "required": ["x"]})
    async with ScriptedServer(rules=Rules()) as server:
        model = model_of(server)
        await model.reply(msgspec.structs.replace(REQUEST, schema=strict))
        with pytest.raises(ParameterRefused):
            await model.reply(msgspec.structs.replace(REQUEST, schema=Schema("loose", body)))
        await model.close()


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_the_server_counts_thoughts_towards_the_budget(is_streamed: bool) -> None:
    on_text = (lambda _: None) if is_streamed else None
    async with ScriptedServer(rules=Rules(thoughts=60), words=10) as server:
        model = model_of(server)
        with pytest.raises(BudgetSpent) as caught:
            await model.reply(REQUEST, on_text)
        cut = await model.reply(msgspec.structs.replace(REQUEST, max_tokens=64), on_text)
        whole = await model.reply(msgspec.structs.replace(REQUEST, max_tokens=70), on_text)
        await model.close()
    assert isinstance(caught.value.usage, Usage)
    assert caught.value.usage.output_tokens == 50
    assert (len(cut.content.split()), cut.finish, cut.usage.output_tokens) == (4, "length", 64)
    assert (len(whole.content.split()), whole.finish, whole.usage.output_tokens) == (10, "stop", 70)


def test_the_server_can_refuse_every_parameter() -> None:
    assert SENT.keys() == PARAMETERS
