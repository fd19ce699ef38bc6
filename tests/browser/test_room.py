"""A room: answers to choose from, auto and manual, labels, names, failures, two tabs, reloads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.browser.axe import is_too_wide, serious, serious_by_scheme
from tests.browser.opening import Provider, Server, Sight, watched

from moot.testing.server_wire import ChatCall

ATTACK = "Tea. <img src=x onerror=alert(1)> **Really** [x](javascript:alert(2))"
MEMBERS = [
    {"name": "Ada", "role": "member", "title": "Architect"},
    {"name": "Bob", "role": "member"},
    {"name": "Mary Jane", "role": "member", "title": "Builder"},
]
ROOM_MENU = "Members, context and settings of the room"


def _open(server: Server, topic: str, members: Any = MEMBERS, **settings: Any) -> str:
    given = {"pacing": "manual", "response_delay": 1, **settings}
    return server.create(topic, format="room", start=True, settings=given, participants=members)


def _speaker(call: ChatCall) -> str:
    found = re.match(r"You are ([A-Z]\w+)", call.messages[0][1])
    assert found is not None
    return found[1]


def _field(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Your message")


def _say(page: Page, text: str) -> None:
    _field(page).fill(text)
    _field(page).press("Enter")


def _said(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=f"{name}, message")


def _let(page: Page, whom: str) -> Locator:
    return page.get_by_role("button", name=f"Let {whom} speak")


def _offer(page: Page, name: str) -> Locator:
    return page.get_by_label(f"Choose {name}\u2019s answer")


def _do(message: Locator, item: str) -> None:
    """An entry of the menu of a message."""
    message.get_by_label("More about this message").click()
    message.get_by_role("menuitem", name=item).click()


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
    offers = page.get_by_role("list", name="Answers to choose from").get_by_role("listitem")
    expect(_let(page, "all 3")).to_be_enabled()
    expect(page.get_by_role("heading", name="Who shall answer you?")).to_be_visible()
    expect(offers.locator(".prose strong")).to_have_text(["Really"] * 3)
    expect(page.locator("#app .prose :is(img, a)")).to_have_count(0)
    expect(_let(other, "all 3")).to_be_enabled()
    _offer(page, "Bob").uncheck()
    page.reload()
    expect(offers).to_have_count(3)
    expect(_offer(page, "Bob")).not_to_be_checked()
    _let(page, "Ada and Mary Jane").click()
    for one in (page, other):
        expect(_said(one, "Ada")).not_to_have_class(re.compile("unheard"))
        expect(_said(one, "Bob")).to_have_class(re.compile("unheard"))
        expect(one.get_by_role("list", name="Answers to choose from")).to_have_count(0)
    expect(_said(page, "Ada")).to_contain_text("you chose this")
    expect(_said(page, "Bob")).not_to_contain_text("you chose this")
    # A message is taken in and left out again, in the one tab for the other.
    _do(_said(page, "Bob"), "Let the others hear this")
    expect(_said(other, "Bob")).not_to_have_class(re.compile("unheard"))
    other.bring_to_front()
    _do(_said(other, "Ada"), "Keep this from the others")
    expect(_said(page, "Ada").get_by_text("The others do not hear this.")).to_be_visible()
    page.bring_to_front()
    page.get_by_role("button", name="Let them go on").click()
    expect(_let(page, "all 3")).to_be_enabled()
    page.get_by_role("button", name="None of these").click()
    expect(_said(page, "Mary Jane").last).to_have_class(re.compile("unheard"))


# --- what is written while others speak -----------------------------------------------------------


def test_what_is_sent_while_they_write_waits_and_is_said_once_though_two_tabs_are_open(
    sight: Sight, server: Server, provider: Provider
) -> None:
    topic = "Who waits for whom?"
    page = sight.page
    room = _open(server, topic)
    other = page.context.new_page()
    for one in (other, page):
        one.goto(f"/debates/{room}")
        expect(one.get_by_text("3 members are listening")).to_be_visible()
    let_go = provider.hold(topic)
    page.bring_to_front()
    _say(page, "The first.")
    expect(page.locator(".label.speaking")).to_have_count(3)
    _field(page).fill("The second.")
    when = page.locator("#say-when")
    expect(when).to_contain_text("Ada, Bob and Mary Jane are still writing. Yours comes after")
    _field(page).press("Enter")
    for one in (page, other):
        expect(one.locator(".held")).to_contain_text("The second.")
    expect(_field(page)).to_have_value("")
    page.reload()
    expect(page.locator(".held")).to_contain_text("Yours waits.")
    let_go()
    expect(_let(page, "all 3")).to_be_enabled()
    expect(page.locator(".held")).to_contain_text("Choose what the others hear")
    expect(_said(page, "You")).to_have_count(1)
    _offer(page, "Bob").uncheck()
    _offer(page, "Mary Jane").uncheck()
    _let(page, "Ada").click()
    for one in (page, other):
        expect(_said(one, "You")).to_have_count(2)
        expect(one.locator(".held")).to_have_count(0)
    expect(_let(page, "all 3")).to_be_enabled()
    expect(_said(page, "You").last).to_contain_text("The second.")
    page.reload()
    expect(_said(page, "You")).to_have_count(2)


def test_what_waits_can_be_taken_back_and_joins_what_was_written_since(
    sight: Sight, server: Server, provider: Provider
) -> None:
    topic = "Who takes it back?"
    page = sight.page
    page.goto(f"/debates/{_open(server, topic)}")
    let_go = provider.hold(topic)
    _say(page, "The first.")
    expect(page.locator(".label.speaking")).to_have_count(3)
    _say(page, "The second.")
    _field(page).fill("The third.")
    page.get_by_role("button", name="Take it back").click()
    expect(_field(page)).to_have_value("The second.\n\nThe third.")
    expect(page.locator(".held")).to_have_count(0)
    let_go()
    _let(page, "all 3").click()
    expect(page.locator("#say-when")).not_to_contain_text("Choose")
    expect(_said(page, "You")).to_have_count(1)


def test_in_auto_mode_it_is_said_as_soon_as_the_speaker_has_finished(
    sight: Sight, server: Server, provider: Provider
) -> None:
    topic = "Who interrupts?"
    page = sight.page
    page.goto(f"/debates/{_open(server, topic, pacing='auto', response_delay=2)}")
    let_go = provider.hold(topic)
    _say(page, "The first.")
    expect(page.locator("#say-when")).to_contain_text("Ada is writing.")
    _field(page).fill("The second.")
    expect(page.locator("#say-when")).to_contain_text("Ada is still writing. Yours comes next.")
    _field(page).press("Enter")
    expect(page.locator(".held")).to_be_visible()
    let_go()
    expect(_said(page, "You")).to_have_count(2)
    expect(page.locator(".held")).to_have_count(0)
    names = page.locator(".message > header b")
    expect(names.nth(3)).to_be_visible()
    assert names.all_inner_texts()[:4] == ["You", "Ada", "You", "Ada"]


def test_what_may_have_arrived_is_not_said_again(
    sight: Sight, server: Server, provider: Provider
) -> None:
    provider.say("Did it arrive?", "Yes.")
    page = sight.page
    page.goto(f"/debates/{_open(server, 'Did it arrive?')}")
    lost: list[str] = []

    def lose(route: Route) -> None:
        """The server takes it, and nobody hears that it did."""
        if not lost:
            lost.append(route.fetch().text())
            route.abort()
        else:
            route.continue_()

    page.route(re.compile(r"/messages$"), lose)
    _say(page, "Hello?")
    expect(_let(page, "all 3")).to_be_enabled()
    _let(page, "all 3").click()
    expect(page.locator(".held")).to_have_count(0)
    expect(_said(page, "You")).to_have_count(1)
    expect(_said(page, "Ada")).to_have_count(1)


def test_what_cannot_be_sent_is_kept_and_says_why(sight: Sight, server: Server) -> None:
    page = sight.page
    page.goto(f"/debates/{_open(server, 'Who refuses it?')}")
    body = '{"code": "invalid", "detail": "It is too long."}'
    page.route(re.compile(r"/messages$"), lambda route: route.fulfill(status=422, body=body))
    _say(page, "Precious words.")
    expect(page.locator(".held")).to_contain_text("It was not said: It is too long.")
    page.get_by_role("button", name="Take it back").click()
    expect(_field(page)).to_have_value("Precious words.")


def test_a_browser_that_keeps_nothing_and_has_no_locks_sends_all_the_same(
    sight: Sight, server: Server, provider: Provider
) -> None:
    provider.say("Who forgets?", "Tea.")
    page = sight.page
    page.add_init_script(
        "Storage.prototype.setItem = () => { throw new Error('full'); };"
        "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });"
    )
    page.goto(f"/debates/{_open(server, 'Who forgets?')}")
    _say(page, "The first.")
    expect(_let(page, "all 3")).to_be_enabled()
    _say(page, "The second.")
    expect(page.locator(".held")).to_contain_text("The second.")
    _let(page, "all 3").click()
    expect(_said(page, "You")).to_have_count(2)
    expect(_let(page, "all 3")).to_be_enabled()


def test_what_was_never_said_is_not_lost_when_the_room_ends(
    sight: Sight, server: Server, provider: Provider
) -> None:
    page = sight.page
    room = _open(server, "Who ends it?")
    page.goto(f"/debates/{room}")
    let_go = provider.hold("Who ends it?")
    _say(page, "The first.")
    expect(page.locator(".label.speaking")).to_have_count(3)
    _say(page, "The last.")
    server.ask("POST", f"/api/debates/{room}/cancel")
    let_go()
    held = page.locator(".held")
    expect(held).to_contain_text("It was not said: the room is over.")
    expect(held).to_contain_text("The last.")
    held.get_by_role("button", name="Forget it").click()
    expect(held).to_have_count(0)


def test_ones_own_message_stays_in_view_however_much_is_answered(
    browser: Browser, server: Server, provider: Provider
) -> None:
    provider.say("Who talks most?", "A long story, told slowly.\n\n" * 60)
    room = _open(server, "Who talks most?")
    with watched(browser, server.url, viewport={"width": 1280, "height": 640}) as sight:
        page = sight.page
        page.goto(f"/debates/{room}")
        for text in ("The first.", "The second."):
            _say(page, text)
            _let(page, "all 3").click()
            expect(_said(page, "Ada").last).to_be_visible()
        _say(page, "The third.")
        expect(_let(page, "all 3")).to_be_enabled()
        expect(_said(page, "You").last).to_contain_text("The third.")
        page.wait_for_function(
            """() => {
              const own = [...document.querySelectorAll('.message.mine')].at(-1);
              const { top, bottom } = own.getBoundingClientRect();
              const above = document.querySelector('.labels').getBoundingClientRect().bottom;
              const below = document.querySelector('.say').getBoundingClientRect().top;
              return top >= above - 1 && bottom <= below + 1;
            }"""
        )


# --- auto -----------------------------------------------------------------------------------------


def test_auto_mode_by_keyboard_alone(page: Page, server: Server, provider: Provider) -> None:
    provider.say("Who leads by keys?", lambda call: "SKIP" if "Bob" in _speaker(call) else None)
    let_go = provider.hold("Who leads by keys?")
    room = _open(server, "Who leads by keys?", response_delay=30)
    page.goto(f"/debates/{room}")
    auto = page.get_by_role("group", name="Pacing").get_by_role("button", name="Auto")
    expect(auto).to_have_attribute("aria-pressed", "false")
    _field(page).focus()
    page.keyboard.press("Control+m")
    expect(auto).to_have_attribute("aria-pressed", "true")
    _type_names(page, _field(page))
    page.keyboard.press("Enter")
    expect(_said(page, "You").locator(".at")).to_have_text(["@Mary Jane", "@Bob"])
    when = page.locator("#say-when")
    expect(when).to_contain_text("Bob and Mary Jane are writing.")
    expect(page.locator(".label.speaking")).to_contain_text(["Bob", "Mary Jane"])
    expect(_field(page)).to_be_enabled()
    let_go()
    expect(page.get_by_role("timer")).to_contain_text(re.compile(r"next answer comes in \d+ s"))
    expect(page.locator(".system", has_text="Bob has nothing to add.")).to_be_visible()
    expect(_said(page, "Mary Jane")).to_have_count(1)
    expect(_said(page, "Bob")).to_have_count(0)
    # To manual: who has not spoken yet answers at once, to be chosen.
    page.keyboard.press("Control+m")
    expect(auto).to_have_attribute("aria-pressed", "false")
    expect(_let(page, "Ada")).to_be_enabled()
    _let(page, "Ada").press("Enter")
    expect(_said(page, "Ada")).to_have_count(1)
    told = page.locator(".system", has_text="They no longer talk by themselves.")
    expect(told).to_be_visible()


def test_auto_mode_pauses_when_nobody_has_anything_to_say(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Who has more to say?", "SKIP")
    room = _open(server, "Who has more to say?", pacing="auto")
    page.goto(f"/debates/{room}")
    _say(page, "Anybody?")
    expect(page.locator("#say-when")).to_contain_text(
        "They have paused: everybody skipped their turn."
    )
    expect(page.locator(".system")).to_have_text(
        [
            "Ada, Bob and Mary Jane joined.",
            "The context window of openai:test is not known; Moot assumes 32,000 tokens.",
            "They talk by themselves now.",
            "Ada, Bob and Mary Jane have nothing to add.",
            "Conversation paused: everybody skipped their turn",
        ]
    )
    expect(page.get_by_role("button", name="Let them go on")).to_be_enabled()


def _type_names(page: Page, field: Locator) -> None:
    """Names are offered, chosen with arrows, taken with Enter or Tab; Escape leaves them."""
    page.keyboard.type("Hello @")
    options = page.get_by_role("listbox", name="Members").get_by_role("option")
    expect(options).to_have_count(3)
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    page.keyboard.type("j")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("Mary JaneBuilder")
    page.keyboard.press("Tab")
    expect(field).to_have_value("Hello @Mary Jane ")
    page.keyboard.type("and @")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", "mention-1")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Hello @Mary Jane and @Bob ")


# --- members --------------------------------------------------------------------------------------


def test_members_are_muted_removed_and_added_and_things_said_again(
    page: Page, server: Server, provider: Provider
) -> None:
    said = iter(range(1000))
    provider.say("Who is in the room?", lambda call: f"Answer {_speaker(call)} {next(said)}.")
    room = _open(server, "Who is in the room?")
    page.goto(f"/debates/{room}")
    page.get_by_role("button", name="Bob mute").click()
    expect(page.get_by_role("button", name="Bob mute")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="More about Mary Jane").click()
    dialog = page.get_by_role("dialog", name="Mary Jane")
    expect(dialog).to_contain_text("openai:test")
    dialog.get_by_role("button", name="Remove Mary Jane").click()
    expect(page.locator(".system", has_text="Mary Jane left.")).to_have_count(1)
    page.keyboard.press("Escape")
    _say(page, "First try")
    _let(page, "Ada").click()
    expect(_said(page, "Ada")).to_contain_text("Answer Ada")
    _do(_said(page, "Ada"), "Answer again")
    _let(page, "Ada").click()
    expect(_said(page, "Ada")).to_have_count(2)
    expect(_said(page, "Ada").first).to_have_class(re.compile("unheard"))
    _do(_said(page, "You"), "Edit and say again")
    expect(_field(page)).to_have_value("First try")
    _say(page, "Second try")
    expect(_said(page, "You")).to_have_count(2)
    expect(_said(page, "You").first).to_have_class(re.compile("unheard"))
    _let(page, "Ada").click()
    page.get_by_role("button", name="Add a member").click()
    page.get_by_label("Search personas").fill("surgeon")
    page.get_by_role("list", name="Personas").get_by_role("button").first.click()
    expect(page.locator(".label")).to_have_count(3)
    expect(page.locator(".system").last).to_have_text(re.compile(r"joined\.$"))


def test_a_room_begins_with_the_question_that_was_typed(page: Page, provider: Provider) -> None:
    topic = "Who asked this first?"
    provider.say(topic, "You did.")
    page.goto("/new")
    page.get_by_label("Your question or claim").fill(topic)
    page.get_by_text("A room to talk in").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".message.mine")).to_contain_text(topic)
    expect(page.locator(".message:not(.mine)").first).to_contain_text("You did.")


def test_whoever_takes_part_under_a_name_of_their_own_is_you(page: Page, server: Server) -> None:
    me = {"name": "Marisol", "id": "marisol", "role": "member", "model": "human"}
    room = _open(server, "Who am I?", [*MEMBERS[:2], me])
    body = {"content": "It is me.", "participant": "marisol"}
    server.ask("POST", f"/api/debates/{room}/messages", body)
    page.goto(f"/debates/{room}")
    own = _said(page, "You")
    expect(own).to_contain_text("It is me.")
    expect(own).to_have_class(re.compile("mine"))
    expect(page.locator(".label", has_text="Marisol")).to_be_visible()


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
            _say(page, "Listen. " + "word " * 3900)
            expect(page.locator(".toast").first).to_contain_text(re.compile(r"Ada has filled \d+%"))
            page.get_by_label(ROOM_MENU).click()
            page.get_by_role("menuitem", name="Members and context").click()
            expect(page.get_by_role("dialog")).to_have_count(1)
            expect(page.get_by_role("meter").first.locator("..")).to_contain_text("8,192 tokens")
            page.keyboard.press("Escape")
            expect(page.locator(".notice", has_text="Bob failed to respond")).to_be_visible()
            provider.say("What goes wrong?", lambda _call: None)
            page.get_by_role("button", name="Retry Bob").click()
            _let(page, "Ada and Bob").click()
            expect(page.get_by_role("button", name="Retry Bob")).to_have_count(0)
            provider.misbehave("What goes wrong?", "status_429_retry_after_absurd")
            page.get_by_role("button", name="Let them go on").click()
            limited = page.get_by_role("timer", name="")
            expect(limited).to_contain_text(re.compile(r"openai asks for a pause of \d+ s"))
            expect(page.get_by_role("button", name="Retry Ada")).to_be_disabled()
            expect(page.locator(".notice", has_text="Ada failed to respond")).to_have_count(1)
            page.get_by_role("button", name="Let them go on").click()
            told = re.compile(r"Ada.* held back until \d")
            expect(page.locator("#say-when").get_by_role("status")).to_contain_text(told)
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
    expect(page.locator(".system", has_text="has filled")).to_be_visible()
    looks.let_through()
    expect(page.locator(".toast").first).to_contain_text(re.compile(r"has filled \d+%"))


def test_it_keeps_nobody_out_and_fits_a_narrow_screen(browser: Browser, server: Server) -> None:
    room = _open(server, "Is a room for all?")
    with watched(browser, server.url, bypass_csp=True) as sight:
        page = sight.page
        page.goto(f"/debates/{room}")
        _say(page, "Hello")
        expect(_let(page, "all 3")).to_be_enabled()
        _offer(page, "Bob").uncheck()
        assert serious_by_scheme(page) == []
        _let(page, "Ada and Mary Jane").click()
        page.get_by_role("button", name="Ada Architect mute").click()
        _field(page).fill("@")
        _field(page).press("End")
        _field(page).type("b")
        expect(page.get_by_role("option")).to_have_count(1)
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(_said(page, "Bob")).to_be_visible()
            assert serious_by_scheme(page) == []
            assert not is_too_wide(page)
        # Where there is room for one of the two only, it changes to the other.
        page.get_by_role("group", name="Pacing").get_by_role("button", name="Manual").click()
        expect(page.get_by_role("button", name="Auto")).to_be_visible()


def test_forty_members_with_long_names_break_nothing(
    browser: Browser, server: Server, provider: Provider
) -> None:
    words = (
        "\u202e\u0645\u0631\u062d\u0628\u0627 <script>alert(1)</script> "
        + "Donaudampfschifffahrt" * 20
    )
    table = "| a | b |\n|---|---|\n" + "| " + "wide " * 60 + "| y |"
    provider.say("Forty?", f"{words}\n\n{table}\n\n```\n{'x' * 400}\n```")
    members = [
        {
            "name": f"{'Wolfeschlegelsteinhausen' * 2} \u0645\u0631\u062d\u0628\u0627 {n}",
            "role": "member",
        }
        for n in range(40)
    ]
    room = _open(server, "Forty?", members)
    with watched(browser, server.url, viewport={"width": 360, "height": 740}) as sight:
        page = sight.page
        page.goto(f"/debates/{room}")
        _say(page, words)
        expect(_let(page, "all 40")).to_be_enabled()
        for width in (360, 1280):
            page.set_viewport_size({"width": width, "height": 740})
            assert not is_too_wide(page)
        _let(page, "all 40").click()
        expect(page.locator(".message")).to_have_count(41)
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 740})
            assert not is_too_wide(page)


def test_a_skip_needs_no_choice_and_settings_change_while_it_goes_on(
    sight: Sight, server: Server, provider: Provider
) -> None:
    topic = "Who skips?"
    provider.say(topic, lambda call: "Tea." if _speaker(call) == "Bob" else "**SKIP**")
    page = sight.page
    page.goto(f"/debates/{_open(server, topic)}")
    expect(page.get_by_text("Ada, Bob and Mary Jane joined.")).to_be_visible()
    expect(page.get_by_text("3 members are listening")).to_be_visible()
    _say(page, "Tea or coffee?")
    expect(_let(page, "Bob")).to_be_enabled()
    offers = page.get_by_role("list", name="Answers to choose from")
    expect(offers.get_by_role("checkbox")).to_have_count(1)
    expect(offers.get_by_text("Has nothing to add.")).to_have_count(2)
    expect(page.get_by_title("Had nothing to add 1 time")).to_have_count(2)
    _let(page, "Bob").click()
    for name in ("Ada", "Mary Jane"):
        told = page.locator(".system", has_text=re.compile(f"{name}.*nothing to add"))
        expect(told).to_be_visible()

    settings = page.get_by_role("menuitem", name="Settings of the room")
    page.get_by_label(ROOM_MENU).click()
    settings.click()
    dialog = page.get_by_role("dialog", name="Settings of this room")
    delay = dialog.get_by_label("Seconds between two messages")
    expect(delay).to_have_value("1")
    assert not serious(page)
    delay.fill("7")
    dialog.get_by_label("Sum up when the window is full").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    changed = page.get_by_text("Settings changed: response_delay is 7, compact is on")
    expect(changed).to_be_visible()
    page.get_by_label(ROOM_MENU).click()
    settings.click()
    expect(delay).to_have_value("7")
    expect(dialog.get_by_label("Sum up when the window is full")).to_be_checked()


def test_a_room_in_which_all_skip_has_nothing_to_choose(
    sight: Sight, server: Server, provider: Provider
) -> None:
    provider.say("All skip?", lambda _call: "SKIP")
    page = sight.page
    page.goto(f"/debates/{_open(server, 'All skip?')}")
    _say(page, "Anybody?")
    expect(page.get_by_text("Ada, Bob and Mary Jane have nothing to add.")).to_be_visible()
    expect(page.get_by_role("list", name="Answers to choose from")).to_have_count(0)
