"""`--set KEY=VALUE`: what is read from it, lists of texts included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup
from moot.cli.staging import list_settings, read_pairs
from moot.errors import InvalidInput
from moot.testing.scripted import ScriptedModels

COLORS = ("red", "light blue")


@pytest.mark.parametrize(
    ("pair", "read"),
    [
        ("turns=6", 6),
        ("premise=tea, milk", "tea, milk"),
        ("premise=[draft]", "[draft]"),
        ("choices=red,light blue", ["red", "light blue"]),
        ("choices= red , light blue ,", ["red", "light blue"]),
        ('choices=["red, dark", "1"]', ["red, dark", "1"]),
        ("choices=1,true", ["1", "true"]),
        ("choices=", []),
    ],
)
def test_a_value_is_what_the_setting_needs(pair: str, read: object) -> None:
    assert read_pairs([pair]) == {pair.partition("=")[0]: read}


@pytest.mark.parametrize("value", ["[red,blue]", "[1, 2]", '["red"', '["red"] x'])
def test_the_error_for_a_list_says_how_to_write_one(value: str) -> None:
    with pytest.raises(InvalidInput, match="write it as choices=red,blue or") as caught:
        read_pairs([f"choices={value}"])
    assert caught.value.field == "--set choices"


def test_a_control_character_in_a_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"U\+0007"):
        read_pairs(["choices=a\x07,b"])


def test_lists_are_known_by_name() -> None:
    assert list_settings() == {"answers", "bench", "choices"}


def typed(home: Path, *args: str, code: int = 0) -> Result:
    done = CliRunner().invoke(cli, args, obj=Setup(home=str(home), models=ScriptedModels()))
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("value", ["red,light blue", '["red", "light blue"]'])
@pytest.mark.parametrize("command", [("ask", "poll"), ("create", "--format", "poll")])
def test_every_command_takes_a_list(tmp_path: Path, command: tuple[str, ...], value: str) -> None:
    pairs = ("--set", "answer_type=choice", "--set", f"choices={value}")
    typed(tmp_path, *command, "Which one?", *pairs)
    [row] = typed(tmp_path, "list", "--json").stdout.splitlines()
    log = typed(tmp_path, "show", json.loads(row)["id"], "--json").stdout.splitlines()
    assert tuple(json.loads(log[0])["data"]["config"]["settings"]["choices"]) == COLORS


def test_too_few_choices_are_told(tmp_path: Path) -> None:
    pairs = ("--set", "answer_type=choice", "--set", "choices=red")
    done = typed(tmp_path, "ask", "poll", "Which one?", *pairs, code=ExitCode.USAGE)
    assert "choices" in done.stderr
