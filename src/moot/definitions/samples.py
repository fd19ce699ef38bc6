"""Finished debates that come with Moot, one of each format: written by us, not by models.

They are logs, and are imported like any other. `tests/samples` has the texts they are made from.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from moot.engine.importing import Imported, read_log
from moot.errors import NotFound
from moot.protocol.log import fold
from moot.protocol.outcome_words import gist
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import FORMATS
from moot.protocol.row import Cursor, Seat

_SUFFIX = ".jsonl"
# Taken for now, so that no sample is of the future, whatever the clock of this machine says.
_WRITTEN_BY = datetime(2100, 1, 1, tzinfo=UTC)


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of a sample before it is opened. `gist` is what came of it, in one line."""

    name: str
    format: str
    topic: str
    cast: tuple[Seat, ...]
    cast_size: int
    statements: int
    outcome: Outcome | None
    gist: str


@cache
def shipped() -> tuple[Sample, ...]:
    """All samples, in the order of their formats."""
    found = [_sample(name, _read(name)) for name in sorted(_files())]
    return tuple(sorted(found, key=lambda one: list(FORMATS).index(one.format)))


def read(name: str) -> Imported:
    """The sample of that name. Raises NotFound."""
    if name not in _files():
        message = f"there is no sample of that name; there are: {', '.join(sorted(_files()))}"
        raise NotFound(message)
    return _read(name)


@cache
def hashes() -> frozenset[str]:
    """The hashes by which an import is known to be a sample."""
    return frozenset(_read(name).sha256 for name in _files())


@cache
def _read(name: str) -> Imported:
    return read_log(_files()[name].read_bytes(), _WRITTEN_BY)


@cache
def _files() -> dict[str, Traversable]:
    entries = (files("moot") / "data" / "samples").iterdir()
    return {
        entry.name.removesuffix(_SUFFIX): entry for entry in entries if entry.name.endswith(_SUFFIX)
    }


def _sample(name: str, imported: Imported) -> Sample:
    row = fold(imported.log).summary(name, Cursor())
    return Sample(
        name=name,
        format=row.format,
        topic=row.topic,
        cast=row.cast or (),
        cast_size=row.cast_size,
        statements=row.statements,
        outcome=row.outcome,
        gist=gist(row.outcome) if row.outcome else "",
    )
