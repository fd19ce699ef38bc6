"""A debate, live: text, who is at it, stages, scores, limits, verdict, commands, links, forks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.opening import Provider, Server

from moot.testing.server_wire import ChatCall

pytestmark = pytest.mark.xdist_group("browser")


def test_it_is_started_and_watched_to_its_verdict(page: Page, server: Server) -> None:
    debate = server.create(
        "Do bees plan ahead?", settings={"premise": "Bees plan ahead.", "max_cost_usd": 2.0}
    )
    page.goto(f"/debates/{debate}")
    expect(page.get_by_text("Nothing has been said yet.")).to_be_visible()
    commands = page.get_by_role("group", name="Commands").get_by_role("button")
    expect(commands).to_have_text(["Start", "Cancel"])
    page.get_by_role("button", name="Start").click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("Ada wins")
    expect(verdict).to_contain_text("Premise upheld")
    expect(verdict.locator(".final-scores li")).to_have_count(2)
    expect(page.get_by_role("article", name="Ada, statement")).to_have_count(1)
    expect(page.get_by_role("article", name="Bob, statement")).to_have_count(1)
    expect(page.locator("article .score")).to_have_count(2)
    expect(commands).to_have_count(0)
    expect(page.locator(".connection").first).to_have_text("Complete")
    expect(page.get_by_role("img", name=re.compile(r"^Ada: \d+\. Bob: \d+"))).to_be_visible()
    stages = page.get_by_role("img", name=re.compile("^Stages of a duel"))
    expect(stages).to_have_attribute("aria-label", re.compile("verdict to end 1 times"))
    expect(page.get_by_role("meter", name="Statements")).to_have_attribute("aria-valuenow", "2")
    expect(page.get_by_role("meter", name="Cost")).to_be_visible()


def test_thoughts_are_one_line_until_they_are_opened(page: Page, server: Server) -> None:
    debate = server.create("Do ants plan ahead?", start=True)
    page.goto(f"/debates/{debate}")
    plan = page.get_by_role("article", name="Ada, private plan")
    expect(plan).to_be_visible()
    expect(plan.locator(".prose")).to_have_count(0)
    plan.get_by_role("button").first.click()
    expect(plan.locator(".prose")).to_be_visible()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    page.get_by_role("switch", name="Thoughts").focus()
    page.keyboard.press("Space")
    expect(page.locator("article.private .prose")).to_have_count(11)
    page.reload()
    expect(page.get_by_role("switch", name="Thoughts")).to_be_checked()
    expect(page.locator("article.private .prose")).to_have_count(11)
    page.locator("h1").click()
    page.keyboard.press("p")
    expect(page.locator("article.private .prose")).to_have_count(0)


def test_a_score_that_cannot_be_read_is_said_to_be_none(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Do bees score?", lambda call: '{"score": "many"}' if _is_score(call) else None)
    debate = server.create("Do bees score?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.locator(".bar .pill")).to_have_text("Completed")
    score = page.get_by_role("article", name=re.compile("private score")).first
    expect(score.locator(".gist")).to_have_text("no readable score")
    score.get_by_role("button").first.click()
    expect(score.locator(".flags")).to_have_text("could not be read")


def _is_score(call: ChatCall) -> bool:
    schema = call.request.schema or {}
    return "score" in schema.get("properties", {})


def test_it_says_who_is_thinking_and_what_may_be_done(
    page: Page, server: Server, provider: Provider
) -> None:
    let_go = provider.hold("Do wasps plan ahead?")
    debate = server.create("Do wasps plan ahead?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.locator(".people li", has_text="Ada").locator(".doing")).to_contain_text("planning")
    expect(page.locator("article.writing")).to_have_count(2)
    expect(page.locator(".diagram .lit text")).to_have_text("planning")
    commands = page.get_by_role("group", name="Commands").get_by_role("button")
    expect(commands).to_have_text(["Stop", "End", "Cancel"])
    provider.wait_for_call("Do wasps plan ahead?")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".bar .pill")).to_have_text("Stopping")
    let_go()
    expect(page.locator(".bar .pill")).to_have_text("Stopped")
    expect(commands).to_have_text(["Resume", "End", "Cancel"])
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()


def test_text_is_there_before_the_turn_is(page: Page, server: Server, provider: Provider) -> None:
    provider.say("Do moths plan?", "# Point one\n\n" + "word " * 400 + "**the end**")
    debate = server.create("Do moths plan?", settings={"turns": 100})
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Start").click()
    writing = page.locator("article.writing:not(.private) .prose").first
    expect(writing).to_contain_text("word word")
    said = page.get_by_role("article", name="Ada, statement").first
    expect(said.locator("strong")).to_have_text("the end")
    server.ask("POST", f"/api/debates/{debate}/cancel")
    expect(page.locator(".bar .pill")).to_have_text("Canceled")


def test_a_failure_is_shown_and_retried(page: Page, server: Server, provider: Provider) -> None:
    provider.say("Do crabs plan?", " ")
    debate = server.create(
        "Do crabs plan?", format="rounds", start=True, settings={"max_rounds": 1}
    )
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("alert")).to_contain_text("It failed.")
    provider.say("Do crabs plan?", lambda _call: None)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_turn_has_a_link_a_copy_and_a_fork(page: Page, server: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    debate = server.create("Do newts plan?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    turn = page.get_by_role("article", name="Bob, statement")
    menu = turn.get_by_label("More about this turn")
    menu.click()
    turn.get_by_role("menuitem", name="Copy text").click()
    assert page.evaluate("navigator.clipboard.readText()") in turn.inner_text()
    menu.click()
    turn.get_by_role("menuitem", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("/")
    page.goto(link)
    expect(page.locator("article.target")).to_have_attribute("aria-label", "Bob, statement")
    expect(page.locator("article.target")).to_be_in_viewport()
    page.locator("article.target").get_by_label("More about this turn").click()
    page.get_by_role("menuitem", name="Fork from here").click()
    page.get_by_role("dialog").get_by_label("Model of Ada").fill("openai:other")
    page.get_by_role("dialog").get_by_role("button", name="Fork").click()
    expect(page.get_by_role("link", name="forked at")).to_be_visible()
    expect(page.locator(".bar .pill")).to_have_text("Stopped")
    expect(page.locator(".people")).to_contain_text("openai:other")


EXPORTS = {
    "Markdown": "Do owls plan?",
    "One HTML file": "Do owls plan?",
    "JSON": "Do owls plan?",
    "CSV": "seq,at,stage",
}


def test_it_is_exported(page: Page, server: Server) -> None:
    debate = server.create("Do owls plan?")
    page.goto(f"/debates/{debate}")
    for kind, text in EXPORTS.items():
        page.get_by_label("Export, fork, link").click()
        with page.expect_download() as found:
            page.get_by_role("menuitem", name=f"Export as {kind}").click()
        assert text in found.value.path().read_text()


def test_it_says_whose_side_is_whose(page: Page, server: Server) -> None:
    debate = server.create("Tabs or spaces?")
    page.goto(f"/debates/{debate}")
    for name, side in (("Ada", "Tabs"), ("Bo", "spaces")):
        one = page.locator(".people li", has_text=name)
        expect(one.locator(".argues")).to_have_text(f'argues for "{side}"')
