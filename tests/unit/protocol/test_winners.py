"""Whom a judge's words call the winner: what is plain is read, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from moot.protocol.winners import TIE, chosen, claimed, meant, names_winner, otherwise, upholds

NAMES = ("Ada", "Bob")
DOCTORS = ("Dr. Strange", "Dr. Who")


@pytest.mark.parametrize(
    "text",
    [
        "Ada", "**Ada**", "Ada.", "The winner is Ada.", "Winner: Ada", "I choose Ada.",
        "Ada. Her case was not answered.", "Ada\n\nNobody rebutted the second point.",
        "My vote goes to Ada, because nothing was left of the objection. The winner is Ada.",
    ],
)  # fmt: skip
def test_a_name_alone_is_a_choice(text: str) -> None:
    assert chosen(text, NAMES) == "Ada"


@pytest.mark.parametrize(
    "text",
    [
        "Not Ada.", "Ada lost.", "Charlie beat Ada", "Neither; a draw", "Ada or Bob", "", "?",
        "Anyone but Ada.", "I cannot choose Ada.", "Ada never had a chance.", "Ada was defeated.",
        "Whether Ada won is unclear.",
    ],
)  # fmt: skip
def test_what_may_mean_the_contrary_is_nobody(text: str) -> None:
    assert chosen(text, NAMES) is None


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Bob won this debate. Ada fell flat.", {"Bob"}),
        ("In the end, Ada has clearly won.", {"Ada"}),
        ("I declare Ada the winner, and Bob has my respect.", {"Ada"}),
        ("The verdict goes to Bob.", {"Bob"}),
        ("The winner of this debate is therefore **Ada**.", {"Ada"}),
        ("Ada is the winner.", {"Ada"}),
        ("Bob did well, but Ada wins.", {"Ada"}),
        ("Ada beat Bob on every point.", {"Ada"}),
        ("Ada won the opening; Bob won the debate.", {"Bob"}),
        ("Ada won me over on cost. Bob won that exchange.", set()),
        ("Ada takes this debate.", {"Ada"}),
        ("I find for Ada.", {"Ada"}),
        ("I find in favour of Bob.", {"Bob"}),
        ("I cannot find for Ada.", set()),
        ("The debate goes to Ada.", {"Ada"}),
        ("In this debate with Ada, much was said.", set()),
        ("I must give this one to Bob.", {"Bob"}),
        ("Congratulations to Ada, who wins.", {"Ada"}),
        ("I side with Ada.", {"Ada"}),
        ("Ada carried the day.", {"Ada"}),
        ("Bob came out ahead.", {"Bob"}),
        ("Ada made the stronger case.", {"Ada"}),
        ("Ada made the stronger case on cost.", set()),
        ("The more convincing case was Ada's.", {"Ada"}),
        ("This was a draw; I cannot name a winner.", {TIE}),
        ("It is a tie.", {TIE}),
        ("This is not a tie.", set()),
        ("Ada did not win.", set()),
        ("I cannot say that Ada won.", set()),
        ("Ada was defeated.", set()),
        ("Ada 7, Bob 7.", set()),
        ("Ada opened well. Bob answered.", set()),
        ("", set()),
    ],
)
def test_only_plain_claims_count(text: str, who: set[str]) -> None:
    assert claimed(text, NAMES) == who


def test_a_title_with_a_full_stop_ends_no_sentence() -> None:
    assert claimed("After all that, Dr. Strange wins.", DOCTORS) == {"Dr. Strange"}


def test_the_winner_is_named_in_so_many_words_or_alone() -> None:
    assert names_winner("Ada wins.", "Ada", NAMES)
    assert names_winner("Победила Ada.", "Ada", NAMES)
    assert not names_winner("Ada 7, Bob 6.", "Ada", NAMES)
    assert not names_winner("Bob wins over Ada.", "Ada", NAMES)
    assert not names_winner("Ada did not convince me.", "Ada", NAMES)
    assert not names_winner("It was a draw. Ada was good.", "Ada", NAMES)


def test_who_is_called_the_winner_instead_is_told() -> None:
    assert otherwise("Bob won this debate.", "Ada", NAMES) == "Bob"
    assert otherwise("A fine evening. It was a draw.", "Ada", NAMES) == TIE
    assert otherwise("Ada won.", None, NAMES) == "Ada"
    assert otherwise("It was a tie.", None, NAMES) is None
    assert otherwise("Ada won.", "Ada", NAMES) is None
    assert otherwise("Ada won the opening; Bob won the debate.", "Ada", NAMES) == "Bob"


@given(st.text(st.sampled_from("Ada Bob won not tie. ;\n*is the winner"), max_size=300))
def test_it_is_total(text: str) -> None:
    assert chosen(text, NAMES) in (None, *NAMES)
    assert claimed(text, NAMES) <= {*NAMES, TIE}


FULL = ("Tobias Okonjo", "Rashida Blom")


def test_a_name_in_short_is_that_name() -> None:
    assert chosen("Tobias", FULL) == chosen("Okonjo.", FULL) == "Tobias Okonjo"
    assert chosen("Not Tobias.", FULL) is None
    assert chosen("Tobias or Rashida", FULL) is None
    assert claimed("Rashida wins.", FULL) == {"Rashida Blom"}
    assert otherwise("Rashida made it and wins this debate. Rashida won.", FULL[0], FULL) == FULL[1]
    assert meant("rashida", FULL) == "Rashida Blom"
    assert meant("Rashida and Tobias", FULL) is None
    assert meant("", FULL) is None


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("Tobias Reed", "Tobias Blom"), "Tobias"),
        (("The Optimist", "The Realist"), "The"),
        (("Will Reed", "Ada"), "Will"),
        (("Victor Reed", "Ada"), "Victor"),
        (("Ada B", "Cy"), "B"),
        (("Judge Reed", "Cy"), "Judge"),
    ],
)
def test_a_word_that_may_mean_something_else_is_no_name(names: tuple[str, ...], text: str) -> None:
    assert chosen(text, names) is None


@pytest.mark.parametrize(
    ("text", "is_upheld"),
    [
        ("The premise is upheld.", True),
        ("I therefore find that the premise stands.", True),
        ("The premise is therefore rejected.", False),
        ("I reject the premise.", False),
        ("The premise is not upheld.", None),
        ("Some say the premise is upheld, some that the premise fails.", None),
        ("A fine debate.", None),
    ],
)
def test_what_is_said_of_the_premise(text: str, is_upheld: bool | None) -> None:
    assert upholds(text) is is_upheld
