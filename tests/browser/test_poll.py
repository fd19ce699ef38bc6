"""A poll on its page: what was counted stands first, and nobody is called a winner."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
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


def voter(votes: str) -> Callable[[ChatCall], str]:
    """Texts of their own, and then these votes of Ada, Bo and Cy."""
    cast = dict(zip(("Ada", "Bo", "Cy"), votes, strict=True))

    def vote(call: ChatCall) -> str:
        name = next(one for one in cast if f"You are {one}." in call.messages[0][1])
        if "Vote for the one" in call.messages[-1][1]:
            return json.dumps({"reasons": "It is plain.", "choice": cast[name]})
        return f"It is {name}, if you ask {name}."

    return vote


@pytest.mark.parametrize(
    ("votes", "headline", "told"),
    [
        ("BBA", "won, with 2 of 3 votes", "2 votes (Ada, Bo)"),
        ("ABC", "A tie between", "The answers"),
    ],
)
def test_it_says_how_a_vote_went(
    server: Server, provider: Provider, sight: Sight, votes: str, headline: str, told: str
) -> None:
    topic = f"Who barked {votes} at noon?"
    provider.say(topic, voter(votes))
    settings = {"decision": "vote"}
    debate = server.create(
        topic, format="poll", start=True, settings=settings, participants=MEMBERS
    )
    sight.page.goto(f"/debates/{debate}")
    outcome = sight.page.get_by_role("region", name="Answer")
    expect(outcome.get_by_role("heading", name=headline)).to_be_visible()
    expect(outcome).to_contain_text(told)
    expect(outcome).not_to_contain_text("Dissent")
