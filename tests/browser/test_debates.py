"""The list of debates, as a newcomer and as a regular finds it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import Provider, Server, watched

pytestmark = pytest.mark.xdist_group("browser")


def test_two_clicks_lead_from_nothing_to_a_running_debate(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    server = Server(tmp_path / "home", provider.url)
    try:
        with watched(browser, server.url) as sight:
            page = sight.page
            page.goto("/")
            page.get_by_label("Is mathematics discovered or invented?").check()
            page.get_by_role("button", name="Start this debate").click()
            expect(page.get_by_role("heading", level=1)).to_have_text(
                "Is mathematics discovered or invented?"
            )
            expect(page.get_by_role("region", name="Verdict")).to_be_visible()
            expect(page.locator(".bar .pill")).to_have_text("Completed")
            page.get_by_role("link", name="Debates").click()
            expect(page.locator(".debate-row")).to_have_count(1)
    finally:
        server.kill()


def test_it_is_live_and_can_be_searched_and_filtered(page: Page, server: Server) -> None:
    first = server.create("Is a list of zebras useful?")
    page.goto("/")
    row = page.locator(".debate-row", has_text="zebras")
    expect(row.locator(".pill")).to_have_text("Ready")
    server.create("Is a list of giraffes useful?", format="rounds")
    expect(page.locator(".debate-row", has_text="giraffes")).to_be_visible()
    server.ask("POST", f"/api/debates/{first}/start")
    expect(row.locator(".pill")).to_have_text("Completed")
    expect(row).to_contain_text("2 statements")
    page.keyboard.press("/")
    page.keyboard.type("giraffes")
    expect(row).to_be_hidden()
    page.get_by_label("Status").select_option("completed")
    expect(page.get_by_text("No debate fits.")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Format").select_option("rounds")
    expect(page.locator(".debate-row", has_text="giraffes")).to_be_visible()
    expect(row).to_be_hidden()


def test_a_debate_tells_answers_from_thoughts(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Do owls think first?", "<think>Let me see what owls do.</think>Owls think.")
    debate = server.create("Do owls think first?", format="rounds", start=True)
    page.goto("/")
    row = page.locator(".debate-row", has_text="Do owls think first?")
    expect(row.locator(".pill")).to_have_text("Completed")
    used = server.ask("GET", f"/api/debates/{debate}")["usage"]
    assert used["thought_tokens"] > 0
    expect(row).to_contain_text(
        f"{used['answer_tokens']} tokens · {used['thought_tokens']} thought"
    )


def test_what_is_deleted_can_be_had_back_for_a_while(page: Page, server: Server) -> None:
    kept, gone = server.create("Is this one kept?"), server.create("Is this one gone?")
    page.goto("/")
    page.get_by_role("button", name="Delete Is this one kept?").click()
    expect(page.get_by_role("link", name="Is this one kept?")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Is this one kept?")).to_be_visible()
    page.get_by_role("button", name="Delete Is this one gone?").click()
    page.get_by_role("button", name="Dismiss").click()
    page.get_by_role("link", name="Is this one kept?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this one kept?")
    page.goto(f"/debates/{gone}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such debate")
    assert server.ask("GET", f"/api/debates/{kept}")["status"] == "created"


def test_a_debate_that_runs_is_not_deleted(page: Page, server: Server, provider: Provider) -> None:
    let_go = provider.hold("Is this one running?")
    server.create("Is this one running?", start=True)
    page.goto("/")
    button = page.get_by_role("button", name="Delete Is this one running?")
    expect(button).to_be_disabled()
    let_go()
    expect(button).to_be_enabled()
