"""A debate, live: text, who is at it, stages, scores, limits, verdict, commands, links, forks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import DUEL, Provider, Server, watched

from moot.testing.server_wire import ChatCall


def test_it_is_started_and_watched_to_its_verdict(page: Page, server: Server) -> None:
    debate = server.create(
        "Do bees plan ahead?", settings={"premise": "Bees plan ahead.", "max_cost_usd": 2.0}
    )
    page.goto(f"/debates/{debate}")
    expect(page.get_by_text("Nothing has been said yet.")).to_be_visible()
    commands = page.get_by_role("group", name="Commands").get_by_role("button")
    expect(commands).to_have_text(["Start"])
    steps = page.get_by_role("navigation", name="Stages")
    expect(steps.get_by_role("listitem")).to_have_count(4)
    steps.get_by_role("button").click()
    stages = page.get_by_role("img", name=re.compile("^Stages of a duel"))
    expect(stages).to_have_attribute("aria-label", re.compile("Not started"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start", exact=True).click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("Premise upheld")
    expect(verdict.get_by_role("img", name="Ada 7, Bob 7")).to_be_visible()
    expect(page.get_by_role("article", name="Ada, statement")).to_have_count(1)
    expect(page.get_by_role("article", name="Bob, statement")).to_have_count(1)
    expect(page.locator("article .score .mark")).to_have_count(2)
    expect(commands).to_have_count(0)
    expect(page.locator(".debate-head .pill")).to_have_count(0)
    outline = page.get_by_role("navigation", name="Outline")
    expect(outline.get_by_role("link")).to_have_count(4)  # outcome, two statements, verdict
    expect(page.get_by_role("meter", name="Cost")).to_be_visible()
    expect(page.get_by_role("figure")).to_have_count(0)  # one score a side makes no chart


def judge(confirmed: str = "Ada", scores: tuple[int, int] = (8, 6)) -> Callable[..., str | None]:
    """A judge who names Ada, and on being asked for the name alone says `confirmed`."""

    def says(call: ChatCall) -> str | None:
        asked = call.messages[-1][1]
        if "nothing els" in asked:
            return confirmed
        if "JSON object" in asked and '"winner"' in asked:
            return json.dumps({"winner": "Ada", "scores": {"Ada": scores[0], "Bob": scores[1]}})
        if "deliver your verdict" in asked:
            return "Ada answered in statement 3. Bob never did. Ada wins."
        return None

    return says


def test_the_outcome_claims_no_more_than_the_record(
    page: Page, server: Server, provider: Provider
) -> None:
    sure, twice, even = "Do hornets win?", "Do hornets win twice?", "Are hornets even?"
    provider.say(twice, judge("I cannot say"))
    provider.say(sure, judge())
    provider.say(even, judge(scores=(7, 7)))
    told = {
        sure: ("Ada wins", "Confirmed", "Asked only for the winner's name"),
        twice: (
            "The judge named Ada, but not twice",
            "Contested",
            "did not name exactly one of the",
        ),
        even: ("The judge named Ada, with equal scores", "Contested", "both sides the same score"),
    }
    for topic, (headline, pill, sentence) in told.items():
        debate = server.create(topic, settings={"turns": 4}, start=True)
        page.goto(f"/debates/{debate}")
        verdict = page.get_by_role("region", name="Verdict")
        expect(verdict.get_by_role("heading")).to_have_text(headline)
        expect(verdict.locator(".trust .pill")).to_have_text(pill)
        expect(verdict.locator(".trust")).to_contain_text(sentence)
        expect(verdict.locator(".decided")).to_contain_text("Ada answered in statement 3.")
        title = "Ada won · Moot" if topic == sure else f"{topic} · Moot"
        expect(page).to_have_title(title)
    verdict.get_by_role("link", name="statement 3").click()
    expect(page.get_by_role("article", name="Ada, statement 3")).to_be_in_viewport()
    expect(
        page.get_by_role("article", name="Ada, statement 3").locator(".mark.key")
    ).to_be_visible()
    verdict.get_by_role("link", name="the whole verdict").click()
    expect(page.get_by_role("article", name="Jo, verdict")).to_be_focused()
    expect(page.get_by_role("img", name=re.compile(r"^Ada: \d+, \d+\. Bob: "))).to_be_visible()


def test_the_verdict_takes_readers_at_the_end_and_tells_the_others(
    page: Page, server: Server, provider: Provider
) -> None:
    topic = "Does the verdict come to me?"
    provider.say(topic, lambda call: judge()(call) or "word " * 300)
    let_go = provider.hold("The debate is over.")
    debate = server.create(topic, settings={"turns": 4}, start=True)
    other = page.context.new_page()
    for one in (page, other):
        one.goto(f"/debates/{debate}")
        expect(one.get_by_role("article", name="Bob, statement 4")).to_be_visible()
    other.bring_to_front()
    other.get_by_role("article", name="Bob, statement 2").scroll_into_view_if_needed()
    other.mouse.wheel(0, -3000)
    expect(other.get_by_role("heading", level=1)).to_be_in_viewport()
    page.bring_to_front()
    expect(page.get_by_role("heading", level=1)).not_to_be_in_viewport()
    let_go()
    for one in (page, other):
        expect(one.locator("#outcome")).to_have_text("Ada wins")
    expect(page.locator("#outcome")).to_be_focused()
    expect(page.locator("#outcome")).to_be_in_viewport()
    other.bring_to_front()
    other.get_by_role("button", name="The verdict is in: Ada wins").click()
    expect(other.locator("#outcome")).to_be_focused()
    expect(other.locator("#outcome")).to_be_in_viewport()
    expect(other.locator(".dock")).to_have_count(0)


def test_cancelling_asks_first(page: Page, server: Server, provider: Provider) -> None:
    let_go = provider.hold("Is cancelling final?")
    debate = server.create("Is cancelling final?", start=True)
    page.goto(f"/debates/{debate}")
    menu = page.get_by_label("Rename, export, fork, link, cancel")
    menu.click()
    page.get_by_role("menuitem", name="Cancel the debate").click()
    page.get_by_role("dialog").get_by_role("button", name="Go on").click()
    expect(page.locator(".debate-head .pill")).to_have_text("Live")
    menu.click()
    page.get_by_role("menuitem", name="Cancel the debate").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel it").click()
    outcome = page.get_by_role("region", name="Outcome")
    expect(outcome).to_contain_text("Cancelled without a verdict")
    expect(outcome.get_by_role("button", name="Rematch")).to_be_visible()
    expect(page.locator(".dock")).to_have_count(0)
    let_go()


def test_keys_are_told_and_do_what_they_say(page: Page, server: Server) -> None:
    debate = server.create("Do keys plan?", settings={"turns": 4}, start=True)
    page.goto(f"/debates/{debate}")
    expect(page.locator("#outcome")).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Unfold or fold evaluations")
    page.keyboard.press("e")  # not while a dialog is open
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator("details.score[open]")).to_have_count(0)
    page.keyboard.press("e")
    expect(page.locator("details.score[open]")).to_have_count(4)
    page.keyboard.press("j")
    expect(page.locator("article.turn:focus")).to_have_count(1)
    page.keyboard.press("o")
    expect(page.locator("#outcome")).to_be_focused()


UNPAINTED = """
const soon = setTimeout;
window.requestAnimationFrame = () => 0;
window.setTimeout = (what, ms = 0, ...more) => soon(what, ms + 5000, ...more);
"""


def test_keys_and_dialogs_do_not_wait_for_the_first_picture(page: Page, server: Server) -> None:
    debate = server.create("Are early keys heard?")
    page.add_init_script(UNPAINTED)
    page.goto(f"/debates/{debate}")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible(timeout=3000)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0, timeout=3000)


BELL = """
window.rung = [];
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, { body }) {
    rung.push(`${title}: ${body}`);
    document.documentElement.dataset.rung = rung.join();
  }
  addEventListener() {}
};
"""


def test_notifications_come_to_who_asked_and_looks_elsewhere(page: Page, server: Server) -> None:
    page.add_init_script(BELL)
    topic = "Do bells plan?"
    debate = server.create(
        topic, settings={"turns": 1}, participants=[{**DUEL[0], "model": "human"}, *DUEL[1:]]
    )
    page.goto(f"/debates/{debate}")
    menu = page.get_by_label("Rename, export, fork, link, cancel")
    menu.click()
    page.get_by_role("menuitem", name="Notify me", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("You are notified")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("region", name="Your turn")).to_be_visible()
    assert page.evaluate("rung") == []  # they look at it
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.get_by_label("Your words").fill("Ding.")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("#outcome")).to_be_visible()
    told = f"The verdict is in: The judge named Ada, with equal scores: {topic}"
    # Some milliseconds later: what is drawn comes first.
    expect(page.locator("html")).to_have_attribute("data-rung", told)
    assert page.evaluate("rung") == [told]


def test_a_summary_is_the_document_at_the_top(page: Page, server: Server) -> None:
    debate = server.create("Do tables sum up?", format="standard", start=True)
    page.goto(f"/debates/{debate}")
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("heading").first).to_have_text(re.compile("^Summed up by "))
    expect(summary.locator(".whole .prose")).not_to_be_empty()
    expect(page.get_by_text("It ended because")).to_have_count(0)


def test_the_outline_is_a_sheet_on_a_narrow_screen(browser: Browser, server: Server) -> None:
    debate = server.create("Do sheets plan?", settings={"turns": 4}, start=True)
    with watched(browser, server.url, viewport={"width": 360, "height": 740}) as sight:
        page = sight.page
        page.goto(f"/debates/{debate}")
        expect(page.locator("#outcome")).to_be_visible()
        expect(page.get_by_role("navigation", name="Outline")).to_have_count(0)
        page.get_by_role("button", name="Outline and details").click()
        page.get_by_role("dialog").get_by_role("link").nth(3).click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("article", name="Ada, statement 3")).to_be_in_viewport()


def test_thoughts_are_shown_to_who_asks_and_are_one_line_until_opened(
    page: Page, server: Server
) -> None:
    debate = server.create("Do ants plan ahead?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    private = page.locator("article.private")
    expect(private).to_have_count(0)
    switch = page.get_by_role("switch", name="Show plans and thoughts")
    switch.focus()
    page.keyboard.press("Space")
    expect(private).to_have_count(7)  # two plans, two thoughts, what the judge did for the verdict
    plan = page.get_by_role("article", name="Ada, private plan")
    expect(plan.locator(".prose")).to_be_hidden()
    plan.locator("summary").first.click()
    expect(plan.locator(".prose")).to_be_visible()
    page.reload()
    expect(switch).to_be_checked()
    expect(private).to_have_count(7)
    page.locator("h1").click()
    page.keyboard.press("p")
    expect(private).to_have_count(0)
    # What the judge made of a statement is below it, for everybody.
    said = page.get_by_role("article", name="Ada, statement")
    expect(said.locator(".evaluation")).to_be_hidden()
    said.locator(".score summary").click()
    expect(said.locator(".evaluation")).to_contain_text("Jo, judge")


def test_a_score_that_cannot_be_read_is_said_to_be_none(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Do bees score?", lambda call: '{"score": "many"}' if _is_score(call) else None)
    debate = server.create("Do bees score?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.locator("#outcome")).to_be_visible()
    score = page.get_by_role("article", name="Ada, statement").locator(".score")
    expect(score.locator(".gist")).to_have_text("no readable score")
    score.locator("summary").click()
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
    expect(page.locator(".doing li", has_text="Ada")).to_contain_text(
        re.compile("Planning for [0-9]+ s")
    )
    expect(page.locator(".dock .now").first).to_contain_text("are planning")
    expect(page.locator(".steps [aria-current=step]")).to_have_text(re.compile("^Planning"))
    expect(page.locator("article.writing")).to_have_count(0)
    page.keyboard.press("p")
    expect(page.locator("article.writing")).to_have_count(2)
    commands = page.get_by_role("group", name="Commands").get_by_role("button")
    expect(commands).to_have_text(["Stop", "End now"])
    provider.wait_for_call("Do wasps plan ahead?")
    page.get_by_role("button", name="Stop").click()
    pill = page.locator(".debate-head .pill")
    expect(pill).to_have_text("Stopping")
    let_go()
    expect(pill).to_have_text("Stopped")
    expect(page.get_by_text("You stopped it at")).to_be_visible()
    expect(commands).to_have_text(["Resume", "End now"])
    page.reload()
    expect(page.get_by_text("It was stopped at")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()


def test_text_is_there_before_the_turn_is(page: Page, server: Server, provider: Provider) -> None:
    provider.say("Do moths plan?", "# Point one\n\n" + "word " * 400 + "**the end**")
    debate = server.create("Do moths plan?", settings={"turns": 100})
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Start", exact=True).click()
    writing = page.locator("article.writing:not(.private) .prose").first
    expect(writing).to_contain_text("word word")
    said = page.get_by_role("article", name="Ada, statement").first
    expect(said.locator("strong")).to_have_text("the end")
    server.ask("POST", f"/api/debates/{debate}/cancel")
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("Cancelled")


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
    menu = turn.get_by_label("More about statement 2")
    menu.click()
    turn.get_by_role("menuitem", name="Copy text").click()
    assert page.evaluate("navigator.clipboard.readText()") in turn.inner_text()
    menu.click()
    turn.get_by_role("menuitem", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("/")
    page.goto(link)
    expect(page.locator("article.target")).to_have_attribute("aria-label", "Bob, statement 2")
    expect(page.locator("article.target")).to_be_in_viewport()
    page.locator("article.target").get_by_label("More about statement 2").click()
    expect(turn.locator(".facts")).to_contain_text("openai:test")
    page.get_by_role("menuitem", name="Fork from here").click()
    expect(page.get_by_role("dialog")).to_contain_text("Goes its own way after statement 2.")
    page.get_by_role("dialog").get_by_label("Model of Ada").fill("openai:other")
    page.get_by_role("dialog").get_by_role("button", name="Fork").click()
    expect(page.get_by_role("link", name="forked from an earlier debate")).to_be_visible()
    expect(page.locator(".debate-head .pill")).to_have_text("Stopped")
    expect(page.locator(".doing")).to_contain_text("openai:other")


REFUSED = "navigator.clipboard.writeText = () => Promise.reject(new Error('not here'));"


def test_where_the_clipboard_is_refused_it_is_copied_and_the_focus_stays(
    page: Page, server: Server
) -> None:
    page.context.grant_permissions(["clipboard-read"])
    page.add_init_script(REFUSED)
    debate = server.create("Do toads plan?", start=True)
    page.goto(f"/debates/{debate}")
    menu = page.get_by_label("More about statement 2")
    menu.focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("menuitem", name="Copy text").press("Enter")
    expect(page.get_by_text("Text copied")).to_be_visible()
    expect(menu).to_be_focused()
    said = page.evaluate("navigator.clipboard.readText()")
    assert said in page.get_by_role("article", name="Bob, statement").inner_text()
    # A dialog makes everything beside it inert.
    page.get_by_role("button", name="Share").click()
    box = page.get_by_role("dialog")
    box.get_by_role("button", name="Make a link").click()
    address = box.get_by_label("Link", exact=True).input_value()
    box.get_by_role("button", name="Copy").press("Enter")
    expect(page.get_by_text("Link copied")).to_be_attached()
    expect(box.get_by_role("button", name="Copy")).to_be_focused()
    assert page.evaluate("navigator.clipboard.readText()") == address


EXPORTS = {
    "Markdown": "Do owls plan?",
    "HTML, in one file": "Do owls plan?",
    "JSON": "Do owls plan?",
    "CSV": "seq,at,stage",
}


def test_it_is_exported(page: Page, server: Server) -> None:
    debate = server.create("Do owls plan?")
    page.goto(f"/debates/{debate}")
    for kind, text in EXPORTS.items():
        page.get_by_label("Rename, export, fork, link, cancel").click()
        with page.expect_download() as found:
            page.get_by_role("menuitem", name=f"Export as {kind}").click()
        assert text in found.value.path().read_text()


def test_it_says_whose_side_is_whose(page: Page, server: Server) -> None:
    debate = server.create("Tabs or spaces?")
    page.goto(f"/debates/{debate}")
    for name, side in (("Ada", "Tabs"), ("Bo", "spaces")):
        one = page.locator(".doing li", has_text=name)
        expect(one.locator(".argues")).to_have_text(f'argues for "{side}"')
