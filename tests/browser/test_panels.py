"""Panels: saved from a debate, picked and asked, asked once more, shown and deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.axe import is_too_wide, serious_by_scheme
from tests.browser.opening import Provider, Server, watched
from tests.browser.test_again import choose, finished, picture, picture_by_scheme

pytestmark = pytest.mark.xdist_group("browser")


def _save(page: Page, name: str, about: str) -> None:
    box = page.get_by_role("dialog", name="Save as a panel")
    box.get_by_label("Name").fill(name)
    box.get_by_label("What is it good for?").fill(about)
    box.get_by_role("button", name="Save").click()


def _pick(page: Page, value: str) -> None:
    page.locator(f"label.format:has(input[value='{value}'])").click()


def test_a_panel_is_saved_from_a_debate_and_asked_once(page: Page, server: Server) -> None:
    finished(page, server, "Do voles plan ahead?")
    choose(page, "Save as a panel…")
    box = page.get_by_role("dialog")
    _save(page, "vole!", "?")
    expect(box.locator("#panel-name-error")).to_contain_text("must")
    box.get_by_label("Name").fill("Poll")
    expect(box.get_by_role("status")).to_contain_text("the place of the one that comes with Moot")
    about = "Questions about <b>voles</b>."
    _save(page, "Vole Board", about)
    expect(box).to_have_count(0)
    page.get_by_role("button", name="Show it").click()
    card = page.locator(".persona.wanted")
    expect(card).to_contain_text("vole-board")
    expect(card).to_contain_text(about)
    expect(card).to_contain_text("Ada against Bob before Jo.")
    page.get_by_role("link", name="Ask vole-board").click()

    form = page.get_by_role("form", name="New debate")
    expect(form.get_by_role("radio", name="vole-board")).to_be_checked()
    expect(form.get_by_role("region", name="Panel vole-board")).to_contain_text("Ada against Bob")
    expect(form.get_by_text("Advanced")).to_have_count(0)
    expect(form.locator(".forecast")).to_contain_text("14 calls at most")
    page.get_by_label("Your question or claim").fill("Do they like rain?")
    picture(page, "panel-composer")
    lost = _lose_the_first_answer(page)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(form.get_by_text("The answer was lost on the way.")).to_be_visible()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url(lambda url: url.endswith(lost[0][1]))
    assert lost[0][0] == {"question": "Do they like rain?", "start": True}
    expect(page.locator("#outcome")).to_be_visible()
    expect(page.get_by_role("link", name="panel vole-board")).to_be_visible()
    picture(page, "panel-answer")

    _delete(page, "vole-board")
    expect(card).to_have_count(0)
    page.goto(f"/debates/{lost[0][1]}")
    page.get_by_label("Ask a follow-up").fill("And fog?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("there is no panel called")


def _delete(page: Page, name: str) -> None:
    """With the keyboard, which goes on with another panel."""
    page.goto("/panels")
    page.get_by_role("button", name=f"Delete {name}").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Delete it").press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Show ")).first).to_be_focused()


def _lose_the_first_answer(page: Page) -> list[tuple[Any, str]]:
    """What was sent first, and the debate that it made; whoever sends it again finds that."""
    lost: list[tuple[Any, str]] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append((route.request.post_data_json, route.fetch().json()["id"]))
        route.abort()

    page.route("**/questions", lose)
    return lost


def test_a_panel_is_asked_a_follow_up_which_leads_back(page: Page, server: Server) -> None:
    first = _asked(server, "Do shrews like rain?")
    page.goto(f"/debates/{first}")
    follow = page.get_by_label("Ask a follow-up")
    follow.press("Control+Enter")
    expect(page.get_by_role("alert")).to_have_text("Write a question first.")
    follow.fill("And snow?")
    page.reload()  # what was begun is kept
    expect(follow).to_have_value("And snow?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("And snow?")
    expect(page.locator("#outcome")).to_be_visible()
    picture(page, "panel-follow-up")
    page.get_by_role("link", name="follow-up to an earlier debate").click()
    page.wait_for_url(re.compile(f"{first}$"))
    expect(follow).to_have_value("")


def _asked(server: Server, question: str) -> str:
    body = {"question": question, "start": True, "settings": {"turns": 2}}
    return str(server.ask("POST", "/api/panels/duel/questions", body)["id"])


def test_a_panel_is_picked_on_the_start_page_and_taken_apart(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Panels", exact=True).click()
    _pick(page, "panel council-deep")
    picked = page.get_by_role("region", name="Panel council-deep")
    expect(picked).to_contain_text("before")  # the judge
    page.reload()  # a draft is kept
    page.get_by_label("Your question or claim").fill("What could go wrong?")
    expect(picked).to_be_visible()
    _pick(page, "duel")
    expect(picked).to_have_count(0)
    expect(page.get_by_role("heading", name="Cast")).to_be_visible()
    _pick(page, "panel council-deep")
    page.get_by_role("button", name="Change its parts").click()
    expect(page.locator("input[value=council]")).to_be_checked()
    expect(page.locator(".chip")).to_have_count(4)
    expect(page.locator(".advanced > .hint")).to_contain_text("Changed:")
    expect(page.get_by_label("Your question or claim")).to_have_value("What could go wrong?")
    page.goto("/new#panel=nobody")
    expect(page.get_by_text("There is no panel called “nobody”.")).to_be_visible()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_the_list_says_by_which_door_a_question_came(page: Page, server: Server) -> None:
    asked = _asked(server, "Do shrews knock?")
    page.goto(f"/debates/{asked}")
    expect(page.locator("#outcome")).to_be_visible()
    origins = iter(["", "mcp", "v1"])

    def listed(route: Route) -> None:
        found = route.fetch().json()
        (row,) = (one for one in found["items"] if one["id"] == asked)
        route.fulfill(json={**found, "items": [{**row, "origin": origin}]})

    # As those doors write it; a browser cannot come by them.
    page.route("**/api/debates?*", listed)
    page.set_viewport_size({"width": 360, "height": 740})
    for told in ("", "Asked over MCP · ", "Asked over /v1 · "):
        origin = next(origins)
        page.goto("/")
        line = re.compile(rf"^\s*Duel · price unknown\s*{re.escape(told)}(?:just now|.*ago)")
        expect(page.locator(".row .meta")).to_have_text(line)
        assert not is_too_wide(page)
    picture(page, "row-by-v1-360")


def test_a_panel_that_cannot_be_read_is_told_of_and_stops_nothing(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with Server(tmp_path / "home", provider.url) as server, watched(browser, server.url) as sight:
        page = sight.page
        (tmp_path / "home" / "panels").mkdir(exist_ok=True)
        (tmp_path / "home" / "panels" / "mine.yaml").write_text("name: mine\nformat: nothing\n")
        page.goto("/panels")
        told = "Your panel file mine.yaml has a mistake and cannot be asked: "
        expect(page.get_by_role("alert")).to_contain_text(told)
        expect(page.get_by_role("heading", name="red-team")).to_be_visible()
        page.goto("/new#panel=mine")
        expect(page.get_by_text("1 panel file of yours cannot be read.")).to_be_visible()
        expect(page.get_by_role("link", name="See what is wrong")).to_have_attribute(
            "href", "/panels"
        )
        page.get_by_label("Your question or claim").fill("Does it go on?")
        picture(page, "panel-unread")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Does it go on?")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Server]:
    """A server with a panel of the user's own, whose name and purpose are long."""
    home: Path = tmp_path_factory.mktemp("panels") / "home"
    with Server(home, provider.url) as opened:
        new = {"name": "w" * 40, "about": "Wide " + "w" * 200, "format": "council"}
        opened.ask("POST", "/api/panels", new)
        yield opened


def test_panels_keep_nobody_out_and_fit_a_narrow_screen(browser: Browser, kept: Server) -> None:
    asked = kept.ask("POST", "/api/panels/duel/questions", {"question": "Is it?", "start": True})
    with watched(browser, kept.url, bypass_csp=True) as sight:
        page = sight.page

        def check(what: str) -> None:
            for width in (360, 768, 1440):
                page.set_viewport_size({"width": width, "height": 800})
                assert serious_by_scheme(page) == [], f"{what}, {width} px"
                assert not is_too_wide(page), f"{what}, {width} px"
                picture_by_scheme(page, f"{what}-{width}")

        page.goto("/panels#duel")
        expect(page.locator(".persona.wanted")).to_be_visible()
        check("panels")
        page.get_by_role("button", name="Show council-deep").click()
        check("panel-shown")
        page.goto("/new#panel=council-deep")
        expect(page.locator(".forecast")).to_contain_text("calls at most")
        check("panel-picked")
        page.goto(f"/debates/{asked['id']}")
        expect(page.get_by_label("Ask a follow-up")).to_be_visible()
        check("panel-follow-up")
        choose(page, "Save as a panel…")
        check("panel-save")
