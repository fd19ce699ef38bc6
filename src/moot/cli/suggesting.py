"""Groups of commands that say which one was probably meant."""

from __future__ import annotations

from difflib import get_close_matches

import click

OPTIONS = {"help": "--help", "version": "--version"}
"""Options of ours that other programs have as commands."""


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
