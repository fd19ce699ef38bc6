"""The first sentence of a long text, in one plain line."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from moot.protocol.extracts import LONGEST, cut, first_sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. Then it did not.", "It rained."),
        ("## Summary\n\nBoth **agree** on `x`. Then more.", "Both agree on x."),
        ("**Summary:**\nIt rained\nall day. So be it.", "It rained all day."),
        ("# Move to Postgres\n", "Move to Postgres"),
        ("- First, do *this*.\n- Then that.", "First, do this."),
        ("1. Use SQLite\n2. Be happy", "Use SQLite"),
        ("> Quoted. And more", "Quoted."),
        ("---\n\n***Bold*** start, 2 * 3 = 6! Yes.", "Bold start, 2 * 3 = 6!"),
        (
            "Dr. Who met J. R. Smith at 5 p.m. today. Next.",
            "Dr. Who met J. R. Smith at 5 p.m. today.",
        ),
        ("It costs $3.5 a day, e.g. in spring. Yes.", "It costs $3.5 a day, e.g. in spring."),
        ('They said "no." Then they left.', 'They said "no."'),
        ("See [the docs](http://x.y/z) first? Yes.", "See the docs first?"),
        ("snake_case stays", "snake_case stays"),
        ("```python\nx = 1\n```\nThat is all.", "That is all."),
        ("日本語です。次。", "日本語です。"),
        ("```\nonly code", ""),
        ("", ""),
    ],
)
def test_it_is_the_first_sentence_without_markdown(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


def test_it_is_cut_at_a_word() -> None:
    assert cut("a long way home", 15) == "a long way home"
    assert cut("a long way home", 12) == "a long way…"
    assert cut("a long way home", 11) == "a long way…"
    assert cut("a long, long way", 9) == "a long…"
    assert cut("x" * 20, 10) == "x" * 9 + "…"
    assert len(first_sentence("word " * 100)) <= LONGEST


@given(st.text() | st.text(st.sampled_from('a B.!?*_`#->1 \n[]()"')))
def test_any_text_gives_one_short_line(text: str) -> None:
    found = first_sentence(text)
    assert len(found) <= LONGEST
    assert len(found.splitlines()) <= 1
