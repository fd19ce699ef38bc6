"""A file of the user's own in an editor, as often as it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

from moot.cli.lines import confirm
from moot.cli.telling import tell
from moot.errors import InvalidInput, MootError, Refused

T = TypeVar("T")
NOTHING_CHANGED = "nothing was changed"


def edited(text: str, take: Callable[[str], T], *, is_new: bool) -> T:
    """What `take` makes of the text that somebody has edited; a mistake in it loses nothing.

    `is_new` says that the text is not theirs yet, so that leaving it as it is means to leave it.
    Raises Refused if nothing was changed, and whatever `take` raises.
    """
    before = text
    while True:
        written = click.edit(text, extension=".yaml")
        if written is None or (written == before and is_new):
            raise Refused(NOTHING_CHANGED)
        try:
            return take(written)
        except MootError as error:
            if not isinstance(error, InvalidInput) or not sys.stdin.isatty():
                raise
            tell(str(error))
            if not confirm("Edit it again?", is_usual=True):
                raise Refused(NOTHING_CHANGED) from None
            text = written


def check_sure(what: str, *, is_sure: bool) -> None:
    """Ask whether that is to be removed for good. Raises Refused unless it is."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        message = "nothing was removed: add --yes where there is no terminal to ask at"
        raise Refused(message)
    if not confirm(f"Remove {what} for good?"):
        raise Refused("nothing was removed")
