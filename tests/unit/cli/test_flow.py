"""Wrapping: it looks the same however the text arrives."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given, strategies as st
from rich.cells import cell_len

from moot.cli.view.console import Flow

TEXTS = st.text(alphabet=st.sampled_from("ab -\n語🙂x."), max_size=200)


def flowed(*pieces: str, width: int = 20, indent: str = "  ") -> str:
    out: list[str] = []
    flow = Flow(out.append, width=width, indent=indent)
    for piece in pieces:
        flow.feed(piece)
    flow.finish()
    assert flow.lines == "".join(out).count("\n")
    return "".join(out)


def test_wraps_at_words_and_indents_every_line() -> None:
    assert flowed("one two three four five six", width=12) == (
        "  one two\n  three four\n  five six\n"
    )


def test_keeps_line_ends_and_at_most_one_blank_line() -> None:
    assert flowed("a\nb\n\n\n\nc") == "  a\n  b\n\n  c\n"


def test_keeps_the_indentation_of_lists_and_drops_blanks_at_both_ends() -> None:
    assert flowed("\n\n  - a\n    - b  \n\n") == "  - a\n      - b\n"


def test_indents_every_line_of_what_is_indented() -> None:
    assert flowed("so:\n  one two three", width=12) == "  so:\n    one two\n    three\n"


def test_breaks_a_word_that_is_wider_than_the_line() -> None:
    assert flowed("x" * 25, width=12) == "  " + "x" * 10 + "\n  " + "x" * 10 + "\n  xxxxx\n"


def test_counts_cells_and_not_characters() -> None:
    assert flowed("語語語語語語", width=12) == "  語語語語語\n  語\n"


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8), st.integers(12, 40))
def test_looks_the_same_streamed_and_whole(text: str, cuts: list[int], width: int) -> None:
    at = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(at)]

    assert flowed(*pieces, width=width) == flowed(text, width=width)


@given(TEXTS, st.integers(12, 40))
def test_never_writes_beyond_the_width(text: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in flowed(text, width=width).split("\n"))


def test_a_word_without_end_is_not_looked_at_again_and_again() -> None:
    out: list[str] = []
    flow = Flow(out.append, width=80)
    started = time.process_time()
    for _ in range(3000):
        flow.feed("a" * 20)
    flow.finish()
    assert time.process_time() - started < 2
    assert "".join(out) == flowed("a" * 60_000, width=80, indent="")


def test_the_end_of_what_nobody_would_read_is_left_out_and_said_to_be() -> None:
    out: list[str] = []
    flow = Flow(out.append, width=80)
    for _ in range(3):
        flow.feed("word " * 10_000)
    flow.finish()
    assert "".join(out).count("word") == 20_000
    assert "[… 50,000 more characters; `moot export` has them all]" in " ".join(out).replace(
        "\n", " "
    )
