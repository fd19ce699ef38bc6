"""What a debate can become, from its menu: another name, a rematch, the same with sides swapped."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.opening import Server

SHOTS = os.environ.get("SHOTS", "")


def picture(page: Page, name: str) -> None:
    """For people who want to look: SHOTS=directory."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"{name}.png")))


def picture_by_scheme(page: Page, name: str) -> None:
    """The same for who likes it light, and for who likes it dark."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        picture(page, f"{name}-{scheme}")


MENU = "Rename, save, fork, link, delete"


def choose(page: Page, name: str) -> None:
    page.get_by_label(MENU).click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def finished(page: Page, server: Server, topic: str, **more: object) -> str:
    debate = server.create(topic, start=True, **more)
    page.goto(f"/debates/{debate}")
    expect(page.locator("#outcome")).to_be_visible()
    return debate


def test_a_finished_debate_is_renamed_and_gets_its_topic_back(page: Page, server: Server) -> None:
    debate = finished(page, server, "Do newts plan ahead?")
    choose(page, "Rename")
    picture(page, "rename-dialog")
    title = "<script>alert(1)</script> Newts & plans"
    page.get_by_label("Title").fill(title)
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_text("Topic Do newts plan ahead?")).to_be_visible()
    expect(page).to_have_title(f"{title} · Moot")
    picture(page, "renamed")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.goto("/")
    page.get_by_label("Search everything that was said").fill("newts & PLANS")
    row = page.locator(".row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(title)
    picture(page, "renamed-in-list")
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    choose(page, "Rename")
    page.get_by_label("Title").fill("")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Do newts plan ahead?")


def test_a_debate_that_goes_on_is_renamed_and_offers_no_rematch(page: Page, server: Server) -> None:
    debate = server.create("Do toads plan ahead?")
    page.goto(f"/debates/{debate}")
    page.get_by_label("Rename, export, fork, link, cancel").click()
    for name in ("Rematch", "Swap sides"):
        expect(page.get_by_role("menuitem", name=name)).to_have_count(0)
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Title").fill("Toads")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Toads")


def test_a_rematch_asks_first_and_says_whose_it_is(page: Page, server: Server) -> None:
    debate = finished(page, server, "Do frogs plan ahead?")
    page.get_by_role("button", name="Rematch").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Starts a new debate with the same cast and models.")
    expect(dialog).to_contain_text("This one made 14 calls; the price is unknown.")
    picture(page, "rematch-dialog")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.url.endswith(debate)
    # The answer to the first wish is lost: the second finds what that one made.
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().json()["id"])
        route.abort()

    page.route("**/rematches", lose)
    page.get_by_role("button", name="Rematch").click()
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("The answer was lost on the way.")
    dialog.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(lambda url: url.endswith(lost[0]))
    expect(page.locator("#outcome")).to_be_visible()
    picture(page, "rematch")
    page.get_by_role("link", name="rematch of an earlier debate").click()
    page.wait_for_url(re.compile(f"{debate}$"))


def test_sides_are_swapped_where_there_are_two(page: Page, server: Server) -> None:
    debate = finished(page, server, "Tea or milk?")
    page.get_by_role("button", name="Swap sides").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("each on the other side")
    dialog.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(lambda url: not url.endswith(debate))
    for name, side in (("Ada", "milk"), ("Bo", "Tea")):
        one = page.locator(".doing li", has_text=name)
        expect(one.locator(".argues")).to_have_text(f'argues for "{side}"')
    picture(page, "swapped")
    room = server.create("Do newts swap?", format="room", settings={"pacing": "manual"})
    server.ask("POST", f"/api/debates/{room}/cancel")
    page.goto(f"/debates/{room}")
    expect(page.locator(".debate-head .pill")).to_have_text(re.compile("Cancel+ed"))
    page.get_by_label("Rename, export, fork, link").click()
    expect(page.get_by_role("menuitem", name="Rematch", exact=True)).to_be_visible()
    expect(page.get_by_role("menuitem", name="Swap sides")).to_have_count(0)


def test_other_models_are_asked_for_and_a_wrong_one_is_told(page: Page, server: Server) -> None:
    debate = finished(page, server, "Do eels plan ahead?")
    page.get_by_role("button", name="Rematch").click()
    page.get_by_text("Use other models").click()
    page.get_by_label("Model of Ada").fill("nowhere:x")
    start = page.get_by_role("dialog").get_by_role("button", name="Start", exact=True)
    start.click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("nowhere")
    picture(page, "other-models")
    page.get_by_label("Model of Ada").fill("openai:other")
    start.click()
    page.wait_for_url(lambda url: not url.endswith(debate))
    expect(page.locator(".doing li", has_text="Ada")).to_contain_text("openai:other")


def test_a_debate_is_deleted_after_a_question(page: Page, server: Server) -> None:
    debate = finished(page, server, "Do tadpoles plan ahead?")
    choose(page, "Delete…")
    page.get_by_role("dialog").get_by_role("button", name="Delete it").click()
    page.wait_for_url(re.compile("/$"))
    with pytest.raises(AssertionError, match="not_found"):
        server.ask("GET", f"/api/debates/{debate}")


def test_what_is_pressed_in_a_menu_is_done_although_another_entry_comes_before_it(
    page: Page, server: Server
) -> None:
    debate = server.create("Do efts plan ahead?", start=True)
    page.goto(f"/debates/{debate}")
    expect(page.locator("#outcome")).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/api/debates/{debate}", hold)
    page.reload()
    page.get_by_label(MENU).click()
    page.get_by_role("menuitem", name="Delete…").hover()
    late = page.get_by_role("menuitem", name="Who made the better case?")
    expect(late).to_have_count(0)
    page.mouse.down()
    for route in held:
        route.continue_()
    expect(late).to_be_visible()
    page.mouse.up()
    expect(page.get_by_role("dialog", name="Delete this debate?")).to_be_visible()


AGAIN = """async (dialog) => {
    const items = [...document.querySelectorAll("[role=menuitem]")];
    const item = items.find((one) => one.textContent === "Rename");
    dialog.querySelector("[aria-label=Close]").click();
    // What was changed is drawn, and no event of the browser has come yet.
    for (let n = 0; n < 9; n++) await null;
    item.click();
}"""


def test_a_dialog_can_be_opened_again_in_the_moment_it_is_closed(
    page: Page, server: Server
) -> None:
    finished(page, server, "Do olms plan ahead?")
    choose(page, "Rename")
    dialog = page.get_by_role("dialog")
    dialog.evaluate(AGAIN)
    page.wait_for_timeout(200)  # for an event that would close it, too
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.get_by_label(MENU)).to_be_focused()


def test_a_finished_debate_is_exported(page: Page, server: Server) -> None:
    finished(page, server, "Do herons plan ahead?")
    page.get_by_label("Export", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("menuitem", name="Markdown").click()
    assert "Do herons plan ahead?" in found.value.path().read_text()
