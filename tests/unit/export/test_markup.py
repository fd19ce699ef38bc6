from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from moot.export.markup import (
    Break,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Link,
    Paragraph,
    Quote,
    Rule,
    Strong,
    Text,
    blocks,
)


def test_reads_the_markdown_models_write() -> None:
    source = (
        "# Point\n\nOne **bold** and *thin* and `code`\nnext line\n\n- a\n- b\n  more\n\n"
        "3. c\n4. d\n\n> quoted\n\n```py\nx = 1\n```\n---"
    )
    assert blocks(source) == (
        Heading((Text("Point"),)),
        Paragraph(
            (
                *(Text("One "), Strong((Text("bold"),)), Text(" and "), Emphasis((Text("thin"),))),
                *(Text(" and "), Code("code"), Break(), Text("next line")),
            )
        ),
        Bullets(((Text("a"),), (Text("b"), Break(), Text("more")))),
        Bullets(((Text("c"),), (Text("d"),)), 3),
        Quote((Paragraph((Text("quoted"),)),)),
        CodeBlock("x = 1"),
        Rule(),
    )


def test_takes_items_apart_by_blank_lines_for_one_list() -> None:
    assert blocks("1. a\n\n2. b") == (Bullets(((Text("a"),), (Text("b"),)), 1),)


@pytest.mark.parametrize(
    "url", ["https://x.org/a?b=c&d", "http://x", "mailto:a@b.org", "HTTPS://X"]
)
def test_links_to_the_web_and_to_mail(url: str) -> None:
    assert blocks(f"[x]({url})") == (Paragraph((Link((Text("x"),), url),)),)


@pytest.mark.parametrize(
    "source",
    [
        "[x](javascript:alert(1))",
        "[x](javascript:alert)",
        "[x](//evil.example)",
        "[x](data:text/html,x)",
        "[x](JaVaScRiPt:x)",
        '[x](http://a"onclick=x)',
        "![x](http://evil.example/x.png)",
        "[![x](http://evil/p.png)](http://evil)",
        "<a href=http://evil>x</a>",
        "snake_case_name and 2 * 3 * 4",
    ],
)
def test_leaves_everything_else_text(source: str) -> None:
    (paragraph,) = blocks(source)
    assert isinstance(paragraph, Paragraph)
    assert not any(isinstance(part, Link) for part in paragraph.parts[:1])
    assert "x" in str(paragraph) or "snake_case_name" in str(paragraph)


def test_drops_control_characters() -> None:
    assert blocks("a\x00b\x1b[31m\x9b") == (Paragraph((Text("ab[31m"),)),)


def test_stops_nesting_somewhere() -> None:
    assert blocks(">" * 5000 + " deep")
    assert blocks("**a " * 3000)
    assert blocks("*" * 20000)


@pytest.mark.parametrize(
    "unit", ["*a ", "**a ", "_a ", "`", "[a](", "![", "> ", "1. ", "\\", "``` "]
)
def test_takes_time_in_proportion_to_the_text(unit: str) -> None:
    began = time.process_time()
    blocks(unit * (100_000 // len(unit)))
    assert time.process_time() - began < 5, "quadratic reading would take minutes"


@given(st.text(alphabet="ab *_`[]()>#-1.!\\\n", max_size=200))
def test_loses_no_letter(source: str) -> None:
    letters = [char for char in source if char in "ab"]
    shown = [char for char in _words(blocks(source)) if char in "ab"]
    # The one word that is not shown is the language after a fence.
    assert shown == letters or "```" in source


def _words(tree: object) -> str:
    if isinstance(tree, (Text, Code, CodeBlock)):
        return tree.text
    if isinstance(tree, Link):
        return _words(tree.parts) + tree.url
    if isinstance(tree, tuple):
        return "".join(map(_words, tree))
    fields = getattr(tree, "__struct_fields__", ())
    return "".join(_words(getattr(tree, name)) for name in fields)
