"""Asking a model in the way that its server takes, and what is learned of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from moot.engine.files import TOOLS
from moot.errors import BudgetSpent, ModelError, ModelRefused, ParameterRefused
from moot.models.asking import ADVICE, Asking
from moot.models.endpoint import Endpoint
from moot.models.learning import ALLOWANCES, GENEROUS, SAMPLED
from moot.models.port import ChatReply, ChatRequest, ModelFacts
from moot.protocol.answers import Schema
from moot.protocol.values import Function, Message, Sampling, ToolCall, Usage
from moot.protocol.words import Effort, Finish
from moot.testing.scripted import Said, ScriptedModel

ENDPOINT = Endpoint(provider="test", base_url="http://127.0.0.1:1/v1")
SCHEMA = Schema("score", {"type": "object", "properties": {"score": {"type": "integer"}}})
USED = Usage(input_tokens=10, output_tokens=700, thought_tokens=700)
THINKS = ModelFacts(thinks=True)
LOW = Sampling(reasoning_effort=Effort.LOW)
NEVER = Sampling(reasoning_effort=Effort.NONE)


def request(**changes: Any) -> ChatRequest:
    messages = [Message(role="system", content="Be brief."), Message(role="user", content="Well?")]
    fields: dict[str, Any] = {"model": "m", "messages": messages, "max_tokens": 700}
    return ChatRequest(**fields | changes)


def asking(
    script: Callable[[ChatRequest], Said] | Iterable[Said],
    facts: ModelFacts | None = None,
    **dialect: Any,
) -> tuple[Asking, ScriptedModel]:
    model = ScriptedModel(script)
    endpoint = msgspec.structs.replace(ENDPOINT, **dialect)
    return Asking(model, endpoint=endpoint, facts=facts or ModelFacts()), model


def thinking(tokens: int, limit: int | None = None) -> Callable[[ChatRequest], Said]:
    """A model that thinks so long before each answer of ten tokens."""

    def script(sent: ChatRequest) -> Said:
        assert sent.budget is not None
        if limit is not None and sent.budget > limit:
            return ModelRefused(f"400: max_tokens is too large; at most {limit} completion tokens")
        if sent.budget < tokens + 10:
            return BudgetSpent("it thought too long", usage=USED)
        usage = Usage(output_tokens=tokens + 10, thought_tokens=tokens)
        return said("Yes.", usage=usage)

    return script


def said(content: str, *, usage: Usage = USED, finish: Finish = Finish.STOP) -> ChatReply:
    return ChatReply(content=content, finish=finish, usage=usage, model="m", duration_ms=1)


def refusing(*parameters: str) -> Callable[[ChatRequest], Said]:
    """Refuses these, one after the other, as long as they are sent."""

    def script(sent: ChatRequest) -> Said:
        is_sent = {
            "max_tokens": True,
            "max_completion_tokens": "max_tokens" in sent.refused,
            "json_schema": sent.schema is not None,
            "json_object": sent.schema is not None and "json_schema" in sent.refused,
            "tools": bool(sent.tools),
            "tool_choice": bool(sent.tools) and not sent.may_call,
            "stream_options": True,
            **{name: getattr(sent.sampling, name) is not None for name in SAMPLED},
        }
        for name in parameters:
            if is_sent[name] and name not in sent.refused:
                return ParameterRefused(f"{name} is not taken", parameter=name)
        return said("Yes.")

    return script


async def failing(model: Asking, asked: ChatRequest) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.reply(asked)
    return caught.value


# The budget


@pytest.mark.parametrize(
    ("facts", "sampling", "allowance"),
    [
        (ModelFacts(), Sampling(), 0),
        (ModelFacts(thinks=False), Sampling(), 0),
        (ModelFacts(thinks=False), LOW, 0),
        (THINKS, Sampling(), GENEROUS),
        (THINKS, NEVER, 0),
        *((ModelFacts(), Sampling(reasoning_effort=one), ALLOWANCES[one]) for one in Effort),
        (ModelFacts(thinks=True, output_limit=2000), Sampling(), 1300),
        (ModelFacts(thinks=True, context_window=2000), Sampling(), 2000 - 700 - 8 - 3),
        (ModelFacts(thinks=True, context_window=100), Sampling(), 0),
    ],
)
async def test_begins_with_what_is_known(
    facts: ModelFacts, sampling: Sampling, allowance: int
) -> None:
    model, scripted = asking(["Yes."], facts)
    await model.reply(request(sampling=sampling))
    (sent,) = scripted.requests
    assert (sent.max_tokens, sent.allowance) == (700, allowance)


def test_more_effort_has_more_room() -> None:
    rooms = [ALLOWANCES[one] for one in Effort]
    assert rooms == sorted(set(rooms))


async def test_an_answer_longer_than_the_model_can_write_is_asked_for_as_long_as_it_can() -> None:
    model, scripted = asking(["Yes."], ModelFacts(output_limit=500, thinks=True))
    await model.reply(request())
    assert scripted.requests[0].budget == 500


async def test_a_length_that_is_not_bounded_stays_so() -> None:
    model, scripted = asking(["Yes."], THINKS)
    await model.reply(request(max_tokens=None))
    assert scripted.requests[0].budget is None


@pytest.mark.parametrize("tokens", [300, 700, 1200, 4000, 15_000])
async def test_a_budget_that_was_spent_is_paid_for_once(tokens: int) -> None:
    model, scripted = asking(thinking(tokens))
    error = await failing(model, request(max_tokens=300))
    assert isinstance(error, BudgetSpent)
    assert error.retryable
    assert error.usage is USED
    for length in (300, 5000, 50):
        assert (await model.reply(request(max_tokens=length))).content == "Yes."
    assert len(scripted.requests) == 4
    assert model.learned.allowance == GENEROUS
    assert (model.learned.thinks, model.learned.thoughts) == (True, tokens)


async def test_calls_at_once_learn_the_same() -> None:
    model, scripted = asking(thinking(4000))
    failed = await asyncio.gather(*(failing(model, request()) for _ in range(3)))
    assert {type(one) for one in failed} == {BudgetSpent}
    assert model.learned.allowance == GENEROUS
    await asyncio.gather(*(model.reply(request()) for _ in range(3)))
    assert len(scripted.requests) == 6


async def test_the_next_budget_is_never_the_same() -> None:
    model, scripted = asking(thinking(10_000_000))
    budgets = [await failing(model, request()) for _ in range(3)]
    assert all(ADVICE in str(one) for one in budgets)
    sent = [one.budget or 0 for one in scripted.requests]
    assert sent == sorted(set(sent))


async def test_says_what_to_do_when_no_larger_budget_is_to_be_had() -> None:
    model, _ = asking(thinking(4000), ModelFacts(output_limit=2000))
    assert (await failing(model, request())).retryable
    last = await failing(model, request())
    assert not last.retryable
    assert "2,000 tokens" in str(last)
    assert ADVICE in str(last)


async def test_a_server_that_takes_no_limit_cannot_be_given_a_larger_one() -> None:
    both = [ParameterRefused("no", parameter=one) for one in ("max_tokens", "max_tokens")]
    model, scripted = asking([*both, BudgetSpent("it thought too long")])
    assert not (await failing(model, request())).retryable
    assert scripted.requests[-1].refused == {"max_tokens", "max_completion_tokens"}


async def test_a_reply_cut_short_by_thoughts_teaches_too() -> None:
    cut = Usage(output_tokens=700, thought_tokens=600)
    model, scripted = asking([said("Half of", usage=cut, finish=Finish.LENGTH), "Yes."])
    with pytest.raises(BudgetSpent, match="before the answer was whole: raise max_tokens") as error:
        await model.reply(request())
    assert (error.value.retryable, error.value.usage) == (True, cut)
    assert (await model.reply(request())).content == "Yes."
    assert [one.allowance for one in scripted.requests] == [0, GENEROUS]


async def test_a_reply_cut_short_in_spite_of_its_room_is_kept() -> None:
    cut = Usage(output_tokens=16_700, thought_tokens=16_600)
    half = said("Half of", usage=cut, finish=Finish.LENGTH)
    model, scripted = asking([said("Yes.", usage=USED), half, "Yes."])
    await model.reply(request())
    assert (await model.reply(request())).content == "Half of"
    await model.reply(request())
    assert [one.allowance for one in scripted.requests] == [0, GENEROUS, 4 * GENEROUS]


async def test_a_reply_cut_short_at_the_limit_of_the_model_is_kept() -> None:
    cut = Usage(output_tokens=700, thought_tokens=600)
    half = said("Half of", usage=cut, finish=Finish.LENGTH)
    model, _ = asking([half], facts=ModelFacts(output_limit=700))
    assert (await model.reply(request())).content == "Half of"


async def test_thoughts_that_fitted_in_are_room_for_the_next_call() -> None:
    model, scripted = asking([said("Yes.", usage=USED), "Yes."])
    await model.reply(request(max_tokens=2000))
    await model.reply(request(max_tokens=300))
    assert [one.allowance for one in scripted.requests] == [0, GENEROUS]


async def test_a_plain_model_keeps_to_the_length() -> None:
    plain = said("Half of", usage=Usage(output_tokens=700), finish=Finish.LENGTH)
    model, scripted = asking([plain, plain])
    for _ in range(2):
        await model.reply(request())
    assert [one.allowance for one in scripted.requests] == [0, 0]


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 16700. This model supports at most 4096 completion tokens",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
        "`max_completion_tokens` must be less than or equal to `4096`",
        "max_tokens: 16700 > 4096, which is the maximum allowed number of output tokens for m",
        "Range of max_tokens should be [1, 4096]",
    ],
)
async def test_a_limit_that_the_server_states_is_kept_to(words: str) -> None:
    def script(sent: ChatRequest) -> Said:
        refusal = ParameterRefused(words, parameter="max_tokens")
        return refusal if (sent.budget or 0) > 4096 else "Yes."

    model, scripted = asking(script, THINKS)
    await model.reply(request())
    await model.reply(request())
    assert [one.budget for one in scripted.requests] == [16_700, 4096, 4096]
    assert model.learned.refused == ()


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens and your request has 500 input tokens",
        "maximum context length is 8192 tokens. You requested 17200 tokens (500 in the messages, ",
        "maximum context length is 8192 tokens. You requested about 17200 (500 of text input, ",
    ],
)
async def test_a_budget_fits_into_the_window_that_the_server_states(words: str) -> None:
    model, scripted = asking([ModelRefused(words), "Yes.", "Yes."], THINKS)
    await model.reply(request())
    await model.reply(request())
    budgets = [one.budget for one in scripted.requests]
    assert budgets == [16_700, 8192 - 500, 8192 - 11]


async def test_a_limit_that_does_not_help_is_no_lesson() -> None:
    for words in ("max_tokens: at most 20000", "max_tokens: at most 3", "too many tokens"):
        model, scripted = asking([ModelRefused(words)])
        assert str(await failing(model, request())) == words
        assert len(scripted.requests) == 1


# What the server does not take


ALL = Sampling(temperature=0.5, top_p=0.9, seed=7, reasoning_effort=Effort.LOW)
RICH = request(schema=SCHEMA, sampling=ALL)


@pytest.mark.parametrize(
    "parameters",
    [
        ("temperature",),
        ("top_p", "seed"),
        ("json_schema",),
        ("json_schema", "json_object"),
        ("max_tokens", "max_completion_tokens"),
        ("temperature", "top_p", "seed", "reasoning_effort", "json_schema", "json_object",
         "max_tokens", "max_completion_tokens"),
    ],
)  # fmt: skip
async def test_each_parameter_is_refused_once(parameters: tuple[str, ...]) -> None:
    model, scripted = asking(refusing(*parameters))
    first = await model.reply(RICH)
    assert len(scripted.requests) == len(parameters) + 1
    await model.reply(RICH)
    assert len(scripted.requests) == len(parameters) + 2
    assert set(model.learned.refused) == set(parameters)
    sampled = {"temperature", "top_p", "seed", "reasoning_effort"}
    assert set(first.ignored) == sampled & set(parameters)


async def test_what_nobody_wished_for_is_not_said_to_be_ignored() -> None:
    model, _ = asking(refusing("temperature"))
    await model.reply(RICH)
    assert (await model.reply(request())).ignored == ()


async def test_stream_options_are_left_out_of_streams() -> None:
    model, scripted = asking(refusing("stream_options"))
    await model.reply(request(), lambda _: None)
    assert [one.refused for one in scripted.requests] == [frozenset(), {"stream_options"}]


@pytest.mark.parametrize("named", ["max_completion_tokens", "max_tokens"])
async def test_a_server_may_name_the_other_of_two_forms(named: str) -> None:
    """`Use 'max_completion_tokens' instead` names both: what was sent is what was refused."""
    model, _ = asking([ParameterRefused("no", parameter=named), "Yes."])
    await model.reply(request())
    assert model.learned.refused == ("max_tokens",)


async def test_a_parameter_that_was_not_sent_cannot_be_left_out() -> None:
    model, scripted = asking([ParameterRefused("no", parameter="temperature")])
    assert isinstance(await failing(model, request()), ParameterRefused)
    assert len(scripted.requests) == 1
    assert model.learned.refused == ()


async def test_other_refusals_are_not_asked_again() -> None:
    model, scripted = asking([ModelRefused("no such key")])
    await failing(model, RICH)
    assert len(scripted.requests) == 1


async def test_what_another_call_has_learned_meanwhile_is_used() -> None:
    model, scripted = asking(refusing("temperature"))
    await asyncio.gather(*(model.reply(RICH) for _ in range(3)))
    assert len(scripted.requests) == 6
    assert model.learned.refused == ("temperature",)


async def test_a_schema_that_is_not_taken_is_told_in_words() -> None:
    model, scripted = asking(refusing("json_schema", "json_object"))
    await model.reply(RICH)
    *earlier, last = scripted.requests
    assert all(one.messages[-1].content == "Well?" for one in earlier)
    assert last.messages[-1].content.startswith("Well?\n\nAnswer with one JSON object")
    assert '"score"' in last.messages[-1].content
    plain, other = asking(["Yes."], schema_support="none")
    await plain.reply(RICH)
    assert '"score"' in other.requests[0].messages[-1].content


@pytest.mark.parametrize(
    ("wished", "offered", "sent"),
    [
        ("none", "Supported values are: 'minimal', 'low', 'medium', and 'high'.", "minimal"),
        ("minimal", "Supported values are: 'none', 'low', 'medium', and 'high'.", "low"),
        ("low", "must be one of `none` or `default`", None),
        ("high", "Unsupported parameter", None),
    ],
)
async def test_takes_the_nearest_effort_that_is_offered(
    wished: str, offered: str, sent: str | None
) -> None:
    refusal = ParameterRefused(f"'{wished}': {offered}", parameter="reasoning_effort")
    model, scripted = asking([refusal, "Yes.", "Yes."])
    sampling = Sampling(reasoning_effort=Effort(wished))
    for _ in range(2):
        assert (await model.reply(request(sampling=sampling))).ignored == ("reasoning_effort",)
    assert [one.sampling.reasoning_effort for one in scripted.requests] == [wished, sent, sent]


# Tools


CALL = ToolCall(id="1", function=Function("read_file", '{"name": "a.md"}'))
LOOKED_UP = [
    Message(role="user", content="Well?"),
    Message(role="assistant", content="", tool_calls=(CALL,)),
    Message(role="tool", content="1| Stone.", tool_call_id="1"),
]


async def test_a_model_that_may_look_something_up_is_not_held_to_a_schema() -> None:
    model, scripted = asking(["Yes.", "Yes."])
    await model.reply(request(tools=TOOLS, schema=SCHEMA))
    await model.reply(request(tools=TOOLS, schema=SCHEMA, may_call=False))
    assert [one.schema for one in scripted.requests] == [None, SCHEMA]


async def test_does_without_tools_where_the_server_refuses_them() -> None:
    model, scripted = asking(refusing("tools"))
    await model.reply(request(tools=TOOLS, schema=SCHEMA))
    await model.reply(request(tools=TOOLS, messages=LOOKED_UP, may_call=False))
    first, second, third = scripted.requests
    assert (first.tools, second.tools, third.tools) == (TOOLS, (), ())
    assert second.schema is SCHEMA
    assert [one.role for one in third.messages] == ["user", "assistant", "user"]
    assert not any(one.tool_calls or one.tool_call_id for one in third.messages)
    assert "1| Stone." in third.messages[-1].content


async def test_tools_that_cannot_be_forbidden_are_left_out_where_they_must_be() -> None:
    model, scripted = asking(refusing("tool_choice"))
    await model.reply(request(tools=TOOLS, messages=LOOKED_UP, may_call=False))
    await model.reply(request(tools=TOOLS))
    assert [one.tools for one in scripted.requests] == [TOOLS, (), TOOLS]


async def test_sends_everything_in_one_shape() -> None:
    user = Message(role="user", content="Well?")
    model, scripted = asking(["Yes."])
    await model.reply(request(messages=[user, Message(role="assistant", content=" "), user]))
    (sent,) = scripted.requests
    assert sent.messages == [Message(role="user", content="Well?\n\nWell?")]
