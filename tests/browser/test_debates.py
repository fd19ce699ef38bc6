"""The start page, as a newcomer and as a regular finds it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.browser.opening import DUEL, Provider, Server, watched

PERSON = [{**DUEL[0], "model": "human"}, *DUEL[1:]]


def _row(page: Page, text: str) -> Locator:
    return page.locator(".row", has_text=text)


def _section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def _delete(page: Page, name: str) -> Locator:
    """The entry of the row's menu, which is then open."""
    row = _row(page, name)
    row.locator("summary").click()
    return row.get_by_role("menuitem", name="Delete")


def test_two_clicks_lead_from_nothing_to_a_running_debate(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with Server(tmp_path / "home", provider.url) as server, watched(browser, server.url) as sight:
        page = sight.page
        page.goto("/")
        expect(page.get_by_role("heading", level=1)).to_have_text("What shall we argue about?")
        page.get_by_role("link", name="Is mathematics discovered or invented?").click()
        expect(page.get_by_label("Your question or claim")).to_have_value(
            "Is mathematics discovered or invented?"
        )
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Is mathematics discovered or invented?"
        )
        page.get_by_role("link", name="Debates", exact=True).click()
        expect(_section(page, "Earlier").locator(".row")).to_have_count(1)
        (made,) = server.ask("GET", "/api/debates")["items"]
        whole = server.ask("GET", f"/api/debates/{made['id']}")
        assert whole["settings"]["premise"]
        assert [one["position"] != "" for one in whole["participants"][:2]] == [True, True]


def test_every_shipped_debate_can_be_found_from_a_list_that_is_not_empty(
    page: Page, server: Server
) -> None:
    server.create("Is there an example?", start=True)
    page.goto("/")
    expect(_row(page, "Is there an example?")).to_be_visible()
    expect(page.get_by_text("Ready to start")).to_have_count(0)
    page.get_by_role("link", name="Examples").click()
    files = server.ask("GET", "/api/debate-files")["items"]
    expect(page.locator("a.tile")).to_have_count(len(files))
    page.locator(".tile", has_text="How should we store events?").click()
    expect(page.get_by_role("radio", name="A council that writes an answer")).to_be_checked()
    expect(page.locator(".chip")).to_have_count(5)
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("2")
    # It was only looked at: what was begun, or nothing, is there again.
    page.get_by_role("link", name="New debate").click()
    expect(page.get_by_label("Your question or claim")).to_have_value("")
    expect(page.get_by_role("radio", name="Two sides and a judge")).to_be_checked()
    page.goto("/new?file=mathematics")
    expect(page.get_by_label("Your question or claim")).to_have_value(
        "Is mathematics discovered or invented?"
    )


def test_it_is_live_and_can_be_searched_and_filtered(page: Page, server: Server) -> None:
    server.create("Has anything been started yet?", start=True)
    first = server.create("Is a list of zebras useful?")
    page.goto("/")
    row = _row(page, "zebras")
    expect(row.locator(".pill")).to_have_text("Ready")
    expect(row).to_contain_text("Not started yet")
    server.create("Is a list of giraffes useful?", format="rounds")
    expect(_row(page, "giraffes")).to_be_visible()
    server.ask("POST", f"/api/debates/{first}/start")
    expect(row).not_to_contain_text("Not started yet")
    expect(_section(page, "Earlier").locator(".row", has_text="zebras")).to_be_visible()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Search debates")
    page.keyboard.press("n")  # not while a dialog is open
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("giraffes")
    field = page.get_by_label("Search everything that was said")
    expect(field).to_have_value("giraffes")
    expect(row).to_be_hidden()
    page.get_by_label("Status").select_option("completed")
    expect(page.get_by_text("Nothing was found for “giraffes”.")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="Other").click()
    expect(_row(page, "giraffes")).to_be_visible()
    expect(row).to_be_hidden()
    page.get_by_role("button", name="Duels").click()
    expect(row).to_be_visible()
    expect(_row(page, "giraffes")).to_be_hidden()
    page.get_by_role("link", name="Search debates").click()
    expect(field).to_be_focused()


AT_ONCE = """
const dialog = document.querySelector("dialog[open]");
const press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
press("/");
const before = document.activeElement.type;
dialog.close();
press("/");
[before, document.activeElement.type];
"""


