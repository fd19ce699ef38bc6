"""A poll on its page: what was counted stands first, and nobody is called a winner."""

from __future__ import annotations

import json

from playwright.sync_api import expect
from tests.browser.opening import Provider, Server, Sight

from moot.testing.server_wire import ChatCall

TOPIC = "Is a tomato, strictly speaking, a fruit?"
MEMBERS = [{"name": name, "role": "member"} for name in ("Ada", "Bo", "Cy")]
ATTACK = "<img src=x onerror=alert(1)>"


def says(call: ChatCall) -> str:
    answer = "no" if "You are Bo" in call.messages[0][1] else "yes"
    return json.dumps({"reasons": f"It has seeds. {ATTACK}", "answer": answer})


def test_it_shows_what_was_counted_and_why(
    server: Server, provider: Provider, sight: Sight
) -> None:
    provider.say(TOPIC, says)
    settings = {"answer_type": "yes_no"}
    debate = server.create(
        TOPIC, format="poll", start=True, settings=settings, participants=MEMBERS
    )
    page = sight.page
    page.goto(f"/debates/{debate}")
    outcome = page.get_by_role("region", name="Answer")
    expect(outcome.get_by_role("heading", name="2 of 3 say yes")).to_be_visible()
    expect(outcome.locator(".answers li")).to_have_text(["2 yes Ada, Cy", "1 no Bo"])
    expect(outcome).to_contain_text("Bo says no: It has seeds.")
    expect(outcome.locator("img")).to_have_count(0)
    page.goto("/")
    expect(page.get_by_text("2 of 3 say yes").first).to_be_visible()
