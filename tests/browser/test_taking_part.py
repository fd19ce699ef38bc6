"""A person's turn: free words, forms, guidance between rounds; what was begun is not lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.browser.opening import DUEL, Server

pytestmark = pytest.mark.xdist_group("browser")

HUMAN_ADA = [{**DUEL[0], "model": "human"}, DUEL[1], DUEL[2]]
HUMAN_JO = [*DUEL[:2], {**DUEL[2], "model": "human"}]


def test_a_person_debates_in_their_own_words(page: Page, server: Server) -> None:
    debate = server.create(
        "May people debate?",
        format="rounds",
        participants=HUMAN_ADA,
        settings={"max_rounds": 1},
        start=True,
    )
    page.goto(f"/debates/{debate}")
    expect(page.locator(".bar .pill")).to_have_text("Waiting for you")
    form = page.get_by_role("region", name="Your turn")
    expect(form).to_contain_text("It is your turn to speak")
    expect(page.locator(".people li", has_text="Ada").locator(".doing")).to_have_text("asked")
    words = form.get_by_label("Your words")
    words.fill("People may, and **should**.")
    page.reload()
    expect(words).to_have_value("People may, and **should**.")
    words.press("Control+Enter")
    said = page.get_by_role("article", name="Ada, statement")
    expect(said.locator("strong")).to_have_text("should")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    expect(form).to_have_count(0)


def test_a_person_judges_with_forms_to_the_verdict(page: Page, server: Server) -> None:
    debate = server.create(
        "May people judge?", participants=HUMAN_JO, settings={"turns": 1}, start=True
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn").locator("form")
    send = form.get_by_role("button", name="Send")
    form.get_by_label("Your words").fill("Well argued.")
    send.click()
    expect(form).to_contain_text("Your score")
    form.get_by_label("Score").fill("8")
    form.get_by_label("Why").fill("It was.")
    send.click()
    expect(page.locator("article .score")).to_contain_text("8")
    form.get_by_label("Your words").fill("Ada had it.")
    send.click()
    form.get_by_role("radio", name="Ada").check(force=True)
    send.click()
    form.get_by_label("Score of Ada").fill("8")
    form.get_by_label("Score of Bob").fill("11")
    form.get_by_role("radio", name="Ada").check(force=True)
    send.click()
    # The browser holds back what is out of bounds; the form is still there.
    form.get_by_label("Score of Bob").fill("3")
    send.click()
    form.get_by_label("Your words").fill("Ada wins.")
    send.click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("Ada wins")
    expect(verdict.locator(".final-scores li").nth(1)).to_contain_text("3")


def test_guidance_is_given_between_rounds(page: Page, server: Server) -> None:
    debate = server.create(
        "May people guide?",
        format="rounds",
        settings={"max_rounds": 3, "checkpoint": "every_round"},
        start=True,
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn")
    expect(form.locator("form")).to_have_count(1)
    form.get_by_text("Guide", exact=True).click()
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("alert")).to_contain_text("note is missing")
    form.get_by_label("Note").fill("Talk about bread.")
    form.get_by_role("button", name="Send").click()
    expect(page.locator("article.turn", has_text="Talk about bread.")).to_be_visible()
    expect(form.get_by_label("Note")).to_have_value("")
    form.get_by_text("End", exact=True).click()
    form.get_by_role("button", name="Send").click()
    expect(page.locator(".bar .pill")).to_have_text("Completed")


def test_a_person_may_pass(page: Page, server: Server) -> None:
    debate = server.create(
        "May people pass?",
        format="rounds",
        participants=HUMAN_ADA,
        settings={"max_rounds": 1},
        start=True,
    )
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Pass").click()
    expect(page.locator(".bar .pill")).to_have_text("Completed")
    expect(page.locator(".flags")).to_contain_text(["passed"])
