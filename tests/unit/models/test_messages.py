"""The shape in which messages are sent, and how many of them fit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from moot.models.messages import (
    CLOSING,
    NO_RESULT,
    OPENING,
    Shaper,
    TokenEstimator,
    shaped,
    with_last,
    without_tools,
)
from moot.protocol.values import Function, Message, ToolCall, Usage

CALL = ToolCall(id="1", function=Function("read_file", '{"name": "a.md"}'))
ASKED = Message(role="assistant", content="", tool_calls=(CALL,))
RESULT = Message(role="tool", content="1| Build it.", tool_call_id="1")


def said(*pairs: str) -> list[Message]:
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return [Message(role=roles[one[0]], content=one[2:]) for one in pairs]


@pytest.mark.parametrize(
    ("came", "sent"),
    [
        (["u one"], ["u one"]),
        (["s be", "u one", "a yes", "u two"], ["s be", "u one", "a yes", "u two"]),
        (["u one", "u two"], ["u one\n\ntwo"]),
        (["s be", "u one", "s so", "a yes", "u two"], ["s be\n\nso", "u one", "a yes", "u two"]),
        (["s be", "a yes", "u two"], ["s be", f"u {OPENING}", "a yes", "u two"]),
        (["u one", "a yes", "a and no"], ["u one", "a yes\n\nand no", f"u {CLOSING}"]),
        (["s  ", "u one", "a \n", "u two"], ["u one\n\ntwo"]),
        (["s be"], ["s be", f"u {OPENING}"]),
        ([], [f"u {OPENING}"]),
        (["u \t"], [f"u {OPENING}"]),
    ],
)  # fmt: skip
def test_makes_one_shape_of_everything(came: list[str], sent: list[str]) -> None:
    assert shaped(said(*came)) == said(*sent)


def test_leaves_what_is_in_shape_as_it_is() -> None:
    messages = said("s be", "u one", "a yes", "u two")
    assert all(one is other for one, other in zip(shaped(messages)[1:], messages[1:], strict=True))


def test_calls_and_results_of_tools_stay_together() -> None:
    other = Message(role="tool", content=" ", tool_call_id="2")
    messages = [*said("u one"), ASKED, RESULT, other]
    *before, last = shaped(messages)
    assert before == messages[:-1]
    assert last == Message(role="tool", content=NO_RESULT, tool_call_id="2")


def test_tools_can_be_told_in_words() -> None:
    told = shaped(without_tools([*said("u one"), ASKED, RESULT, RESULT]))
    assert [one.role for one in told] == ["user", "assistant", "user"]
    assert not any(one.tool_calls or one.tool_call_id for one in told)
    assert "read_file" in told[1].content
    assert told[2].content.count("Build it.") == 2


def test_adds_to_the_last_message_only() -> None:
    messages = said("u one", "a yes", "u two")
    assert with_last(messages, "three") == said("u one", "a yes", "u two\n\nthree")
    assert messages == said("u one", "a yes", "u two")


ROLES = st.sampled_from(["system", "user", "user", "assistant"])
MESSAGES = st.builds(
    lambda role, content: Message(role=role, content=content),
    ROLES,
    st.sampled_from(["", " ", "one", "two", "three"]),
)


@given(st.lists(MESSAGES, max_size=12))
def test_every_history_comes_out_in_shape(messages: list[Message]) -> None:
    sent = shaped(messages)
    roles = [one.role for one in sent]
    body = roles[1:] if roles[0] == "system" else roles
    assert "system" not in body
    assert body[0] == body[-1] == "user"
    assert all(one != other for one, other in pairwise(body))
    assert all(one.content.strip() for one in sent)
    words = {word for one in messages for word in one.content.split()}
    assert words <= {word for one in sent for word in one.content.split()}
    assert shaped(sent) == sent


@settings(max_examples=50)
@given(st.lists(MESSAGES, min_size=3, max_size=30), st.data())
def test_remembering_makes_no_difference(messages: list[Message], data: Any) -> None:
    """However a history grows, and whatever ends it for one call only."""
    shaper = Shaper(most=data.draw(st.sampled_from([0, 20, 10_000])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moot.models.messages.REMEMBERED_FROM", 3)
        for end in sorted(data.draw(st.lists(st.integers(3, 30), min_size=2, max_size=6))):
            now = [*messages[:end], *data.draw(st.lists(MESSAGES, max_size=2))]
            assert shaper(now) == shaped(now)


def test_what_was_settled_is_looked_at_again_if_something_else_follows() -> None:
    shaper = Shaper()
    history = said("u one", *["a yes", "u more"] * 40, "a last")
    for end in (["u two"], ["a but no", "u two"], ["u two"], []):
        now = [*history, *said(*end)]
        assert shaper(now) == shaped(now)


def test_what_was_sent_before_is_where_the_next_call_begins() -> None:
    shaper = Shaper()
    history = said("s be")
    sent: list[Message] = []
    for turn in range(60):
        history += said(f"u {turn} q", f"u {turn} r", f"u {turn} prompt")
        last, sent = sent, shaper(history)
        assert sent[: len(last)] == last
        history += said(f"a {turn} reply")


def test_forgets_the_histories_used_longest_ago() -> None:
    shaper = Shaper(most=3000)
    for name in "abc":
        history = said("s be", f"u {name}")
        for turn in range(40):
            history += said(f"a {turn}" + 20 * "x", "u more")
        shaper(history)
    assert len(shaper._known) == 2
    assert shaper._size == sum(one.size for one in shaper._known.values()) <= 3000


def test_debaters_who_heard_the_same_do_not_push_one_another_out() -> None:
    shaper = Shaper()
    heard = said("s be", "u Ada: yes", "u Ben: no")
    histories = [
        heard + said(*(f"u {n} more", f"a {name} {n}") * 40, "u go on")
        for n, name in enumerate(("Chen", "Dara"))
    ]
    for history in histories:
        shaper(history)
    kept = [one.joined for one in shaper._known.values()]
    for history in histories:
        shaper(history)
    assert len(kept) == 2
    assert all(now.joined is then for now, then in zip(shaper._known.values(), kept, strict=True))


# --- how many of them fit -------------------------------------------------------------------------


def chat(*sizes: int) -> list[Message]:
    """A system prompt, then questions and replies of these sizes, oldest first."""
    roles = ("user", "assistant")
    said = [Message(role=roles[i % 2], content="x" * size) for i, size in enumerate(sizes)]
    return [Message(role="system", content="be brief"), *said]


def test_it_leaves_messages_alone_that_fit_or_whose_window_is_unknown() -> None:
    messages = chat(400, 400, 400)
    estimator = TokenEstimator()
    assert estimator.shorten("m", messages, window=None, reserve=10) is messages
    assert estimator.shorten("m", messages, window=1000, reserve=100) is messages


def test_it_leaves_out_whole_exchanges_from_the_oldest_on() -> None:
    messages = chat(400, 400, 400, 400, 400)
    short = TokenEstimator().shorten("m", messages, window=500, reserve=50)
    assert short[0] is messages[0]
    assert short[1:] == messages[3:]
    assert short[1].role == "user"


def test_it_keeps_the_system_prompt_and_the_question_even_if_they_do_not_fit() -> None:
    messages = chat(400, 400, 4000)
    short = TokenEstimator().shorten("m", messages, window=100, reserve=50)
    assert short == [messages[0], messages[-1]]


def test_it_learns_how_many_characters_a_token_has() -> None:
    estimator = TokenEstimator()
    messages = chat(4000)
    before = estimator.tokens("m", messages)
    for _ in range(30):
        estimator.learn("m", messages, Usage(input_tokens=2012))
    assert before < 1100
    assert 1900 < estimator.tokens("m", messages) < 2100
    assert estimator.tokens("other", messages) == before


def test_it_is_not_spoilt_by_absurd_or_estimated_counts() -> None:
    estimator = TokenEstimator()
    messages = chat(4000)
    before = estimator.tokens("m", messages)
    estimator.learn("m", messages, Usage(input_tokens=0))
    estimator.learn("m", messages, Usage(input_tokens=9, is_estimated=True))
    assert estimator.tokens("m", messages) == before
    for _ in range(99):
        estimator.learn("m", messages, Usage(input_tokens=10**9))
    assert estimator.tokens("m", messages) <= 4100
