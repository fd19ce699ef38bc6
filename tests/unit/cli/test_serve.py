"""`moot serve --prepare`: whatever goes wrong with the first debate is said in one line."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest

from moot.cli import serve
from moot.cli.setup import Setup
from moot.errors import StoreUnavailable


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("no\nluck"), "moot: cannot prepare remote-work: RuntimeError: no luck\n"),
        (StoreUnavailable("the disk is full"), "moot: the disk is full\n"),
    ],
)
async def test_what_goes_wrong_with_the_first_debate_is_told(
    capsys: pytest.CaptureFixture[str], error: Exception, told: str
) -> None:
    async def broken(*_: object, **__: object) -> Any:
        raise error

    service = SimpleNamespace(list=broken)
    with socket.socket() as listening:
        given = serve._Opened(
            setup=Setup(),
            settings=cast("Any", None),
            host="",
            listening=listening,
            has_worker=True,
            prepare="remote-work",
        )
        await serve._prepare(cast("Any", SimpleNamespace(service=service)), given)

    assert capsys.readouterr().err == told
