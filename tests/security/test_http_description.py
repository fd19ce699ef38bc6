"""Schemathesis over the OpenAPI description: whatever it makes up, no 5xx and no odd answer."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import Receive, Scope, Send
from tests.unit.api.serving import serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


ANY_TEXT = {"type", "title", "description"}
"""What the schema of a parameter has that is any text; other types have bounds or choices too."""


class Elsewhere:
    """The app in an event loop of its own: schemathesis is synchronous, with a loop per call."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._context = serving(path, worker=False)
        self.on = self._run(self._context.__aenter__())

    def create(self) -> str:
        return str(self._run(self.on.create()))

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        self._run(self._context.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        body += message.get("body", b"")
        for answer in await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._answer(scope, body), self._loop)
        ):
            await send(answer)

    async def _answer(self, scope: Scope, body: bytes) -> list[Any]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.on.app(scope, receive, send)
        return sent


async def _lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    with ExitStack() as stack:
        made = Elsewhere(tmp_path_factory.mktemp("described"))
        stack.callback(made.close)
        yield made


@pytest.fixture(scope="module")
def description(app: Elsewhere) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "localhost"})


EXAMPLES = settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)


@pytest.mark.timeout(240)  # thousands of requests
def test_whatever_is_sent_the_answer_is_as_described(app: Elsewhere, description: Any) -> None:
    met: Counter[tuple[str, int]] = Counter()
    for operation in (result.ok() for result in description.get_all_operations()):
        # A stream of a debate that is not over does not end.
        if not operation.path.endswith("/events"):
            _try(app, operation, GenerationMode.POSITIVE, met)
            if _can_be_wrong(operation):
                _try(app, operation, GenerationMode.NEGATIVE, met)
    assert len({label for label, _ in met}) > 18
    # It got past the checks too, and not only to them.
    assert {status for _, status in met} >= {200, 201, 404, 409, 422}


def _can_be_wrong(operation: Any) -> bool:
    """Whether there is input that the description forbids. Where an address has room for any text
    and nothing else is taken, hundreds of examples would be made up and thrown away."""
    schemas = [one.definition["schema"] for one in operation.iter_parameters()]
    return bool(operation.body) or any(schema.keys() - ANY_TEXT for schema in schemas)


def _try(
    app: Elsewhere, operation: Any, mode: GenerationMode, met: Counter[tuple[str, int]]
) -> None:
    debate = app.create()

    @EXAMPLES
    @given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        made_up = (case.path_parameters or {}).get("debate_id")
        if made_up and len(made_up) % 2:
            case.path_parameters["debate_id"] = debate
        response = case.call(headers={"host": "localhost"})
        met[operation.label, response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable, SkipTest):  # a body of any text has no wrong input
        call()
