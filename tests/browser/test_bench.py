"""A bench is asked about a finished debate, and what it says stands below the outcome."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.opening import Provider, Server, watched

from moot.testing.server_wire import ChatCall

EVIL = "<script>alert(1)</script>"
BENCH = ("openai:one", "openai:two", "openai:three")


def by_name(call: ChatCall) -> str | None:
    """Everybody votes for X, whoever that is; the debate itself goes as usual."""
    if '"margin"' not in call.messages[-1][1]:
        return None
    return json.dumps({"reasons": f"X answers it. {EVIL}", "winner": "X", "margin": 1})


def renamed(route: Route) -> None:
    """No name may look like this today; the page must not rely on it."""
    told = route.fetch()
    route.fulfill(response=told, body=told.text().replace("Ada", EVIL))


def held(server: Server, topic: str) -> str:
    """A debate that is over; its id."""
    debate = server.create(topic, start=True)
    while not (found := server.ask("GET", f"/api/debates/{debate}"))["can_be_heard"]:
        assert found["status"] in ("created", "running"), found["status"]
    return debate


def heard(server: Server, debate: str) -> str:
    """The hearing of that debate, once it is over."""
    new = server.ask("POST", f"/api/debates/{debate}/hearings", {"bench": list(BENCH)})
    while server.ask("GET", f"/api/debates/{new['id']}")["status"] != "completed":
        pass
    return str(new["id"])


def test_a_bench_is_asked_and_its_ballots_come_in(
    page: Page, server: Server, provider: Provider
) -> None:
    topic = "Do herons judge herons?"
    provider.say(topic, by_name)
    debate = held(server, topic)
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Ask a bench").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Ask in both orders of the names")).to_be_checked()
    expect(dialog.get_by_label("Let a model judge a debate in which it spoke")).not_to_be_checked()
    judges = dialog.get_by_label("Judges")
    # What is wrong is told at the field, before anything is asked of anybody.
    judges.fill("nowhere:x")
    expect(judges).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("alert")).to_contain_text("nowhere")
    judges.fill("openai:test")
    expect(dialog.get_by_role("alert")).to_contain_text("nobody judges their own case")
    dialog.get_by_label("Let a model judge a debate in which it spoke").check()
    expect(dialog.get_by_text("can certify nothing")).to_be_visible()
    dialog.get_by_label("Let a model judge a debate in which it spoke").uncheck()
    judges.fill(", ".join(BENCH))
    expect(dialog.locator(".forecast")).to_contain_text("18 calls at most")
    dialog.get_by_label("How often each votes in each order").select_option("Once")
    expect(dialog.locator(".forecast")).to_contain_text("6 calls at most")
    assert server.ask("GET", f"/api/debates/{debate}")["hearings"] == []

    let_go = provider.hold(topic)
    dialog.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url(lambda url: not url.endswith(debate))
    expect(page.locator(".debate-head .pill")).to_have_text("Live")
    hearing = page.url.rpartition("/")[2]
    # Meanwhile, the debate says that it is being heard, and then what came of it.
    page.get_by_role("link", name="about an earlier debate").click()
    strip = page.locator(".bench-said")
    expect(strip.get_by_role("link", name="A bench is being asked now")).to_have_attribute(
        "href", f"/debates/{hearing}"
    )
    let_go()
    title = strip.get_by_role("heading", level=2)
    expect(title).to_have_text("Contested: the bench is not of one mind")


def test_what_a_bench_said_stands_below_the_outcome_and_on_its_own_page(
    browser: Browser, server: Server, provider: Provider
) -> None:
    topic = "Do newts judge newts?"
    provider.say(topic, by_name)
    debate = held(server, topic)
    first, second = heard(server, debate), heard(server, debate)
    narrow = {"width": 360, "height": 800}
    with watched(browser, server.url, viewport=narrow, color_scheme="dark") as sight:
        page = sight.page
        page.route(f"**/api/debates/{debate}", renamed)
        page.goto(f"/debates/{debate}")
        strip = page.get_by_role("region", name=re.compile("Contested"))
        expect(strip).to_contain_text("3 of 6 ballots for")
        expect(strip.get_by_role("table")).to_have_count(0)
        strip.get_by_text("Ballots and details").press("Enter")
        heads = strip.get_by_role("columnheader")
        expect(heads).to_have_text(["Judge", f"{EVIL} as X", f"{EVIL} as Y"])
        expect(strip.get_by_role("rowheader")).to_have_text(["one", "two", "three"])
        expect(strip.get_by_role("row").nth(1).get_by_role("cell")).to_have_text([EVIL, "Bob"])
        expect(strip).to_contain_text("Right? Unknown: none of the debates")
        strip.get_by_text("Other hearings (1)").click()
        other = strip.get_by_role("listitem").get_by_role("link")
        expect(other).to_have_attribute("href", f"/debates/{first}")
        assert page.evaluate("document.documentElement.scrollWidth") == narrow["width"]

        strip.get_by_role("link", name="The hearing, ballot by ballot").click()
        page.wait_for_url(re.compile(f"{second}$"))
        outcome = page.get_by_role("region", name="Certificate")
        expect(outcome.get_by_role("heading")).to_have_text(
            "Contested: the bench is not of one mind"
        )
        expect(outcome.get_by_role("row")).to_have_count(4)
        expect(outcome).to_contain_text("A certificate does not say that the bench is right.")
        expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
        expect(page.get_by_role("button", name="Ask a bench")).to_have_count(0)
        expect(page.locator("article.turn")).to_have_count(6)
        expect(page.locator("article.turn").first).to_contain_text(f"X answers it. {EVIL}")
        assert page.evaluate("document.documentElement.scrollWidth") == narrow["width"]

        # An earlier one is told in short, and reads well in the list.
        page.goto(f"/debates/{first}")
        expect(outcome).to_contain_text("This bench does not settle it.")
        page.goto("/")
        row = page.locator(".row", has_text=topic).first
        expect(row).to_contain_text("Contested: 3 of 6 ballots for")
        expect(row.locator(".face.judge")).to_have_count(2)


def test_no_debate_can_be_begun_as_a_hearing(server: Server) -> None:
    formats = server.ask("GET", "/api/formats")["items"]
    assert "hearing" not in {one.get("id") or one.get("name") for one in formats}
    assert "duel" in {one.get("id") or one.get("name") for one in formats}
