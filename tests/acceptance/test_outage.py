"""The provider goes away in the middle of debates of every format, and comes back.

A real `moot serve` and a real provider, each in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.acceptance.terminals import Provider
from tests.acceptance.test_serve import Server

PATIENCE_S = 60
AWAY_S = 3
FORMATS: dict[str, dict[str, Any]] = {
    "duel": {"turns": 4},
    "rounds": {"max_rounds": 3, "max_total_output_tokens": None},
    "standard": {"max_rounds": 4},
    "custom": {},
    "classic": {},
    "council": {},
}
STOPPED, HASTY = "to be stopped", "without patience"


def until(is_so: Callable[[], Any], what: str) -> Any:
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        if found := is_so():
            return found
        time.sleep(0.05)
    raise AssertionError(what)


def create(server: Server, form: str, **settings: Any) -> str:
    given: dict[str, Any] = {"settings": FORMATS[form] | settings}
    if form == "duel":
        given |= {"file": "remote-work"}
    else:
        given |= {"format": form, "topic": "Tabs or spaces?"}
    return str(server.ask("POST", "/api/debates", {**given, "start": True})["id"])


def test_every_format_waits_out_an_outage_says_so_and_stops_at_once(
    home: Path, provider: Callable[..., Provider]
) -> None:
    del home
    first = provider("--latency", "0.4")
    port = str(urlsplit(first.url).port)
    server = Server(first)
    try:
        debates = {form: create(server, form) for form in FORMATS}
        debates[STOPPED] = create(server, "rounds")
        debates[HASTY] = create(server, "rounds", provider_patience_seconds=1)

        def view(name: str) -> Any:
            return server.ask("GET", f"/api/debates/{debates[name]}")

        until(lambda: all(view(name)["turns"] for name in debates), "nobody has begun")
        first.process.kill()
        fell_at = time.monotonic()
        until(lambda: all(view(name)["waiting"] for name in FORMATS), "not all of them wait")
        (wait, *_) = view("duel")["waiting"]
        assert "openai is not answering (" in wait["reason"] or "broke off" in wait["reason"]
        assert wait["participant"] in {one["id"] for one in view("duel")["participants"]}
        assert wait["since"] < wait["next_try_at"]

        server.ask("POST", f"/api/debates/{debates[STOPPED]}/stop")
        asked_at = time.monotonic()
        until(lambda: view(STOPPED)["status"] == "stopped", "stop has to wait")
        assert time.monotonic() - asked_at < AWAY_S

        until(lambda: view(HASTY)["status"] == "failed", "it is more patient than it was told")
        failure = view(HASTY)["failure"]["error"]
        assert failure.startswith("openai has not answered for 1 s: no connection to ")
        assert failure.endswith("try again when it answers")

        time.sleep(max(0.0, AWAY_S - (time.monotonic() - fell_at)))
        provider("--port", port)
        server.ask("POST", f"/api/debates/{debates[STOPPED]}/resume")
        server.ask("POST", f"/api/debates/{debates[HASTY]}/retry")
        until(lambda: all(view(name)["status"] == "completed" for name in debates), "not all go on")
        assert not any(view(name)["waiting"] for name in debates)
    finally:
        server.process.kill()
        server.process.communicate()
