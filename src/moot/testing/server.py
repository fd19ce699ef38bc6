"""A real OpenAI-compatible server on loopback that says what it is told to, and can misbehave.

    async with ScriptedServer(faults=["status_503", None]) as server:
        endpoint = Endpoint(provider="test", base_url=server.base_url)

or from another process: `python -m moot.testing.server --latency 0.05 --ledger calls.jsonl`, which
prints the base URL as its first line. `server_faults.FAULTS` has every way to misbehave,
`server_rules.Rules` what it may refuse to take.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

import msgspec

from moot.testing.replies import DEFAULT_WORDS
from moot.testing.server_faults import FAULTS
from moot.testing.server_ledger import Entry, Ledger
from moot.testing.server_rules import Rules, refusal, think
from moot.testing.server_wire import (
    DONE,
    Answer,
    ChatCall,
    HttpRequest,
    Lookups,
    Peer,
    begin_stream,
    chunk,
    default_text,
    end_stream,
    events,
    lookups_answer,
    read_request,
    send_whole,
    usage_for,
)

FaultPlan = Iterable[str | None] | Callable[[ChatCall], str | None]
"""Names of faults: one per call (then none), or a function of the call."""
Script = Callable[[ChatCall], Any]
"""The content of the reply, or `Lookups` to have tools called; None takes the default."""

MODELS = ("scripted",)


class ScriptedServer:
    """The server. `ledger` has every call; counters say what landed.

    A reply takes `latency_s`, and a streamed one `word_delay_s` more for each word.
    """

    def __init__(  # noqa: PLR0913  a test double has many knobs, each by name
        self,
        *,
        port: int = 0,
        script: Script | None = None,
        faults: FaultPlan = (),
        latency_s: float = 0.0,
        word_delay_s: float = 0.0,
        words: int = DEFAULT_WORDS,
        ledger_path: Path | str | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.ledger = Ledger(ledger_path)
        self.connections = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self._port = port
        self._script = script
        if isinstance(faults, Sequence):
            _check_faults(faults)
        self._fault = faults if callable(faults) else _one_by_one(faults)
        self._latency_s = latency_s
        self._word_delay_s = word_delay_s
        self._words = words
        self._rules = rules
        self._peers: weakref.WeakSet[Peer] = weakref.WeakSet()
        self._server: asyncio.Server | None = None

    @property
    def calls(self) -> list[Entry]:
        return self.ledger.entries

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._accept, "127.0.0.1", self._port, backlog=4096)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for peer in list(self._peers):
            peer.close()
        await asyncio.sleep(0)
        self.ledger.close()

    async def serve_forever(self) -> None:
        assert self._server is not None
        await self._server.serve_forever()

    def _accept(self) -> Peer:
        self.connections += 1
        peer = Peer(self._handle)
        self._peers.add(peer)
        return peer

    async def _handle(self, peer: Peer, http: HttpRequest) -> None:
        if http.method == "POST" and http.path == "/v1/chat/completions":
            await self._chat(peer, http)
        elif http.path == "/v1/models":
            data = [{"id": name, "object": "model", "owned_by": "moot"} for name in MODELS]
            peer.respond(200, msgspec.json.encode({"object": "list", "data": data}))
        else:
            peer.respond(404, b'{"error": {"message": "no such address"}}')

    async def _chat(self, peer: Peer, http: HttpRequest) -> None:
        call = ChatCall(
            number=len(self.calls) + 1, request=read_request(http.body), http=http, peer=peer
        )
        entry = self.ledger.start(_entry(call, self._fault(call)))
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            await self._answer(call, entry)
            if entry.ended_at is None:
                self.ledger.end(entry, "finished")
        finally:
            self.in_flight -= 1
            if entry.ended_at is None:
                self.ledger.end(entry, "disconnected")

    async def _answer(self, call: ChatCall, entry: Entry) -> None:
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        if self._rules is not None and (refused := refusal(self._rules, call.request)):
            entry.refused = refused.reason
            call.peer.respond(refused.status, msgspec.json.encode(refused.body))
            return
        answer = self._reply(call)
        if self._rules is not None and self._rules.thoughts:
            think(self._rules, call.request, answer)
        if entry.fault is not None:
            fault = FAULTS[entry.fault]
            await fault.act(call, answer)
            if fault.is_reply:
                self._book(entry, answer)
        elif call.is_streamed:
            await self._stream(call, answer, entry)
        else:
            self._book(entry, answer)
            send_whole(call, answer)

    def _book(self, entry: Entry, answer: Answer) -> None:
        """Book the reply before its last byte is sent: no client has one that is not booked."""
        entry.reply, entry.usage = answer.content, answer.usage
        self.ledger.end(entry, "finished")

    def _reply(self, call: ChatCall) -> Answer:
        content = self._script(call) if self._script is not None else None
        if isinstance(content, Lookups):
            return lookups_answer(call, content)
        if content is None:
            content = default_text(call.request, self._words)
        usage = usage_for(call.request, content if isinstance(content, str) else "")
        return Answer(content=content, model=call.request.model, usage=usage)

    async def _stream(self, call: ChatCall, answer: Answer, entry: Entry) -> None:
        begin_stream(call)
        *earlier, last = events(call, answer)
        for event in earlier:
            if self._word_delay_s:
                await asyncio.sleep(self._word_delay_s)
            call.peer.write(chunk(event))
        self._book(entry, answer)
        call.peer.write(chunk(last))
        call.peer.write(chunk(DONE))
        end_stream(call)


def _entry(call: ChatCall, fault: str | None) -> Entry:
    return Entry(
        number=call.number,
        started_at=time.time(),
        model=call.request.model,
        messages=call.messages,
        is_streamed=call.is_streamed,
        fault=fault,
    )


def _check_faults(names: Sequence[str | None]) -> None:
    """Raises ValueError before anything is served: a server that dies later proves nothing."""
    for name in names:
        if name is not None and name not in FAULTS:
            close = get_close_matches(name, FAULTS, n=3)
            meant = (
                f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(FAULTS)}"
            )
            message = f"there is no fault {name!r}; {meant}"
            raise ValueError(message)


def _one_by_one(faults: Iterable[str | None]) -> Callable[[ChatCall], str | None]:
    plan = iter(faults)
    return lambda _call: next(plan, None)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m moot.testing.server", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before a reply")
    parser.add_argument("--word-delay", type=float, default=0.0, help="seconds per streamed word")
    parser.add_argument("--words", type=int, default=DEFAULT_WORDS, help="length of a reply")
    parser.add_argument("--ledger", type=Path, help="file to append every call to")
    parser.add_argument(
        "--faults", default="", help="names, with commas, one per call; `-` is none"
    )
    return parser.parse_args()


async def _main() -> None:
    given = _arguments()
    names = [name.strip() for name in given.faults.split(",")] if given.faults else []
    try:
        _check_faults([name for name in names if name != "-"])
    except ValueError as error:
        sys.exit(f"--faults: {error}")
    server = ScriptedServer(
        port=given.port,
        faults=[None if name == "-" else name for name in names],
        latency_s=given.latency,
        word_delay_s=given.word_delay,
        words=given.words,
        ledger_path=given.ledger,
    )
    async with server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
