"""Cuts, kills, two tabs and tokens: the page says how it stands, and is right again afterwards."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import Provider, Server, watched

TOKEN = "a-token-of-some-length"


@pytest.fixture
def own(provider: Provider, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own, to be killed."""
    opened = Server(tmp_path / "home", provider.url)
    yield opened
    opened.kill()


def _statements(page: Page) -> list[str]:
    found = page.locator("article.turn[id]").evaluate_all("(all) => all.map((one) => one.id)")
    return [str(one) for one in found]


def test_it_is_right_again_after_the_server_was_killed_and_started(
    browser: Browser, own: Server, provider: Provider
) -> None:
    let_go = provider.hold("Is a kill survived?")
    with watched(browser, own.url) as sight:
        page = sight.page
        debate = own.create("Is a kill survived?", start=True)
        page.goto(f"/debates/{debate}")
        expect(page.locator(".debate-head .pill")).to_have_text("Live")
        own.kill()
        expect(page.locator(".notice.lost")).to_contain_text("No connection since")
        expect(page.get_by_role("button", name="Try now")).to_be_visible()
        own.start()
        # The page tries by itself, too, and then the button is gone: it is pressed if it is there.
        page.evaluate("() => document.querySelector('.notice.lost button')?.click()")
        expect(page.locator(".notice.lost")).to_have_count(0)
        let_go()
        expect(page.get_by_role("region", name="Verdict")).to_be_visible()
        page.keyboard.press("p")
        expect(page.locator("article.turn[id]")).to_have_count(10)
        seen = _statements(page)
        assert len(seen) == len(set(seen)) == 10
        page.reload()
        expect(page.locator("article.turn[id]")).to_have_count(10)
        assert _statements(page) == seen
        own.kill()
        page.get_by_role("link", name="Debates", exact=True).click()
        expect(page.get_by_text("The server cannot be reached")).to_be_visible()
        own.start()
        expect(page.get_by_role("link", name="Is a kill survived?")).to_be_visible()
        expect(page.get_by_text("The server cannot be reached")).to_be_hidden()


def test_a_full_disk_is_told_and_it_goes_on_by_itself(
    browser: Browser, own: Server, provider: Provider
) -> None:
    let_go = provider.hold("Is a full disk survived?")
    with watched(browser, own.url) as sight:
        page = sight.page
        debate = own.create("Is a full disk survived?", start=True)
        page.goto(f"/debates/{debate}")
        expect(page.locator(".debate-head .pill")).to_have_text("Live")
        limits = resource.prlimit(own.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(own.process.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
        let_go()
        notice = page.get_by_role("alert").filter(has_text="Nothing can be recorded now")
        expect(notice).to_contain_text("moot.db is full")
        resource.prlimit(own.process.pid, resource.RLIMIT_FSIZE, limits)
        expect(page.get_by_role("region", name="Verdict")).to_be_visible()
        expect(notice).to_have_count(0)


def test_two_tabs_see_the_same(browser: Browser, server: Server, provider: Provider) -> None:
    let_go = provider.hold("Do two tabs agree?")
    with watched(browser, server.url) as sight:
        one, two = sight.page, sight.page.context.new_page()
        debate = server.create("Do two tabs agree?")
        one.goto(f"/debates/{debate}")
        one.keyboard.press("p")
        two.goto(f"/debates/{debate}")
        one.get_by_role("button", name="Start", exact=True).click()
        provider.wait_for_call("Do two tabs agree?")
        two.get_by_role("button", name="Stop").click()
        expect(one.locator(".debate-head .pill")).to_have_text("Stopping")
        let_go()
        expect(one.get_by_text("It was stopped from another window at")).to_be_visible()
        expect(two.get_by_text("You stopped it at")).to_be_visible()
        expect(one.get_by_role("button", name="Resume")).to_be_visible()
        one.get_by_role("button", name="Resume").click()
        for page in (one, two):
            expect(page.get_by_role("region", name="Verdict")).to_be_visible()
            expect(page.locator("article.turn[id]")).to_have_count(10)
        assert _statements(one) == _statements(two)


def test_a_command_that_came_too_late_is_refused_aloud(page: Page, server: Server) -> None:
    debate = server.create("Is it too late?")
    page.goto(f"/debates/{debate}")
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_visible()
    page.route("**/start", lambda route: route.fulfill(
        status=409, content_type="application/problem+json",
        body='{"code": "refused", "detail": "cannot start a debate that is running"}',
    ))  # fmt: skip
    start.click()
    expect(page.locator(".toast")).to_contain_text("cannot start a debate that is running")


def test_a_server_with_a_token_is_entered_once(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with (
        Server(tmp_path / "home", provider.url, MOOT_TOKEN=TOKEN) as server,
        watched(browser, server.url) as sight,
    ):
        page = sight.page
        debate = server.create("Is the token kept?", start=True)
        page.goto("/")
        page.get_by_label("Token").fill("not the right one")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_role("alert")).to_contain_text("not the right one")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Enter").click()
        page.get_by_role("link", name="Is the token kept?").click()
        expect(page.get_by_role("region", name="Verdict")).to_be_visible()
        page.goto(f"/debates/{debate}")
        expect(page.get_by_role("region", name="Verdict")).to_be_visible()
        page.get_by_label("Export", exact=True).click()
        with page.expect_download() as found:
            page.get_by_role("menuitem", name="JSON").click()
        assert "Is the token kept?" in found.value.path().read_text()
        assert page.evaluate("Object.keys(localStorage).join()").find("token") < 0


def test_it_shows_what_a_debate_waits_for_and_counts_down(
    page: Page, server: Server, provider: Provider
) -> None:
    topic = "Is an outage waited out?"
    provider.misbehave(topic, "status_503")
    page.goto(f"/debates/{server.create(topic, start=True)}")
    wait = page.locator(".notice.wait")
    expect(wait).to_contain_text("openai is not answering (503")
    expect(wait.get_by_role("timer")).to_have_text("next try in 3 s")
    page.reload()
    expect(wait.get_by_role("timer")).to_have_text("next try in 1 s")
    provider.misbehave(topic, None)
    expect(page.get_by_role("region", name="Verdict")).to_be_visible(timeout=20_000)
    expect(wait).to_have_count(0)


def test_it_shows_that_a_rate_limit_of_another_debate_holds_this_one_back(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    # With a server of its own: the others' calls would wait as well.
    server = Server(tmp_path / "home", provider.url)
    try:
        with watched(browser, server.url) as sight:
            page = sight.page
            provider.misbehave("Who is turned away?", "status_429_retry_after_1")
            page.goto(f"/debates/{server.create('Who is turned away?', start=True)}")
            wait = page.locator(".notice.wait")
            expect(wait).to_contain_text("openai is turning calls away")
            page.goto(f"/debates/{server.create('Who waits for it?', start=True)}")
            expect(wait).to_contain_text("openai takes no more calls for now")
            expect(wait.get_by_role("timer")).to_have_text(re.compile(r"next try in \d+ s"))
            provider.misbehave("Who is turned away?", None)
            expect(wait).to_have_count(0, timeout=20_000)
    finally:
        provider.misbehave("Who is turned away?", None)
        server.kill()
