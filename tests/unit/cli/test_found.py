"""What `moot search` shows: the debates, and where the words are, at every width."""

from __future__ import annotations

import pytest
from tests.unit.cli.test_listing import row

from moot.cli.view.found import print_found
from moot.engine.searching import FoundDebate, Hit, SearchPage
from moot.protocol.row import Seat
from moot.protocol.searching import read_query, snippet
from moot.protocol.words import Role

SAID = "The monorail costs more than the tram, and \x1b[31mnobody has\nridden one twice."
ADA = Seat(id="ada", name="Ada", role=Role.DEBATER)


def page() -> SearchPage:
    wanted = read_query("mono twice")
    hits = (
        Hit(kind="topic", snippet=snippet("Mono or stereo?", wanted)),
        Hit(turn=4, participant="ada", kind="speak", snippet=snippet(SAID, wanted)),
        Hit(kind="outcome", snippet=snippet("Twice.", wanted)),
    )
    found = row(topic="Mono or stereo?", cast=(ADA,))
    return SearchPage(items=(FoundDebate(row=found, hits=hits),), next="more")


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_found(page(), "mono twice")
    return capsys.readouterr().out.splitlines()


def test_a_pipe_has_a_line_for_each_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert lines(capsys) == [
        "k3f2abcd  completed  Mono or stereo?",
        "  Ada: The monorail costs more than the tram, and nobody has ridden one twice.",
        "  outcome: Twice.",
        "there are more: use --limit, --status or --format",
    ]


def test_a_narrow_terminal_has_all_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "38")
    found = lines(capsys)
    assert max(map(len, found[:-1])) <= 38
    assert "ridden one twice." in " ".join(" ".join(found).split())


def test_it_says_what_was_not_found(capsys: pytest.CaptureFixture[str]) -> None:
    print_found(SearchPage(items=()), "a\x1b[2J tram")
    assert capsys.readouterr().out == "nothing found for: a tram\n"
