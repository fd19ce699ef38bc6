"""Models that are functions of the program itself: `moot.open(models={"mine": f})`.

A function is given the messages and returns the reply. It may be an ordinary function, which runs
in a thread of its own so that it may block, an `async` one, or a generator of either kind, whose
pieces are shown as they come. Messages are new dictionaries with `role` and `content`, as most
clients take them: one `system` first, then `user` and `assistant` in turn, the last from `user`.

What a function raises fails the debate, with the name of the function; only a ModelError that says
that trying again may help (`RateLimited`, `ModelUnavailable`) is obeyed. Its cost is not known.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
)
from contextlib import contextmanager
from typing import Any

import msgspec

from moot.cancellation import ENDINGS, is_from_inside
from moot.errors import FunctionFailed, InvalidInput, ModelError, ModelUnavailable, mistake
from moot.models.asking import Asking
from moot.models.endpoint import Endpoint
from moot.models.gate import Gate
from moot.models.port import (
    Caller,
    ChatReply,
    ChatRequest,
    Learned,
    ModelFacts,
    Models,
    OnText,
    TellsHold,
    TellsLearned,
    TellsPrice,
)
from moot.models.providers import PROVIDERS
from moot.models.retry import Retrying, RetryPolicy
from moot.models.thoughts import Speech
from moot.protocol.values import Usage
from moot.protocol.words import Finish

log = logging.getLogger(__name__)

Messages = list[dict[str, str]]
"""What a model is asked: dictionaries with `role` and `content`."""
ModelFunction = Callable[[Messages], str | Awaitable[str] | Iterator[str] | AsyncIterator[str]]
"""A model of one's own: gives the reply to the messages, whole or in pieces."""

MOST_AT_ONCE = 64
"""Calls of one function at the same time; the others wait in line."""
CHARACTERS_PER_TOKEN = 4
FACTS = ModelFacts(thinks=False)


