"""What models wrote, in exported documents."""

from __future__ import annotations

import html
import time

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from tests.markdown_cases import CASES, HOSTILE, normal

from moot.export.markdown import LONGEST, said
from moot.export.tags import prose

LINES_OF_OURS = 20_000


@pytest.mark.parametrize("source", CASES)
def test_html_is_as_on_the_page(source: str) -> None:
    assert normal(prose(source)) == CASES[source]


@pytest.mark.parametrize("source", CASES)
def test_markdown_means_the_same_again(source: str) -> None:
    """What is written can be read by another program, and says the same."""
    quote = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    shown = quote.render(said(source))
    for letters in ("<script", "<img", "<b>", 'javascript:alert(1)"', "<!--"):
        assert letters not in shown
    again = prose(html.unescape(_unquoted(said(source))))
    assert normal(again) in (CASES[source], _bold(CASES[source]))


def _unquoted(text: str) -> str:
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in text.split("\n"))


def _bold(made: str) -> str:
    """Headings are bold lines there."""
    return made.replace("<h>", "<p><strong>").replace("</h>", "</strong></p>")


def test_control_characters_are_dropped() -> None:
    assert normal(prose("a\x00b\x1b[31m\x9b\ud800")) == "<p>ab[31m</p>"


def test_nothing_is_said_to_be_nothing() -> None:
    assert "(nothing)" in prose(" \n ")
    assert said("") == "> (nothing)"


def test_nesting_ends_somewhere() -> None:
    for source in (">" * 5000 + " deep", "- " * 3000 + "x", "**a " * 3000, "[" * 5000 + "x"):
        assert prose(source)
        assert said(source)


def test_what_is_too_long_is_shown_as_it_is() -> None:
    source = "**a** <b>\n" * LINES_OF_OURS
    assert len(source) > LONGEST
    assert prose(source).startswith("<pre><code>**a** &lt;b&gt;\n")
    assert said(source).startswith("> ```\n> **a** <b>\n")


@pytest.mark.parametrize("unit", HOSTILE)
def test_it_takes_time_in_proportion_to_the_text(unit: str) -> None:
    source = unit * (LONGEST // 4 // len(unit))
    began = time.process_time()
    prose(source)
    assert time.process_time() - began < 4, "quadratic reading would take much longer"


@given(st.text(alphabet="ab *_`[]()>#-1.!\\|~\n", max_size=200))
def test_no_letter_is_lost(source: str) -> None:
    letters = sum(source.count(letter) for letter in "ab")
    shown = normal(prose(source))
    for name in ("blockquote", "table", "tbody", "thead", "br", "nothing"):
        shown = shown.replace(f"<{name}>", "").replace(f"</{name}>", "").replace(f"({name})", "")
    # What is not shown is the language after a fence, and a cell beyond the last column.
    assert sum(shown.count(letter) for letter in "ab") == letters or any(
        mark in source for mark in ("```", "~~~", "|")
    )
