"""A new debate: formats, cast, models, settings, forecast, and errors where they belong."""

from __future__ import annotations

import re
from typing import cast

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.browser.opening import Server, watched

from moot.protocol.registry import FORMATS

ELSEWHERE = {"model_debater", "model_judge", "stance_a"}
"""Settings that the list of models and the seats say."""


def _open(page: Page) -> None:
    page.goto("/new")
    expect(page.locator(".chip").first).to_be_visible()


def _ask(page: Page, topic: str) -> None:
    page.get_by_label("Your question or claim").fill(topic)


def _seat(page: Page, n: int) -> Locator:
    """The seat of that chip, open."""
    chip = page.locator(".chip").nth(n)
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()
    return page.locator(".seat")


def _advanced(page: Page) -> None:
    page.get_by_text("Advanced", exact=True).click()


def _start(page: Page) -> Locator:
    return page.get_by_role("button", name="Start", exact=True)


def _made(page: Page, server: Server) -> dict[str, object]:
    return server.ask("GET", "/api/debates/" + page.url.rpartition("/")[2])  # type: ignore[no-any-return]


def test_every_format_can_be_chosen_with_its_cast_and_its_settings(page: Page) -> None:
    _open(page)
    page.get_by_role("button", name="More formats").click()
    for name, form in FORMATS.items():
        if not form.is_offered:  # a hearing is asked for from the debate that it is about
            expect(page.locator(f"input[value={name}]")).to_have_count(0)
            continue
        page.locator(f"label.format:has(input[value={name}])").click()
        expect(page.locator(f"input[value={name}]")).to_be_checked()
        expect(page.locator(".chip").nth(1)).to_be_visible()
        # The settings are the format's own, and so is the forecast.
        for setting in set(form.settings.__struct_fields__) - ELSEWHERE:
            expect(page.locator(f"#setting-{setting}")).to_be_attached()
        expect(page.locator(".forecast")).to_contain_text("calls at most")


def test_a_cast_is_drawn_at_once_reads_as_a_sentence_and_is_drawn_again(page: Page) -> None:
    _open(page)
    cast = page.locator(".cast")
    expect(cast.locator(".versus")).to_have_text(["against", "before"])
    expect(cast.locator(".chip small").nth(0)).to_have_text("for")
    expect(cast.locator(".chip small").nth(1)).to_have_text("against")
    expect(cast.locator(".chip b").nth(2)).to_contain_text("Judge")
    before = cast.inner_text()
    for _ in range(5):  # by lot, it may be the same once
        page.get_by_role("button", name="Draw again").click()
        page.wait_for_timeout(300)
        if cast.inner_text() != before:
            break
    expect(cast).not_to_have_text(before)


def test_a_forecast_stands_beside_start_and_follows_the_form(page: Page) -> None:
    _open(page)
    told = page.locator(".forecast")
    expect(told).to_contain_text("30 calls at most")
    expect(told).to_contain_text("price of openai:test unknown")
    page.get_by_role("button", name="Short").click()
    expect(told).to_contain_text("22 calls at most")
    _advanced(page)
    expect(page.get_by_label("Statements")).to_have_value("4")
    page.get_by_label("Statements").fill("2")
    expect(told).to_contain_text("14 calls at most")
    expect(page.get_by_text("Changed: Statements.")).to_be_visible()
    page.get_by_label("Statements").fill("2000")
    expect(told).to_contain_text("Statements: must be a whole number from 1 to 100")


