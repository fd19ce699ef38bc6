"""Log lines on stderr, for those who asked for them, and for whoever runs a server.

Three rules, for lines of ours and of the libraries under a server alike. No line has a key or a
password in it. A failure that repeats itself is logged once, and then, once a minute, how often it
has come: a flood must not fill the disk. A server's own faults come with their traceback.
"""

from __future__ import annotations

import copy
import logging
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from moot.errors import MootError

if TYPE_CHECKING:
    from moot.settings import MootSettings

log = logging.getLogger("moot")

KEYS = (
    "debate",
    "stage",
    "round",
    "participant",
    "step",
    "attempt",
    "worker",
    "loop",
    "incident",
    "reason",
    "duration_ms",
    "tokens",
)


LOGGERS = ("moot", "opentelemetry")
"""Ours, and that of the trace exporter: a dead collector must not write over a debate."""
OF_SERVERS = (*LOGGERS, "uvicorn", "asyncio", "mcp")

REPEATS_EVERY_S = 60.0
MOST_KINDS = 200
"""How many kinds of failures are remembered. The oldest beyond them are logged anew when they
recur."""
MOST_NAMED = 10

REDACTED = "[secret]"
SHORTEST_SECRET = 8
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"(?i)\b(bearer\s+|sk-)[\w.~+/=-]{8,}|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")
_CHANGING = re.compile(r"[0-9a-f]{8,}|\d+")


def is_debugging() -> bool:
    """Whether whoever runs this wants to see tracebacks."""
    return os.environ.get("MOOT_DEBUG", "") not in ("", "0")


class KeyedFormatter(logging.Formatter):
    """`12:04:31 INFO step performed debate=... step=...`, and the traceback where it is wanted."""

    def __init__(
        self, redact: Callable[[str], str] = lambda text: text, *, has_tracebacks: bool = False
    ) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")
        self._redact = redact
        self._has_tracebacks = has_tracebacks

    def format(self, record: logging.LogRecord) -> str:
        line, *trace = self._told(record).split("\n", 1)
        pairs = ((key, getattr(record, key, None)) for key in (*KEYS, "error"))
        said = [f"{key}={value}" for key, value in pairs if value is not None]
        return self._redact("\n".join([" ".join([line, *said]), *filter(None, trace)]))

    def _told(self, record: logging.LogRecord) -> str:
        is_fault = self._has_tracebacks and record.levelno >= logging.ERROR
        if not (is_fault or is_debugging()):
            record = copy.copy(record)
            record.exc_info = record.exc_text = None
        return super().format(record)


class Failure:
    """A failure that was logged, and how often it has come since."""

    def __init__(self, record: logging.LogRecord, now: float) -> None:
        self.record = record
        self.since = now
        self.count = 0
        self.debates: dict[str, None] = {}

    def repeat(self, record: logging.LogRecord) -> None:
        self.count += 1
        debate = getattr(record, "debate", None)
        if debate is not None and len(self.debates) < MOST_NAMED:
            self.debates[debate] = None

    def summary(self) -> logging.LogRecord:
        told = copy.copy(self.record)
        told.msg = f"{self.record.getMessage().rstrip()} ({self.count} more since then)"
        told.args = told.exc_info = told.exc_text = None
        told.created = time.time()
        if self.debates:
            told.debate = ",".join(self.debates)
        return told


class OnceHandler(logging.StreamHandler):  # type: ignore[type-arg]  # stderr
    """Logs a warning or an error once, and after a minute how often it came meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._failures: OrderedDict[tuple[object, ...], Failure] = OrderedDict()

    def emit(self, record: logging.LogRecord) -> None:
        self.tell_repeats()
        if record.levelno < logging.WARNING:
            super().emit(record)
            return
        kind = _kind(record)
        if (known := self._failures.get(kind)) is not None:
            known.repeat(record)
            return
        self._failures[kind] = Failure(record, self._clock())
        super().emit(record)
        while len(self._failures) > MOST_KINDS:
            self._tell(self._failures.popitem(last=False)[1])

    def tell_repeats(self, *, is_end: bool = False) -> None:
        """Log how often each failure of a minute ago has come since; at the end, do so for all."""
        self.acquire()
        try:
            self._tell_repeats(self._clock(), is_end=is_end)
        finally:
            self.release()

    def _tell_repeats(self, now: float, *, is_end: bool) -> None:
        while self._failures:
            kind, failure = next(iter(self._failures.items()))
            if now - failure.since < REPEATS_EVERY_S and not is_end:
                return
            del self._failures[kind]
            self._tell(failure)
            if failure.count and not is_end:  # it may go on
                self._failures[kind] = Failure(failure.record, now)

    def _tell(self, failure: Failure) -> None:
        if failure.count:
            super().emit(failure.summary())

    def close(self) -> None:
        self.tell_repeats(is_end=True)
        super().close()


def _kind(record: logging.LogRecord) -> tuple[object, ...]:
    """Equal for two failures of the same kind; numbers in them and the debate they hit do not
    count."""
    error = _CHANGING.sub("#", str(getattr(record, "error", "")))[:200]
    kind, fault, trace = record.exc_info or (None, None, None)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else None
    told = _CHANGING.sub("#", str(fault))[:200] if fault is not None else ""
    return record.name, record.levelno, str(record.msg)[:200], error, kind, told, place


def set_up_logs(*, is_shown: bool) -> None:
    """Logs of a command: on stderr if `is_shown`, else nowhere."""
    handler: logging.Handler = logging.StreamHandler() if is_shown else logging.NullHandler()
    handler.setFormatter(KeyedFormatter())
    _attach(handler, LOGGERS)


def set_up_server_logs(settings: MootSettings) -> OnceHandler:
    """Logs of a process that runs for months with nobody watching it. Call `tell_repeats` of the
    handler from time to time."""
    handler = OnceHandler()
    handler.setFormatter(KeyedFormatter(redactor(settings, os.environ), has_tracebacks=True))
    _attach(handler, OF_SERVERS)
    return handler


def _attach(handler: logging.Handler, names: tuple[str, ...]) -> None:
    for name in names:
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.handlers[:] = [handler]


@contextmanager
def faults_told() -> Iterator[None]:
    """Logs what ends the process with its traceback, unless it is an error that explains itself."""
    try:
        yield
    except MootError:
        raise
    except Exception:
        log.critical("process ends", exc_info=True)
        raise


def redactor(settings: MootSettings, environment: Mapping[str, str]) -> Callable[[str], str]:
    """A function that takes secrets out of a text: those that this process has, and whatever looks
    like one."""
    own = {str(one.get("key_env", "")) for one in settings.providers.values()}
    found = [
        value for name, value in environment.items() if _SECRET_NAME.search(name) or name in own
    ]
    found += [one.reveal() for one in (settings.token, settings.secret) if one is not None]
    found.append(urlsplit(settings.database_url).password or "")
    # The longest first: one may be the beginning of another.
    known = sorted({one.strip() for one in found}, key=len, reverse=True)
    secrets = [one for one in known if len(one) >= SHORTEST_SECRET]

    def redact(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, REDACTED)
        return _SECRET_TEXT.sub(REDACTED, text)

    return redact
