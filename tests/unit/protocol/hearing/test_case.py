"""Neutral names: whole names, both orders, and nothing that tells who is who."""

from __future__ import annotations

import pytest

from moot.protocol.hearing.case import Case, Said, Side, labels, lettered
from moot.protocol.hearing.families import are_kin, family_of
from moot.protocol.hearing.plan import Order


def neutral(text: str, sides: tuple[Side, ...], order: Order) -> str:
    """What a judge reads for the only text of a case."""
    said = (Said(side=sides[0].id, text=text),)
    return Case(topic="", sides=sides, said=said).neutral_in(text, order)


def named(*names: str) -> tuple[Side, ...]:
    return tuple(Side(id=name.casefold(), names=(name,)) for name in names)


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


@pytest.mark.parametrize(
    ("names", "text", "read"),
    [
        (
            ("The Optimist", "Bob"),
            "The rest is noise, Bob. So says the Optimist, an Optimist.",
            "The rest is noise, Y. So says X, an X.",
        ),
        (
            ("Bill", "Mark"),
            "The bill will mark the end. Bill it. So, Bill and Mark?",
            "The bill will mark the end. Bill it. So, X and Y?",
        ),
        (
            ("Will", "May"),
            "Will Will go? May be, says Will to May.",
            "Will X go? May be, says X to Y.",
        ),
        (
            ("Data", "Security"),
            "Data is what our data needs, and Security says so.",
            "Data is what our data needs, and Y says so.",
        ),
        (
            ("Dr. Strange", "Prof. Ada Lovelace"),
            "Dr. Smith and Prof. Jones, Ada and Strange",
            "Dr. Smith and Prof. Jones, Y and X",
        ),
        (("a", "I"), "As a rule I concede: a is a.", "As a rule I concede: a is a."),
        (("ada", "bo"), "Ada met BO, and ada met Bo.", "X met Y, and X met Y."),
    ],
)
def test_it_replaces_names_and_leaves_words_alone(
    names: tuple[str, ...], text: str, read: str
) -> None:
    assert neutral(text, named(*names), Order.ONE) == read


def test_it_takes_letters_that_are_not_in_the_text() -> None:
    said = (Said(side="ada", text="Ada says: Y, then P."), Said(side="bo", text="M is for Bo."))
    case = lettered(Case(topic="Should we leave X?", sides=named("Ada", "Bo"), said=said))
    assert case.names(Order.ONE) == {"ada": "V", "bo": "W"}
    assert case.neutral_in(case.topic, Order.TWO) == "Should we leave X?"
    assert "[W]: W says: Y, then P." in case.read_in(Order.TWO)
    plain = Case(topic="Tea?", sides=named("Ada", "Bo"), said=said[:0])
    assert lettered(plain) == plain


def test_a_proposal_is_called_so_in_the_text() -> None:
    sides = named("Data", "Will", "The Skeptic")
    said = (Said(side="data", text="The data will live in table A, as the Skeptic wants."),)
    case = Case(topic="How should we store data?", sides=sides, said=said, are_proposals=True)
    read = "[Proposal A]: The data will live in table A, as Proposal C wants."
    assert case.read_in(Order.ONE) == read
    assert case.neutral_in(case.topic, Order.ONE) == "How should we store data?"


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
