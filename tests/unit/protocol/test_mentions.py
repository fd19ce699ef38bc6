"""Who is called by `@`: seed 002, "@ Mention System", as DESIGN section 9 settles it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from moot.protocol.formats.room.mentions import MOST_LOOKED_AT, mentioned, without_code

NAMES = {
    "alice": "Alice",
    "bob": "Bob",
    "charlie": "Charlie",
    "mary": "Mary",
    "mary_jane": "Mary Jane",
    "jean_luc": "Jean-Luc",
    "o_brien": "O'Brien",
    "jose": "José",
    "charlotte": "Charlotte",
}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("@Charlie what do you think?", ["charlie"]),
        ("what do you think, @charlie?", ["charlie"]),
        ("@CHARLIE", ["charlie"]),
        ("(@Bob) says", ["bob"]),
        ('"@Bob"', ["bob"]),
        ("hi,@Bob", ["bob"]),
        ("one\n@Bob", ["bob"]),
        ("@Bob's idea", ["bob"]),
        ("**@Bob**", ["bob"]),
        ("@Bob.", ["bob"]),
        # several, in the order of the floor, each once
        ("@Charlie and @Alice, and @charlie", ["alice", "charlie"]),
        # partial: the first name that begins so
        ("@Char", ["charlie"]),
        ("@charlo", ["charlotte"]),
        ("@c", ["charlie"]),
        ("@mary-j", ["mary_jane"]),
        ("@Bob-yes", ["bob"]),
        # exact before partial, the longest name wins
        ("@Mary what?", ["mary"]),
        ("@Mary Jane what?", ["mary_jane"]),
        ("@maryjane", ["mary_jane"]),
        ("@Mary-Jane", ["mary_jane"]),
        ("@mary_jane", ["mary_jane"]),
        ("@MARY  JANE", ["mary_jane"]),
        ("@Mary, Jane says", ["mary"]),
        ("@Jean Luc", ["jean_luc"]),
        ("@jeanluc", ["jean_luc"]),
        ("@Jean-Luc", ["jean_luc"]),
        ("@OBrien", ["o_brien"]),
        ("@O'Brien", ["o_brien"]),
        ("@jose\u0301", ["jose"]),
        ("@José", ["jose"]),
    ],
)
def test_it_calls(text: str, called: list[str]) -> None:
    assert list(mentioned(text, NAMES)) == called


@pytest.mark.parametrize(
    "text",
    [
        "Charlie, what do you think?",
        "write to bob@example.org or charlie.x@bob.org",
        "a.b@Bob",
        "https://example.org/@bob",
        "?to=@Bob",
        "@Bobby",
        "@ Bob",
        "@@Bob",
        "@",
        "@!",
        "`@Bob`",
        "``a ` @Bob``",
        "```\n@Bob\n```",
        "```py\n@Bob\n``` \n",
        "~~~\n@Bob\n~~~",
        "```\n@Bob, to the end",
        "@User @Everyone @here",
        "\\@Bob",
    ],
)
def test_it_calls_nobody(text: str) -> None:
    assert mentioned(text, NAMES) == ()


def test_it_sees_what_stands_beside_code() -> None:
    assert mentioned("`@Bob` but @Alice", NAMES) == ("alice",)
    assert mentioned("```\n@Bob\n```\n@Alice", NAMES) == ("alice",)
    assert mentioned("a ` tick and @Alice", NAMES) == ("alice",)
    assert mentioned("~~~\n``` @Bob\n```\n~~~\n@Alice", NAMES) == ("alice",)


def test_it_looks_at_a_bounded_number() -> None:
    names = {f"m{n}": f"Member {n}" for n in range(50)}
    assert mentioned("@Everyone " * 10_000, names) == ()
    assert mentioned("@Nobody " * MOST_LOOKED_AT + "@Member 1", names) == ()


@given(st.text(alphabet="@`~ \nBobMaryJn-_.", max_size=200))
def test_it_knows_only_names_and_never_loops(text: str) -> None:
    called = mentioned(text, NAMES)
    assert set(called) <= set(NAMES)
    assert len(set(called)) == len(called)
    assert len(without_code(text)) <= len(text) + text.count("\n") + 1


def test_it_is_linear_in_ticks() -> None:
    began = time.process_time()
    without_code("".join("`" * (n % 300 + 1) + "x" for n in range(5_000)))
    assert time.process_time() - began < 5
