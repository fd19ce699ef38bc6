"""The files of one debate, as its steps need them: quoted in prompts, and looked into with tools.

The tools are pure: same files, same answer. Every line of a file is given with a number or a name
before it, so that no file can speak for the tool. Nothing here can be made to take long: no
patterns, bounded answers, bounded arguments.

A model may look things up before it answers. Each exchange is in the log before the next is bought.
A worker that takes over rebuilds the messages from there and goes on; what was paid for is not
bought again.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from moot.models.port import ChatReply, Tool
from moot.prompts import attached_block
from moot.protocol.events import ToolUsed
from moot.protocol.values import Attachment, Function, Message, ToolCall

MOST_QUOTED = 24_000
"""Characters of files quoted in a prompt for a model with a large or unknown window."""
LEAST_ROOM, MOST_ROOM, ROOM_IF_UNKNOWN = 1000, 12_000, 6000
"""Bounds of one result of a tool, in characters."""
MAX_ARGUMENTS = 2000
"""Characters of JSON with which a tool may be called."""
MAX_QUERY = 200
MOST_MATCHES = 50
LONGEST_LINE = 400
MOST_LINES = 400

MOST_AT_ONCE = 16
"""Calls of one reply that are answered; more are left out of the history."""
GRACE = 2
"""Replies beyond the limit that may ask for lookups; the next one is taken as the answer."""
ENOUGH = "No more lookups are possible. Answer now with what you know."
_ENOUGH_SHA256 = hashlib.sha256(ENOUGH.encode()).hexdigest()
_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


class Files:
    """A debate's files, read from the store once, for as long as a worker has the debate."""

    def __init__(
        self, attachments: Sequence[Attachment] = (), texts: Mapping[str, str] | None = None
    ) -> None:
        found = texts or {}
        self.named = tuple((one.name, found.get(one.sha256, "")) for one in attachments)
        self._blocks: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self.named)

    def block(self, window: int | None) -> str:
        """What every prompt for a model with that window has of the files; "" if there are none.

        At most a quarter of the window: four characters are about one token.
        """
        room = min(MOST_QUOTED, window or MOST_QUOTED)
        if room not in self._blocks:
            self._blocks[room] = attached_block(self.named, room)
        return self._blocks[room]

    def toolbox(self, window: int | None, calls: int) -> Toolbox:
        """The tools, such that all `calls` of a step take up at most a quarter of the window."""
        fair = window // max(1, calls) if window else ROOM_IF_UNKNOWN
        return Toolbox(self.named, room=min(MOST_ROOM, max(LEAST_ROOM, fair)))


NO_FILES = Files()


# --- the tools ------------------------------------------------------------------------------------

_NUMBER = {"type": "integer", "minimum": 1}
TOOLS = (
    Tool(
        name="list_files",
        about="List the attached files with the number of their lines.",
        parameters={"type": "object", "properties": {}},
    ),
    Tool(
        name="search_files",
        about="Find the lines of the attached files that contain a text, ignoring case.",
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Plain text, no pattern."}},
            "required": ["query"],
        },
    ),
    Tool(
        name="read_file",
        about="Read lines of an attached file.",
        parameters={
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "As list_files names it."},
                "from_line": {**_NUMBER, "description": "The first line; 1 if left out."},
                "to_line": {**_NUMBER, "description": "The last line; the end if left out."},
            },
            "required": ["name"],
        },
    ),
)
"""In a fixed order, because they are part of what providers cache of a prompt."""


class Misuse(Exception):
    """What was wrong with a call, in words for the model that made it."""


class Toolbox:
    """The tools over one debate's files. A result has at most about `room` characters."""

    def __init__(self, files: Sequence[tuple[str, str]], *, room: int) -> None:
        self._files = dict(files)
        self._room = room
        self._tools: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
            "list_files": self._list,
            "search_files": self._search,
            "read_file": self._read,
        }

    def use(self, tool: str, arguments: str) -> str:
        """What the tool has to say. Raises Misuse."""
        run = self._tools.get(tool)
        if run is None:
            message = f"there is no tool {tool[:60]!r}; there are {', '.join(self._tools)}"
            raise Misuse(message)
        return "\n".join(self._within(run(_arguments(arguments))))

    def _within(self, lines: Iterator[str]) -> Iterator[str]:
        room = self._room
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                yield "(cut off here: ask for less)"
                return
            yield line

    def _list(self, given: Mapping[str, Any]) -> Iterator[str]:
        del given
        for name, text in self._files.items():
            yield f"{name}: {text.count(chr(10)) + 1} lines"

    def _search(self, given: Mapping[str, Any]) -> Iterator[str]:
        query = _text(given, "query").casefold()
        if len(query) > MAX_QUERY:
            message = f"query has more than {MAX_QUERY} characters"
            raise Misuse(message)
        matches = 0
        for name, number, line in self._lines_with(query):
            matches += 1
            if matches > MOST_MATCHES:
                yield f"(more than {MOST_MATCHES} lines: ask more precisely)"
                return
            yield f"{name}:{number}| {_cut(line)}"
        if not matches:
            yield "(no line contains that)"

    def _lines_with(self, query: str) -> Iterator[tuple[str, int, str]]:
        for name, text in self._files.items():
            if query in text.casefold():
                for number, line in enumerate(text.split("\n"), 1):
                    if query in line.casefold():
                        yield name, number, line

    def _read(self, given: Mapping[str, Any]) -> Iterator[str]:
        name = _text(given, "name")
        text = self._files.get(name)
        if text is None:
            message = f"there is no file {name[:100]!r}; list_files has their names"
            raise Misuse(message)
        lines = text.split("\n")
        first = _line(given, "from_line", 1)
        last = min(_line(given, "to_line", len(lines)), len(lines))
        if first > last:
            message = f"{name} has {len(lines)} lines, and none from {first} to {last}"
            raise Misuse(message)
        end = min(last, first + MOST_LINES - 1)
        for number in range(first, end + 1):
            yield f"{number}| {_cut(lines[number - 1])}"
        if end < last:
            yield f"(go on with from_line {end + 1}; the file has {len(lines)} lines)"


