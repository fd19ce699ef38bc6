"""Opens a file of the user's own in an editor, again and again while it has mistakes."""

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
    """What `take` returns for the edited text; after a mistake, the text can be edited further.

    `is_new` says that the text is not the user's own yet: if it is left as it is, nothing is taken.
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
    """Ask whether `what` is to be removed for good. Raises Refused if it is not."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        message = "nothing was removed: add --yes where there is no terminal to ask at"
        raise Refused(message)
    if not confirm(f"Remove {what} for good?"):
        raise Refused("nothing was removed")
