"""Every format by name.

The built-in ones are registered like those of other packages (`moot.plugins`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from moot.errors import FormatMissing, InvalidInput, NotFound
from moot.protocol.formats.council.rules import Council
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.formats.exam import ExamFormat
from moot.protocol.formats.hearing import Hearing
from moot.protocol.formats.moderated.classic import Classic
from moot.protocol.formats.moderated.panel import Custom, Standard
from moot.protocol.formats.poll.rules import Poll
from moot.protocol.formats.room.rules import Room
from moot.protocol.formats.rounds.rules import RoundsFormat
from moot.protocol.machine import Format
from moot.protocol.settings import BenchSettings
from moot.protocol.values import Config
from moot.protocol.vocabulary import FormatWord
from moot.structs import ready

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

_formats: dict[str, Format] = {}
FORMATS: Mapping[str, Format] = MappingProxyType(_formats)
"""All that are registered, the built-in ones first. `moot.plugins` adds those of other packages."""


USUAL = Duel.name
"""The format of a debate if nobody names another."""
ROOM = Room.name
"""The format in which a debate that is over is talked about."""
HEARING, EXAM = Hearing.name, ExamFormat.name
"""The two formats that are asked for in ways of their own."""
FIRST = (Duel.name, Council.name, Room.name)
"""The formats that most people want first."""


def benched() -> tuple[str, ...]:
    """The formats whose debates may have a bench of their own."""
    return tuple(
        name for name, rules in FORMATS.items() if issubclass(rules.settings, BenchSettings)
    )


def offered() -> dict[str, Format]:
    """The formats that can be chosen for a new debate, by their names."""
    return {name: rules for name, rules in FORMATS.items() if rules.is_offered}


def worded(formats: Mapping[str, Format] = FORMATS) -> dict[str, FormatWord]:
    """The words of the formats that have any, beginning with those that most people want first.

    Words that a variation inherits from another format are not its own: nobody could tell the two
    apart.
    """
    found: dict[str, FormatWord] = {}
    for name in dict.fromkeys((*FIRST, *formats)):
        words = formats[name].words
        if words is not None and words not in found.values():
            found[name] = words
    return found


def register_format(rules: Format) -> None:
    """Makes a format known by its name. Raises InvalidInput if that is taken, or not a valid name.

    To be called before any format is looked up: what there is must not change within a process.
    """
    if not _NAME.fullmatch(rules.name):
        message = f"{rules.name!r} cannot be the name of a format; use a-z, 0-9, - and _"
        raise InvalidInput(message)
    if rules.name in _formats:
        message = f"there is already a format called {rules.name}; choose another name"
        raise InvalidInput(message)
    ready(rules.settings)
    _formats[rules.name] = rules


_BUILT_IN = (
    Duel,
    RoundsFormat,
    Standard,
    Custom,
    Classic,
    Room,
    Council,
    Poll,
    Hearing,
    ExamFormat,
)
for _rules in _BUILT_IN:
    register_format(_rules())


def format_named(name: str) -> Format:
    """The format of that name. Raises NotFound with the names there are."""
    try:
        return FORMATS[name]
    except KeyError:
        close = get_close_matches(name, offered(), n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        message = f"there is no format called {name}; {hint}known: {', '.join(offered())}"
        raise NotFound(message) from None


def format_of(config: Config) -> Format:
    """The format of a debate that exists. Raises FormatMissing if it is not installed here."""
    found = FORMATS.get(config.format)
    if found is None:
        message = (
            f"this debate has the format {config.format!r}, which is not installed here; "
            "install the package that brings it"
        )
        raise FormatMissing(message)
    return found