def is_object(text: str) -> bool:
    """Whether the text is the JSON of an object."""
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True


def _arguments(text: str) -> Mapping[str, Any]:
    if len(text) > MAX_ARGUMENTS or not is_object(text):
        raise Misuse("the arguments are not a JSON object, or too long")
    return msgspec.json.decode(text, type=dict[str, Any])


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        message = f"{name} must be a text"
        raise Misuse(message)
    return value


def _line(given: Mapping[str, Any], name: str, default: int) -> int:
    value = given.get(name, default)
    # Models write 3 as "3" and as 3.0; all of them mean the same.
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < MAX_QUERY:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = f"{name} must be a whole number from 1 on"
        raise Misuse(message)
    return value


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


# --- a step's exchanges with the tools ------------------------------------------------------------


class Lookups:
    """The lookups of one step. `is_open` says whether the model may ask for more."""

    def __init__(
        self, *, step_key: str, toolbox: Toolbox, limit: int, used: Sequence[ToolUsed]
    ) -> None:
        self._step_key = step_key
        self._toolbox = toolbox
        self._limit = limit
        self._made = len(used)
        self._exchanges = used[-1].exchange if used else 0
        self._is_closed = False
        self._replayed = [message for group in _exchanges(used) for message in self._again(group)]

    @property
    def is_open(self) -> bool:
        return not self._is_closed and self._made < self._limit

    @property
    def is_used(self) -> bool:
        return self._exchanges > 0

    @property
    def answers(self) -> bool:
        """Whether calls are still answered, if only with ENOUGH."""
        return not self._is_closed and self._exchanges < self._limit + GRACE

    @property
    def replayed(self) -> list[Message]:
        """The exchanges that were in the log when the step was taken up."""
        return self._replayed

    def close(self) -> None:
        """Allow no more lookups: the answer is being corrected."""
        self._is_closed = True

    def look_up(self, reply: ChatReply, model: str) -> tuple[list[ToolUsed], list[Message]]:
        """Do what the reply asks for. Returns what to record, and the messages that come of it."""
        self._exchanges += 1
        calls = _numbered(reply.tool_calls[:MOST_AT_ONCE], self._exchanges)
        used: list[ToolUsed] = []
        results: list[Message] = []
        for call in calls:
            started = time.perf_counter()
            text, is_error = self._use(call.function)
            results.append(Message(role="tool", content=text, tool_call_id=call.id))
            used.append(
                ToolUsed(
                    used_by=self._step_key,
                    exchange=self._exchanges,
                    tool=call.function.name,
                    arguments=call.function.arguments,
                    call_id=call.id,
                    result_sha256=hashlib.sha256(text.encode()).hexdigest(),
                    result_chars=len(text),
                    is_error=is_error,
                    duration_ms=round((time.perf_counter() - started) * 1000),
                    # What the reply cost stands with its first tool, and only there.
                    said="" if used else reply.content,
                    model="" if used else model,
                    usage=type(reply.usage)() if used else reply.usage,
                    reply_ms=0 if used else reply.duration_ms,
                )
            )
        asked = Message(role="assistant", content=reply.content, tool_calls=tuple(calls))
        return used, [asked, *results]

    def _use(self, function: Function) -> tuple[str, bool]:
        self._made += 1
        if self._made > self._limit:
            return ENOUGH, True
        return self._result(function.name, function.arguments)

    def _result(self, tool: str, arguments: str) -> tuple[str, bool]:
        try:
            return self._toolbox.use(tool, arguments), False
        except Misuse as misuse:
            return f"Error: {misuse}", True

    def _again(self, group: Sequence[ToolUsed]) -> Iterable[Message]:
        """The messages of an exchange that is in the log. Results are looked up again."""
        calls = tuple(
            ToolCall(id=one.call_id, function=Function(one.tool, one.arguments)) for one in group
        )
        yield Message(role="assistant", content=group[0].said, tool_calls=calls)
        for one in group:
            is_enough = one.result_sha256 == _ENOUGH_SHA256
            text = ENOUGH if is_enough else self._result(one.tool, one.arguments)[0]
            yield Message(role="tool", content=text, tool_call_id=one.call_id)


def _exchanges(used: Iterable[ToolUsed]) -> list[list[ToolUsed]]:
    return [list(group) for _, group in groupby(used, key=lambda one: one.exchange)]


def _numbered(calls: Sequence[ToolCall], exchange: int) -> list[ToolCall]:
    """The calls as they can be sent back to any provider, each with an id of its own."""
    found: dict[str, ToolCall] = {}
    for number, call in enumerate(calls, 1):
        call_id = _NAME.sub("", call.id)[:_LONGEST_NAME]
        if not call_id or call_id in found:
            call_id = f"call_{exchange}_{number}"
        name = _NAME.sub("_", call.function.name)[:_LONGEST_NAME] or "unknown"
        arguments = _readable(call.function.arguments)
        found[call_id] = ToolCall(id=call_id, function=Function(name, arguments))
    return list(found.values())


def _readable(arguments: str) -> str:
    """The arguments, or an object with what came in their place: providers refuse anything else."""
    text = arguments.strip() or "{}"
    if len(text) <= MAX_ARGUMENTS and is_object(text):
        return text
    return msgspec.json.encode({"unreadable": text[:_LONGEST_NAME]}).decode()