def test_a_key_counts_as_soon_as_a_dialog_is_closed(page: Page, server: Server) -> None:
    server.create("Is a quick key heard?", start=True)
    page.goto("/")
    expect(_row(page, "quick key")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert page.evaluate(AT_ONCE) == ["submit", "search"]


def test_everything_that_was_said_is_found_and_leads_to_its_place(
    page: Page, server: Server, provider: Provider
) -> None:
    said = "A <mark>wombat</mark> digs. " + "It rests. " * 40 + "Wómbats, **again**, dig."
    provider.say("Do marsupials dig?", said)
    debate = server.create("Do marsupials dig?", format="rounds", start=True)
    other = server.create("Is a wombat a marsupial?", format="room", start=True)
    page.goto("/")
    expect(_section(page, "Earlier").locator(".row", has_text="marsupials dig")).to_be_visible()
    page.route("**/api/search?*", lambda _: None)  # no answer
    page.keyboard.press("/")
    page.keyboard.type('wombats "dig it"')
    expect(page.get_by_text('Searching for “wombats "dig it"”…')).to_be_visible()
    page.unroute("**/api/search?*")
    page.get_by_label("Search everything that was said").fill("wombats mars")
    rows = _section(page, "Found").locator(".row")
    expect(rows).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="1 debate with")).to_be_visible()
    expect(rows.locator("h3 mark")).to_have_text("marsupials")
    expect(rows.locator(".hits mark").first).to_have_text("Wómbats")
    page.get_by_label("Search everything that was said").fill("WOMBAT")
    expect(rows).to_have_count(2)
    expect(rows.locator(f"a[href='/debates/{other}'] mark")).to_have_text("wombat")
    hit = rows.filter(has_text="marsupials dig").locator(".hits a").first
    expect(hit).to_contain_text("A <mark>wombat</mark> digs.")
    page.get_by_role("button", name="Rooms").click()
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="All", exact=True).click()
    expect(rows).to_have_count(2)
    address = hit.get_attribute("href") or ""
    assert address.startswith(f"/debates/{debate}#turn-")
    hit.click()
    expect(page).to_have_url(f"{server.url}{address}")
    expect(page.locator(f"#{address.partition('#')[2]}")).to_be_in_viewport()


