"""Neutral names: whole names, both orders, and nothing that tells who is who."""

from __future__ import annotations

import pytest

from moot.protocol.hearing.families import are_kin, family_of
from moot.protocol.hearing.neutral import Side, labels, neutral
from moot.protocol.hearing.plan import Order

ADA, BO = Side(id="ada", names=("Ada Lovelace",)), Side(id="bo", names=("Bo",))


def test_it_exchanges_the_names_and_nothing_else() -> None:
    text = "Ada Lovelace is right, says Lovelace; ada lovelace's point. Bo and BO, but not Bob."
    one = neutral(text, (ADA, BO), Order.ONE)
    assert one == "X is right, says X; X's point. Y and Y, but not Bob."
    swapped = one.translate(str.maketrans("XY", "YX"))
    assert neutral(text, (ADA, BO), Order.TWO) == swapped


def test_it_replaces_no_part_of_a_name_that_two_share_or_that_is_a_word() -> None:
    sides = (Side(id="a", names=("Ann of Cleves",)), Side(id="b", names=("Ann Lee",)))
    text = "Ann of Cleves and Ann Lee. Ann? Cleves. the rule of Lee"
    assert neutral(text, sides, Order.ONE) == "X and Y. Ann? X. the rule of Y"


@pytest.mark.parametrize("number", range(2, 11))
def test_no_proposal_keeps_its_letter_in_the_other_order(number: int) -> None:
    sides = tuple(Side(id=str(one), names=(f"Name {one}",)) for one in range(number))
    one, two = labels(sides, Order.ONE), labels(sides, Order.TWO)
    assert list(one) == [side.id for side in sides]
    assert sorted(one.values()) == sorted(two.values())
    assert all(one[side] != two[side] for side in one)


def test_it_leaves_names_alone_that_are_patterns() -> None:
    sides = (Side(id="a", names=("A.*",)), Side(id="b", names=("(B)",)))
    assert neutral("A.* met (B) and Abc", sides, Order.ONE) == "X met Y and Abc"


def test_it_knows_families_by_name_and_no_others() -> None:
    known = {
        "openai:gpt-6-luna": "OpenAI",
        "openrouter:openai/gpt-oss-120b": "OpenAI",
        "openai:o4-mini": "OpenAI",
        "anthropic:claude-opus-5": "Anthropic",
        "google:gemini-3-flash": "Google",
        "ollama:gemma3:4b": "Google",
        "ollama:llama3.3": "Meta",
        "groq:deepseek-r1-distill-llama-70b": "DeepSeek",
        "local:smollm2": "Hugging Face",
        "mine:solo1-large": None,
        "mine": None,
    }
    assert {model: family_of(model) for model in known} == known
    assert are_kin("openai:gpt-6", "azure:gpt-5-mini")
    assert not are_kin("mine:a", "mine:a")
