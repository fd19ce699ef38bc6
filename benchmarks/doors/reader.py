"""A client in a process of its own, whose CPU is not counted: `python reader.py PORT N WHAT`.

It prints the median milliseconds to the first byte of N requests, which it makes one after the
other; a stream is read to its end.
"""

from __future__ import annotations

import json
import socket
import statistics
import sys
import time


def ask(port: int, what: str, number: int) -> float:
    body = b""
    method, path = "GET", "/healthz"
    if what != "healthz":
        message = {"role": "user", "content": f"Question {number}?"}
        body = json.dumps({"model": what, "stream": True, "messages": [message]}).encode()
        method, path = "POST", "/v1/chat/completions"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as wire:
        wire.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        first = b""
        while b"\r\n\r\n" not in first or (body and b"data: " not in first):
            first += wire.recv(65536)
        seconds = time.perf_counter() - began
        while wire.recv(65536):
            pass
    return seconds * 1000


if __name__ == "__main__":
    port, number, what = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    times = [ask(port, what, n) for n in range(number)]
    sys.stdout.write(f"{statistics.median(times):.3f}\n")
