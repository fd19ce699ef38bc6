"""Lines that a person types, at a terminal and from a pipe."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from moot.cli.lines import Interrupted, Prompt, Script, confirm, everything, open_lines, paragraph


@pytest.fixture
def person() -> Iterator[PipeInput]:
    """Somebody at a terminal: what is sent is typed."""
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        yield typed


async def test_a_paragraph_ends_with_an_empty_line(person: PipeInput) -> None:
    person.send_text("\rone\rtwö\r\rthree\r")
    assert await paragraph(Prompt()) == "one\ntwö"


async def test_a_paragraph_ends_with_ctrl_d(person: PipeInput) -> None:
    person.send_text("one\r\x04\x04")
    prompt = Prompt()
    assert await paragraph(prompt) == "one"
    assert await paragraph(prompt) is None


async def test_a_paragraph_may_be_empty_where_nothing_is_required(person: PipeInput) -> None:
    person.send_text("\r")
    assert await paragraph(Prompt(), may_be_empty=True) == ""


async def test_a_line_that_says_it_all_needs_no_end(person: PipeInput) -> None:
    person.send_text("/pass\r")
    assert await paragraph(Prompt(), is_whole=lambda text: text == "/pass") == "/pass"


async def test_what_is_pasted_stays_together(person: PipeInput) -> None:
    person.send_text("\x1b[200~one\n\ntwo\x1b[201~\r\r")
    assert await paragraph(Prompt()) == "one\n\ntwo"


async def test_everything_is_read_up_to_ctrl_d(person: PipeInput) -> None:
    person.send_text("one\r\rtwo\r\x04")
    assert await everything(Prompt()) == "one\n\ntwo"


async def test_ctrl_c_is_told_apart_from_the_end(person: PipeInput) -> None:
    person.send_text("half a li\x03")
    with pytest.raises(Interrupted):
        await Prompt().line()


@pytest.mark.parametrize(
    ("typed", "agrees"), [("y\r", True), ("NO\r", False), ("\r", False), ("hm\ryes\r", True)]
)
def test_a_person_agrees_or_does_not(person: PipeInput, typed: str, agrees: bool) -> None:
    person.send_text(typed)
    assert confirm("Really?") is agrees


def test_an_empty_line_means_the_usual(person: PipeInput) -> None:
    person.send_text("\r")
    assert confirm("Again?", is_usual=True)


def test_ctrl_c_and_ctrl_d_agree_to_nothing(person: PipeInput) -> None:
    for key in ("\x03", "\x04"):
        person.send_text(key)
        with pytest.raises(Interrupted):
            confirm("Really?", is_usual=True)


async def test_where_there_is_no_terminal_lines_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\n\nthree"))
    lines = open_lines()
    assert isinstance(lines, Script)
    assert [await lines.line() for _ in range(4)] == ["one", "", "three", None]
