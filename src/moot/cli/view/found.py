"""What a search has found: a line for each debate, and below it where."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from moot.cli.telling import say
from moot.cli.view.console import clean, new_console, one_line, table_width
from moot.cli.view.debate import LONGEST_NAME, SHORT_ID, TONES
from moot.engine.searching import TITLE, TOPIC, FoundDebate, Hit, SearchPage
from moot.protocol.searching import Piece
from moot.protocol.vocabulary import STATUSES
from moot.protocol.words import USER

INDENT = "  "


def print_found(page: SearchPage, query: str) -> None:
    console = new_console()
    if not page.items:
        say(f"nothing found for: {one_line(query)}")
        return
    console = new_console(table_width(console))
    for one in page.items:
        _print(console, _headline(one), "")
        for hit in one.hits:
            if hit.kind not in (TITLE, TOPIC):
                _print(console, _told(one, hit), INDENT)
    if page.next is not None:
        say("there are more: use --limit, --status or --format")


def _headline(found: FoundDebate) -> Text:
    row = found.row
    line = Text(row.id[:SHORT_ID], style="bold")
    line.append("  ")
    line.append(str(row.status), style=TONES.get(STATUSES[row.status].tone, ""))
    return line.append(f"  {one_line(row.name, LONGEST_NAME)}")


def _told(found: FoundDebate, hit: Hit) -> Text:
    line = Text(f"{_who(found, hit)}: ", style="dim")
    return line.append_text(_pieces(hit.snippet))


def _who(found: FoundDebate, hit: Hit) -> str:
    if hit.turn is None:
        return hit.kind
    names = {seat.id: seat.name for seat in found.row.cast or ()} | {USER: "you"}
    return clean(names.get(hit.participant, hit.participant))


def _pieces(snippet: Sequence[Piece]) -> Text:
    text = Text()
    for piece in snippet:
        text.append(clean(piece.text), style="bold reverse" if piece.is_match else "not dim")
    return text


def _print(console: Console, text: Text, indent: str) -> None:
    for line in text.wrap(console, console.width - len(indent)):
        line.rstrip()
        console.print(Text(indent).append_text(line), soft_wrap=True)
