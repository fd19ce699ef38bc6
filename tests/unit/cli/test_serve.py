"""`moot serve`: how wide its doors are, and what goes wrong with the first debate."""

from __future__ import annotations

import resource
import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest

from moot.api import server
from moot.cli import serve
from moot.cli.options import Setup
from moot.errors import InvalidInput, StoreUnavailable
from moot.settings import load_settings


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


def test_the_doors_are_as_wide_as_open_files_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "raise_open_files", lambda: 1024)
    assert serve._doors(load_settings()).connections == 768
    assert serve._doors(load_settings(max_connections=900)).connections == 900
    with pytest.raises(InvalidInput, match=r"need 1096 open files.* may have only 1024") as caught:
        serve._doors(load_settings(max_connections=1000))
    assert caught.value.field == "MOOT_MAX_CONNECTIONS"


@pytest.mark.parametrize(
    ("limits", "raised"),
    [((256, 4096), 4096), ((1024, 1024), 1024), ((256, -1), 65_536), ((100_000, -1), 100_000)],
)
def test_raises_the_soft_limit_of_open_files(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], raised: int
) -> None:
    told: list[tuple[int, int]] = [limits]
    monkeypatch.setattr(resource, "getrlimit", lambda _: told[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: told.append(wanted))
    assert server.raise_open_files() == raised
    assert told[-1] == (raised, limits[1])


def test_a_system_that_allows_less_than_it_says_gives_what_it_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """macOS: no hard limit, and ten thousand at the most."""

    def refusing(_: int, wanted: tuple[int, int]) -> None:
        if wanted[0] > server.OPEN_FILES_OF_MACOS:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, -1))
    monkeypatch.setattr(resource, "setrlimit", refusing)
    assert server.raise_open_files() == server.OPEN_FILES_OF_MACOS
