"""A provider that means harm, in a process of its own: the model's name says what it answers with.

`python -m tests.security.hostile_provider` prints its base URL. A model is called `TEXT-SIZE`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = 50_000


def _again(text: str) -> Callable[[int], str]:
    return lambda size: (text * (size // len(text) + 1))[:size]


def _behind(head: str, text: str, tail: str = "") -> Callable[[int], str]:
    more = _again(text)
    return lambda size: head + more(size - len(head) - len(tail)) + tail


TEXTS: dict[str, Callable[[int], str]] = {
    # What cleaning looks for.
    "c1": _again("\x90"),
    "escapes": _again("\x1b]a"),
    "half-surrogates": _again("\ud800"),
    "joiners": _again("\u200d"),
    "families": _again("\U0001f468\u200d"),
    "tags": _again("\U000e0041"),
    "directions": _again("\u202e"),
    "returns": _again("\r"),
    # What thoughts are looked for in.
    "think": _again("<think"),
    "thoughts": _again("<think>a</think>"),
    "closings": _again("</think>"),
    "blanks-closed": _behind("", " \n", "x</think>y"),
    "channels": _again("<|channel|>"),
    "channel-word": _behind("<|channel|>", "a"),
    "channel-parts": _again("<|channel|>final<|message|>a<|end|>"),
    # What speakers' labels and mentions are looked for in.
    "others-in-code": _behind("```\n", "\n[Bo]: x"),
    "other-then-lines": _behind("[Bo]: x", "\n"),
    "mentions": _again("@Ada "),
    "marks": _behind("@Ada a", "\u0315\u0300"),
    # What objects are cut out of.
    "braces": _again("{"),
    "objects": _again("{}"),
    "nested": _again('{"a":'),
    "backslashes": _behind('{"a": "', "\\"),
    "questions": _behind('{"questions":[', '"why?",', '"x"]}'),
    # What Markdown is read from.
    "brackets": _again("["),
    "links": _again("[a]("),
    "tags-unclosed": _again('<a href="'),
    "stars": _again("*a_"),
    "ticks": _again("`a``b"),
    "quotes": _again("> "),
    "rows": _again("|a|\n|-|\n"),
    # What lines are broken in.
    "word": _again("a"),
    "lines": _again("\n"),
    "flags": _again("\U0001f1e6"),
    "wide": _again("\ufdfa"),
}


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        del format, args

    def do_GET(self) -> None:
        self._send(b'{"data": []}', "application/json")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name, _, size = asked["model"].rpartition("-")
        text = TEXTS[name](int(size))
        if asked.get("stream"):
            pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
            events: list[dict[str, object]] = [{"delta": {"content": piece}} for piece in pieces]
            events.append({"delta": {}, "finish_reason": "stop"})
            body = b"".join(b"data: " + _json({"choices": [one]}) + b"\n\n" for one in events)
            self._send(body + b"data: [DONE]\n\n", "text/event-stream")
        else:
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            self._send(_json({"choices": [choice]}), "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):  # it has had enough
            self.wfile.write(body)


def _json(value: object) -> bytes:
    """Short, as far as the characters can be written at all."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
