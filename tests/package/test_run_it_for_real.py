"""docs/how-to/run-it-for-real.md: commands, variables and extras are those that there are.

Its SQL is run in `test_containers`, on a database that workers have used.
"""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest
from tests.package.deployed import KNOWN, PAGE, ROOT, parsed

BLOCKS = re.findall(r"^```(?:sh|console)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    words
    for block in BLOCKS
    for line in block.splitlines()
    if (words := re.sub(r"^(\$ |\w+=\S*(\([^)]*\))? )*", "", line)).startswith("moot ")
]
AT_HOME = {"MOOT_DB_PASSWORD", "MOOT_PROJECT_URL"}
"""Read by the compose file and by the build."""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one_of_ours(command: str) -> None:
    parsed(shlex.split(command, comments=True))


def test_there_are_commands_to_look_at() -> None:
    assert {one.split()[1] for one in COMMANDS} == {"serve", "worker", "doctor"}


def test_every_variable_is_read_by_somebody() -> None:
    named = set(re.findall(r"\bMOOT_[A-Z_]+\b", PAGE))
    assert len(named) > 8
    assert named <= KNOWN | AT_HOME


def test_every_extra_is_in_the_table_with_its_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(pip install [^|]+)` \|$", PAGE, re.MULTILINE)
    assert {name for name, _ in rows} == set(project["optional-dependencies"])
    for name, command in rows:
        assert command.startswith(f"pip install 'moot[{name}]'")


def test_it_refers_to_the_files_instead_of_copying_them() -> None:
    for name in ("deploy/moot.service", "deploy/moot-worker@.service", "compose.yaml"):
        assert f"](../../{name})" in PAGE
    assert "[Unit]" not in PAGE
    assert "services:" not in PAGE
