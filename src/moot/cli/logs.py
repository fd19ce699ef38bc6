"""Log lines on stderr, for those who asked for them; nothing otherwise."""

from __future__ import annotations

import logging
import os

KEYS = (
    "debate",
    "stage",
    "round",
    "participant",
    "step",
    "attempt",
    "worker",
    "loop",
    "duration_ms",
    "tokens",
)


LOGGERS = ("moot", "opentelemetry")
"""Ours, and that of who sends traces: a dead collector must not write over a debate."""


def is_debugging() -> bool:
    """Whether whoever runs this wants to see tracebacks."""
    return os.environ.get("MOOT_DEBUG", "") not in ("", "0")


class KeyedFormatter(logging.Formatter):
    """`12:04:31 INFO step performed debate=... step=...`; tracebacks only while debugging."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        if not is_debugging():
            record.exc_info = record.exc_text = None
        pairs = ((key, getattr(record, key, None)) for key in (*KEYS, "error"))
        said = [f"{key}={value}" for key, value in pairs if value is not None]
        return " ".join([super().format(record), *said])


def set_up_logs(*, is_shown: bool) -> None:
    handler: logging.Handler = logging.StreamHandler() if is_shown else logging.NullHandler()
    handler.setFormatter(KeyedFormatter())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.handlers[:] = [handler]