def test_errors_stand_beside_their_fields_and_nothing_is_created(
    page: Page, server: Server
) -> None:
    _open(page)
    expect(_start(page)).to_be_disabled()
    expect(_start(page)).to_have_accessible_description("Write a question first.")
    _start(page).click(force=True)  # it says why at its place, too
    expect(page.get_by_label("Your question or claim")).to_be_focused()
    expect(page.get_by_role("alert")).to_have_text("Write your question or claim first.")
    _ask(page, "Is an error seen where it was made?")
    _advanced(page)
    page.get_by_label("Statements").fill("2000")
    page.get_by_text("Advanced", exact=True).click()
    _start(page).click()
    # What is wrong in a fold is shown: the browser knows the bounds, too.
    expect(page.get_by_label("Statements")).to_be_focused()
    turns = page.locator(".field", has=page.locator("#setting-turns"))
    expect(turns.get_by_role("alert")).to_have_text("must be a whole number from 1 to 100")
    # Without the bounds it is the server that says so, of every field at once, by its label.
    for name, value in (("turns", "2000"), ("max_cost_usd", "-1")):
        field = page.locator(f"#setting-{name}")
        field.evaluate("(field) => { field.removeAttribute('max'); field.removeAttribute('min') }")
        field.fill(value)
    _start(page).click()
    cost = page.locator(".field", has=page.locator("#setting-max_cost_usd"))
    expect(cost.get_by_role("alert")).to_have_text("must be a number from 0 to 100000, or left out")
    expect(turns.get_by_role("alert")).to_have_text("must be a whole number from 1 to 100")
    told = page.get_by_role("status").filter(has_text="Not started.")
    expect(told).to_contain_text("Statements: must be a whole number from 1 to 100")
    expect(told).to_contain_text("Stop when it has cost, in dollars: must be a number")
    expect(page.get_by_label("Statements")).to_be_focused()
    # What is mended is mended, and the rest stays told.
    page.get_by_label("Statements").fill("2")
    expect(turns.get_by_role("alert")).to_have_count(0)
    expect(cost.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Statements")).to_be_focused()
    assert server.ask("GET", "/api/debates?q=an+error+seen")["items"] == []


def test_names_that_cannot_be_used_are_told_at_their_seats(page: Page, server: Server) -> None:
    _open(page)
    _ask(page, "Who is called like that?")
    names = []
    for number, name in enumerate(("Ada", "ada", "System")):
        seat = _seat(page, number)
        seat.get_by_role("button", name="Edit").click()
        seat.get_by_label("Name", exact=True).fill(name)
        names.append(name)
    _start(page).click()
    seat = page.locator(".seat")
    expect(seat.get_by_role("alert")).to_contain_text("reserved")
    expect(seat.get_by_label("Name", exact=True)).to_have_value("System")
    seat.get_by_label("Name", exact=True).fill("Jo")
    _start(page).click()
    expect(seat.get_by_role("alert")).to_contain_text("too much like")
    assert server.ask("GET", "/api/debates?q=called+like+that")["items"] == []


def test_with_the_keyboard_one_stays_among_the_seats(page: Page) -> None:
    _open(page)
    seat = _seat(page, 2)
    seat.get_by_role("button", name="Edit").click()
    seat.get_by_role("button", name="Speak earlier").press("Enter")
    expect(page.locator(".chip[aria-expanded=true]")).to_be_focused()
    page.locator("#seat").get_by_role("button", name="Edit").click()
    page.locator("#seat").get_by_role("button", name="Remove this judge").press("Enter")
    expect(page.locator(".chip").first).to_be_focused()
    page.get_by_role("button", name="Add a judge").press("Enter")
    expect(page.locator(".chip[aria-expanded=true]")).to_be_focused()


def test_a_roster_of_persona_model_person_and_colour_is_created(page: Page, server: Server) -> None:
    _open(page)
    _ask(page, "Does the roster arrive?")
    _advanced(page)
    page.get_by_label("Premise").fill("It arrives.")
    page.locator("#setting-reasoning_effort_judge").select_option("High")
    page.locator("#setting-top_p").fill("0.5")
    first = _seat(page, 0)
    before = page.locator(".chip b").nth(0).inner_text()
    first.get_by_label("Replace by another persona").select_option(index=1)
    expect(page.locator(".chip b").nth(0)).not_to_have_text(before)
    first.get_by_label("Model").fill("openai:special")
    first.get_by_role("button", name="Edit").click()
    first.get_by_label("Colour").fill("#aa3366")
    first.get_by_label("Instructions", exact=True).fill("Be brief.")
    first.get_by_label("Thinking before answers").select_option("low")
    first.get_by_label("Temperature").fill("1.2")
    second = _seat(page, 1)
    second.get_by_role("button", name="Take this seat").click()
    second.get_by_label("Your name").fill("Bob")
    third = _seat(page, 2)
    third.get_by_role("button", name="Edit").click()
    third.get_by_role("button", name="Remove this judge").click()
    expect(page.get_by_role("button", name="Add a judge")).to_be_visible()
    page.reload()
    expect(page.locator(".chip")).to_have_count(2)
    expect(page.get_by_label("Your question or claim")).to_have_value("Does the roster arrive?")
    page.get_by_role("button", name="Save for later").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Does the roster arrive?")
    made: dict[str, object] = _made(page, server)
    people = {one["stance"]: one for one in made["participants"]}  # type: ignore[attr-defined]
    ada, bob = people["pro"], people["con"]
    assert (ada["model"], ada["color"], ada["instructions"]) == (
        "openai:special",
        "#aa3366",
        "Be brief.",
    )
    assert ada["sampling"] == {
        "reasoning_effort": "low",
        "temperature": 1.2,
        "top_p": 0.5,
        "seed": None,
    }
    assert (bob["model"], bob["name"]) == ("human", "Bob")
    assert made["settings"]["reasoning_effort_judge"] == "high"  # type: ignore[index]
    assert made["settings"]["premise"] == "It arrives."  # type: ignore[index]
    assert made["status"] == "created"
    page.get_by_role("link", name="New debate").click()
    expect(page.get_by_label("Your question or claim")).to_have_value("")


def test_i_take_part_with_two_clicks_and_give_the_seat_back(page: Page, server: Server) -> None:
    _open(page)
    _ask(page, "May I judge?")
    judge = page.locator(".chip b").nth(2).inner_text()
    seat = _seat(page, 2)
    seat.get_by_role("button", name="Take this seat").click()
    expect(page.locator(".chip b").nth(2)).to_have_text("Me")
    seat.get_by_role("button", name="Give it back").click()
    expect(page.locator(".chip b").nth(2)).to_have_text(judge)
    seat.get_by_role("button", name="Take this seat").click()
    expect(seat.get_by_label("Your name")).to_be_focused()
    # Nobody is called Guest: who has no name is asked for it.
    _seat(page, 0)
    _start(page).click()
    expect(seat.get_by_role("alert")).to_have_text("Say what you want to be called.")
    expect(seat.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("Marisol")
    _start(page).click()
    expect(page).to_have_url(re.compile("/debates/"))
    made = _made(page, server)
    judges = [one for one in made["participants"] if one["role"] == "judge"]  # type: ignore[attr-defined]
    assert [(one["name"], one["model"]) for one in judges] == [("Marisol", "human")]
    _open(page)
    seat = _seat(page, 0)
    seat.get_by_role("button", name="Take this seat").click()
    expect(seat.get_by_label("Your name")).to_have_value("Marisol")


def test_a_model_is_chosen_for_all_with_the_price_of_this_debate_by_keyboard(
    page: Page, server: Server
) -> None:
    _open(page)
    _ask(page, "Which model is it?")
    button = page.locator(".pickbutton")
    expect(button).to_contain_text("test for every seat")
    button.focus()
    page.keyboard.press("Enter")
    toy = page.get_by_role("option", name="smollm2")
    expect(toy).to_contain_text("free")
    expect(page.locator(".model", has_text="Anthropic")).to_contain_text("Set ANTHROPIC_API_KEY")
    page.keyboard.press("Escape")
    expect(page.locator(".picker")).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Find a model")).to_be_focused()
    page.keyboard.type("luna")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(button).to_contain_text("gpt-6-luna for every seat")
    button.click()
    expect(page.get_by_role("combobox", name="Find a model")).to_be_focused()
    page.keyboard.type("openai:other")
    page.keyboard.press("Enter")
    expect(button).to_contain_text("other for every seat")
    button.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # a model for each seat
    expect(page.locator(".each input").first).to_be_focused()
    button.click()
    expect(page.get_by_role("button", name="Use one model for every seat")).to_be_visible()
    page.keyboard.press("Escape")
    name = page.locator(".chip b").nth(2).inner_text()
    page.locator(".each").get_by_label(name).fill("openai:judge")
    page.get_by_role("button", name="Save for later").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which model is it?")
    people = _made(page, server)["participants"]
    found = sorted(one["model"] for one in people)  # type: ignore[attr-defined]
    assert found == ["openai:judge", "openai:other", "openai:other"]


def test_another_format_keeps_what_fits_says_what_does_not_and_is_undone(page: Page) -> None:
    _open(page)
    _ask(page, "Does it fit?")
    judge = page.locator(".chip b").nth(2).inner_text()
    _seat(page, 0).get_by_label("What they argue").fill("It fits.")
    _advanced(page)
    page.get_by_label("Statements").fill("8")
    page.locator("label.format", has_text="A room to talk in").click()
    notice = page.get_by_role("status").filter(has_text="Not used here")
    expect(notice).to_contain_text(f"{judge} has no seat here.")
    expect(notice).to_contain_text("Not used here: Statements.")
    expect(page.locator(".chip")).to_have_count(2)
    notice.get_by_role("button", name="Undo").click()
    expect(page.locator(".chip")).to_have_count(3)
    expect(page.get_by_role("radio", name="Two sides and a judge")).to_be_checked()
    expect(page.get_by_label("Statements")).to_have_value("8")


def test_a_text_is_attached_and_what_is_no_text_is_not(page: Page, server: Server) -> None:
    _open(page)
    _ask(page, "Is it attached?")
    field = page.locator("input[type=file]")
    field.set_input_files({"name": "bad.bin", "mimeType": "", "buffer": b"\x00\xff\xfe"})
    expect(page.get_by_text("bad.bin is not a text file.")).to_be_visible()
    field.set_input_files({"name": "costs.md", "mimeType": "", "buffer": b"Rent: 900"})
    expect(page.get_by_role("button", name="Remove costs.md")).to_be_visible()
    page.get_by_role("button", name="Save for later").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is it attached?")
    attached = cast("list[dict[str, str]]", _made(page, server)["attachments"])
    assert [one["name"] for one in attached] == ["costs.md"]
    expect(page.get_by_role("region", name="Given to read")).to_have_text(re.compile("costs.md"))


def test_typing_opens_the_form_on_the_start_page(page: Page, server: Server) -> None:
    server.create("Is there a list below?")
    page.goto("/")
    expect(page.locator(".row").first).to_be_visible()
    expect(page.locator(".chip")).to_have_count(0)
    page.get_by_label("Your question or claim").press_sequentially("Does it open?")
    expect(page.locator(".chip")).to_have_count(3)
    expect(page.get_by_label("Your question or claim")).to_be_focused()
    _start(page).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Does it open?")


def test_on_a_phone_question_format_and_start_are_on_the_first_screen(
    browser: Browser, server: Server
) -> None:
    with watched(browser, server.url, viewport={"width": 360, "height": 740}) as sight:
        page = sight.page
        _open(page)
        _ask(page, "Should we sell the flat or rent it out while we are abroad?")
        for one in (
            page.get_by_label("Your question or claim"),
            page.locator("label.format", has_text="A room to talk in"),
            _start(page),
        ):
            expect(one).to_be_in_viewport(ratio=1)
        _seat(page, 1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_hostile_names_and_forty_members_break_nothing(browser: Browser, server: Server) -> None:
    rows = [
        {"name": f"<script>alert({n})</script>" + "W" * 70, "role": "member", "stance": "none"}
        for n in range(39)
    ]
    kept = {
        "format": "council",
        "topic": "\u202eevil",
        "rows": [*rows, {"name": "", "role": "judge"}],
    }
    with watched(browser, server.url, viewport={"width": 360, "height": 740}) as sight:
        page = sight.page
        page.goto("/models")
        page.evaluate(
            "(kept) => localStorage.setItem('moot.draft.new', JSON.stringify(kept))",
            {**kept, "isDrawn": False},
        )
        page.goto("/new")
        expect(page.locator(".chip")).to_have_count(40)
        _seat(page, 39)
        expect(page.locator(".seat")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_wish_whose_answer_is_lost_makes_one_debate(page: Page, server: Server) -> None:
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost or route.request.method != "POST":
            route.continue_()
            return
        lost.append(route.fetch().json()["id"])
        route.abort()

    page.route("**/api/debates", lose)
    _open(page)
    _ask(page, "Is it paid for once?")
    _start(page).click()
    expect(page.get_by_text("The answer was lost on the way.")).to_be_visible()
    expect(page.get_by_text("Not started.")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Your question or claim")).to_have_value("Is it paid for once?")
    _start(page).click()
    expect(page).to_have_url(re.compile(f"/debates/{lost[0]}$"))
    expect(page.get_by_text("It had been made already: this is it.")).to_be_visible()
    # The same question once more, on purpose, is another debate; and so is a changed wish.
    for n in (2, 3):
        _open(page)
        _ask(page, "Is it paid for once?")
        _start(page).click()
        expect(page).to_have_url(re.compile("/debates/"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Is it paid for once?")
        assert len(server.ask("GET", "/api/debates?q=paid+for+once")["items"]) == n


def test_a_key_that_is_held_down_starts_one_debate(page: Page, server: Server) -> None:
    _open(page)
    _ask(page, "Is one enough?")
    expect(_start(page)).to_be_enabled()
    page.get_by_label("Your question or claim").evaluate(
        "field => { for (let n = 0; n < 5; n++) field.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Enter', ctrlKey: true, repeat: n > 0, bubbles: true})) }"
    )
    expect(page.get_by_role("heading", level=1)).to_have_text("Is one enough?")
    assert len(server.ask("GET", "/api/debates?q=one+enough")["items"]) == 1


@pytest.mark.parametrize("is_called_off", [False, True])
def test_a_press_counts_although_the_page_moves_under_it_unless_the_pointer_leaves(
    page: Page, server: Server, is_called_off: bool
) -> None:
    held: list[Route] = []
    # What stands between the question and Start comes late. Playwright takes no method of a list.
    page.route("**/choices.js", lambda route: held.append(route))  # noqa: PLW0108
    page.goto("/new")
    topic = "Does it move and end?" if is_called_off else "Does it move and begin?"
    _ask(page, topic)
    expect(_start(page)).to_be_enabled()
    before = _start(page).bounding_box()
    _start(page).hover()
    page.mouse.down()
    page.wait_for_timeout(0)  # for what was held to be known of
    for route in held:
        route.continue_()
    expect(page.locator(".chip").first).to_be_visible()
    after = _start(page).bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) > before["height"]
    if is_called_off:
        page.mouse.move(5, 5)
    page.mouse.up()
    if is_called_off:
        _start(page).click()  # which nothing has begun before
    expect(page.get_by_role("heading", level=1)).to_have_text(topic)
    asked = topic.partition(" and ")[2].rstrip("?")
    assert len(server.ask("GET", f"/api/debates?q=does+it+move+and+{asked}")["items"]) == 1


def test_a_clean_form_is_one_press_away_and_so_is_the_draft(page: Page) -> None:
    page.goto("/new")
    over = page.get_by_role("button", name="Start over")
    expect(page.locator(".chip").first).to_be_visible()
    expect(over).to_have_count(0)
    page.get_by_label("Your question or claim").fill("Is it kept?")
    page.get_by_role("button", name="Long", exact=True).click()
    over.click()
    expect(page.get_by_label("Your question or claim")).to_have_value("")
    medium = page.get_by_role("button", name="Medium", exact=True)
    expect(medium).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Your question or claim")).to_have_value("Is it kept?")
    expect(medium).to_have_attribute("aria-pressed", "false")
    over.click()  # so that the tests that follow find no draft
