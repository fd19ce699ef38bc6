"""Personas and models."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect
from tests.browser.opening import Provider, Server


def test_a_persona_is_written_changed_copied_and_deleted(page: Page, server: Server) -> None:
    page.goto("/personas")
    page.get_by_role("button", name="New persona").click()
    box = page.get_by_role("dialog")
    box.get_by_label("Name").fill("<b>Bo</b>")
    box.get_by_role("button", name="Save").click()
    expect(box.get_by_role("alert")).to_contain_text("must not contain")
    box.get_by_label("Name").fill("Bo Example")
    box.get_by_label("Personality").fill("You are Bo.")
    box.get_by_role("button", name="Save").click()
    card = page.locator(".persona", has_text="Bo Example")
    expect(card).to_contain_text("You are Bo.")
    page.get_by_role("button", name="Edit Bo Example").click()
    box.get_by_label("Title").fill("Examiner")
    box.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("Examiner")
    page.get_by_role("button", name="Delete Bo Example").click()
    expect(card).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(card).to_contain_text("Examiner")
    page.get_by_label("Search personas").fill("bo example")
    expect(page.locator(".persona")).to_have_count(1)
    page.get_by_label("Search personas").fill("")
    page.get_by_role("button", name="Copy Miriam Ashdown").first.click()
    expect(box.get_by_label("Personality")).not_to_have_value("")
    expect(box.get_by_label("Name")).to_have_value("")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    assert server.ask("GET", "/api/personas/Bo%20Example")["title"] == "Examiner"


def test_a_dialog_is_closed_by_a_press_beside_it_and_not_by_one_that_began_in_it(
    page: Page,
) -> None:
    page.goto("/personas")
    page.get_by_role("button", name="New persona").click()
    box = page.get_by_role("dialog")
    name = box.get_by_label("Name")
    name.fill("Bo Example")
    field = name.bounding_box()
    assert field
    inside, beside = (field["x"] + 40, field["y"] + field["height"] / 2), (20, 20)
    for begun, ended in ((inside, beside), (beside, inside)):
        page.mouse.move(*begun)
        page.mouse.down()
        page.mouse.move(*ended, steps=4)
        page.mouse.up()
        page.wait_for_timeout(100)  # for a dialog that would close
        expect(name).to_have_value("Bo Example")
    page.mouse.click(*beside)
    expect(box).to_have_count(0)


def test_with_the_keyboard_one_stays_among_the_personas(page: Page, server: Server) -> None:
    for name in ("Flo Example", "Gus Example"):
        server.ask("POST", "/api/personas", {"name": name, "role": "debater"})
    page.goto("/personas")

    def button(name: str) -> Locator:
        return page.get_by_role("button", name=name, exact=True)

    box = page.get_by_role("dialog")
    button("Edit Flo Example").press("Enter")
    box.get_by_text("Member", exact=True).click()
    box.get_by_role("button", name="Save").press("Enter")
    expect(page.locator(".persona", has_text="Flo Example")).to_contain_text("member")
    expect(button("Edit Flo Example")).to_be_focused()
    button("Delete Flo Example").press("Enter")
    expect(button("Edit Gus Example")).to_be_focused()
    page.get_by_role("button", name="Undo").press("Enter")
    expect(button("Edit Flo Example")).to_be_visible()
    expect(button("Edit Gus Example")).to_be_focused()
    page.get_by_label("Search personas").fill("gus")
    expect(button("Delete Flo Example")).to_have_count(0)
    button("Delete Gus Example").press("Enter")
    expect(button("New persona")).to_be_focused()
    # The first one of one's own, among those that fit.
    page.get_by_label("Search personas").fill("miriam")
    copy = page.get_by_role("button", name="Copy Miriam Ashdown").first
    copy.press("Enter")
    box.get_by_label("Name").fill("Miriam Example")
    box.get_by_role("button", name="Save").press("Enter")
    expect(button("Edit Miriam Example")).to_be_visible()
    expect(copy).to_be_focused()
    for name in ("Flo", "Miriam"):
        server.ask("DELETE", f"/api/personas/{name}%20Example")


def test_a_model_is_tried_and_no_key_is_seen(page: Page, provider: Provider) -> None:
    provider.say("are you there?", lambda _call: "Yes, <b>here</b>.")
    page.goto("/models")
    ready = page.locator(".cards .card", has_text="openai")
    expect(ready).to_contain_text("Ready")
    expect(page.locator(".needs li", has_text="anthropic")).to_contain_text("ANTHROPIC_API_KEY")
    name = page.get_by_label("Try a model")
    name.fill("openai:test")
    page.get_by_role("button", name="Ask it a question").click()
    expect(page.get_by_role("status").get_by_text("Yes, <b>here</b>.")).to_be_visible()
    name.fill("nobody:nothing")
    page.get_by_role("button", name="Ask it a question").click()
    expect(page.get_by_text("It does not answer.")).to_be_visible()
    assert "sk-test" not in page.content()
    assert page.locator("input[type=password]").count() == 0
