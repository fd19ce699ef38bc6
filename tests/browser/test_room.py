"""A room: cards to choose from, auto and manual, labels, names, failures, in two tabs, reloaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.browser.axe import is_too_wide, serious
from tests.browser.opening import Provider, Server, Sight, watched

from moot.testing.server_wire import ChatCall

pytestmark = pytest.mark.xdist_group("browser")
ATTACK = "Tea. <img src=x onerror=alert(1)> **Really** [x](javascript:alert(2))"
MEMBERS = [
    {"name": "Ada", "role": "member", "title": "Architect"},
    {"name": "Bob", "role": "member"},
    {"name": "Mary Jane", "role": "member", "title": "Builder"},
]


def _open(server: Server, topic: str, **settings: Any) -> str:
    given = {"pacing": "manual", "response_delay": 1, **settings}
    return server.create(topic, format="room", start=True, settings=given, participants=MEMBERS)


def _speaker(call: ChatCall) -> str:
    found = re.match(r"You are ([A-Z]\w+)", call.messages[0][1])
    assert found is not None
    return found[1]


def _say(page: Page, text: str) -> None:
    field = page.get_by_label("Your message")
    expect(field).to_be_enabled()
    field.fill(text)
    field.press("Enter")


def _said(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=f"{name}, statement")


def test_all_answer_and_only_what_is_chosen_counts_in_two_tabs_and_after_a_reload(
    sight: Sight, server: Server, provider: Provider
) -> None:
    provider.say("Two tabs on tea?", lambda call: f"{_speaker(call)} says: {ATTACK}")
    page = sight.page
    other = page.context.new_page()
    room = _open(server, "Two tabs on tea?")
    for one in (page, other):
        one.goto(f"/debates/{room}")
        expect(one.get_by_text("3 members are listening")).to_be_visible()
    page.bring_to_front()
    _say(page, "Tea or coffee?")
    cards = page.get_by_role("list", name="Answers to choose from").get_by_role("listitem")
    expect(page.get_by_role("button", name="Include 3 of 3")).to_be_enabled()
    expect(cards.locator(".prose strong")).to_have_text(["Really"] * 3)
    expect(page.locator("#app .prose :is(img, a)")).to_have_count(0)
    expect(other.get_by_role("button", name="Include 3 of 3")).to_be_enabled()
    expect(page.get_by_label("Your message")).to_be_disabled()
    expect(page.locator("#say-why")).to_contain_text("Answers are pending")
    page.get_by_label("Include Bob's answer").uncheck()
    page.reload()
    expect(cards).to_have_count(3)
    expect(page.get_by_label("Include Bob's answer")).not_to_be_checked()
    page.get_by_role("button", name="Include 2 of 3").click()
    for one in (page, other):
        expect(_said(one, "Ada")).not_to_have_class(re.compile("excluded"))
        expect(_said(one, "Bob")).to_have_class(re.compile("excluded"))
        expect(one.get_by_role("list", name="Answers to choose from")).to_have_count(0)
    # A message is taken in and left out again, in the one tab for the other.
    _said(page, "Bob").get_by_role("checkbox").check()
    expect(_said(other, "Bob")).not_to_have_class(re.compile("excluded"))
    other.bring_to_front()
    _said(other, "Ada").get_by_role("checkbox").uncheck()
    expect(_said(page, "Ada").get_by_text("left out of later prompts")).to_be_visible()
    page.bring_to_front()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Include 3 of 3")).to_be_enabled()


def test_auto_mode_by_keyboard_alone(page: Page, server: Server, provider: Provider) -> None:
    provider.say("Who leads by keys?", lambda call: "SKIP" if "Bob" in _speaker(call) else None)
    let_go = provider.hold("Who leads by keys?")
    room = _open(server, "Who leads by keys?", response_delay=30)
    page.goto(f"/debates/{room}")
    auto = page.get_by_role("switch", name="Auto mode")
    expect(auto).not_to_be_checked()
    field = page.get_by_label("Your message")
    field.focus()
    page.keyboard.press("Control+m")
    expect(auto).to_be_checked()
    _type_names(page, field)
    page.keyboard.press("Enter")
    doing = page.locator(".doing-line")
    expect(doing).to_contain_text("[Mary Jane | Builder] thinking…")
    expect(doing).to_contain_text("1 agent waiting to respond")
    expect(field).to_be_disabled()
    expect(page.locator("#say-why")).to_have_text(
        "Auto mode is on: switch to manual, or stop, to type."
    )
    let_go()
    expect(page.get_by_role("timer")).to_contain_text(re.compile(r"Next response in \d+ s"))
    expect(page.locator(".told", has_text="[Bob] skipped their turn")).to_be_visible()
    expect(_said(page, "Mary Jane")).to_have_count(1)
    expect(_said(page, "Bob")).to_have_count(0)
    # To manual: who has not spoken yet answers at once, as a card.
    page.keyboard.press("Control+m")
    expect(auto).not_to_be_checked()
    include = page.get_by_role("button", name="Include 1 of 1")
    expect(include).to_be_enabled()
    include.press("Enter")
    expect(_said(page, "Ada")).to_have_count(1)
    expect(page.locator(".told", has_text="Auto mode stopped")).to_be_visible()


def test_auto_mode_pauses_when_nobody_has_anything_to_say(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Who has more to say?", "SKIP")
    room = _open(server, "Who has more to say?", pacing="auto")
    page.goto(f"/debates/{room}")
    _say(page, "Anybody?")
    expect(page.locator(".doing-line")).to_contain_text(
        "Auto mode paused: everybody skipped their turn"
    )
    expect(page.locator(".told")).to_have_text(
        [
            "[Ada | Architect] joined the conversation",
            "[Bob] joined the conversation",
            "[Mary Jane | Builder] joined the conversation",
            "The context window of openai:test is not known; Moot assumes 32,000 tokens.",
            "Auto mode started",
            "[Ada | Architect] skipped their turn",
            "[Bob] skipped their turn",
            "[Mary Jane | Builder] skipped their turn",
            "Conversation paused: everybody skipped their turn",
        ]
    )
    expect(page.get_by_label("Your message")).to_be_enabled()


def _type_names(page: Page, field: Locator) -> None:
    """Names are offered, chosen with arrows, taken with Enter or Tab; Escape leaves them."""
    page.keyboard.type("Hello @")
    options = page.get_by_role("listbox", name="Members").get_by_role("option")
    expect(options).to_have_count(3)
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    page.keyboard.type("j")
    expect(options).to_have_text(["Mary JaneBuilder"])
    page.keyboard.press("Tab")
    expect(field).to_have_value("Hello @Mary Jane ")
    page.keyboard.type("and @")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", "mention-1")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Hello @Mary Jane and @Bob ")


def test_members_are_muted_removed_and_added_and_things_said_again(
    page: Page, server: Server, provider: Provider
) -> None:
    said = iter(range(1000))
    provider.say("Who is in the room?", lambda call: f"Answer {_speaker(call)} {next(said)}.")
    room = _open(server, "Who is in the room?")
    page.goto(f"/debates/{room}")
    page.get_by_role("button", name="Bob mute").click()
    expect(page.get_by_role("button", name="Bob mute")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Remove Mary Jane").click()
    expect(page.locator(".told", has_text="left the conversation")).to_be_visible()
    _say(page, "First try")
    page.get_by_role("button", name="Include 1 of 1").click()
    expect(_said(page, "Ada")).to_contain_text("Answer Ada")
    menu = _said(page, "Ada").get_by_label("More about this turn")
    menu.click()
    page.get_by_role("menuitem", name="Answer again").click()
    page.get_by_role("button", name="Include 1 of 1").click()
    expect(_said(page, "Ada")).to_have_count(2)
    expect(_said(page, "Ada").first).to_have_class(re.compile("excluded"))
    _said(page, "User").get_by_label("More about this turn").click()
    page.get_by_role("menuitem", name="Edit and say again").click()
    field = page.get_by_label("Your message")
    expect(field).to_have_value("First try")
    field.fill("Second try")
    field.press("Enter")
    expect(_said(page, "User")).to_have_count(2)
    expect(_said(page, "User").first).to_have_class(re.compile("excluded"))
    page.get_by_role("button", name="Include 1 of 1").click()
    page.get_by_role("button", name="Add").click()
    page.get_by_label("Search personas").fill("surgeon")
    page.get_by_role("list", name="Personas").get_by_role("button").first.click()
    expect(page.locator(".labels li")).to_have_count(3)
    expect(page.locator(".told", has_text="The Surgeon] joined the conversation")).to_be_visible()


def test_failures_limits_and_full_windows_are_told(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    """On a server of its own: a provider that limits the rate is held for all rooms."""
    server = Server(tmp_path / "home", provider.url)
    provider.say("What goes wrong?", lambda call: " " if "Bob" in _speaker(call) else None)
    members = [{**one, "model": "openai:llama-3"} for one in MEMBERS[:2]]
    settings = {"pacing": "manual", "max_tokens": 4000}
    room = server.create(
        "What goes wrong?", format="room", start=True, settings=settings, participants=members
    )
    try:
        with watched(browser, server.url) as sight:
            page = sight.page
            page.goto(f"/debates/{room}")
            expect(page.get_by_role("meter", name="Ada")).to_be_visible()
            _say(page, "Listen. " + "word " * 3900)
            expect(page.locator(".toast").first).to_contain_text(re.compile(r"has filled \d+%"))
            expect(page.get_by_role("meter", name="Ada").locator("..")).to_contain_text("8,192")
            expect(page.locator(".room-error", has_text="[Bob] Failed to respond")).to_be_visible()
            provider.say("What goes wrong?", lambda _call: None)
            page.get_by_role("button", name="Retry Bob").click()
            page.get_by_role("button", name="Include 2 of 2").click()
            expect(page.get_by_role("button", name="Retry Bob")).to_have_count(0)
            provider.misbehave("What goes wrong?", "status_429_retry_after_absurd")
            page.get_by_role("button", name="Continue").click()
            limited = page.get_by_role("timer", name="")
            expect(limited).to_contain_text(re.compile(r"Rate limited. Retry in \d+ s"))
            expect(page.get_by_role("button", name="Retry Ada")).to_be_disabled()
            expect(
                page.locator(".room-error", has_text="[Ada | Architect] Failed to respond")
            ).to_have_count(1)
            page.get_by_role("button", name="Continue").click()
            told = re.compile(r"Waiting for \[Ada.*rate limited until \d")
            expect(page.locator(".doing-line").get_by_role("status")).to_contain_text(told)
    finally:
        provider.misbehave("What goes wrong?", None)
        server.kill()


class _Late:
    """Requests that are kept waiting until they are let through."""

    def __init__(self) -> None:
        self._held: list[Route] | None = []

    def take(self, route: Route) -> None:
        if self._held is None:
            route.continue_()
        else:
            self._held.append(route)

    def let_through(self) -> None:
        held, self._held = self._held or [], None
        for route in held:
            route.continue_()


def test_news_is_told_however_late_the_page_learns_where_the_debate_stands(
    sight: Sight, server: Server
) -> None:
    members = [{**one, "model": "openai:llama-3"} for one in MEMBERS[:1]]
    room = server.create(
        "Is it late?",
        format="room",
        start=True,
        settings={"pacing": "manual", "max_tokens": 4000},
        participants=members,
    )
    page, stream, looks = sight.page, _Late(), _Late()
    where = re.compile(rf"/api/debates/{room}$")
    page.route(re.compile(rf"/api/debates/{room}/events"), stream.take)
    with page.expect_response(where):
        page.goto(f"/debates/{room}")
    page.route(where, looks.take)
    stream.let_through()
    _say(page, "Listen. " + "word " * 3900)
    expect(page.locator(".told", has_text="has filled")).to_be_visible()
    looks.let_through()
    expect(page.locator(".toast").first).to_contain_text(re.compile(r"has filled \d+%"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_keeps_nobody_out_and_fits_a_narrow_screen(
    browser: Browser, server: Server, scheme: Any
) -> None:
    room = _open(server, f"Is a {scheme} room for all?")
    with watched(browser, server.url, bypass_csp=True, color_scheme=scheme) as sight:
        page = sight.page
        page.goto(f"/debates/{room}")
        _say(page, "Hello")
        expect(page.get_by_role("button", name="Include 3 of 3")).to_be_enabled()
        page.get_by_label("Include Bob's answer").uncheck()
        assert serious(page) == []
        page.get_by_role("button", name="Include 2 of 3").click()
        page.get_by_role("button", name="Ada Architect mute").click()
        expect(page.get_by_label("Your message")).to_be_enabled()
        page.get_by_label("Your message").fill("@")
        page.get_by_label("Your message").press("End")
        page.get_by_label("Your message").type("b")
        expect(page.get_by_role("option")).to_have_count(1)
        assert serious(page) == []
        page.set_viewport_size({"width": 360, "height": 740})
        expect(_said(page, "Bob")).to_be_visible()
        assert not is_too_wide(page)


def test_a_skip_is_never_a_card_and_settings_change_while_it_goes_on(
    sight: Sight, server: Server, provider: Provider
) -> None:
    topic = "Who skips?"
    provider.say(topic, lambda call: "Tea." if _speaker(call) == "Bob" else "**SKIP**")
    page = sight.page
    page.goto(f"/debates/{_open(server, topic)}")
    expect(page.get_by_text("[Ada | Architect] joined the conversation")).to_be_visible()
    expect(page.get_by_text("3 members are listening")).to_be_visible()
    _say(page, "Tea or coffee?")
    cards = page.get_by_role("list", name="Answers to choose from").get_by_role("listitem")
    expect(page.get_by_role("button", name="Include 1 of 1")).to_be_enabled()
    expect(cards).to_have_count(1)
    expect(page.get_by_text("[Ada | Architect] skipped their turn")).to_be_visible()
    expect(page.get_by_title("Skipped 1 time")).to_have_count(2)
    page.get_by_role("button", name="Include 1 of 1").click()
    expect(page.get_by_label("Your message")).to_be_enabled()

    page.get_by_role("button", name="Settings", exact=True).click()
    dialog = page.get_by_role("dialog", name="Settings of this room")
    expect(dialog.get_by_label("Delay")).to_have_value("1")
    assert not serious(page)
    dialog.get_by_label("Delay").fill("7")
    dialog.get_by_label("Compact").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    told = page.get_by_text("Settings changed: response_delay is 7, compact is on")
    expect(told).to_be_visible()
    page.get_by_role("button", name="Settings", exact=True).click()
    expect(dialog.get_by_label("Delay")).to_have_value("7")
    expect(dialog.get_by_label("Compact")).to_be_checked()


def test_a_room_in_which_all_skip_leaves_the_input_free(
    sight: Sight, server: Server, provider: Provider
) -> None:
    provider.say("All skip?", lambda _call: "SKIP")
    page = sight.page
    page.goto(f"/debates/{_open(server, 'All skip?')}")
    _say(page, "Anybody?")
    expect(page.get_by_text("[Bob] skipped their turn")).to_be_visible()
    expect(page.get_by_label("Your message")).to_be_enabled()
    expect(page.get_by_role("list", name="Answers to choose from")).to_have_count(0)
