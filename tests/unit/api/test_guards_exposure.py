"""Who can reach the server, and whether it may start like that."""

from __future__ import annotations

import pytest

from moot.api.guards.tokens import check_exposure, host_header, is_loopback
from moot.errors import InvalidInput

TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])
def test_loopback_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    check_exposure(host, None)
    check_exposure(host, "short")


EVERYWHERE = "0.0.0.0"  # noqa: S104 - not bound to


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "192.168.1.5", "moot.example", ""])
def test_anywhere_else_a_token_is_needed_and_it_says_how(host: str) -> None:
    assert not is_loopback(host)
    for token in (None, ""):
        with pytest.raises(InvalidInput, match=r"MOOT_TOKEN .*127\.0\.0\.1"):
            check_exposure(host, token)
    with pytest.raises(InvalidInput, match="guessed"):
        check_exposure(host, "short")
    check_exposure(host, TOKEN)


@pytest.mark.parametrize(
    "token", ["with space in it!", "line\nbreak-line-break", "größer-als-ascii"]
)
def test_a_token_no_header_could_carry_is_refused(token: str) -> None:
    with pytest.raises(InvalidInput, match="ASCII"):
        check_exposure("127.0.0.1", token)


def test_tells_what_the_host_header_will_say() -> None:
    assert host_header("192.168.1.5") == "192.168.1.5"
    assert host_header("fe80::1") == "[fe80::1]"
    assert host_header("Moot.Example") == "moot.example"
