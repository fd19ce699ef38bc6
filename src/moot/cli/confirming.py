"""Asks before something is lost for good."""

from __future__ import annotations

import sys

import click

from moot.cli.setup import Setup
from moot.cli.view.console import one_line
from moot.errors import Refused
from moot.protocol.row import DebateRow
from moot.wiring import System


def confirm_deletion(setup: Setup, prefix: str) -> str:
    """The id of the debate that may be deleted. Raises Refused if not."""

    async def read(system: System) -> DebateRow:
        return await system.service.summary(await system.service.find(prefix))

    summary = setup.run(read)
    if not sys.stdin.isatty():
        message = f"nothing was deleted: there is nobody to ask; moot delete {summary.id} --yes"
        raise Refused(message)
    turns = f"{summary.turns} turn{'s' if summary.turns != 1 else ''}"
    question = f"Delete {one_line(summary.topic)!r} ({summary.id}, {turns}) for good?"
    if not click.confirm(question, err=True):
        raise Refused("nothing was deleted")
    return summary.id
