from __future__ import annotations

from moot.models.window import TokenEstimator
from moot.protocol.values import Message, Usage


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
