"""Reads the Dockerfile, the compose file and the systemd units, for the tests beside it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from ruamel.yaml import YAML

from moot.cli.app import cli
from moot.models.providers import PROVIDERS
from moot.settings import VARIABLES, MootSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "run-it-for-real.md").read_text(encoding="utf-8")
KNOWN = {
    *VARIABLES.values(),
    *("MOOT_MODEL", "MOOT_MODEL_DEBATER", "MOOT_MODEL_JUDGE"),
    *(name for row in PROVIDERS.values() for name in (*row.key_variables, row.url_variable)),
}
"""Every variable that Moot reads."""
GRACE_S = next(
    one.default for one in msgspec.structs.fields(MootSettings) if one.name == "grace_seconds"
)
"""How long calls get to finish if nobody says otherwise."""


def parsed(command: list[str]) -> click.Context:
    """A command line of ours as click understands it; raises UsageError where it does not."""
    program, name, *arguments = command
    assert Path(program).name == "moot"
    # As a user would come to it: click keeps the help option of a command's first context.
    parent = click.Context(cli, info_name="moot", **cli.context_settings)
    found = cli.get_command(parent, name)
    assert found is not None, f"there is no command {name}"
    return found.make_context(name, arguments, parent=parent)


# --- Dockerfile ---------------------------------------------------------------------------------


def instructions() -> Iterator[tuple[str, str]]:
    """Each instruction of the Dockerfile and the rest of its line, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        yield word, " ".join(rest.split())


def all_of(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


def copied() -> list[str]:
    """What the Dockerfile takes from the repository."""
    own = [shlex.split(rest) for rest in all_of("COPY") if not rest.startswith("--from")]
    return [source for words in own for source in words[:-1]]


def listed(rest: str) -> list[str]:
    """The JSON list at the end of a CMD or HEALTHCHECK."""
    found: list[str] = json.loads(rest[rest.index("[") :])
    return found


# --- compose.yaml -------------------------------------------------------------------------------

_VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")


class Unset(Exception):
    """A variable that must be set is not; compose stops with its message."""


def compose(environment: Mapping[str, str]) -> dict[str, Any]:
    """The compose file as compose reads it, with anchors resolved and variables filled in."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")

    def fill(match: re.Match[str]) -> str:
        name, how, more = match[1], match[2], match[3]
        if not environment.get(name) and how != "-":
            raise Unset(f"{name}: {more}")
        return environment.get(name) or more

    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found: dict[str, Any] = YAML(typ="safe").load(_VARIABLE.sub(fill, code))
    return found


# --- units --------------------------------------------------------------------------------------

UNITS = sorted((ROOT / "deploy").glob("*.service"))


def settings_of(unit: Path) -> dict[str, str]:
    """Each setting of a unit; none of ours has the same one twice."""
    lines = unit.read_text(encoding="utf-8").splitlines()
    rows = [line.partition("=") for line in lines if "=" in line and not line.startswith("#")]
    found = {name: text for name, _, text in rows}
    assert len(found) == len(rows)
    return found
