"""A person's turn: free words, forms, guidance between rounds; what was begun is not lost."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.browser.opening import DUEL, Server

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
    expect(page.locator(".debate-head .pill")).to_have_text("Your turn")
    expect(page).to_have_title("(1) May people debate? · Moot")
    form = page.get_by_role("region", name="Your turn")
    expect(form).to_contain_text("Open the debate")
    expect(page.locator(".doing li", has_text="Ada")).to_contain_text("Your turn")
    expect(form).to_contain_text("0 words")
    words = form.get_by_label("Your words")
    words.fill("People may, and **should**.")
    expect(form).to_contain_text("4 words; the others write about 150.")
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
    expect(form).to_contain_text("Give the score so far, from 0 to 10, and say why")
    expect(form.get_by_role("link", name="Statement 1")).to_be_visible()
    expect(page.locator("article[id] + .questions form")).to_be_visible()  # below what it is about
    score = form.get_by_role("group", name="Score")
    expect(score.get_by_role("radio")).to_have_count(11)
    form.get_by_role("button", name="Score it").click()
    expect(form).to_be_visible()  # the browser holds back what has no score
    score.get_by_label("7", exact=True).focus()
    page.keyboard.press("8")
    expect(score.get_by_label("8", exact=True)).to_be_checked()
    form.get_by_label("Why").fill("It was.")
    form.get_by_role("button", name="Score it").click()
    expect(page.locator("article .score .mark")).to_have_text("8")
    expect(form).to_contain_text("Give your verdict")
    form.get_by_label("Why").fill("Ada wins.")
    form.get_by_role("group", name="Score of Ada").get_by_label("8", exact=True).check(force=True)
    form.get_by_role("radio", name="Ada", exact=True).check(force=True)
    send = form.get_by_role("button", name="Give the verdict")
    send.click()
    # The browser holds back what is not complete; the form is still there.
    form.get_by_role("group", name="Score of Bob").get_by_label("3", exact=True).check(force=True)
    send.click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("Ada wins")
    expect(verdict.get_by_role("img", name="Ada 8, Bob 3")).to_be_visible()
    expect(verdict).to_contain_text("A person decided it")


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
    form.get_by_text("Continue", exact=True).click()
    expect(form.get_by_label("Note")).to_have_count(0)
    form.get_by_text("Guide", exact=True).click()
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("alert")).to_contain_text("note is missing")
    form.get_by_label("Note").fill("Talk about bread.")
    form.get_by_role("button", name="Send").click()
    expect(page.locator("article.turn", has_text="Talk about bread.")).to_be_visible()
    form.get_by_text("End", exact=True).click()
    form.get_by_role("button", name="Send").click()
    expect(page.locator("#outcome")).to_be_visible()


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
    expect(page.locator("#outcome")).to_be_visible()
    expect(page.locator(".flags")).to_contain_text(["passed"])


def test_a_debater_sees_nothing_of_what_others_think_until_the_end_or_open_cards(
    page: Page, server: Server
) -> None:
    debate = server.create(
        "May people peek?", participants=HUMAN_ADA, settings={"turns": 3}, start=True
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn")
    expect(form).to_contain_text("Open the debate")
    expect(form.get_by_role("textbox")).to_have_count(1)  # the notes are folded away
    page.get_by_role("switch", name="Show plans and thoughts").check()
    form.get_by_label("Your words").fill("Let us see.")
    form.get_by_role("button", name="Say it").click()
    expect(form).to_contain_text("Answer Bob")
    plan = page.get_by_role("article", name="Bob, private plan")
    expect(plan.locator(".gist")).to_have_text("hidden")
    expect(page.locator("article .score")).to_have_count(0)
    expect(page.locator(".tally")).to_have_text("scores are hidden")
    page.get_by_role("button", name="Open the cards").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the result will say that the debate was played with open cards")
    dialog.get_by_role("button", name="Open the cards").click()
    expect(plan.locator(".gist")).not_to_have_text("hidden")
    expect(page.locator("article .score .mark").first).to_be_visible()
    form.get_by_label("Your words").fill("Seen.")
    form.get_by_role("button", name="Say it").click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Played with open cards")


def test_what_was_hidden_is_there_once_it_is_over(page: Page, server: Server) -> None:
    debate = server.create(
        "May people know in the end?", participants=HUMAN_ADA, settings={"turns": 1}, start=True
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn")
    form.get_by_label("Your words").fill("Let us see.")
    form.get_by_role("button", name="Say it").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    page.get_by_role("switch", name="Show plans and thoughts").check()
    plan = page.get_by_role("article", name="Bob, private plan")
    expect(plan.locator(".gist")).not_to_have_text("hidden")
    expect(page.locator("article .score")).to_have_count(1)


def test_a_fork_with_a_model_in_the_chair_says_for_whom_it_hides_and_how_long(
    page: Page, server: Server
) -> None:
    debate = server.create(
        "May people fork to peek?", participants=HUMAN_ADA, settings={"turns": 1}, start=True
    )
    page.goto(f"/debates/{debate}")
    expect(page.get_by_role("region", name="Your turn")).to_contain_text("Open the debate")
    body = {"changes": {"models": {"ada": "openai:test"}}}
    fork = server.ask("POST", f"/api/debates/{debate}/forks", body)["id"]
    server.ask("POST", f"/api/debates/{fork}/resume")
    page.goto(f"/debates/{fork}")
    expect(page.locator("#outcome")).to_be_visible()
    page.get_by_role("switch", name="Show plans and thoughts").check()
    plan = page.get_by_role("article", name="Bob, private plan")
    expect(plan.locator(".gist")).to_have_text("hidden")
    notice = page.locator(".notice", has_text="because a person takes part there")
    expect(notice.get_by_role("link")).to_have_attribute("href", f"/debates/{debate}")
    expect(page.get_by_role("button", name="Open the cards")).to_have_count(0)
    server.ask("POST", f"/api/debates/{debate}/cancel")
    page.reload()
    expect(plan.locator(".gist")).not_to_have_text("hidden")
    expect(notice).to_have_count(0)


def test_passing_asks_before_it_throws_words_away(page: Page, server: Server) -> None:
    debate = server.create(
        "Do I pass?",
        format="rounds",
        participants=HUMAN_ADA,
        settings={"max_rounds": 1},
        start=True,
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn").locator("form")
    form.get_by_label("Your words").fill("Half a sentence")
    form.get_by_role("button", name="Pass").click()
    expect(form.get_by_role("alert")).to_contain_text("throw away what you wrote?")
    expect(form.get_by_role("button", name="Go on writing")).to_be_focused()
    form.get_by_role("button", name="Go on writing").click()
    expect(form.get_by_role("button", name="Pass")).to_be_focused()
    expect(form.get_by_label("Your words")).to_have_value("Half a sentence")
    form.get_by_role("button", name="Pass").click()
    form.get_by_role("button", name="Throw it away").click()
    expect(page.get_by_role("article", name="Ada, statement")).to_contain_text("passed")


def test_ending_asks_while_somebody_owes_an_answer(page: Page, server: Server) -> None:
    debate = server.create(
        "May people be cut short?",
        format="rounds",
        participants=HUMAN_ADA,
        settings={"max_rounds": 2},
        start=True,
    )
    page.goto(f"/debates/{debate}")
    form = page.get_by_role("region", name="Your turn")
    form.get_by_label("Your words").fill("Not yet sent.")
    page.get_by_role("button", name="End now").click()
    asked = page.get_by_role("dialog", name="End before the answer?")
    expect(asked).to_contain_text("The debate is waiting for you.")
    asked.get_by_role("button", name="Go on").click()
    expect(asked).to_have_count(0)
    expect(form.get_by_label("Your words")).to_have_value("Not yet sent.")
    page.get_by_role("button", name="End now").click()
    asked.get_by_role("button", name="End it now").click()
    expect(page.locator("#outcome")).to_be_visible()
    expect(page.get_by_role("article", name="Ada, statement")).to_have_count(0)


def test_ending_still_wants_what_the_outcome_needs(page: Page, server: Server) -> None:
    debate = server.create("May a judge be cut short?", participants=HUMAN_JO, start=True)
    page.goto(f"/debates/{debate}")
    why = page.get_by_role("region", name="Your turn").get_by_role("textbox", name="Why")
    why.fill("Not yet sent.")
    page.get_by_role("button", name="End now").click()
    asked = page.get_by_role("dialog", name="End before the answer?")
    expect(asked).to_contain_text("unless the outcome needs it, as it needs a judge's")
    asked.get_by_role("button", name="End it now").click()
    expect(page.get_by_role("button", name="End now")).to_have_count(0)
    expect(page.locator(".dock")).to_contain_text("Coming to its end")
    expect(why).to_have_value("Not yet sent.")
