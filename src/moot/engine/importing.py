"""Reads a log that comes from elsewhere. Nothing in it is trusted, and nothing of it is kept here.

Everything is checked before a word of it is written down: size, number of lines, depth, every event
by its type, the sequence, the times, the roster, the texts of attachments by their hash, and that
the whole folds to a debate that is over. Texts are cleaned as those of models and people are, so
that no terminal or page has to think about them again.

A debate that was imported has other sources than the debates here, whatever ids it names: it is
neither a fork nor a rematch of anything. What it says of its own origin is not believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, get_args

import msgspec

from moot.engine.attaching import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, name_problem
from moot.engine.creation import MAX_PARTICIPANTS, MAX_TITLE, MAX_TOPIC, check_one
from moot.engine.shapes import shape_of
from moot.errors import InvalidInput, MootError
from moot.models.cleaning import MAX_TEXT_CHARS, clean_text
from moot.protocol import events as e
from moot.protocol.log import VERSION, WHAT, AttachmentLine, EventLine, Header, begin
from moot.protocol.names import RESERVED, find_clash
from moot.protocol.outcome_words import doubts, gist, headline
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.values import IMPORT, Attachment, Config, Origin, Participant, Usage
from moot.structs import ready

MAX_BYTES = 8_000_000
MAX_EVENTS = 20_000
MAX_DEPTH = 40
MAX_PARTS = 100_000
"""Strings, lists and objects in one line."""
MAX_NUMBER = 2**53
"""Beyond it, programs that read numbers as floats get a different one."""
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
AHEAD = timedelta(days=1)
"""How far the clock of another machine may be ahead."""
FIELDS = {
    kind.__name__: frozenset({"type", *kind.__struct_fields__}) for kind in get_args(e.AnyEvent)
}
"""The fields that each event may have."""

T = TypeVar("T")
ready(Header, EventLine, AttachmentLine)


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """A debate from elsewhere, as far as it could be checked. `sha256` is the hash of what it says,
    however its lines are written and wherever it has been before."""

    log: tuple[e.Recorded, ...]
    texts: dict[str, str]
    sha256: str
    debate: str

    def named(self, kind: str) -> tuple[e.Recorded, ...]:
        """The log with its origin in the configuration, for good."""
        origin = Origin(door=IMPORT, kind=kind, sha256=self.sha256, debate=self.debate)
        return _with_config(self.log, origin=origin)


def read_log(data: bytes, now: datetime) -> Imported:
    """What `moot export --as log` wrote. Raises InvalidInput, which says in which line it is wrong.

    Blocks for as long as it takes to read; give it a thread.
    """
    if len(data) > MAX_BYTES:
        message = f"it has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed"
        raise InvalidInput(message)
    lines = _lines(data)
    header = _header(lines[0])
    if header.events + header.attachments != len(lines) - 1:
        message = (
            f"it is not whole: by its first line {header.events} events and {header.attachments} "
            f"attachments follow, and there are {len(lines) - 1} lines"
        )
        raise InvalidInput(message)
    events = lines[1 : 1 + header.events]
    log = tuple(_event(line, number, now) for number, line in enumerate(events, 2))
    log = _with_config(log, origin=None, forked_from=None, rematch_of="", follows="")
    texts = dict(_texts(lines, 1 + header.events))
    _check_texts(_config(log).attachments, texts)
    _check_course(log)
    return Imported(
        log=log, texts=texts, sha256=_hash(log, texts), debate=clean_text(header.debate)[:64]
    )


# --- lines ---------------------------------------------------------------------------------------


def _lines(data: bytes) -> list[bytes]:
    most = 1 + MAX_EVENTS + MAX_FILES
    if data.count(b"\n") > most:
        message = f"it has more than {most:,} lines: at most {MAX_EVENTS:,} events are allowed"
        raise InvalidInput(message)
    lines = data.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        depth, parts = shape_of(line, MAX_DEPTH, MAX_PARTS)
        if depth > MAX_DEPTH:
            raise _wrong(number, f"it is nested deeper than {MAX_DEPTH} levels")
        if parts > MAX_PARTS:
            raise _wrong(number, f"it has more than {MAX_PARTS:,} strings, lists and objects")
    return lines


def _header(line: bytes) -> Header:
    try:
        header = msgspec.json.decode(line, type=Header)
        is_ours = header.what == WHAT
    except (msgspec.MsgspecError, UnicodeDecodeError):
        is_ours = False
    if not is_ours:
        message = "it is no log of a debate; `moot export ID --as log` writes one"
        raise _wrong(1, message)
    if header.version != VERSION:
        message = f"it is of version {header.version}, and this Moot reads {VERSION}: upgrade moot"
        raise _wrong(1, message)
    if not 0 < header.events <= MAX_EVENTS or not 0 <= header.attachments <= MAX_FILES:
        message = f"1 to {MAX_EVENTS:,} events and at most {MAX_FILES} attachments are allowed"
        raise _wrong(1, message)
    return header


def _event(line: bytes, number: int, now: datetime) -> e.Recorded:
    read = _decoded(line, EventLine, number)
    if read.seq != number - 1:
        raise _wrong(number, f"event {number - 1} is expected here, and this is event {read.seq}")
    if read.at.tzinfo is None or not EARLIEST <= read.at <= now + AHEAD:
        raise _wrong(number, f"its time, {read.at.isoformat()}, cannot be right")
    plain = _decoded(bytes(read.event), dict[str, Any], number)
    known = FIELDS.get(str(plain.get("type")))
    if known is None:
        raise _wrong(number, "it is no event that this version of Moot knows: upgrade moot")
    if unknown := sorted(plain.keys() - known):
        raise _wrong(number, f"this version of Moot does not know {unknown[0]!r}: upgrade moot")
    try:
        event: e.AnyEvent = msgspec.convert(_cleaned(plain, number), e.AnyEvent)
    except msgspec.ValidationError as error:
        raise _wrong(number, f"Moot did not write it like this: {error}") from None
    _check_event(event, number)
    return e.Recorded(read.seq, read.at.astimezone(UTC), event)


def _texts(lines: Sequence[bytes], at: int) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines[at:], at + 1):
        read = _decoded(line, AttachmentLine, number)
        found = hashlib.sha256(read.content.encode()).hexdigest()
        if found != read.sha256:
            raise _wrong(number, "the text does not match its hash")
        if clean_text(read.content) != read.content:
            raise _wrong(number, "the text has characters that an attachment cannot have")
        yield found, read.content


def _decoded(line: bytes, kind: type[T], number: int) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _wrong(number, f"it cannot be read: {error}") from None


def _cleaned(value: Any, number: int) -> Any:
    match value:
        case str() if len(value) > MAX_TEXT_CHARS:
            raise _wrong(number, f"a text in it is longer than {MAX_TEXT_CHARS:,} characters")
        case str():
            return clean_text(value)
        case dict():
            return {clean_text(key): _cleaned(one, number) for key, one in value.items()}
        case list():
            return [_cleaned(one, number) for one in value]
        case int() | float() if not -MAX_NUMBER < value < MAX_NUMBER:
            raise _wrong(number, "a number in it is too large")
        case _:
            return value


def _wrong(number: int, message: str) -> InvalidInput:
    return InvalidInput(f"line {number}: {message}")


# --- what it says --------------------------------------------------------------------------------


def _check_event(event: e.AnyEvent, number: int) -> None:
    try:
        match event:
            case e.DebateCreated(config=config):
                _check_config(config)
            case e.ParticipantJoined(participant=one):
                check_one(one, field="participant")
            case e.DebateRenamed(title=title) if len(title) > MAX_TITLE:
                message = f"has more than {MAX_TITLE} characters"
                raise InvalidInput(message, field="title")
            case e.TurnRecorded(usage=usage) | e.AttemptFailed(usage=usage):
                _check_usage(usage)
            case e.ToolUsed(usage=usage):
                _check_usage(usage)
            case _:
                pass
    except MootError as error:
        raise _wrong(number, str(error)) from None


def _check_config(config: Config) -> None:
    format_named(config.format)
    if not config.topic.strip() or len(config.topic) > MAX_TOPIC:
        message = f"must have 1 to {MAX_TOPIC} characters"
        raise InvalidInput(message, field="topic")
    if len(config.participants) > MAX_PARTICIPANTS or len(config.attachments) > MAX_FILES:
        raise InvalidInput("there are too many participants or attachments")
    for index, one in enumerate(config.participants):
        check_one(one, field=f"participants.{index}")
    _check_names(config.participants)
    for file in config.attachments:
        if problem := name_problem(file.name):
            raise InvalidInput(problem, field="attachments")


def _check_names(participants: Sequence[Participant]) -> None:
    ids = {one.id for one in participants}
    if find_clash([one.name for one in participants]) or len(ids) < len(participants):
        raise InvalidInput("two of them could not be told apart", field="participants")
    if not ids.isdisjoint(RESERVED):
        raise InvalidInput("an id is a reserved word", field="participants")


def _check_usage(usage: Usage) -> None:
    figures = (*_counts(usage), usage.cost_usd or 0)
    if any(figure < 0 for figure in figures) or usage.thought_tokens > usage.output_tokens:
        raise InvalidInput("nobody can have used that", field="usage")


def _counts(usage: Usage) -> tuple[int, ...]:
    return (usage.input_tokens, usage.output_tokens, usage.thought_tokens, usage.cached_tokens)


def _check_texts(attachments: Sequence[Attachment], texts: Mapping[str, str]) -> None:
    named = {one.sha256 for one in attachments}
    if named != set(texts):
        message = "the attachments that are in it are not those that the debate was given"
        raise InvalidInput(message)
    sizes = {sha256: len(text.encode()) for sha256, text in texts.items()}
    if any(one.size_bytes != sizes[one.sha256] for one in attachments):
        raise InvalidInput("an attachment's size differs from the size recorded in the debate")
    if max(sizes.values(), default=0) > MAX_FILE_BYTES or sum(sizes.values()) > MAX_TOTAL_BYTES:
        raise InvalidInput("the attachments are larger than those of a debate can be")


def _check_course(log: Sequence[e.Recorded]) -> None:
    """Refuse what does not fold, what is not over, and what could not be shown."""
    state: DebateState | None = None
    try:
        state = begin(log[0])
        for record in log[1:]:
            state.apply(record)
    except Exception as error:  # noqa: BLE001 - a log of any making may break it in any way
        told = str(error) if isinstance(error, MootError) else "no debate can have gone this way"
        raise _wrong(2 if state is None else state.seq + 2, told) from None
    if not state.status.is_terminal:
        message = f"the debate is {state.status}: only one that is over can be imported"
        raise InvalidInput(message)
    if sum(_counts(state.usage)) >= MAX_NUMBER or (state.usage.cost_usd or 0) >= MAX_NUMBER:
        raise InvalidInput("nobody can have used that much")
    try:
        _try(state)
    except Exception:  # noqa: BLE001 - as above
        message = "it could not be shown: what was recorded does not fit together"
        raise InvalidInput(message) from None


def _try(state: DebateState) -> None:
    """Make everything that views of a debate ask for; raises what that raises."""
    rules = format_named(state.config.format)
    if rules.view_type:
        msgspec.json.encode(rules.view(state))
    for document in rules.documents.values():
        try:
            list(document(state))
        except InvalidInput:  # it has nothing to tell of this debate
            continue
    if state.outcome is not None:
        (headline(state.outcome), gist(state.outcome), doubts(state.outcome))


# --- the whole -----------------------------------------------------------------------------------


def _config(log: Sequence[e.Recorded]) -> Config:
    if not isinstance(log[0].event, e.DebateCreated):
        raise _wrong(2, "a log begins with DebateCreated")
    return log[0].event.config


def _with_config(log: tuple[e.Recorded, ...], **changes: Any) -> tuple[e.Recorded, ...]:
    config = msgspec.structs.replace(_config(log), **changes)
    first = e.Recorded(log[0].seq, log[0].at, e.DebateCreated(config=config))
    return (first, *log[1:])


def _hash(log: Sequence[e.Recorded], texts: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for record in log:
        digest.update(f"{record.seq} {record.at.isoformat()} ".encode())
        digest.update(e.encode(record.event) + b"\n")
    for sha256 in sorted(texts):
        digest.update(f"{sha256}\n".encode())
    return digest.hexdigest()
