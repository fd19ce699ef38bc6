"""What makes it a pleasure: for every eye, hand and screen, and for five thousand turns."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import serious_by_scheme
from tests.browser.long_debate import write_long_debate
from tests.browser.opening import DUEL, Provider, Server, watched

from moot.testing.server_wire import ChatCall

PEOPLE = [{**DUEL[0], "model": "human"}, *DUEL[1:]]
TURNS = 5000


def _settle(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("#app .bone")).to_have_count(0)


def _open_all(page: Page) -> None:
    """Everything that the form of a new debate can show at once."""
    page.locator(".chip").first.click()
    page.locator(".seat").get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="More formats").click()
    page.get_by_text("Advanced", exact=True).click()
    page.locator(".pickbutton").click()


@pytest.fixture(scope="module")
def addresses(server: Server) -> list[str]:
    done = server.create("Is this debate over?", settings={"premise": "It is."}, start=True)
    waits = server.create(
        "Does this debate wait?",
        format="rounds",
        participants=PEOPLE,
        settings={"max_rounds": 1},
        start=True,
    )
    again = server.ask("POST", f"/api/debates/{done}/rematches", {"swap": True, "start": True})[
        "id"
    ]
    return [
        *("/", "/new", "/personas", "/models", "/judges", "/nothing"),
        *(f"/debates/{done}", f"/debates/{waits}"),
        *(f"/debates/{done}/with", f"/debates/{done}/with/{again}"),
    ]


@contextmanager
def _bare(browser: Browser, server: Server, **options: Any) -> Iterator[Page]:
    # axe is put into the page by the test; the page's own policy would not let it in.
    with watched(browser, server.url, bypass_csp=True, **options) as sight:
        yield sight.page


def test_axe_finds_nothing_serious(browser: Browser, server: Server, addresses: list[str]) -> None:
    with _bare(browser, server) as page:
        for address in addresses:
            _settle(page, address)
            if address == "/new":
                _open_all(page)
            if address.startswith("/debates/") and "with" not in address:
                page.keyboard.press("p")
            assert serious_by_scheme(page) == [], address


def test_it_fits_a_narrow_screen(browser: Browser, server: Server, addresses: list[str]) -> None:
    size: Any = {"width": 360, "height": 740}
    with watched(browser, server.url, viewport=size, has_touch=True) as sight:
        for address in addresses:
            _settle(sight.page, address)
            if address == "/new":
                _open_all(sight.page)
            wide = sight.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 360, address


def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/models")
    button = page.get_by_role("button", name="Colours")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button.click()
    button.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so; it must be seen to have it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "(() => { const e = document.activeElement; return [e.getAttribute('aria-label')"
            " || (e.labels?.[0]?.innerText) || e.innerText || '',"
            " e.matches(':focus-visible')]; })()"
        )
        if name in found[0]:
            assert found[1], f"{name} has the focus, and nobody sees it"
            return
    raise AssertionError(f"{name} cannot be reached with the keyboard")


def test_a_debate_is_made_and_watched_by_keyboard_alone(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    _tab_to(page, "New debate")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="New debate")).to_be_visible()
    expect(page.locator(".chip").first).to_be_visible()
    _tab_to(page, "Your question or claim")
    page.keyboard.type("Can it all be typed?")
    _tab_to(page, "Start")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    _tab_to(page, "Show plans and thoughts")
    page.keyboard.press("Space")
    expect(page.locator("article.private").first).to_be_visible()
    page.locator("main").focus()
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.id")
    page.keyboard.press("j")
    assert first.startswith("turn-")
    assert page.evaluate("document.activeElement.id") != first
    _tab_to(page, "More about")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_shell_is_painted_before_any_data(page: Page) -> None:
    held: list[Any] = []
    page.route("**/api/**", lambda route: held.append(route))  # noqa: PLW0108 - playwright looks into it
    page.goto("/", wait_until="commit")
    expect(page.get_by_role("link", name="Personas")).to_be_visible()
    expect(page.locator(".bone").first).to_be_visible()
    page.unroute("**/api/**")
    for route in held:
        route.continue_()
    expect(page.locator(".bone")).to_have_count(0)


def test_what_streams_moves_nothing_that_is_being_read(
    page: Page, server: Server, provider: Provider
) -> None:
    numbers = itertools.count()

    def said(call: ChatCall) -> str:
        """Long statements, and a judge whose scores cannot be read and are asked for again."""
        asked = call.messages[-1][1]
        is_public = "argument now" in asked or "Now give your" in asked or "final turn" in asked
        return f"number-{next(numbers)}. " + "word " * 120 if is_public else "Well."

    provider.say("Does it jump?", said)
    let_go = provider.hold("number-5.")
    debate = server.create("Does it jump?", settings={"turns": 12})
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Start", exact=True).click()
    first = page.get_by_role("article", name="Ada, statement").first
    expect(first).to_be_visible()
    expect(page.get_by_text("number-5.")).not_to_have_count(0)
    page.mouse.move(400, 400)
    page.mouse.wheel(0, -20_000)
    while page.evaluate("scrollY"):  # a wheel takes its time, and the page may just be following
        page.mouse.wheel(0, -20_000)
        page.wait_for_timeout(50)
    before = first.bounding_box()
    let_go()
    news = page.locator(".dock .news")
    expect(news).to_be_visible()
    expect(page.get_by_role("region", name="Verdict")).to_be_attached()
    after = first.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    news.click()
    expect(page.get_by_role("region", name="Verdict")).to_be_in_viewport()


def test_five_thousand_turns_are_as_light_as_fifty(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    # In a thread: playwright has a loop in this one.
    with ThreadPoolExecutor() as pool:
        writing = pool.submit(asyncio.run, write_long_debate(tmp_path / "home", TURNS))
        debate, middle = writing.result()
    with Server(tmp_path / "home", provider.url) as server, watched(browser, server.url) as sight:
        page = sight.page
        page.goto(f"/debates/{debate}")
        expect(page.get_by_role("link", name="Statements 4901 to 4950")).to_be_visible()
        articles = page.locator("article.turn")
        assert articles.count() < 300
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        expect(articles.get_by_text(f"Statement {TURNS}.")).to_be_in_viewport()
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 3)")
        expect(articles.first).to_be_attached()
        assert articles.count() < 300
        page.goto(f"/debates/{debate}#turn-{middle}")
        expect(page.locator("article.target")).to_be_in_viewport()
        assert articles.count() < 300
        page.evaluate("scrollTo(0, 0)")
        expect(articles.get_by_text("Statement 1.")).to_be_in_viewport()
