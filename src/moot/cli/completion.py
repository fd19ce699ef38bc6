"""`moot completion`: scripts with which bash, zsh and fish complete what is typed after `moot`.

While completing, nothing is written but completions: no errors, whatever is broken.
"""

from __future__ import annotations

import os
import re
from contextlib import redirect_stderr, suppress

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

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
