"""A new debate: formats, roster, settings, forecast, and errors where they belong."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.opening import Server

from moot.protocol.registry import FORMATS

pytestmark = pytest.mark.xdist_group("browser")


def test_every_format_has_a_card_with_its_stages(page: Page) -> None:
    page.goto("/new")
    for name, form in FORMATS.items():
        card = page.locator(".format-card", has=page.locator(f"input[value={name}]"))
        expect(card).to_contain_text(form.when_to_use)
        expect(card.get_by_role("img")).to_have_attribute(
            "aria-label", re.compile(f"^{len(form.stages)} stages")
        )
        card.click()
        # The settings are the format's own, and so is the forecast.
        names = [one for one in form.settings.__struct_fields__ if one != "premise"]
        for setting in names:
            expect(page.locator(f"#setting-{setting}")).to_be_attached()


def test_a_forecast_stands_beside_the_form_and_follows_it(page: Page) -> None:
    page.goto("/new")
    panel = page.get_by_role("region", name="What it will take")
    expect(panel).to_contain_text("30 calls at most")
    expect(panel).to_contain_text("openai:test is not known")
    page.get_by_label("Turns").fill("2")
    expect(panel).to_contain_text("14 calls at most")
    page.get_by_label("Turns").fill("2000")
    expect(panel).to_contain_text("Turns: must be a whole number from 1 to 100")


def test_errors_stand_beside_their_fields_and_nothing_is_created(
    page: Page, server: Server
) -> None:
    page.goto("/new")
    page.get_by_label("Topic").fill("Is an error seen where it was made?")
    page.get_by_label("Turns").fill("2000")
    page.get_by_role("button", name="Start the debate").click()
    turns = page.locator(".field", has=page.locator("#setting-turns"))
    # The browser knows the bounds too; without it, the server says so.
    page.locator("form.new").evaluate("(form) => { form.noValidate = true; }")
    page.locator("#setting-turns").evaluate("(field) => field.removeAttribute('max')")
    page.get_by_role("button", name="Start the debate").click()
    expect(turns.get_by_role("alert")).to_have_text("must be a whole number from 1 to 100")
    expect(page.get_by_label("Turns")).to_be_focused()
    page.get_by_label("Turns").fill("2")
    page.get_by_text("I choose").click()
    seats = page.get_by_role("listitem").filter(has=page.get_by_label("From persona"))
    for number, name in enumerate(("Ada", "ada", "System")):
        seats.nth(number).get_by_label("Name").fill(name)
    page.get_by_role("button", name="Start the debate").click()
    expect(seats.nth(2).get_by_role("alert")).to_contain_text("reserved")
    seats.nth(2).get_by_label("Name").fill("Jo")
    page.get_by_role("button", name="Start the debate").click()
    expect(seats.nth(1).get_by_role("alert")).to_contain_text("too like")
    assert server.ask("GET", "/api/debates?q=an+error+seen")["items"] == []


def test_a_roster_of_persona_model_person_and_colour_is_created(page: Page, server: Server) -> None:
    page.goto("/new")
    page.get_by_label("Topic").fill("Does the roster arrive?")
    page.get_by_label("Premise").fill("It arrives.")
    page.get_by_text("I choose").click()
    seats = page.get_by_role("listitem").filter(has=page.get_by_label("From persona"))
    expect(seats).to_have_count(3)
    first = seats.nth(0)
    persona = first.get_by_label("From persona")
    persona.select_option(index=1)
    expect(first.get_by_label("Name")).not_to_have_value("")
    first.get_by_label("Model").fill("openai:special")
    first.get_by_label("Colour").fill("#aa3366")
    first.get_by_role("button", name="More").click()
    first.get_by_label("Instructions", exact=True).fill("Be brief.")
    first.get_by_label("Reasoning effort").select_option("low")
    first.get_by_label("Temperature").fill("1.2")
    page.get_by_text("Limits and models").click()
    page.locator("#setting-reasoning_effort_judge").select_option("High")
    page.locator("#setting-top_p").fill("0.5")
    seats.nth(1).get_by_label("Name").fill("Bob")
    seats.nth(1).get_by_role("switch", name="A person").check()
    seats.nth(2).get_by_role("button", name="Remove participant").click()
    page.reload()
    expect(seats).to_have_count(2)
    expect(page.get_by_label("Topic")).to_have_value("Does the roster arrive?")
    page.get_by_role("button", name="Create without starting").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Does the roster arrive?")
    made = server.ask("GET", "/api/debates/" + page.url.rpartition("/")[2])
    ada, bob = made["participants"]
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
    assert made["settings"]["reasoning_effort_judge"] == "high"
    assert (bob["model"], bob["stance"]) == ("human", "con")
    assert made["settings"]["premise"] == "It arrives."
    assert made["status"] == "created"
    page.get_by_role("link", name="New debate").click()
    expect(page.get_by_label("Topic")).to_have_value("")


def test_i_take_part_under_my_own_name(page: Page, server: Server) -> None:
    page.goto("/new")
    page.get_by_label("Topic").fill("May I judge?")
    page.get_by_label("Take part yourself").fill("Marisol")
    page.get_by_label("As", exact=True).select_option("judge")
    page.get_by_role("button", name="Start the debate").click()
    form = page.get_by_role("region", name="Your turn")
    expect(form).to_contain_text("Your turn, Marisol")
    expect(form).to_contain_text("Score this statement from 0 to 10 and say why")
