"""How words are found: what a query means, what counts as a word, and what a snippet shows."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st

from moot.protocol.searching import (
    MOST_TERMS,
    SNIPPET,
    Term,
    found,
    indexed,
    read_query,
    snippet,
    words_of,
)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Mono  TRAM mono", [("mono",), ("tram",)]),
        ("don't a_b", [("don", "t"), ("a", "b")]),
        ("数学", [("数", "学")]),
        ("a* AND NOT -b", [("a",), ("and",), ("not",), ("b",)]),
        ('?! "" “”', []),
        ('never "closed', [("never",), ("closed",)]),
    ],
)
def test_a_query_is_nothing_but_words(query: str, terms: list[tuple[str, ...]]) -> None:
    assert read_query(query) == tuple(Term(words) for words in terms)


@pytest.mark.parametrize("query", ['"One two"', "“One two”", "«one two»", "„one, two“"])
def test_quotes_mean_a_phrase(query: str) -> None:
    assert read_query(query) == (Term(("one", "two"), False),)


def test_a_long_query_is_cut() -> None:
    assert len(read_query(" ".join(f"w{n}" for n in range(5000)))) == MOST_TERMS


@given(st.text())
@example("\u13a0")  # Cherokee: folding its case makes it upper case
def test_words_are_the_same_for_every_index(text: str) -> None:
    # As SQLite's tokenizer does it, which folds ASCII and nothing else.
    folded = re.sub("[A-Z]", lambda found: found[0].lower(), indexed(text))
    tokens = re.findall(r"[a-z0-9\x80-\U0010ffff]+", folded)
    assert tokens == words_of(text)


@given(st.text(), st.text())
def test_a_snippet_has_marks_exactly_where_something_was_found(text: str, query: str) -> None:
    wanted = read_query(query)
    pieces = snippet(text, wanted)
    assert any(piece.is_match for piece in pieces) or not found([text], wanted)
    assert all(piece.text for piece in pieces)


def test_a_snippet_shows_what_stands_around_the_first_match() -> None:
    text = "Before. " * 40 + "The naïve\n Straße wins. " + "After. " * 40
    pieces = snippet(text, read_query("naive strass"))
    whole = "".join(piece.text for piece in pieces)
    assert [piece.text for piece in pieces if piece.is_match] == ["naïve", "Straße"]
    assert whole.startswith("…Before.")
    assert "The naïve Straße wins. After." in whole
    assert whole.endswith("After…")
    assert len(whole) <= SNIPPET + 2


def test_markup_in_a_text_stays_text() -> None:
    pieces = snippet("<mark>tram</mark>", read_query("tram"))
    assert [piece.text for piece in pieces] == ["<mark>", "tram", "</mark>"]
