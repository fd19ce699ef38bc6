"""The page as `make run` opens it: the embedded model, and a first debate that only needs Start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.opening import Server, watched

pytestmark = [pytest.mark.embedded]

COURSES: dict[str, dict[str, int]] = {"rounds": {"max_tokens_judge": 16}, "room": {}}
"""What the first debate, a duel, does not show. A duel, a classic debate, a council and a room are
held to their end by the small model in tests/acceptance: each of its calls takes seconds."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("embedded") / "home"
    opened = Server(
        home, "", "--prepare", "remote-work", MOOT_MODEL="local:smollm2", OPENAI_API_KEY=""
    )
    yield opened
    opened.kill()


def introduction(server: Server) -> list[str]:
    """What it says about itself, after its address."""
    assert server.process.stdout is not None
    return [server.process.stdout.readline() for _ in range(3)]


def test_the_first_debate_is_ready_and_starts(browser: Browser, prepared: Server) -> None:
    told = introduction(prepared)
    assert told[0].startswith("It debates with local:smollm2 (MOOT_MODEL names it).")
    assert "is a toy for trying things out" in told[1]
    assert told[2].startswith(f"Open {prepared.url}/debates/"), told
    with watched(browser, prepared.url) as sight:
        page = sight.page
        page.goto("/")
        row = page.locator(".row")
        expect(row).to_have_count(1)
        expect(row.locator(".pill")).to_have_text("Ready")
        row.get_by_role("link").click()
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator(".dock .now").first).to_contain_text("planning")
        notice = page.get_by_role("note")
        expect(notice).to_contain_text("is a toy for trying things out")
        notice.get_by_role("button").click()
        expect(notice).to_have_count(0)
        page.reload()
        expect(page.locator(".debate-head .pill")).to_be_visible()
        expect(notice).to_have_count(0)
        page.get_by_label("Rename, export, fork, link, cancel").click()
        page.get_by_role("menuitem", name="Cancel the debate").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel it").click()
        expect(page.locator("#outcome")).to_have_text("Cancelled without a verdict")
    prepared.kill()
    prepared.start()
    assert introduction(prepared)[2].startswith(f"Open {prepared.url} in a browser")


@pytest.mark.parametrize("name", COURSES)
def test_other_formats_are_watched_with_a_real_model(
    browser: Browser, prepared: Server, name: str
) -> None:
    settings = {"max_tokens": 16, **COURSES[name]}
    body = {"topic": "Is water wet?", "format": name, "settings": settings, "start": True}
    debate = prepared.ask("POST", "/api/debates", body)["id"]
    if name == "room":  # where nobody speaks before the user does
        prepared.ask("POST", f"/api/debates/{debate}/messages", {"content": "Is it?"})
    with watched(browser, prepared.url) as sight:
        page = sight.page
        page.goto(f"/debates/{debate}")
        # What a small model says is luck; that it is shown is not.
        expect(page.get_by_role("heading", level=1)).to_have_text("Is water wet?")
        expect(page.locator("[id^=turn-]").first).to_be_attached()
        with suppress(AssertionError):  # it may be over already
            prepared.ask("POST", f"/api/debates/{debate}/cancel")
        expect(page.locator(".dock .commands")).to_have_count(0)
