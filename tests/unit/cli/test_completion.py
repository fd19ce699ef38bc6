"""Completion: what is offered, quickly and silently, with a database or without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete
from click.testing import CliRunner

from moot.cli import completion
from moot.cli.app import COMMANDS, cli
from moot.cli.completion import SHELLS, VARIABLE, answer
from moot.cli.options import Setup
from moot.definitions import panels, personas, samples, shipped, teams
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible

HEAVY = ("rich", "asyncio", "sqlalchemy", "aiohttp", "pydantic")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("MOOT_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def offered(*words: str) -> list[CompletionItem]:
    *before, incomplete = words
    return ShellComplete(cli, {}, "moot", VARIABLE).get_completions(before, incomplete)


def values(*words: str) -> list[str]:
    return [one.value for one in offered(*words)]


def test_commands_and_their_options(home: Path) -> None:
    assert values("") == list(COMMANDS)
    assert values("re") == [name for name in COMMANDS if name.startswith("re")]
    assert values("run", "--dry") == ["--dry-run"]
    assert values("personas", "sh") == ["show"]
    assert offered("sho")[0].help == COMMANDS["show"][1]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("run", ""), "remote-work"),
        (("run", "x", "--format", ""), "council"),
        (("formats", "show", "du"), "duel"),
        (("run", "x", "--team", ""), "design"),
        (("run", "x", "--as", "j"), "judge"),
        (("run", "x", "--effort", "judge=h"), "judge=high"),
        (("run", "x", "--model", "local"), "local:smollm2"),
        (("run", "x", "--member-model", "ada=hu"), "ada=human"),
        (("room", "--with", "architect,sec"), "architect,security"),
        (("personas", "show", "may"), "Maya Lindqvist"),
        (("panels", "show", "red"), "red-team"),
        (("ask", "red"), "red-team"),
        (("ask", "clas"), "classic"),
        (("ask", "des"), "design"),
        (("list", "--door", "m"), "mcp"),
        (("export", "x", "--as", "dec"), "decision-record"),
        (("samples", "open", ""), "a-dog"),
        (("keys", "set", "open"), "openai"),
        (("list", "--status", "run"), "running"),
        (("completion", ""), "fish"),
    ],
)
def test_values_of_arguments_and_options(home: Path, words: tuple[str, ...], some: str) -> None:
    assert some in values(*words)
    assert not home.exists()


def test_a_debate_may_be_a_file_too(home: Path) -> None:
    assert offered("run", "remote")[-1].type == "file"
    assert offered("run", "x", "--output", "")[-1].type == "file"


def test_models_of_providers_whose_key_is_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values("run", "x", "--model", "openai:") == []
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert "openai:gpt-6-luna" in values("run", "x", "--model", "openai:")


def test_ids_with_what_they_are_about(home: Path) -> None:
    assert values("show", "") == []
    setup = Setup(models=ScriptedModels(ScriptedModel(sensible)))
    made = CliRunner().invoke(cli, ["create", "Cats\nor dogs?"], obj=setup).stdout.strip()

    (one,) = offered("show", made[:3])

    assert (one.value, one.help) == (made, "created: Cats or dogs?")
    assert values("show", "zzz") == []
    assert values("--home", str(home / "elsewhere"), "show", "") == []


def test_a_quick_look_finds_what_the_library_has(home: Path) -> None:
    """The files are not parsed for it, so this says when they are written otherwise."""
    found = dict(completion.personas(home))
    assert {one.name for one in personas.library(home)} <= set(found)
    assert [name for name, _ in completion.teams()] == [one.name for one in teams.teams()]
    abouts = [(name, about[:20]) for name, about in completion.panels(home)]
    known = [(one.name, one.about[:20]) for one in panels.library(home)]
    assert sorted(abouts) == sorted(known)
    assert [name for name, _ in completion.shipped_debates()] == list(shipped.names())
    assert {name for name, _ in completion.samples()} == {one.name for one in samples.shipped()}


@pytest.mark.parametrize("broken", [b"", b"no database at all", None])
def test_it_is_silent_whatever_is_broken(
    home: Path, broken: bytes | None, capfd: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    if broken is None:
        (home / "moot.db").mkdir()
    else:
        (home / "moot.db").write_bytes(broken)
    for words in ("moot show k", "moot nonsense --x", "moot run 'unfinished", "moot", ""):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COMP_LINE", words)
            patch.setenv("COMP_POINT", str(len(words)))
            answer(cli, "bash_complete")
    answer(cli, "tcsh_complete")
    answer(cli, "zsh_complete")  # without what the shell has to say
    out, err = capfd.readouterr()
    assert err == ""
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("moot run x --model local:smo", ["plain,smollm2"]),
        ("moot run x --model=local:smo", ["plain,smollm2"]),
        ("moot run x --member-model ada=local:smo", ["plain,smollm2"]),
        ("moot run x --model local", ["plain,local:smollm2"]),
        ("moot personas show Maya\\ Li", ["plain,Maya\\ Lindqvist"]),
        ("moot formats show due xyz", []),
    ],
)
def test_bash_begins_a_new_word_at_colons(
    home: Path, line: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_LINE", line)
    monkeypatch.setenv("COMP_POINT", str(len(line)))
    monkeypatch.setenv("COMP_WORDBREAKS", " \t\n\"'><=;|&(:")
    assert SHELLS["bash"](cli, {}, "moot", VARIABLE).complete().splitlines() == completed


def test_completing_a_command_imports_nothing_heavy(home: Path) -> None:
    code = (
        "import sys\nfrom moot.cli import main\ntry:\n    main()\nexcept SystemExit as error:\n"
        f"    print([name for name in {HEAVY!r} if name in sys.modules], error.code)\n"
    )
    line = "moot show k"
    asked = {VARIABLE: "bash_complete", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[] 0"
    assert done.stderr == ""


# --- the shells themselves ------------------------------------------------------------------------

TRY = """
eval "$(moot completion bash)"
COMP_LINE="$1"; COMP_POINT=${#1}; COMP_WORDS=($1); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_moot_completion moot
printf '%s\\n' "${COMPREPLY[@]}"
"""


def shell(tmp_path: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A shell that finds this very `moot`."""
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} here")
    script = tmp_path / "moot"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m moot "$@"\n')
    script.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [name, *arguments],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("moot form", "formats"),
        ("moot personas show may", "Maya\\ Lindqvist"),
        ("moot run remo", "remote-work"),
    ],
)
def test_bash_completes(home: Path, tmp_path: Path, line: str, some: str) -> None:
    done = shell(tmp_path, "bash", "--norc", "-c", TRY, "bash", line)
    assert some in done.stdout.splitlines()
    assert done.stderr == ""


def test_zsh_reads_the_script(home: Path, tmp_path: Path) -> None:
    load = (
        'autoload -Uz compinit; compinit -u -D; eval "$(moot completion zsh)"; print $_comps[moot]'
    )
    done = shell(tmp_path, "zsh", "-f", "-c", load)
    assert (done.stdout.strip(), done.stderr) == ("_moot_completion", "")


def test_fish_completes(home: Path, tmp_path: Path) -> None:
    ask = "moot completion fish | source; complete -C 'moot form'"
    done = shell(tmp_path, "fish", "--no-config", "-c", ask)
    assert done.stdout.splitlines() == [f"formats\t{COMMANDS['formats'][1]}"]
    assert done.stderr == ""


def test_the_help_says_where_the_scripts_go() -> None:
    done = CliRunner().invoke(cli, ["completion", "--help"])
    for place in ("~/.bashrc", "~/.zshrc", "~/.config/fish"):
        assert place in done.stdout


def test_another_shell_is_refused() -> None:
    done = CliRunner().invoke(cli, ["completion", "tcsh"])
    assert done.exit_code == click.UsageError.exit_code
    assert "bash" in done.stderr
