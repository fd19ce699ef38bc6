"""What a room tells people and no model: the texts of seed 002, word for word, and their codes."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

import msgspec

from moot.protocol.events import NoticePosted

JOINED, LEFT, SKIPPED = "joined", "left", "skipped"
AUTO_STARTED, AUTO_STOPPED = "auto_started", "auto_stopped"
FAILED, RATE_LIMIT = "failed", "rate_limit"
CONTEXT_WARNING, CONTEXT_FULL = "context_warning", "context_full"
PAUSED_SKIPS, PAUSED_LIMIT = "paused_all_skipped", "paused_max_messages"
PAUSED_ERROR, PAUSED_RATE_LIMIT = "paused_error", "paused_rate_limited"
PAUSED_CONTEXT = "paused_context"
WINDOW_ASSUMED, SETTINGS_CHANGED = "window_assumed", "settings_changed"

PAUSE = "Conversation paused: "
PAUSES = frozenset({PAUSED_SKIPS, PAUSED_LIMIT, PAUSED_ERROR, PAUSED_RATE_LIMIT, PAUSED_CONTEXT})
"""What stops auto mode until a person goes on."""
RATE_LIMITED = "Rate limited"


def joined(participant: str, label: str) -> NoticePosted:
    return NoticePosted(
        code=JOINED, text=f"[{label}] joined the conversation", participant=participant
    )


def left(participant: str, label: str) -> NoticePosted:
    return NoticePosted(code=LEFT, text=f"[{label}] left the conversation", participant=participant)


def skipped(participant: str, label: str) -> NoticePosted:
    return NoticePosted(code=SKIPPED, text=f"[{label}] skipped their turn", participant=participant)


def auto(*, is_on: bool) -> NoticePosted:
    if is_on:
        return NoticePosted(code=AUTO_STARTED, text="Auto mode started")
    return NoticePosted(code=AUTO_STOPPED, text="Auto mode stopped")


def failed(participant: str, label: str, error: str) -> NoticePosted:
    text = f"⚠️ [{label}] Failed to respond: {error}"
    return NoticePosted(code=FAILED, text=text, participant=participant)


def rate_limit(
    participant: str, label: str, error: str, seconds: float, *, pauses: bool
) -> NoticePosted:
    """To whom it happened, what the provider said, and for how long: all in one."""
    reason = f"{error.rstrip('. ')}. {RATE_LIMITED}. Retry in {ceil(seconds)}s"
    if pauses:
        return paused(PAUSED_RATE_LIMIT, f"[{label}] failed to respond: {reason}", participant)
    return msgspec.structs.replace(failed(participant, label, reason), code=RATE_LIMIT)


ADVICE = (
    "set compact so that members sum up what they have read, exclude messages that are no longer "
    "needed, or add a member whose model has a larger window"
)
"""What to do about a window that is full."""


def context_warning(participant: str, label: str, share: float) -> NoticePosted:
    filled = f"[{label}] has filled {round(100 * share)}% of what its model can read"
    text = f"{filled}. To make room: {ADVICE}."
    return NoticePosted(code=CONTEXT_WARNING, text=text, participant=participant)


def context_full(participant: str) -> NoticePosted:
    text = "Conversation approaching model context limit"
    return NoticePosted(code=CONTEXT_FULL, text=text, participant=participant)


def window_assumed(model: str, tokens: int) -> NoticePosted:
    text = f"The context window of {model} is not known; Moot assumes {tokens:,} tokens."
    return NoticePosted(code=WINDOW_ASSUMED, text=text)


def changed(settings: Mapping[str, Any]) -> NoticePosted:
    values = (f"{name} is {_shown(value)}" for name, value in settings.items())
    text = f"Settings changed: {', '.join(values)}"
    return NoticePosted(code=SETTINGS_CHANGED, text=text)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def paused(code: str, reason: str, participant: str = "") -> NoticePosted:
    return NoticePosted(code=code, text=PAUSE + reason, participant=participant)


def why_paused(notice: NoticePosted) -> str:
    """The reason in a few words, which are still true a minute later."""
    if notice.code == PAUSED_RATE_LIMIT:
        return RATE_LIMITED
    return notice.text.removeprefix(PAUSE)