class OwnModel:
    """A ChatModel: one function."""

    def __init__(self, name: str, function: ModelFunction) -> None:
        self._name = name
        self._function = function
        self._is_async = _is_async(function)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`. A function that blocks for too long is left to itself."""
        started = time.monotonic()
        messages = [{"role": one.role, "content": one.content} for one in request.messages]
        heard = _Heard(on_text)
        try:
            async with asyncio.timeout(request.deadline_s):
                await self._listen(messages, heard)
        except TimeoutError:
            problem = f"{self._who} took longer than {request.deadline_s:g} s"
            raise ModelUnavailable(problem) from None
        finally:
            heard.stop()
        sent = sum(len(one.content) for one in request.messages)
        return heard.reply(self._name, sent, round((time.monotonic() - started) * 1000))

    async def close(self) -> None:
        """See `port.ChatModel`. There is nothing to close."""

    @property
    def _who(self) -> str:
        where = getattr(self._function, "__qualname__", type(self._function).__qualname__)
        return f"the model {self._name!r} ({where})"

    async def _listen(self, messages: Messages, heard: _Heard) -> None:
        with self._naming():
            said: Any
            if self._is_async:
                said = self._function(messages)
            else:
                called = await _in_thread(lambda: _called(self._function, messages, heard))
                if called.error is not None:
                    raise self._named(called.error)
                said = called.said
            if isinstance(said, Awaitable):
                said = await said
            if isinstance(said, AsyncIterable):
                async for piece in said:
                    heard.hear(_text(piece))
            else:
                heard.hear(_text(said))
        heard.finish()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Makes whatever the function raises say which function it was."""
        task = asyncio.current_task()
        try:
            yield
        except ModelError:
            raise
        # Only Ctrl-C may end the process: KeyboardInterrupt is left out on purpose.
        except (Exception, SystemExit, *ENDINGS) as error:
            if isinstance(error, ENDINGS) and not is_from_inside(task):
                raise
            raise self._named(error) from error

    def _named(self, error: BaseException) -> ModelError:
        """What to raise for what the function has raised."""
        if isinstance(error, ModelError):
            return error
        log.warning("own model raised", extra={"model": self._name}, exc_info=error)
        failed = FunctionFailed(f"{self._who} raised {mistake(error)}")
        failed.__cause__ = error
        return failed


class _Heard:
    """What a function has said so far. For the event loop only, except `hear_from_thread`."""

    def __init__(self, on_text: OnText | None) -> None:
        self.is_stopped = False
        self._on_text = on_text
        self._loop = asyncio.get_running_loop()
        self._speech = Speech()

    def hear(self, piece: str) -> None:
        self._tell(self._speech.feed(piece))

    def hear_from_thread(self, piece: str) -> None:
        self._loop.call_soon_threadsafe(self.hear, piece)

    def finish(self) -> None:
        self._tell(self._speech.finish())

    def stop(self) -> None:
        """Pass nothing on any more: the call is over."""
        self.is_stopped = True

    def reply(self, name: str, sent: int, duration_ms: int) -> ChatReply:
        said = self._speech.said
        return ChatReply(
            content=said,
            thought=self._speech.thought,
            is_retracted=self._speech.is_retracted,
            finish=Finish.STOP,
            usage=Usage(
                input_tokens=sent // CHARACTERS_PER_TOKEN,
                output_tokens=len(said) // CHARACTERS_PER_TOKEN,
                is_estimated=True,
            ),
            model=name,
            duration_ms=duration_ms,
        )

    def _tell(self, piece: str) -> None:
        if piece and self._on_text is not None and not self.is_stopped:
            self._on_text(piece)


class _Called(msgspec.Struct, frozen=True):
    """What came of a call in a thread. An error is a value here: a future takes no StopIteration,
    and raises some others where they would end the process."""

    said: Any = None
    error: BaseException | None = None


def _called(function: ModelFunction, messages: Messages, heard: _Heard) -> Any:
    """What the function returns. Runs in a thread, and reads a generator to its end there, too."""
    said: Any = function(messages)
    if not isinstance(said, Iterator):
        return said
    for piece in said:
        if heard.is_stopped:
            break
        heard.hear_from_thread(_text(piece))
    return ""


def _text(said: object) -> str:
    if not isinstance(said, str):
        message = f"it gave {type(said).__name__}, where text was expected"
        raise TypeError(message)
    return said


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await, so that it needs no thread."""
    called = getattr(function, "__call__", None)  # noqa: B004 - of an object that is no function
    return any(
        inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one)
        for one in (function, called)
    )


async def _in_thread(work: Callable[[], Any]) -> _Called:
    """What came of `work`. Its thread keeps no process from ending, and takes no place in the pool
    where other work is done: a stranger's function may block for as long as it likes."""
    result: concurrent.futures.Future[_Called] = concurrent.futures.Future()
    result.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            called = _Called(context.run(work))
        except BaseException as error:  # noqa: BLE001 - told where it is waited for
            called = _Called(error=error)
        result.set_result(called)

    threading.Thread(target=run, name="moot-own-model", daemon=True).start()
    return await asyncio.wrap_future(result)


class _Own(msgspec.Struct, frozen=True):
    caller: Retrying
    asking: Asking
    gate: Gate


class WithOwn:
    """See `port.Models`: functions by their names, beside all other models."""

    def __init__(self, others: Models, functions: Mapping[str, ModelFunction]) -> None:
        """Raises InvalidInput for a name with another meaning, and for what is not a function."""
        self._others = others
        self._own = {name: _own(name, function) for name, function in functions.items()}

    def get(self, name: str) -> Caller:
        """See `port.Models`."""
        own = self._own.get(name)
        return self._others.get(name) if own is None else own.caller

    def facts(self, name: str) -> ModelFacts:
        """See `port.Models`."""
        return FACTS if name in self._own else self._others.facts(name)

    def default(self, *, is_judge: bool) -> str:
        """See `port.Models`. A function is used only where it is named."""
        return self._others.default(is_judge=is_judge)

    async def close(self) -> None:
        """See `port.Models`."""
        await self._others.close()

    def held_for_s(self, name: str) -> float:
        """See `port.TellsHold`."""
        if name in self._own:
            return self._own[name].gate.held_for_s
        return self._others.held_for_s(name) if isinstance(self._others, TellsHold) else 0.0

    def expected_s(self, name: str) -> float:
        """See `port.TellsHold`."""
        if name in self._own:
            return self._own[name].gate.throttle(name).expected_s
        return self._others.expected_s(name) if isinstance(self._others, TellsHold) else 0.0

    def learned(self, name: str) -> Learned:
        """See `port.TellsLearned`."""
        if name in self._own:
            return self._own[name].asking.learned
        return self._others.learned(name) if isinstance(self._others, TellsLearned) else Learned()

    def price(self, name: str, usage: Usage) -> float | None:
        """See `port.TellsPrice`."""
        if name in self._own or not isinstance(self._others, TellsPrice):
            return None
        return self._others.price(name, usage)


def _own(name: str, function: ModelFunction) -> _Own:
    _check(name, function)
    # The shape of the answer is asked for in words: a function knows of messages only.
    endpoint = Endpoint(provider=name, base_url="", schema_support="none")
    asking = Asking(OwnModel(name, function), endpoint=endpoint, facts=FACTS)
    gate = Gate(MOST_AT_ONCE)
    caller = Retrying(
        backend=asking,
        model=name,
        gate=gate,
        policy=RetryPolicy(),
        price=lambda _model, _usage: None,
    )
    return _Own(caller, asking, gate)


def _check(name: str, function: object) -> None:
    field = f"models.{name}"
    if not name or name != name.strip() or ":" in name:
        message = "a model of your own needs a plain name without `:`, such as 'mine'"
        raise InvalidInput(message, field=field)
    if name in PROVIDERS:
        message = f"{name!r} means something else already; choose another name"
        raise InvalidInput(message, field=field)
    if not callable(function):
        message = "is not a function: give one that takes messages and returns text"
        raise InvalidInput(message, field=field)
