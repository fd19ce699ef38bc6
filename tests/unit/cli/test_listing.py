"""What `moot list` shows of each debate, and `moot search` of those it has found."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from moot.cli.view.console import brief
from moot.cli.view.debate import list_debates, print_found
from moot.cli.view.json_lines import whole
from moot.engine.reads import FoundDebate, Hit, SearchPage
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.row import Cursor, DebateRow, Seat
from moot.protocol.searching import read_query, snippet
from moot.protocol.words import Role, Status

WON = Verdict(
    status=OutcomeStatus.DECIDED,
    winner="Ada",
    scores={"Bo": 6, "Ada": 8},
    confirmed_winner="Ada",
)

SAID = "The monorail costs more than the tram, and \x1b[31mnobody has\nridden one twice."
ADA = Seat(id="ada", name="Ada", role=Role.DEBATER)


def row(**more: Any) -> DebateRow:
    now = datetime.now(UTC)
    given: dict[str, Any] = {"topic": "Cats or dogs?", "status": Status.COMPLETED, **more}
    return DebateRow(
        id="k3f2abcdxyz",
        format="duel",
        seq=9,
        cursor=Cursor(),
        statements=6,
        created_at=now,
        updated_at=now,
        **given,
    )


def test_answers_and_thoughts_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    thoughtful = row(output_tokens=12_650, thought_tokens=12_340)
    list_debates([thoughtful, row(output_tokens=77)], has_more=False)
    titles, first, second = (line.split() for line in capsys.readouterr().out.splitlines())
    assert titles == ["id", "status", "format", "said", "tokens", "thoughts", "created", "topic"]
    assert first[:6] == ["k3f2abcd", "completed", "duel", "6", "310", "12.3k"]
    assert second[:6] == ["k3f2abcd", "completed", "duel", "6", "77", "0"]


def test_there_is_no_column_for_thoughts_that_nobody_had(
    capsys: pytest.CaptureFixture[str],
) -> None:
    list_debates([row(output_tokens=77)], has_more=False)
    titles, first = (line.split() for line in capsys.readouterr().out.splitlines())
    assert titles == ["id", "status", "format", "said", "tokens", "created", "topic"]
    assert first[4] == "77"


def listed(capsys: pytest.CaptureFixture[str], *rows: DebateRow) -> list[str]:
    list_debates(rows, has_more=False)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_what_came_of_it_stands_below_the_topic(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    titles, first, below, second = listed(capsys, row(outcome=WON), row(status=Status.RUNNING))
    column = titles.index("topic")
    assert first[column:] == "Cats or dogs?"
    assert below == " " * column + "Ada won, 8 to 6 · Confirmed"
    assert second.endswith("Cats or dogs?")


def test_a_wide_terminal_has_a_column_for_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    titles, first, second = listed(capsys, row(outcome=WON), row(status=Status.RUNNING))
    assert titles.split()[-2:] == ["topic", "outcome"]
    assert first[titles.index("outcome") :] == "Ada won, 8 to 6 · Confirmed"
    assert second.endswith("Cats or dogs?")
    titles, _ = listed(capsys, row(status=Status.RUNNING))
    assert titles.split()[-1] == "topic"


def test_a_narrow_terminal_has_no_figures_but_topic_and_outcome_in_full(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "38")
    lines = listed(capsys, row(outcome=WON, rematch_of="x", output_tokens=12_650))
    assert lines[0].split() == ["id", "status", "topic"]
    assert max(map(len, lines)) <= 38
    said = " ".join(" ".join(lines[1:]).split())
    assert said == "k3f2abcd completed Cats or dogs? rematch Ada won, 8 to 6 · Confirmed"


def test_forks_and_rematches_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    _, fork, rematch, plain = listed(capsys, row(forked_from="x"), row(rematch_of="y"), row())
    assert fork.endswith("Cats or dogs?  fork")
    assert rematch.endswith("Cats or dogs?  rematch")
    assert plain.endswith("Cats or dogs?")


def test_what_the_gist_says_is_not_said_twice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = listed(
        capsys,
        row(outcome=Verdict(status=OutcomeStatus.DECIDED, is_tie=True)),
        row(outcome=Verdict(status=OutcomeStatus.PASSED)),
        row(outcome=Verdict(status=OutcomeStatus.DECIDED, winner="Ada"), has_open_cards=True),
    )
    told = [line.strip() for line in lines[2::2]]
    assert told == ["A tie", "No verdict: the judge passed", "Ada won · Open cards"]


def test_names_that_a_terminal_would_obey_are_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # without a width, a debate is one line
    winner = Verdict(status=OutcomeStatus.DECIDED, winner="\x1b[31mAda\n\u202e")
    assert listed(capsys, row(outcome=winner))[-1].strip() == "Ada won"


def test_a_program_is_told_what_an_outcome_is() -> None:
    found = whole(row(outcome=WON))
    assert (found["outcome"]["type"], found["outcome"]["winner"]) == ("verdict", "Ada")
    assert (found["cast"], found["spoke_last"], found["rematch_of"]) == (None, "", "")


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (9_999, "9999"), (10_000, "10k"), (12_345, "12.3k"), (3_100_000, "3.1M")],
)
def test_a_figure_takes_little_room(number: int, shown: str) -> None:
    assert brief(number) == shown


def test_a_pipe_has_a_line_for_each_debate(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    topic = "Is this a long topic, which a terminal of eighty columns could not hold in a line?"
    list_debates([row(topic=topic, status=Status.COMPLETED, outcome=WON)], has_more=False)
    (line,) = capsys.readouterr().out.splitlines()[1:]
    assert topic in line
    assert "won" in line


def test_what_was_held_elsewhere_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    list_debates([row(origin="import/file")], has_more=False)
    assert "Cats or dogs?  imported" in capsys.readouterr().out
    list_debates([row(origin="import/sample")], has_more=False)
    assert "Cats or dogs?  sample" in capsys.readouterr().out
    list_debates([row(origin="import/sample", forked_from="k3f2")], has_more=False)
    assert "sample" not in capsys.readouterr().out


# --- found by a search ---------------------------------------------------------------------------


def found() -> SearchPage:
    wanted = read_query("mono twice")
    hits = (
        Hit(kind="topic", snippet=snippet("Mono or stereo?", wanted)),
        Hit(turn=4, participant="ada", kind="speak", snippet=snippet(SAID, wanted)),
        Hit(kind="outcome", snippet=snippet("Twice.", wanted)),
    )
    debate = row(topic="Mono or stereo?", cast=(ADA,))
    return SearchPage(items=(FoundDebate(row=debate, hits=hits),), next="more")


def found_lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_found(found(), "mono twice")
    return capsys.readouterr().out.splitlines()


def test_a_pipe_has_a_line_for_each_text_that_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert found_lines(capsys) == [
        "k3f2abcd  completed  Mono or stereo?",
        "  Ada: The monorail costs more than the tram, and nobody has ridden one twice.",
        "  outcome: Twice.",
        "there are more: use --limit, --status or --format",
    ]


def test_a_narrow_terminal_has_all_that_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "38")
    lines = found_lines(capsys)
    assert max(map(len, lines[:-1])) <= 38
    assert "ridden one twice." in " ".join(" ".join(lines).split())


def test_a_search_says_what_was_not_found(capsys: pytest.CaptureFixture[str]) -> None:
    print_found(SearchPage(items=()), "a\x1b[2J tram")
    assert capsys.readouterr().out == "nothing found for: a tram\n"
