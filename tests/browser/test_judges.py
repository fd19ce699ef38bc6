"""The page of judges, an exam that is begun there, and what people say of a debate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.axe import is_too_wide, serious_by_scheme
from tests.browser.opening import DUEL, Provider, Server, watched
from tests.browser.test_again import MENU, choose, picture, picture_by_scheme
from tests.browser.test_bench import BENCH, EVIL, by_name, heard, held

pytestmark = pytest.mark.xdist_group("browser")

ASKED = "Who really made the better case?"
ITEM = "Who made the better case?"


@pytest.fixture
def fresh(tmp_path: Path, provider: Provider) -> Iterator[Server]:
    """A server where nobody has judged anything."""
    with Server(tmp_path / "home", provider.url) as opened:
        yield opened


def until_over(server: Server, debate: str) -> None:
    while (status := server.ask("GET", f"/api/debates/{debate}")["status"]) != "completed":
        assert status == "running", status


# --- the page of judges ---


def test_the_empty_page_says_how_ballots_get_there_and_what_an_exam_takes(
    browser: Browser, fresh: Server
) -> None:
    with watched(browser, fresh.url) as sight:
        page = sight.page
        page.goto("/")
        page.get_by_role("navigation").get_by_role("link", name="Judges").click()
        expect(page).to_have_title("Judges · Moot")
        expect(page.locator(".empty")).to_contain_text("Ask a bench")
        picture(page, "judges-empty")

        begin = page.get_by_role("button", name="Examine a judge")
        begin.press("Enter")
        dialog = page.get_by_role("dialog", name="Examine a judge")
        model = dialog.get_by_label("Judge", exact=True)
        expect(model).to_be_focused()
        page.keyboard.press("Escape")
        expect(begin).to_be_focused()
        begin.press("Enter")
        # What is wrong is told at its field, before anything is asked of anybody.
        model.fill("nowhere:x")
        expect(model).to_have_attribute("aria-invalid", "true")
        expect(dialog.locator("#exam-model-error")).to_contain_text("nowhere")
        dialog.get_by_role("button", name="Examine", exact=True).click()
        expect(dialog.get_by_role("alert")).to_have_count(1)
        dialog.get_by_role("group", name="Models that are ready").get_by_role("button").click()
        expect(model).to_have_value(re.compile("^openai:"))
        expect(dialog.locator(".forecast")).to_contain_text("80 calls at most")
        expect(dialog.get_by_role("alert")).to_have_count(0)
        limit = dialog.get_by_label("Stop when it has cost, in $")
        limit.fill("much")
        expect(dialog.locator("#exam-max_cost_usd-error")).to_be_visible()
        limit.fill("2.5")
        expect(dialog.get_by_role("alert")).to_have_count(0)
        model.fill("openai:test")
        expect(dialog.get_by_text("“Stop when it has cost” cannot be held")).to_be_visible()
        picture(page, "judges-dialog")
        assert fresh.ask("GET", "/api/debates")["items"] == []


def test_an_exam_is_begun_once_and_its_figures_stand_on_the_page(
    browser: Browser, fresh: Server, provider: Provider
) -> None:
    provider.say('"margin"', by_name)
    with watched(browser, fresh.url) as sight:
        page = sight.page
        page.goto("/judges")
        page.get_by_role("button", name="Examine a judge").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Judge", exact=True).fill("openai:test")
        dialog.get_by_label("Stop when it has cost, in $").fill("2.5")
        sent = _lose_the_first_answer(page)
        dialog.get_by_role("button", name="Examine", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("The answer was lost on the way.")
        dialog.get_by_role("button", name="Examine", exact=True).click()
        page.wait_for_url(re.compile("/debates/"))
        assert sent == [{"model": "openai:test", "max_cost_usd": 2.5}] * 2
        assert len(fresh.ask("GET", "/api/debates")["items"]) == 1
        exam = page.url.rpartition("/")[2]

        # It can be neither held again nor forked, and cannot be labelled: nothing offers that.
        outcome = page.get_by_role("region", name="Exam")
        expect(outcome.get_by_role("heading")).to_contain_text("openai:test finds the flaw in")
        expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
        page.get_by_label(MENU).click()
        items = page.get_by_role("menuitem")
        expect(items.filter(has_text="Rename")).to_be_visible()
        expect(items.filter(has_text=re.compile("Fork|panel|better case"))).to_have_count(0)
        page.keyboard.press("Escape")
        picture(page, "exam")
        outcome.get_by_role("link", name="All judges").click()
        card = page.get_by_role("listitem").filter(has_text="openai:test")
        expect(card).to_contain_text("It has cast no ballot here yet.")
        leaning = _figure(card, "Leaning to X")
        expect(leaning).to_contain_text(re.compile(r"1\.00 \(.*, 10 pairs"))
        expect(leaning).to_contain_text("where both sides say the same")
        expect(card.get_by_role("link", name="Exam")).to_have_attribute("href", f"/debates/{exam}")
        card.get_by_role("button", name="Examine openai:test again").click()
        expect(dialog.get_by_label("Judge", exact=True)).to_have_value("openai:test")


def _lose_the_first_answer(page: Page) -> list[Any]:
    """What is sent to begin an exam; the answer to the first never comes."""
    sent: list[Any] = []

    def answer(route: Route) -> None:
        sent.append(route.request.post_data_json)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/judges/exams", answer)
    return sent


def _figure(card: Any, name: str) -> Any:
    """By the name of the figure."""
    return card.locator(".figures > div").filter(has=card.page.get_by_text(name, exact=True))


def test_ballots_are_counted_on_the_page_of_judges(
    page: Page, server: Server, provider: Provider
) -> None:
    topic = "Do toads judge toads?"
    provider.say(topic, by_name)
    debate = held(server, topic)
    body = {"bench": ["openai:toad-1", "openai:toad-2"], "repeats": 5}
    hearing = server.ask("POST", f"/api/debates/{debate}/hearings", body)["id"]
    until_over(server, hearing)
    page.goto(f"/debates/{debate}")
    strip = page.locator(".bench-said")
    strip.get_by_text("Ballots and details").click()
    strip.get_by_role("link", name="What is known of judges").click()
    card = page.get_by_role("listitem").filter(has_text="openai:toad-1")
    expect(card).to_contain_text("10 ballots on 1 debate")
    expect(_figure(card, "Order flips")).to_contain_text("not enough: 1 of 20 debates")
    expect(_figure(card, "Order flips")).to_contain_text("if the names are exchanged")
    expect(_figure(card, "Unreadable")).to_contain_text(
        re.compile(r"0\.00 \(0\.00 to .*, 10 calls")
    )
    expect(card.get_by_role("button", name="Examine openai:toad-1")).to_be_visible()
    page.goto("/models")
    page.locator(".lead").get_by_role("link", name="judges").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Judges")


def test_what_cannot_be_read_is_said(page: Page) -> None:
    page.route(
        "**/api/judges",
        lambda route: route.fulfill(
            status=503, content_type="application/problem+json", body='{"detail": "Not now."}'
        ),
    )
    page.goto("/judges")
    expect(page.get_by_role("alert")).to_have_text("Not now.")


# --- labels ---


def test_a_label_is_given_and_changed_and_stays(page: Page, server: Server) -> None:
    debate = held(server, "Do terns keep their word?")
    page.goto(f"/debates/{debate}")
    expect(page.locator(".labels-given")).to_have_count(0)
    choose(page, ITEM)
    dialog = page.get_by_role("dialog", name=ASKED)
    expect(dialog).to_contain_text("No model ever sees them.")
    sides = dialog.get_by_role("radiogroup", name="The better case")
    expect(sides.get_by_role("radio")).to_have_count(3)
    expect(dialog.get_by_role("button", name="Remove")).to_have_count(0)
    dialog.get_by_role("button", name="Save").click()  # nobody was chosen: the browser says so
    expect(dialog).to_be_visible()
    assert server.ask("GET", f"/api/debates/{debate}")["labels"] == []
    sides.get_by_text("Ada, for").click()
    why = dialog.get_by_label("Why, if you like")
    why.fill(f"Bob never met it. {EVIL}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label(MENU)).to_be_focused()
    said = page.locator(".labels-given li")
    expect(said).to_contain_text(f"Ada, you say: Bob never met it. {EVIL}")
    picture(page, "label-alone")

    page.reload()
    expect(said).to_contain_text(f"Ada, you say: Bob never met it. {EVIL}")
    change = page.get_by_role("button", name="Change your label")
    change.click()
    expect(sides.get_by_role("radio", name="Ada, for")).to_be_checked()
    expect(why).to_have_value(f"Bob never met it. {EVIL}")
    sides.get_by_text("A tie").click()
    why.fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(said).to_contain_text("A tie, you say.")
    expect(change).to_be_focused()


def test_only_ones_own_label_is_removed_and_comes_back_if_wanted(
    page: Page, server: Server
) -> None:
    debate = held(server, "Do gulls keep their word?")
    label = f"/api/debates/{debate}/label"
    server.ask("PUT", label, {"winner": "con", "by": "Marisol"})
    server.ask("PUT", label, {"winner": "pro", "note": "Clear."})
    page.goto(f"/debates/{debate}")
    said = page.locator(".labels-given li")
    expect(said).to_contain_text(["Bob, says Marisol.", "Ada, you say: Clear."])
    page.get_by_role("button", name="Change your label").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(said).to_contain_text(["Bob, says Marisol."])
    say_who = page.get_by_role("button", name="Say who")
    expect(say_who).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(said).to_contain_text(["Bob, says Marisol.", "Ada, you say: Clear."])
    page.get_by_role("button", name="Change your label").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(say_who).to_be_visible()
    page.reload()
    expect(said).to_contain_text(["Bob, says Marisol."])
    labels = server.ask("GET", f"/api/debates/{debate}")["labels"]
    assert [one["by"] for one in labels] == ["Marisol"]


def test_a_label_stands_below_what_a_bench_said(
    browser: Browser, server: Server, provider: Provider
) -> None:
    topic = "Do wrens judge wrens?"
    provider.say(topic, by_name)
    debate = held(server, topic)
    # Of their own: what is labelled is counted for a bench, wherever else it is asked.
    bench = {"bench": ["openai:wren-1", "openai:wren-2"], "repeats": 1}
    hearing = server.ask("POST", f"/api/debates/{debate}/hearings", bench)["id"]
    until_over(server, hearing)
    narrow: Any = {"viewport": {"width": 360, "height": 800}, "color_scheme": "dark"}
    with watched(browser, server.url, **narrow) as sight:
        page = sight.page
        page.goto(f"/debates/{debate}")
        strip = page.locator(".bench-said")
        strip.get_by_role("button", name="Say who").click()
        dialog = page.get_by_role("dialog", name=ASKED)
        dialog.get_by_text("Bob, against").click()

        def refuse(route: Route) -> None:
            problem = '{"detail": "is too long", "field": "note"}'
            route.fulfill(status=422, content_type="application/problem+json", body=problem)

        page.route("**/label", refuse, times=1)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.locator("#label-note-error")).to_have_text("is too long")
        assert server.ask("GET", f"/api/debates/{debate}")["labels"] == []
        dialog.get_by_role("button", name="Save").click()
        expect(strip.get_by_role("region", name=ASKED)).to_contain_text("Bob, you say.")
        expect(strip.get_by_role("button", name="Change your label")).to_be_focused()
        strip.get_by_text("Ballots and details").click()
        expect(strip).to_contain_text("Right? Unknown, 0 of 20 labelled.")  # it was not stable
        assert not is_too_wide(page)
        # A hearing is about another debate: there is nothing to say of it.
        page.goto(f"/debates/{hearing}")
        expect(page.get_by_role("region", name="Certificate")).to_be_visible()
        page.get_by_label(MENU).click()
        expect(page.get_by_role("menuitem", name="Rename")).to_be_visible()
        expect(page.get_by_role("menuitem", name=ITEM)).to_have_count(0)


def test_nobody_is_asked_where_there_is_nobody_to_name(page: Page, server: Server) -> None:
    canceled = server.create("Is this one called off?")
    server.ask("POST", f"/api/debates/{canceled}/cancel")
    poll = server.create("Is this one a poll?", format="poll", start=True, settings={})
    until_over(server, poll)
    for debate in (canceled, poll):
        page.goto(f"/debates/{debate}")
        page.get_by_label(MENU).click()
        expect(page.get_by_role("menuitem", name="Rename")).to_be_visible()
        expect(page.get_by_role("menuitem", name=ITEM)).to_have_count(0)
        expect(page.locator(".labels-given")).to_have_count(0)


def test_proposals_of_a_council_can_be_named(page: Page, server: Server) -> None:
    members = [{"name": name, "role": "member"} for name in ("Ida", "Udo", "Eva", "Oto", "Ana")]
    settings = {"rounds": 1}
    body: dict[str, Any] = {"participants": [*members, DUEL[2]], "settings": settings}
    debate = server.create("Where do councils meet?", format="council", start=True, **body)
    until_over(server, debate)
    page.goto(f"/debates/{debate}")
    page.get_by_label("Rename, export, fork, link").click()
    page.get_by_role("menuitem", name=ITEM).click()
    dialog = page.get_by_role("dialog", name=ASKED)
    dialog.get_by_label("The better case").select_option("Eva")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".labels-given")).to_contain_text("Eva, you say.")


# --- for everybody ---


def test_judges_and_labels_keep_nobody_out_and_fit_a_narrow_screen(
    browser: Browser, fresh: Server, provider: Provider
) -> None:
    provider.say('"margin"', by_name)
    debate = held(fresh, "Do owls judge owls?")
    heard(fresh, debate)
    fresh.ask("PUT", f"/api/debates/{debate}/label", {"winner": "pro", "note": "w" * 200})
    fresh.ask("PUT", f"/api/debates/{debate}/label", {"winner": "con", "by": "W" * 100})
    for model in (BENCH[0], f"openai:{'w' * 100}"):
        until_over(fresh, fresh.ask("POST", "/api/judges/exams", {"model": model})["id"])
    with watched(browser, fresh.url, bypass_csp=True) as sight:
        page = sight.page

        def check(what: str) -> None:
            for width in (360, 768, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                assert serious_by_scheme(page) == [], f"{what}, {width} px"
                assert not is_too_wide(page), f"{what}, {width} px"
                picture_by_scheme(page, f"{what}-{width}")

        page.goto("/judges")
        expect(page.locator(".judge-known")).to_have_count(4)
        check("judges")
        page.get_by_role("button", name="Examine a judge").click()
        expect(page.get_by_role("group", name="Models that are ready")).to_be_visible()
        check("judges-dialog")
        page.goto(f"/debates/{debate}")
        page.get_by_text("Ballots and details").click()
        expect(page.locator(".labels-given li")).to_have_count(2)
        page.locator(".labels-given").scroll_into_view_if_needed()
        check("labels")
        page.get_by_role("button", name="Change your label").click()
        expect(page.get_by_role("radio")).to_have_count(3)
        check("label-dialog")
