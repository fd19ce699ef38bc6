"""A collector on loopback that takes OTLP over HTTP, and what it was sent."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

REASON = "the extra is not installed: pip install 'moot[tracing]'"
service: Any = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason=REASON
)


class Collector:
    """`spans` by the order they came in; attributes as plain values."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.paths: set[str] = set()
        self.url = ""

    def receive(self, path: str, body: bytes) -> None:
        self.paths.add(path)
        self.bodies.append(body)

    @property
    def spans(self) -> list[Any]:
        found = []
        for body in self.bodies:
            request = service.ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found

    @property
    def services(self) -> set[str]:
        requests = [service.ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        resources = [one.resource for request in requests for one in request.resource_spans]
        return {plain(one.attributes)["service.name"] for one in resources}

    def named(self, beginning: str) -> list[Any]:
        return [span for span in self.spans if span.name.startswith(beginning)]


def plain(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind)


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.receive(self.path, body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
