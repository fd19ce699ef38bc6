"""`moot formats check`: what can be proven of formats, for whoever writes one."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.protocol import registry
from moot.protocol.registry import FORMATS


def check(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["formats", "check", *arguments])


def test_checks_every_format() -> None:
    done = check("--json")
    assert done.exit_code == 0, done.output
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["format"] for one in findings} == set(FORMATS)
    assert all(one["ok"] and one["what"] and one["detail"] for one in findings)


def test_checks_one_format() -> None:
    done = check("duel")
    assert done.exit_code == 0
    assert "duel" in done.stdout
    assert "council" not in done.stdout


def test_knows_no_other_format() -> None:
    done = check("duell")
    assert done.exit_code == 7
    assert "did you mean duel?" in done.stderr


def test_exits_with_1_if_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(type(FORMATS["duel"])):  # type: ignore[misc]  # whatever class a duel has
        stages = (
            *FORMATS["duel"].stages,
            msgspec.structs.replace(FORMATS["duel"].stages[0], name="lost"),
        )

    monkeypatch.setattr(registry, "FORMATS", {"duel": Broken()})
    done = check()
    assert done.exit_code == 1
    assert "WRONG" in done.stdout
    assert "lost cannot be reached" in " ".join(done.stdout.split())


@pytest.mark.parametrize("columns", [38, 80])
@pytest.mark.parametrize("name", FORMATS)
def test_the_page_of_a_format_reads_well_in_any_width(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = CliRunner().invoke(cli, ["formats", "show", name])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    settings = lines[next(n for n, line in enumerate(lines) if line.startswith("settings:")) :]
    described = [line for line in settings if line.startswith("    ")]
    assert sum(len(line.split()) for line in described) > 2.5 * len(described)


def test_lists_are_shown_in_words() -> None:
    done = CliRunner().invoke(cli, ["formats", "show", "poll"])
    assert "choices = none · a list of texts, at most 20" in done.stdout
