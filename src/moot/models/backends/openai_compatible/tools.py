"""Reads the tools that a reply calls for: whole, or in pieces with an index, as streams have them.

Names and arguments are cleaned and bounded here, and otherwise left as the model wrote them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from moot.models.backends.openai_compatible.replies import check_length
from moot.models.cleaning import clean_text
from moot.protocol.values import Function, ToolCall

MOST_CALLS = 64
"""Calls of one reply that are read at all."""


class CalledTools:
    """The tool calls read so far, by position."""

    def __init__(self) -> None:
        self._calls: dict[int, list[str]] = {}
        self._slots: dict[int, int] = {}
        self._length = 0

    def feed(self, found: Any) -> None:
        """Take in a `tool_calls` field, whatever it holds."""
        if not isinstance(found, list):
            return
        for position, item in enumerate(found):
            if isinstance(item, dict):
                self._take(self._slot(position, item), item)

    def _slot(self, position: int, item: dict[str, Any]) -> int:
        """Which call a piece belongs to. Not all servers count: some call everything 0."""
        index, call_id = item.get("index"), _text(item.get("id"))
        slot = index if type(index) is int else position
        slot = self._slots.get(slot, slot)
        known = self._calls.get(slot)
        if known is None or not _is_another(known, call_id, item):
            return slot
        fresh = max(self._calls) + 1
        self._slots[index if type(index) is int else position] = fresh
        return fresh

    def _take(self, index: int, item: dict[str, Any]) -> None:
        if index not in self._calls and len(self._calls) >= MOST_CALLS:
            return
        call = self._calls.setdefault(index, ["", "", ""])
        function = item.get("function")
        function = function if isinstance(function, dict) else {}
        pieces = (_text(item.get("id")), _text(function.get("name")), _arguments(function))
        # The id and the name come once; some servers repeat them with every piece.
        call[0] = call[0] or pieces[0]
        call[1] = call[1] or pieces[1]
        call[2] += pieces[2]
        self._length += len(pieces[2])
        check_length(self._length)

    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(
                id=clean_text(call_id),
                function=Function(clean_text(name, max_chars=200), clean_text(arguments)),
            )
            for _, (call_id, name, arguments) in sorted(self._calls.items())
        )


def called_tools(found: Any) -> tuple[ToolCall, ...]:
    """The calls in the `tool_calls` field of a whole reply."""
    called = CalledTools()
    called.feed(found)
    return called.calls()


def _is_another(known: list[str], call_id: str, item: dict[str, Any]) -> bool:
    """Whether a piece begins a new call: it has another id, or a name and the last one is whole."""
    if call_id and known[0]:
        return call_id != known[0]
    function = item.get("function")
    is_named = isinstance(function, dict) and bool(function.get("name"))
    return is_named and _is_whole(known[2])


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(arguments), dict)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _arguments(function: dict[str, Any]) -> str:
    """JSON text; some servers send the object itself."""
    given = function.get("arguments")
    if isinstance(given, dict):
        return msgspec.json.encode(given).decode()
    return _text(given)
