"""Two debates side by side, and what a browser finds where nothing is."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import DUEL, Provider, Server, watched


def _finished(page: Page, debate: str) -> None:
    page.goto(f"/debates/{debate}")
    expect(page.locator("#outcome")).to_be_visible()


def test_a_debate_is_compared_with_its_rematch(
    page: Page, browser: Browser, server: Server
) -> None:
    one = server.create("Do cranes dance for a reason?", start=True)
    server.create("Do storks?", start=True)
    _finished(page, one)
    wanted = {"swap": True, "model": "openai:other", "start": True}
    other = server.ask("POST", f"/api/debates/{one}/rematches", wanted)["id"]
    _finished(page, other)
    page.get_by_role("button", name="Compare").click()
    finder = page.get_by_role("region", name="With which debate?")
    # What it came of stands first; a search finds any other.
    expect(finder.get_by_role("link").first).to_contain_text("the original of this rematch")
    finder.get_by_role("searchbox").fill("storks")
    expect(finder.get_by_role("link")).to_have_count(1)
    finder.get_by_role("searchbox").fill("")
    finder.get_by_role("link").filter(has_text="the original of this rematch").click()
    expect(page).to_have_url(re.compile(f"/debates/{other}/with/{one}$"))
    for mark, debate in (("A", other), ("B", one)):
        result = page.get_by_role("region", name=f"Debate {mark}")
        told = server.ask("GET", f"/api/debates/{debate}")
        expect(result.locator(".headline")).to_have_text(told["headline"])
        expect(result.locator(".pill")).to_have_text("Contested")
        expect(result.locator(".trust")).to_contain_text(told["doubts"][0].partition(": ")[2][1:])
    expect(page.get_by_role("region", name="Debate A")).to_contain_text("Rematch of B")
    expect(page.get_by_role("region", name="Debate B")).not_to_contain_text("Rematch")
    rows = page.get_by_role("table", name="What differs").locator("tbody tr")
    expect(rows.get_by_role("rowheader")).to_have_text(["For", "Against", "Model"])
    expect(rows.nth(2).get_by_role("cell")).to_have_text(["openai:other", "openai:test"])
    figures = page.get_by_role("table", name="Scores, cost and length")
    expect(figures.get_by_role("row", name="Score, for")).to_be_visible()
    expect(page.locator(".said-there")).to_have_count(6)  # two statements and a verdict each
    page.get_by_role("link", name="Change places").click()
    expect(page).to_have_url(re.compile(f"/debates/{one}/with/{other}$"))
    with watched(browser, server.url, viewport={"width": 360, "height": 740}) as sight:
        phone = sight.page
        phone.goto(f"/debates/{other}")
        phone.get_by_role("link", name="compare them").click()
        expect(phone.locator(".said-there").first).to_be_visible()
        phone.get_by_role("button", name="B", exact=True).click()
        expect(phone.locator(".said-there.in-a").first).to_be_hidden()
        expect(phone.locator(".said-there.in-b").first).to_be_visible()


def test_what_goes_on_is_compared_and_what_is_hidden_stays_hidden(
    page: Page, server: Server, provider: Provider
) -> None:
    one = server.create("Do gulls count?", start=True)
    _finished(page, one)
    let_go = provider.hold("Do gulls really count?")
    people = [DUEL[0], {**DUEL[1], "model": "human"}, DUEL[2]]
    provider.say("Do gulls really count?", "Not told.")
    other = server.create("Do gulls really count?", participants=people, start=True)
    page.goto(f"/debates/{one}/with/{other}")
    expect(page.get_by_role("table", name="What differs")).to_contain_text("a person")
    second = page.get_by_role("region", name="Debate B")
    expect(second).to_contain_text("It has not ended yet.")
    let_go()
    # Ada has spoken; what she planned, and the score, are not for the person who takes part.
    expect(page.locator(".said-there.in-b")).to_have_count(1)
    expect(page.locator(".said-there.in-b .mark")).to_have_count(0)
    expect(page.locator(".said-there.in-a .mark").first).to_be_visible()
    expect(page.get_by_role("cell", name="Score")).to_have_count(0)
    room = server.create("Do gulls talk?", format="room")
    page.goto(f"/debates/{one}/with/{room}")
    expect(page.get_by_text("A duel and a room go different ways")).to_be_visible()
    expect(page.locator(".said-there")).to_have_count(0)
    page.goto(f"/debates/{one}/with/{one}")
    expect(page.get_by_text("That is the same debate twice.")).to_be_visible()


def test_an_unknown_address_says_so_and_offers_what_there_is(page: Page, server: Server) -> None:
    debate = server.create("Is it found from nowhere?")
    answer = page.goto("/nonsense/<b>x</b>")
    assert answer
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page at this address")
    expect(page.get_by_role("link", name="New debate").first).to_be_visible()
    page.get_by_role("searchbox", name="Look for a debate").fill("from nowhere")
    page.get_by_role("link", name="Is it found from nowhere?").click()
    expect(page).to_have_url(re.compile(f"/debates/{debate}$"))
    page.goto("/personas/Ada%20Lovelace")
    page.get_by_role("link", name="look for “Ada Lovelace” there").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Personas")
    server.ask("DELETE", f"/api/debates/{debate}")
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no debate at this address")
    expect(page.get_by_text("It may have been deleted, or the link was cut short.")).to_be_visible()
