"""Finished samples, and debates that are imported: a click away, and never taken for a model's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import is_too_wide, serious
from tests.browser.opening import Provider, Server, watched

from moot.definitions import samples
from moot.export import render

DEBATE = re.compile(r"/debates/(\w+)$")
SAMPLE = "A sample, written by the people who make Moot. No model said this."
FILE = "Imported from a file. Moot cannot tell whether it happened as it says."


@pytest.fixture
def narrow(browser: Browser, server: Server) -> Iterator[Page]:
    with watched(
        browser, server.url, viewport={"width": 360, "height": 800}, bypass_csp=True
    ) as sight:
        yield sight.page


def _open(page: Page, topic: str) -> str:
    page.goto("/#examples")
    return _choose(page, topic)


def _choose(page: Page, topic: str) -> str:
    page.locator(".tile.sample", has_text=topic).click()
    page.wait_for_url(DEBATE)
    return page.url


def test_every_sample_is_read_as_one(narrow: Page) -> None:
    page = narrow
    page.goto("/#examples")
    expect(page.locator(".tile.sample")).to_have_count(len(samples.shipped()))
    expect(page.get_by_text("Written by us")).to_have_count(len(samples.shipped()))
    for one in samples.shipped():
        address = _choose(page, one.topic)
        expect(page.locator(".notice", has_text=SAMPLE)).to_be_visible()
        expect(page.locator("#app .bone")).to_have_count(0)
        expect(page.get_by_text("price unknown")).to_have_count(0)
        assert serious(page) == [], one.name
        assert not is_too_wide(page), one.name
        page.go_back()
        assert _choose(page, one.topic) == address
        page.go_back()


def test_to_look_at_one_is_no_beginning(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with Server(tmp_path / "home", provider.url) as server, watched(browser, server.url) as sight:
        page = sight.page
        _open(page, "separate bank accounts")
        page.goto("/")
        expect(page.get_by_role("heading", name="What shall we argue about?")).to_be_visible()
        expect(page.locator(".row")).to_have_count(0)
        expect(page.locator(".tile.sample").first).to_be_visible()


def test_a_row_says_that_it_is_a_sample_and_no_price(page: Page, server: Server) -> None:
    server.create("Has anything been started?", start=True)
    _open(page, "separate bank accounts")
    expect(page.get_by_role("heading", name="Tobias Wren wins")).to_be_visible()
    expect(
        page.get_by_text("Asked only for the winner's name, the judge gave this one.")
    ).to_be_visible()
    page.goto("/")
    # It may be far down in the list, for which it counts when it was first looked at.
    page.get_by_label("Search everything that was said").fill("separate bank accounts")
    row = page.locator(".row", has_text="separate bank accounts")
    expect(row).to_contain_text("Duel · Sample")
    expect(row).not_to_contain_text("price")


def test_a_file_is_imported_and_a_bad_one_says_why_not(page: Page, tmp_path: Path) -> None:
    log = render(samples.read("same-place").log, "log", debate_id="elsewhere")
    file = tmp_path / "debate.jsonl"
    file.write_text(log.replace("Train guard", "Night guard"), "utf-8")
    page.goto("/#examples")
    picker = page.locator("input[type=file]")
    picker.set_input_files({"name": "a.jsonl", "mimeType": "text/plain", "buffer": b"{}\n"})
    expect(page.get_by_text("a.jsonl was not imported. line 1: it is no log")).to_be_visible()
    assert page.url.endswith("/#examples")
    picker.set_input_files(file)
    page.wait_for_url(DEBATE)
    expect(page.locator(".notice", has_text=FILE)).to_be_visible()
    expect(page.get_by_role("heading", name="Farouk Aziz wins")).to_be_visible()
