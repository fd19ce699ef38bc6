"""Every format by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from moot.errors import NotFound
from moot.protocol.formats.council.rules import Council
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.formats.moderated.classic import Classic
from moot.protocol.formats.moderated.panel import Custom, Standard
from moot.protocol.formats.room.rules import Room
from moot.protocol.formats.rounds.rules import RoundsFormat
from moot.protocol.machine import Format
from moot.structs import ready

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        rules.name: rules
        for rules in (Duel(), RoundsFormat(), Standard(), Custom(), Classic(), Room(), Council())
    }
)
ready(*(rules.settings for rules in FORMATS.values()))


def format_named(name: str) -> Format:
    """The format of that name. Raises NotFound with the names there are."""
    try:
        return FORMATS[name]
    except KeyError:
        close = get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        message = f"there is no format called {name}; {hint}known: {', '.join(FORMATS)}"
        raise NotFound(message) from None
