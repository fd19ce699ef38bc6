"""What a format is asked outside of the course of a debate, so that a mistake of its costs little.

A format may be anybody's code. Of a debate that is only looked at, a mistake costs what it would
have shown: no view, no export and no command may fail for it. Whatever is asked before a debate
exists, or because somebody wants something done, is refused with the format's name, and nothing is
changed. What happens in the course of a debate is not asked here, but by `machine.ask`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from moot.cancellation import ENDINGS
from moot.errors import InvalidInput, Refused
from moot.protocol import deciding, events as e
from moot.protocol.machine import Format
from moot.protocol.outcomes import Certificate
from moot.protocol.state import DebateState
from moot.protocol.values import Config

log = logging.getLogger(__name__)

T = TypeVar("T")

MISTAKES = (Exception, SystemExit, *ENDINGS)
"""What a format may raise. Nothing in it is waited for, so that nobody else can have raised it."""

_told: set[tuple[str, str, str]] = set()
"""The mistakes that are in the log: a page that is open asks every second."""


def looked_at(rules: Format, what: str, say: Callable[[], T], *, otherwise: T) -> T:
    """What the format says, or `otherwise` if it makes a mistake, which is logged once."""
    try:
        return say()
    except MISTAKES as error:
        mistake = (rules.name, what, type(error).__name__)
        if mistake not in _told:
            _told.add(mistake)
            log.exception("format broke", extra={"format": rules.name, "asked": what})
        return otherwise


def upcoming(rules: Format, state: DebateState) -> tuple[str, ...]:
    """See `deciding.upcoming`."""
    return looked_at(
        rules, "upcoming", lambda: _texts(deciding.upcoming(rules, state)), otherwise=()
    )


def allowed(rules: Format, state: DebateState) -> tuple[str, ...]:
    """See `deciding.allowed`."""
    return looked_at(rules, "refusal", lambda: deciding.allowed(rules, state), otherwise=())


def certificate(rules: Format, state: DebateState) -> Certificate | None:
    """See `Format.certificate`."""
    return looked_at(
        rules,
        "certificate",
        lambda: _of(Certificate, rules.certificate(state)),
        otherwise=None,
    )


def cautions(rules: Format, config: Config) -> tuple[str, ...]:
    """See `Format.cautions`, of a debate that exists."""
    return looked_at(rules, "cautions", lambda: _texts(rules.cautions(config)), otherwise=())


def _texts(said: tuple[str, ...]) -> tuple[str, ...]:
    if not all(isinstance(one, str) for one in said):
        message = f"it said {said!r:.100}, where texts were expected"
        raise TypeError(message)
    return tuple(said)


def _of(kind: type[T], said: T | None) -> T | None:
    if said is not None and not isinstance(said, kind):
        message = f"it said {said!r:.100}, where {kind.__name__} was expected"
        raise TypeError(message)
    return said


# --- where a mistake is a refusal ----------------------------------------------------------------


@contextmanager
def before_it_exists(rules: Format) -> Iterator[None]:
    """Refuses a debate whose format makes a mistake before there is one. Raises InvalidInput."""
    try:
        yield
    except InvalidInput:
        raise
    except MISTAKES as error:
        log.exception("format broke", extra={"format": rules.name})
        raise InvalidInput(deciding.in_format(rules.name, error), field="format") from error


@contextmanager
def on_demand(rules: Format) -> Iterator[None]:
    """Refuses what somebody wants of a debate whose format makes a mistake over it."""
    try:
        yield
    except (InvalidInput, Refused):
        raise
    except MISTAKES as error:
        log.exception("format broke", extra={"format": rules.name})
        message = (
            f"that cannot be done, and nothing was changed: {deciding.in_format(rules.name, error)}"
        )
        raise Refused(message) from error


def opening(rules: Format, config: Config) -> tuple[e.NoticePosted, ...]:
    """See `Format.opening`. Raises InvalidInput for a mistake."""
    with before_it_exists(rules):
        notices = tuple(rules.opening(config))
        for one in notices:
            _of(e.NoticePosted, one)
            e.decode(e.encode(one))  # whatever is recorded must be readable
        return notices
