"""The start page and the form of a new debate: for every eye, on every screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import is_too_wide, serious_by_scheme
from tests.browser.opening import DUEL, Provider, Server, watched

WIDTHS = (360, 768, 1440)


@pytest.fixture(scope="module")
def filled(server: Server, provider: Provider) -> Server:
    """A server with something in every part of the list."""
    provider.say("Is this list read by everybody?", "Numbats read it. " + "W" * 150)
    server.create("Is this list read by everybody?", start=True)
    server.create("Has it begun?")
    person = [{**DUEL[0], "model": "human"}, *DUEL[1:]]
    server.create("Is it my turn in the list?", participants=person, start=True)
    server.create("Is a room in the list?", format="room", start=True)
    return server


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("empty") / "home"
    opened = Server(home, provider.url, MOOT_MODEL="local:smollm2")
    yield opened
    opened.kill()


def _check(page: Page, what: str) -> None:
    assert serious_by_scheme(page) == [], what
    assert not is_too_wide(page), what


def _look(page: Page, what: str) -> None:
    page.goto("/")
    expect(page.locator(".row, .tile").first).to_be_visible()
    expect(page.locator("#app .bone")).to_have_count(0)
    _check(page, f"{what}: the list")


def _search(page: Page, what: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type("numbat")
    expect(page.locator(".hits mark").first).to_be_visible()
    _check(page, f"{what}: what was found")


def _compose(page: Page, what: str) -> None:
    page.goto("/new")
    page.locator(".chip").first.click()
    page.get_by_role("button", name="More formats").click()
    page.locator(".seat").get_by_role("button", name="Edit").click()
    page.get_by_text("Advanced", exact=True).click()
    expect(page.locator(".forecast")).to_contain_text("calls at most")
    _check(page, f"{what}: a seat and all settings")
    page.locator(".pickbutton").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    _check(page, f"{what}: the models")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_keeps_anybody_out_and_nothing_is_too_wide(
    browser: Browser, filled: Server, empty: Server, width: int
) -> None:
    size: Any = {"width": width, "height": 800}
    what = f"{width} px"
    options: Any = {"viewport": size, "bypass_csp": True}
    with watched(browser, filled.url, **options) as sight:
        _look(sight.page, what)
        _search(sight.page, what)
        _compose(sight.page, what)
    with watched(browser, empty.url, **options) as sight:
        _look(sight.page, f"{what}, first run")
