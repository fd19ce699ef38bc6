"""What completes each argument and option, and which command was probably meant.

The callbacks for click only look, and never fail. Nothing is imported before somebody presses Tab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from moot.cli.completion import Offer
    from moot.settings import MootSettings

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
Look = Callable[[click.Context, str], "Iterable[Offer]"]

EFFORTS = ("none", "minimal", "low", "medium", "high")
SEATS = ("debater", "pro", "con", "judge", "moderator", "member")

OPTIONS = {"help": "--help", "version": "--version"}
"""Options of ours that other programs have as commands."""


def _completing(look: Look) -> Complete:
    """The offers of `look` that begin with what was typed; none if anything goes wrong."""

    @wraps(look)
    def complete(
        ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        try:
            found = dict(reversed([*look(ctx, incomplete)]))  # the first of a name counts
        except Exception:  # noqa: BLE001 - a mistake elsewhere is told when a command runs into it
            return []
        wanted = incomplete.casefold()
        return [
            CompletionItem(value, help=about or None)
            for value, about in reversed(found.items())
            if value.casefold().startswith(wanted)
        ]

    return complete


def _settings(ctx: click.Context) -> MootSettings:
    from moot.settings import load_settings

    return load_settings(home=ctx.find_root().params.get("home"))


@_completing
def ids(ctx: click.Context, incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.debates(_settings(ctx), incomplete)


@_completing
def formats(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.protocol.registry import offered

    return [(name, rules.about) for name, rules in offered().items()]


@_completing
def exports(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.export import EXPORTS

    return [(name, one.extension) for name, one in EXPORTS.items()]


@_completing
def personas(ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.personas(_settings(ctx).personas_path)


@_completing
def several_personas(ctx: click.Context, incomplete: str) -> Iterable[Offer]:
    """Completes the last name in `architect,security,...`."""
    from moot.cli import completion

    before, comma, _ = incomplete.rpartition(",")
    found = completion.personas(_settings(ctx).personas_path)
    return ((f"{before}{comma}{name}", about) for name, about in found)


@_completing
def models(ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.models(_settings(ctx))


@_completing
def member_models(ctx: click.Context, incomplete: str) -> Iterable[Offer]:
    """Completes `WHO=`, and after it the model."""
    from moot.cli import completion

    who, equals, _ = incomplete.partition("=")
    if not equals:
        return [(f"{seat}=", "") for seat in SEATS]
    found = [*completion.models(_settings(ctx)), ("human", "you")]
    return ((f"{who}={model}", about) for model, about in found)


@_completing
def efforts(_ctx: click.Context, incomplete: str) -> Iterable[Offer]:
    who, equals, _ = incomplete.rpartition("=")
    return ((f"{who}{equals}{level}", "") for level in EFFORTS)


@_completing
def seats(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    return ((seat, "") for seat in SEATS)


@_completing
def teams(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.teams()


@_completing
def panels(ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.panels(_settings(ctx).panels_path)


@_completing
def _askable(ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion
    from moot.protocol.registry import offered

    closed = [(name, rules.about) for name, rules in offered().items() if not rules.is_open_ended]
    return [*completion.panels(_settings(ctx).panels_path), *closed, *completion.teams()]


def askable(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What can be asked: panels, formats that come to an end, teams and files."""
    from click.shell_completion import CompletionItem

    return [*_askable(ctx, param, incomplete), CompletionItem(incomplete, type="file")]


@_completing
def samples(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.samples()


@_completing
def providers(ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.providers(_settings(ctx))


@_completing
def _shipped(_ctx: click.Context, _incomplete: str) -> Iterable[Offer]:
    from moot.cli import completion

    return completion.shipped_debates()


def debates(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Shipped debates and files."""
    from click.shell_completion import CompletionItem

    return [*_shipped(ctx, param, incomplete), CompletionItem(incomplete, type="file")]


class Suggesting(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            self._refuse(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _refuse(self, ctx: click.Context, word: str) -> None:
        if word.startswith("-"):
            return  # click says what is wrong with an option
        close = [OPTIONS[word]] if word in OPTIONS else []
        close = close or get_close_matches(word.lower(), self.list_commands(ctx), n=3)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        message = f"There is no command {word!r}.{hint}"
        raise click.UsageError(message, ctx)
