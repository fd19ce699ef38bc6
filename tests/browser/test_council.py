"""A council: its solution as a document, its board, its numbers, its questions."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.axe import is_too_wide, serious, serious_by_scheme
from tests.browser.opening import Provider, Server, watched

from moot.testing.server_wire import ChatCall

MEMBERS = [
    {"name": "Ada", "role": "member", "title": "Engineer"},
    {"name": "Bo", "role": "member"},
    {"name": "Cy", "role": "member"},
]
JO = {"name": "Jo", "role": "judge"}
ATTACK = "<img src=x onerror=alert(1)> [x](javascript:alert(2))"


def _replies(first: str) -> dict[str, Any]:
    """What is said to each shape of answer."""
    return {
        "proposal": {"proposal": f"{first} **boilers** now.", "reasons": [ATTACK], "risks": []},
        "critique": {
            "strengths": ["It is quick."],
            "weaknesses": [f"It is dear. {ATTACK}"],
            "suggestions": [],
            "rating": 60,
        },
        "refinement": {
            "proposal": f"{first} heat pumps now.",
            "accepted": [{"from": "Critic 1", "point": "It is dear", "why": "true"}],
            "rejected": [],
        },
        "evaluation": {"confidence": 72, "quality": 64, "reasons": f"They agree. {ATTACK}"},
        "solution": {
            "description": f"Use **heat pumps** in every street. They are quiet. {ATTACK}",
            "trade_offs": ["Slower"],
            "recommendations": ["Begin with the school"],
            "unfulfilled_requirements": ["Listed buildings"],
            "open_questions": ["Who pays?"],
            "dissent": ["Cy would wait"],
            "confidence": 78,
        },
    }


def _says(call: ChatCall) -> str | None:
    name = str((call.request.response_format or {}).get("json_schema", {}).get("name"))
    system = call.messages[0][1]
    if name == "questions":
        is_first = "[Question]" not in system
        asked = ["How many homes?", "Who owns the grid?"] if "Ada" in system[:40] else ["How cold?"]
        return json.dumps({"questions": asked if is_first else []})
    found = _replies("Buy").get(name)
    return f"<think>I weigh this {name}.</think>{json.dumps(found)}" if found else None


def _council(server: Server, topic: str, members: Any = MEMBERS, **settings: Any) -> str:
    given = {"rounds": 2, "termination": "convergence", "threshold": 95, **settings}
    return server.create(
        topic, format="council", start=True, settings=given, participants=[*members, JO]
    )


def test_what_it_asks_is_answered_and_it_comes_to_a_solution(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("How does a town keep warm?", _says)
    council = _council(server, "How does a town keep warm?", interactive_clarifications=True)
    page.goto(f"/debates/{council}")
    form = page.get_by_role("form", name="Questions for you")
    # Bo and Cy ask the same: they are asked once.
    expect(form.get_by_role("group")).to_have_count(2)
    expect(form.get_by_label("How cold?")).to_have_count(1)
    expect(form).to_contain_text("(Also asked by Cy.)")
    expect(form.get_by_role("group", name="Ada Engineer").get_by_role("textbox")).to_have_count(2)
    form.get_by_label("How many homes?").fill("Two hundred")
    page.reload()
    expect(form.get_by_label("How many homes?")).to_have_value("Two hundred")
    # Some now, the rest without an answer.
    form.get_by_role("button", name="Send this one, the rest later").click()
    expect(form.get_by_role("textbox")).to_have_count(2)
    form.get_by_label("How cold?").fill("Minus ten")
    form.get_by_role("button", name="Send all, 1 without an answer").click()
    _look_at_the_solution(page)
    told = page.locator(".answered")
    told.locator("summary").click()
    expect(told.locator("dd").first).to_have_text("Two hundred")
    expect(told.locator("dd", has_text="No answer")).to_have_count(1)
    _look_at_the_board(page)
    for kind, text in {
        "Report": "# Report: How does",
        "Decision record": "- Deciders: Ada",
    }.items():
        with page.expect_download() as found:
            page.get_by_role("button", name=kind).click()
        assert found.value.suggested_filename.endswith(".md")
        assert text in found.value.path().read_text()
    page.get_by_role("button", name="Discuss it in a room").click()
    expect(page).not_to_have_url(re.compile(council))
    expect(page.get_by_role("combobox", name="Your message")).to_be_enabled()
    expect(page.locator("#app")).to_contain_text("What a council came to (solution.md)")


def _look_at_the_solution(page: Page) -> None:
    solution = page.get_by_role("region", name="Solution")
    expect(solution.get_by_role("heading", level=2)).to_have_text("Use heat pumps in every street")
    expect(solution.locator(".prose").first).to_contain_text("They are quiet.")
    expect(solution.locator(".prose").first).not_to_contain_text("every street")
    for part in ("Trade-offs", "Recommendations", "Unfulfilled requirements", "Open questions"):
        expect(solution.get_by_role("heading", name=part)).to_be_visible()
    dissent = solution.get_by_role("region", name="Dissent")
    expect(dissent.get_by_role("heading", name="Cy dissents")).to_be_visible()
    expect(dissent).to_contain_text("Cy would wait")
    expect(dissent.locator(".face")).to_have_count(1)
    # Nobody voted: how much they agreed is a number of the judge's, and no count of heads.
    expect(solution.locator(".pill")).to_have_text("Agreement 72 of 100")
    expect(solution).to_contain_text("Jo is 78 of 100 sure of it.")
    expect(solution).to_contain_text("they may agree too easily")
    worth = page.get_by_role("region", name="Was debating worth it?")
    expect(worth).to_contain_text("Debating was not worth it: the judge rated")
    expect(worth.locator(".figure")).to_have_count(2)
    expect(worth.locator("summary")).to_contain_text("a tie of Ada, Bo, Cy")
    worth.locator("summary").click()
    expect(worth.get_by_text("Buy boilers now.").first).to_be_visible()


def _look_at_the_board(page: Page) -> None:
    board = page.get_by_role("region", name="How they got there")
    expect(board.get_by_role("columnheader")).to_have_text(
        [
            "First proposals",
            re.compile(r"After round 1 · agreement 72 · quality 64 · unchanged \d+"),
            "After round 2 · agreement 72 · quality 64 · unchanged 100",
        ]
    )
    expect(board.get_by_role("rowheader")).to_contain_text(["Ada", "Bo", "Cy"])
    first = board.get_by_role("button", name="Bo, first proposals")
    expect(first).to_contain_text("60 of 100 from the others")
    expect(first).to_contain_text("2 critiques")
    first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Bo, first proposals")
    expect(dialog.locator(".critique")).to_have_count(2)
    expect(dialog.locator(".critique small", has_text="as Critic 1")).to_have_count(1)
    _look_at_the_thoughts(page, first, dialog)
    _go_to_the_last_round_and_back(page, dialog)
    dialog.get_by_role("button", name="After round 1").click()
    after = page.get_by_role("dialog", name="Bo, after round 1")
    expect(after.locator(".diff")).to_have_text("Buy boilersheat pumps now.")
    expect(after.locator("del")).to_have_text("boilers")
    expect(after.locator("ins")).to_have_text("heat pumps")
    # Bo knows them as Critic 1 and Critic 2, readers by name.
    expect(after.locator(".points li", has_text="It is dear (true)")).to_have_text(
        re.compile(r"^(Ada|Cy): It is dear \(true\)$")
    )
    after.get_by_role("switch", name="Mark what changed").press("Space")
    expect(after.locator(".diff")).to_have_count(0)
    after.get_by_role("switch", name="Mark what changed").press("Space")
    expect(page.locator("#app :is(.prose, .board) :is(img, script)")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(after).to_have_count(0)
    expect(first).to_be_focused()
    page.get_by_text("Everything that was said, in order").click()
    expect(page.locator("article.turn[id]").first).to_be_visible()


def _go_to_the_last_round_and_back(page: Page, dialog: Locator) -> None:
    """With the keyboard: the buttons come and go, and the focus stays with them."""
    dialog.get_by_role("button", name="After round 1").focus()
    for found, focused in (
        ("Bo, after round 1", "After round 2"),
        ("Bo, after round 2", "After round 1"),
        ("Bo, after round 1", "First proposals"),
        ("Bo, first proposals", "After round 1"),
    ):
        page.keyboard.press("Enter")
        at = page.get_by_role("dialog", name=found)
        expect(at.get_by_role("button", name=focused)).to_be_focused()


def _look_at_the_thoughts(page: Page, cell: Locator, dialog: Locator) -> None:
    """What was thought before a proposal and each critique: folded, until wanted."""
    thoughts = dialog.locator("details.reasoning")
    expect(thoughts).to_have_count(3)
    expect(dialog.get_by_text("I weigh this proposal.")).to_be_hidden()
    thoughts.first.locator("summary").click()
    expect(dialog.get_by_text("I weigh this proposal.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    for is_shown in (True, False):
        page.keyboard.press("p")
        cell.press("Enter")
        # A key that is pressed before it is open, or after it was closed, is for somebody else.
        expect(dialog).to_be_visible()
        critique = dialog.get_by_text("I weigh this critique.").first
        expect(critique).to_be_visible(visible=is_shown)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    cell.press("Enter")


def test_who_sits_out_and_what_was_told_is_shown_to_everybody(
    browser: Browser, server: Server, provider: Provider
) -> None:
    provider.say("Who sits out?", _says)
    provider.misbehave("Bo, whom nobody can reach", "status_404_model")
    members = [
        {**one, "personality": "Bo, whom nobody can reach"} if one["name"] == "Bo" else one
        for one in MEMBERS
    ]
    council = _council(server, "Who sits out?", members, decision="vote", rounds=1)
    with watched(browser, server.url, bypass_csp=True) as sight:
        page = sight.page
        page.goto(f"/debates/{council}")
        expect(page.get_by_role("region", name="Solution")).to_contain_text("Sat out: Bo.")
        expect(page.get_by_role("rowheader", name="Bo")).to_contain_text("sat out")
        told = page.get_by_role("region", name="Notices")
        expect(told).to_contain_text("Bo sits out: could not propose")
        expect(page.locator(".part", has_text="The members voted")).to_be_visible()
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(page.locator(".cell button").first).to_be_visible()
            assert serious_by_scheme(page) == []
            assert not is_too_wide(page)


PURE = """async () => {
  const { wordDiff } = await import('/static/views/council_diff.js');
  const { itemsOf } = await import('/static/views/room_state.js');
  const { mentionAt } = await import('/static/views/room_mentions.js');
  const { titled } = await import('/static/views/council_state.js');
  const long = (word) => Array.from({ length: 5000 }, (_, n) => word + n).join(' ');
  const turn = (seq, more = {}) => ({ seq, flags: [], step_key: String(seq), ...more });
  const people = ['Ada', 'Mary Jane', 'Ädam'].map((name) => ({ name }));
  const names = (text) => mentionAt(text, text.length, people)
    ?.options.map((one) => one.name) ?? null;
  return {
    diff: wordDiff('a b c d', 'a x c d e'),
    same: wordDiff('a b', 'a b'),
    empty: wordDiff('', 'new'),
    long: wordDiff(long('a'), long('b')),
    items: itemsOf({
      turns: [turn(3), turn(30), turn(10),
        turn(12, { is_pending: true }), turn(14, { is_silent: true })],
      notices: [{ seq: 1 }, { seq: 11 }, { seq: 31 }],
    }).map((one) => one.seq),
    who: itemsOf({
      turns: [],
      participants: new Map(['a', 'b', 'c'].map((id) => [id, {}])),
      notices: ['c', 'a', 'b', 'a']
        .map((participant, seq) => ({ seq, participant, code: 'skipped' })),
    }).map((one) => one.who),
    titles: ['# Keep it\\nAll.', 'Use **it**. Then go.', 'Costs 1.5 per day. No.', '- one\\n- two',
      'x'.repeat(300), '| a | b |', 'Only this'].map((text) => Object.values(titled(text))),
    names: ['@', 'x @j', 'mail a@d', '(@ä', '@zed', 'no'].map(names),
  };
}"""


def test_what_is_counted_and_compared_is_pure(page: Page) -> None:
    page.goto("/models")
    found = page.evaluate(PURE)
    assert found["diff"] == [
        *(["same", "a "], ["out", "b"], ["in", "x"]),
        *(["same", " c d"], ["in", " e"]),
    ]
    assert found["same"] == [["same", "a b"]]
    assert found["empty"] == [["in", "new"]]
    assert found["long"] is None
    assert found["items"] == [1, 3, 30, 10, 11, 31]
    assert found["who"] == [["a", "b", "c"]]
    assert found["titles"][:3] == [
        *(["Keep it", "All."], ["Use it", "Then go."], ["Costs 1.5 per day", "No."]),
    ]
    assert [title for title, _ in found["titles"][3:]] == ["", "", "", "Only this"]
    everybody = ["Ada", "Mary Jane", "Ädam"]
    assert found["names"] == [everybody, ["Mary Jane"], None, ["Ädam"], None, None]


def test_a_proposal_that_a_person_leaves_as_it_is_is_shown_as_kept(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("What does a person keep?", _says)
    me = {"name": "Marisol", "role": "member", "model": "human"}
    settings = {"rounds": 1, "termination": "fixed"}
    council = _council(server, "What does a person keep?", [me, *MEMBERS[1:]], **settings)
    page.goto(f"/debates/{council}")
    yours = page.get_by_role("region", name="Your turn")
    yours.get_by_label("Proposal").fill("An SQLite log.")
    yours.get_by_role("button", name="Send").click()
    expect(yours).to_contain_text("Say what you think of the other proposals")
    yours.get_by_role("button", name="Pass").click()
    expect(yours).to_contain_text("Write your proposal as it now stands")
    cell = page.get_by_role("button", name="Marisol, first proposals")
    cell.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".critique")).to_have_count(2)
    expect(dialog).not_to_contain_text("Critic 1")
    page.keyboard.press("Escape")
    yours.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Solution")).to_be_visible()
    kept = page.get_by_role("button", name="Marisol, after round 1")
    expect(kept).to_contain_text("kept as it was")
    kept.click()
    expect(dialog).to_contain_text("An SQLite log.")
    expect(dialog).to_contain_text("Kept as it was.")
    expect(dialog.locator("del")).to_have_count(0)


def test_wide_tables_and_long_words_stay_inside_and_cells_are_cut(
    browser: Browser, server: Server, provider: Provider
) -> None:
    wide = "| " + " | ".join(f"column {n}" for n in range(30)) + " |"
    table = f"{wide}\n{'|---' * 30}|\n{wide}"
    long = f"Do {'Donaudampfschifffahrt' * 12}.\n\n{table}\n\n```\n{'x' * 300}\n```"

    def says(call: ChatCall) -> str | None:
        name = str((call.request.response_format or {}).get("json_schema", {}).get("name"))
        found = _replies("Buy").get(name)
        if found is None:
            return None
        for key in {"proposal", "description"} & set(found):
            found[key] = long
        return json.dumps({**found, "dissent": [long]} if name == "solution" else found)

    provider.say("What is wide?", says)
    council = _council(server, "What is wide?", rounds=1, termination="fixed")
    with watched(browser, server.url, bypass_csp=True) as sight:
        page = sight.page
        page.goto(f"/debates/{council}")
        expect(page.get_by_role("region", name="Solution")).to_be_visible()
        # No line of it is short enough for a title.
        expect(page.locator("#outcome")).to_have_text("Solution")
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            assert not is_too_wide(page)
            assert serious(page) == []
        heights = page.eval_on_selector_all(".cell", "all => all.map((one) => one.offsetHeight)")
        assert max(heights) < 220
        expect(page.locator(".board table table")).to_have_count(0)
        page.locator(".cell button").first.click()
        expect(page.get_by_role("dialog").locator(".prose table").first).to_be_visible()
        assert not is_too_wide(page)
        inside = "(one) => one.scrollWidth <= one.clientWidth"
        assert page.get_by_role("dialog").evaluate(inside)
