"""`moot completion`: scripts with which bash, zsh and fish complete what is typed after `moot`.

Also a quick look at what could be typed: ids, names of personas and models, shipped files.
While completing, nothing is written but completions: no errors, whatever is broken. Somebody waits
with a finger on Tab, so the database is only read, no file is checked, and nothing is asked over
the network. What is offered here is never relied on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, redirect_stderr, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

if TYPE_CHECKING:
    from pathlib import Path

    from moot.settings import MootSettings

VARIABLE = "_MOOT_COMPLETE"
"""The scripts set it to ask for completions instead of running a command."""

# Click's own script is not enough: models have colons in their names, at which bash begins a new
# word; debates are given by name or as files; and a persona's name has spaces.
_BASH = """\
%(complete_func)s() {
    local response type value has_files=
    response=$(env COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" \\
        COMP_WORDBREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1" 2>/dev/null)
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value") ;;
            file|dir) has_files=1 ;;
        esac
    done <<< "$response"
    if [[ -n $has_files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do
            COMPREPLY+=("$value")
        done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s 2>/dev/null ||
    complete -F %(complete_func)s %(prog_name)s
"""

# Click's own script is not enough: what is offered may have commas in it.
_FISH = """\
function %(complete_func)s;
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \\
COMP_CWORD=(commandline -t) %(prog_name)s 2>/dev/null);

    for completion in $response;
        set -l metadata (string split -m 1 "," $completion);

        if test $metadata[1] = "dir";
            __fish_complete_directories $metadata[2];
        else if test $metadata[1] = "file";
            __fish_complete_path $metadata[2];
        else if test $metadata[1] = "plain";
            echo $metadata[2];
        end;
    end;
end;

complete --no-files --command %(prog_name)s --arguments \
"(%(complete_func)s)";
"""


_SPECIAL = re.compile(r"([^\w@%+=:,./-])")
_ESCAPED = r"\\\1"
"""A shell takes all other characters as they are."""

MOST_IDS = 200
LONGEST_HELP = 60
_SQLITE = "sqlite:///"
_FIELD = re.compile(r"""^\s*(?:-\s+)?(name|title):\s*["']?([^"'\n#]+?)["']?\s*$""", re.MULTILINE)
_HEAD = re.compile(r"^(name|about):\s*(.+?)\s*(?:\s#.*)?$", re.MULTILINE)

Offer = tuple[str, str]
"""What could be typed, and what it is, in a few words."""


class Bash(BashComplete):
    source_template = _BASH
    _typed = ""

    def source(self) -> str:
        return ShellComplete.source(self)  # older versions of bash are fine with our script

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words of the line as typed: bash would split the name of a model into three."""
        line = os.environ["COMP_LINE"].encode()[: int(os.environ["COMP_POINT"])].decode()
        words = split_arg_string(line)
        self._typed = words.pop() if words and not line[-1:].isspace() else ""
        return words[1:], self._typed

    def format_completion(self, item: CompletionItem) -> str:
        breaks = re.escape("".join(set(os.environ.get("COMP_WORDBREAKS", "")) & {":", "="}))
        typed = self._typed
        if typed.startswith("-"):  # of --model=NAME, only what follows the first = is completed
            typed = typed.partition("=")[2]
        known = re.match(f".*[{breaks}]", typed) if breaks else None
        rest = item.value[known.end() if known else 0 :]
        return f"{item.type},{_SPECIAL.sub(_ESCAPED, rest)}"


class Fish(FishComplete):
    source_template = _FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": ZshComplete, "fish": Fish}


def answer(cli: click.Command, instruction: str) -> None:
    """Print what could be typed next, and nothing else."""
    shell = SHELLS.get(instruction.removesuffix("_complete"))
    with (
        open(os.devnull, "w") as nowhere,  # noqa: PTH123 - for this moment
        redirect_stderr(nowhere),
        suppress(Exception, SystemExit),
    ):
        if shell is not None:
            click.echo(shell(cli, {}, "moot", VARIABLE).complete())


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for completion with Tab.

    Completes commands, options, ids of debates, formats, personas, teams, models and files. Ids
    are completed for the embedded database only, not for Postgres.

    \b
    To have it in every new shell, add a line to a file of yours:
      bash   ~/.bashrc                    eval "$(moot completion bash)"
      zsh    ~/.zshrc, after compinit     eval "$(moot completion zsh)"
      fish   ~/.config/fish/config.fish   moot completion fish | source

    \b
    Examples:
      eval "$(moot completion bash)"
      moot completion fish > ~/.config/fish/completions/moot.fish
    """
    click.echo(SHELLS[shell](ctx.find_root().command, {}, "moot", VARIABLE).source(), nl=False)


def debates(settings: MootSettings, begun: str) -> list[Offer]:
    """The ids that begin with `begun`, newest first, with title or topic. Postgres is not asked."""
    import sqlite3

    path = _database(settings)
    if path is None or not path.is_file():
        return []
    # Read only: a look must not create a file, nor wait for whoever is writing.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.2)) as database:
        rows = database.execute(
            "SELECT id, status, COALESCE(NULLIF(title, ''), topic) FROM debates "
            "WHERE substr(id, 1, ?) = ? ORDER BY created_at DESC LIMIT ?",
            (len(begun), begun, MOST_IDS),
        ).fetchall()
    return [(debate_id, _brief(f"{status}: {name}")) for debate_id, status, name in rows]


def _database(settings: MootSettings) -> Path | None:
    from pathlib import Path

    url = settings.database_url
    if not url:
        return settings.database_path
    return Path(url.removeprefix(_SQLITE)).absolute() if url.startswith(_SQLITE) else None


def personas(folder: Path) -> Iterator[Offer]:
    """Names and titles, the user's own first, those of the shipped debates last."""
    own = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    shipped = (*_texts("personas").values(), *_texts("debates").values())
    for written in (*(file.read_text(encoding="utf-8") for file in own), *shipped):
        name = ""
        for field, text in _FIELD.findall(written):
            if field == "name":
                name = text
                yield name, ""
            elif name:
                yield text.lower(), name


def panels(folder: Path) -> Iterator[Offer]:
    """Names, the user's own first, with what they are good for."""
    own = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    for text in (*(file.read_text(encoding="utf-8") for file in own), *_texts("panels").values()):
        found = dict(reversed(_HEAD.findall(text)))
        if "name" in found:
            yield found["name"].strip("\"'"), _brief(found.get("about", "").strip("\"'"))


def shipped_debates() -> Iterator[Offer]:
    for name, text in _texts("debates").items():
        found = re.search(r"^topic:\s*(.+)$", text, re.MULTILINE)
        yield name, _brief(found[1].strip("\"' ")) if found else ""


def teams() -> Iterator[Offer]:
    text = (_data() / "teams.yaml").read_text(encoding="utf-8")
    for name in re.findall(r"^\s*-\s+name:\s*(\S+)", text, re.MULTILINE):
        yield name, ""


def samples() -> list[Offer]:
    found = (file.name for file in _data("samples").iterdir())
    return [(name.removesuffix(".jsonl"), "") for name in sorted(found) if name.endswith(".jsonl")]


def providers(settings: MootSettings) -> list[Offer]:
    from moot.models.providers import with_custom

    rows = with_custom(settings.providers).values()
    return [(row.name, row.key_variables[0]) for row in rows if row.key_variables]


def models(settings: MootSettings) -> Iterator[Offer]:
    """The user's defaults, and models of every provider that takes no key or whose key is known;
    local servers are not asked which models they have."""
    from moot.models.providers import with_custom
    from moot.settings import environment, read_configuration

    kept, variables = read_configuration(settings.config_path), environment()
    yield from ((one, "your default") for one in dict.fromkeys((kept.model, kept.judge)) if one)
    served = _served()
    for name, row in with_custom(settings.providers).items():
        has_key = any(one in kept.keys or variables.get(one) for one in row.key_variables)
        if row.key_variables and not has_key:
            continue
        for model in dict.fromkeys((row.default_model, *served.get(name, ()))):
            yield f"{name}:{model}", ""


@cache
def _served() -> Mapping[str, list[str]]:
    import tomllib

    table: dict[str, Any] = tomllib.loads((_data() / "models.toml").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for row in table["models"]:
        if "retires" not in row:
            found.setdefault(row["provider"], []).append(row["model"])
    return found


def _texts(folder: str) -> dict[str, str]:
    found = sorted(_data(folder).iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".yaml"): file.read_text(encoding="utf-8")
        for file in found
        if file.name.endswith(".yaml")
    }


def _data(folder: str = "") -> Any:
    from importlib.resources import files

    place = files("moot") / "data"
    return place / folder if folder else place


def _brief(text: str) -> str:
    """One line, without anything that a terminal would obey."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return plain if len(plain) <= LONGEST_HELP else plain[: LONGEST_HELP - 1] + "…"
