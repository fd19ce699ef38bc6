"""Lists for people: debates, formats, personas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rich.style import Style
from rich.table import Table
from rich.text import Text

from moot.cli.foreground import new_console
from moot.cli.view.console import clean, duration, one_line
from moot.protocol.row import DebateRow
from moot.protocol.words import Status

STYLES = {
    Status.COMPLETED: "green",
    Status.FAILED: "red",
    Status.RUNNING: "cyan",
    Status.STOPPING: "cyan",
    Status.WAITING: "yellow",
    Status.STOPPED: "yellow",
}
SHORT_ID = 8
_DAY_S = 86_400


def list_debates(items: Sequence[DebateRow], *, has_more: bool) -> None:
    if not items:
        print("no debates yet; begin with: moot run remote-work")
        return
    now = datetime.now(UTC)
    rows = (
        (
            Text(item.id[:SHORT_ID], style="bold"),
            Text(str(item.status), style=STYLES.get(item.status, "")),
            Text(item.format),
            Text(str(item.statements), justify="right"),
            Text(_age(item.created_at, now), justify="right"),
            Text(one_line(item.topic, 300)),
        )
        for item in items
    )
    print_table(("id", "status", "format", "said", "begun", "topic"), rows)
    if has_more:
        print("there are more: use --limit, --status or --query")


def print_table(titles: Sequence[str], rows: Iterable[Sequence[Text | str]]) -> None:
    """Columns under dim titles; the last one takes what room there is, and wraps."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=Style(dim=True), pad_edge=False)
    for title in titles[:-1]:
        table.add_column(title, no_wrap=True)
    table.add_column(titles[-1], overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(clean(cell)) for cell in row))
    new_console().print(table)


def _age(then: datetime, now: datetime) -> str:
    seconds = max(0.0, (now - then).total_seconds())
    if seconds < _DAY_S:
        return f"{duration(round(seconds)).replace('.0', '')} ago"
    return then.astimezone().strftime("%Y-%m-%d")
