"""`moot keys`: providers' keys in the system's keyring. A key is never printed, and never given as
an argument: arguments end up in the shell's history and in lists of processes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.options import Setup, pass_setup
from moot.cli.telling import say

if TYPE_CHECKING:
    from moot.models.providers import Provider

WHERE: Mapping[tuple[bool, bool], str] = {
    (True, True): "the environment, which is used, and the keyring",
    (True, False): "the environment",
    (False, True): "the keyring",
}
"""Where a key is, by whether it is in the environment and whether it is in the keyring."""


@click.group(cls=Suggesting, invoke_without_command=True)
@click.pass_context
def keys(ctx: click.Context) -> None:
    """List your API keys, or keep one in the keyring.

    A key in the environment, such as OPENAI_API_KEY, takes precedence over one in the keyring. To
    use the keyring, install it first: pip install 'moot[keyring]'

    \b
    Examples:
      moot keys
      moot keys set openai
      moot keys delete openai
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_keys)


@keys.command("list")
@pass_setup
def list_keys(setup: Setup, /) -> None:
    """List which keys you have and where they are, but not the keys themselves.

    \b
    Examples:
      moot keys list
    """
    from moot.cli.view.console import print_table
    from moot.settings import environment, read_configuration

    kept = read_configuration(setup.settings().config_path).keys
    variables = {name: row.name for row in _providers(setup).values() for name in row.key_variables}
    rows = []
    for variable, provider in variables.items():
        places = (bool(environment().get(variable, "").strip()), variable in kept)
        if any(places):
            rows.append((provider, variable, WHERE[places]))
    if rows:
        print_table(("provider", "key", "is in"), rows)
    else:
        say("no keys yet; set a variable such as OPENAI_API_KEY, or: moot keys set openai")


@keys.command("set")
@click.argument("provider", shell_complete=complete.providers)
@pass_setup
def set_key(setup: Setup, /, provider: str) -> None:
    """Save a provider's key in the system's keyring.

    You are asked for the key, and it is not shown as you type it. If standard input is not a
    terminal, the key is read from there.

    \b
    Examples:
      moot keys set openai
      moot keys set openai < key.txt
    """
    from msgspec.structs import replace

    from moot.models.keys import SystemRing
    from moot.settings import environment, read_configuration, write_configuration

    variable = _variable(setup, provider)
    ring = SystemRing()
    ring.get(variable)  # a keyring that does not work is reported before anything is typed
    key = _asked(variable)
    path = setup.settings().config_path
    kept = read_configuration(path)
    ring.set(variable, key)
    write_configuration(path, replace(kept, keys=tuple(sorted({*kept.keys, variable}))))
    say(f"{variable} is in the keyring. Try it: moot models test {provider}")
    if environment().get(variable, "").strip():
        say(f"The variable {variable} is also set, and is used instead.")


@keys.command("delete")
@click.argument("provider", shell_complete=complete.providers)
@pass_setup
def delete_key(setup: Setup, /, provider: str) -> None:
    """Remove a provider's key from the system's keyring.

    \b
    Examples:
      moot keys delete openai
    """
    from msgspec.structs import replace

    from moot.errors import NotFound
    from moot.models.keys import SystemRing
    from moot.settings import read_configuration, write_configuration

    variable = _variable(setup, provider)
    path = setup.settings().config_path
    kept = read_configuration(path)
    if variable not in kept.keys:
        message = f"{variable} is not in the keyring; see what is with: moot keys list"
        raise NotFound(message)
    SystemRing().delete(variable)
    write_configuration(path, replace(kept, keys=tuple(set(kept.keys) - {variable})))
    say(f"{variable} is no longer in the keyring.")


def _asked(variable: str) -> str:
    from moot.errors import InvalidInput

    if sys.stdin.isatty():
        key: str = click.prompt(f"{variable} (not shown)", hide_input=True)
    else:
        key = sys.stdin.readline()
    if not key.strip():
        raise InvalidInput("no key was given; nothing was changed")
    return key.strip()


def _providers(setup: Setup) -> Mapping[str, Provider]:
    from moot.models.providers import with_custom

    return with_custom(setup.settings().providers)


def _variable(setup: Setup, provider: str) -> str:
    """The variable that names the provider's key, in the keyring too. Raises InvalidInput."""
    from moot.errors import InvalidInput

    rows = {name: row for name, row in _providers(setup).items() if row.key_variables}
    if provider not in rows:
        message = f"there is no key for {provider!r}; there are keys for {', '.join(rows)}"
        raise InvalidInput(message)
    return rows[provider].key_variables[0]