def test_what_was_only_prepared_is_no_beginning(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    server = Server(tmp_path / "home", provider.url)
    try:
        debate = server.create("Is this one prepared?")
        with watched(browser, server.url) as sight:
            page = sight.page
            page.goto("/")
            expect(page.get_by_role("heading", level=1)).to_have_text("What shall we argue about?")
            expect(_section(page, "Prepared").locator(".row")).to_have_count(1)
            expect(page.get_by_role("heading", name="Ready to start")).to_be_visible()
            server.ask("POST", f"/api/debates/{debate}/start")
            expect(page.get_by_role("heading", level=1)).to_have_text("Debates")
    finally:
        server.kill()


def test_a_debate_tells_answers_from_thoughts(
    page: Page, server: Server, provider: Provider
) -> None:
    provider.say("Do owls think first?", "<think>Let me see what owls do.</think>Owls think.")
    debate = server.create("Do owls think first?", format="rounds", start=True)
    page.goto("/")
    row = _section(page, "Earlier").locator(".row", has_text="Do owls think first?")
    expect(row).to_be_visible()
    used = server.ask("GET", f"/api/debates/{debate}")["usage"]
    assert used["thought_tokens"] > 0
    expect(row.locator(".meta")).to_have_attribute(
        "title", f"{used['answer_tokens']} tokens · {used['thought_tokens']} thought"
    )


def test_what_goes_on_now_comes_first_and_what_waits_for_me_before_all(
    page: Page, server: Server, provider: Provider
) -> None:
    let_go = provider.hold("Does this one run now?")
    server.create("Does this one wait for me?", participants=PERSON, start=True)
    server.create("Does this one run now?", start=True)
    page.goto("/")
    rows = _section(page, "Now").locator(".row")
    expect(rows.filter(has_text="Does this one run now?").locator(".pill")).to_have_text("Live")
    live = rows.filter(has_text="Does this one run now?")
    expect(live).to_contain_text("Ada is speaking, statement 1 of 2")
    expect(live.locator(".progress i")).to_have_count(2)
    mine = rows.filter(has_text="Does this one wait for me?")
    expect(mine.locator(".pill")).to_have_text("Your turn")
    topics = [one.split("\n")[0] for one in rows.locator("h3").all_inner_texts()]
    waiting, running = "Does this one wait for me?", "Does this one run now?"
    assert topics.index(waiting) < topics.index(running)
    assert page.title().startswith("(")
    let_go()
    expect(_section(page, "Earlier").locator(".row", has_text=running)).to_be_visible()


def test_a_room_that_waits_is_no_work_for_anybody(page: Page, server: Server) -> None:
    server.create("Is this room quiet?", format="room", start=True)
    page.goto("/")
    row = _section(page, "Earlier").locator(".row", has_text="Is this room quiet?")
    expect(row).to_contain_text("Nobody has spoken yet.")
    page.get_by_role("button", name="Rooms").click()
    expect(row).to_be_visible()


def test_what_is_deleted_can_be_had_back_for_a_while(page: Page, server: Server) -> None:
    kept, gone = server.create("Is this one kept?"), server.create("Is this one gone?")
    page.goto("/")
    _delete(page, "Is this one kept?").click()
    expect(page.get_by_role("link", name="Is this one kept?")).to_be_hidden()
    expect(page.locator(".row summary:focus")).to_have_count(1)  # that of the next row
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Is this one kept?")).to_be_visible()
    expect(page.locator(".row summary:focus")).to_have_count(1)
    _delete(page, "Is this one gone?").click()
    page.get_by_role("button", name="Dismiss").click()
    page.get_by_role("link", name="Is this one kept?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this one kept?")
    page.goto(f"/debates/{gone}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no debate at this address")
    assert server.ask("GET", f"/api/debates/{kept}")["status"] == "created"


def test_a_debate_that_runs_is_not_deleted(page: Page, server: Server, provider: Provider) -> None:
    let_go = provider.hold("Is this one running?")
    server.create("Is this one running?", start=True)
    page.goto("/")
    expect(_row(page, "Is this one running?").locator(".pill")).to_have_text("Live")
    entry = _delete(page, "Is this one running?")
    expect(entry).to_be_disabled()
    let_go()
    expect(
        _section(page, "Earlier").locator(".row", has_text="Is this one running?")
    ).to_be_visible()
    expect(_delete(page, "Is this one running?")).to_be_enabled()


def test_back_leads_to_what_was_found(page: Page, server: Server) -> None:
    server.create("Where do zebrafinches sing?")
    page.goto("/")
    page.get_by_role("searchbox").fill("zebrafinches")
    _row(page, "zebrafinches").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Where do zebrafinches sing?")
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("zebrafinches")
    expect(_row(page, "zebrafinches")).to_be_visible()
    page.get_by_role("link", name="Debates", exact=True).click()
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_search_can_be_asked_for_before_there_is_a_list_and_before_anything_was_started(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with Server(tmp_path / "home", provider.url) as server, watched(browser, server.url) as sight:
        page = sight.page
        page.goto("/")
        expect(page.get_by_role("heading", name="What shall we argue about?")).to_be_visible()
        page.get_by_role("link", name="Search debates").click()
        expect(page.get_by_role("searchbox")).to_be_focused()
        held: list[Route] = []
        is_free = False

        def hold(route: Route) -> None:
            if is_free:
                route.continue_()
            else:
                held.append(route)

        # Until they are let go, there is no list.
        page.route("**/api/debates?*", hold)
        with page.expect_request("**/api/debates?*"):
            page.goto("/")
        page.keyboard.press("/")
        page.keyboard.press("n")
        assert page.url.endswith("/")
        is_free = True
        for one in held:
            one.continue_()
        expect(page.get_by_role("searchbox")).to_be_focused()


def test_a_newcomer_is_told_of_the_toy_and_chooses_a_model_that_was_found(
    browser: Browser, provider: Provider, tmp_path: Path
) -> None:
    with (
        Server(tmp_path / "home", provider.url, MOOT_MODEL="local:smollm2") as server,
        watched(browser, server.url) as sight,
    ):
        page = sight.page
        page.goto("/")
        note = page.locator("details.toy")
        expect(note).to_contain_text("the built-in model, which is a toy")
        expect(note).to_contain_text("export DEEPSEEK_API_KEY=…")
        assert page.locator("input[type=password]").count() == 0
        note.get_by_role("button", name="Use gpt-6-luna").click()
        expect(note).to_have_count(0)
        page.get_by_label("Your question or claim").fill("Is it chosen?")
        expect(page.locator(".pickbutton")).to_contain_text("gpt-6-luna for every seat")
        page.get_by_role("button", name="Save for later").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Is it chosen?")
        (made,) = server.ask("GET", "/api/debates")["items"]
        whole = server.ask("GET", f"/api/debates/{made['id']}")
        assert {one["model"] for one in whole["participants"]} == {"openai:gpt-6-luna"}


HOSTILE = "<img src=x onerror=alert(1)><b>b</b> {{x}} " + "W" * 180 + " \u202eabc"


def test_hostile_topics_widen_and_break_nothing(browser: Browser, server: Server) -> None:
    server.create(HOSTILE)
    size = {"width": 360, "height": 740}
    with watched(browser, server.url, viewport=size) as sight:
        sight.page.goto("/")
        expect(_row(sight.page, "<b>b</b> {{x}}").first).to_be_visible()
        assert sight.page.evaluate("document.documentElement.scrollWidth") <= 360
