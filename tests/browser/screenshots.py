"""`make screenshots`: the pictures in docs/screenshots, of a debate that reads like one."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.browser.opening import CHROMIUM, FLAGS, Provider, Server, watched
from tests.browser.staged import stage_council, stage_room

from moot.testing.server_wire import ChatCall

OUT = Path(__file__).parents[2] / "docs" / "screenshots"
TOPIC = "Should companies let people work from home?"
PREMISE = "Companies should let office staff work from home by default."
CAST: list[dict[str, Any]] = [
    {"name": "Ines Calloway", "title": "The Empiricist", "role": "debater", "stance": "pro"},
    {"name": "Konrad Eisele", "title": "The Engineer", "role": "debater", "stance": "con"},
    {"name": "Judge Halvorsen", "title": "Logic", "role": "judge"},
]
OTHERS = (
    ("Is mathematics discovered or invented?", "rounds"),
    ("Should private cars be kept out of city centres?", "duel"),
    ("How should we move the billing system without downtime?", "council"),
)
STATEMENTS = Path(__file__).with_name("statements.txt").read_text().strip().split("\n---\n")
THOUGHT = "He will say that chance meetings matter. I should grant what is measured, and no more."
WEIGHED = "A clear concession, well bounded. The burden of proof is the stronger part of it."
VERDICT = (
    "Both sides agreed on more than they said. The question was who has to give a reason, and only"
    " one of them kept to it throughout. The case for newcomers was conceded and contained;"
    " the case against the default was asserted, not shown."
)
SCORES = (7, 6, 8, 7, 8, 7)
SPEAKING = (
    "Deliver your opening argument now",
    "Now give your actual debate response",
    "Deliver your closing argument:",
)


class Play:
    """The parts, in their order."""

    def __init__(self) -> None:
        self._scores = itertools.cycle(SCORES)

    def __call__(self, call: ChatCall) -> str | None:
        prompt = call.messages[-1][1]
        if "Now express that verdict" in prompt:
            scores = {CAST[0]["name"]: 8, CAST[1]["name"]: 7}
            return json.dumps({"winner": CAST[0]["name"], "scores": scores})
        if call.request.response_format:
            return json.dumps({"score": next(self._scores), "reasoning": WEIGHED})
        if "who won?" in prompt:
            return str(CAST[0]["name"])
        if "deliver your verdict" in prompt:
            return VERDICT
        if any(words in prompt for words in SPEAKING):
            own = sum(text in STATEMENTS for role, text in call.messages if role == "assistant")
            is_first = any(CAST[0]["name"] in text for role, text in call.messages[:1])
            return STATEMENTS[(2 * own + (not is_first)) % len(STATEMENTS)]
        is_judge = any("Halvorsen" in text for role, text in call.messages if role == "system")
        return WEIGHED if is_judge else THOUGHT


def _take(page: Page, name: str) -> None:
    page.wait_for_timeout(300)  # fonts and transitions; a picture is no test
    page.screenshot(path=OUT / f"{name}.png")


WIDE: Any = {"viewport": {"width": 1280, "height": 860}}
NARROW: Any = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 1.5}
BODY: Any = {
    "participants": [{**one, "personality": f"You are {one['name']}."} for one in CAST],
    "settings": {"premise": PREMISE, "turns": 6, "max_cost_usd": 1},
}


def _stage(server: Server, provider: Provider) -> str:
    """Some debates to show; the id of one that is over."""
    play = Play()
    for one in CAST:
        provider.say(f"You are {one['name']}.", play)
    for topic, form in OTHERS:
        new = {"topic": topic, "format": form, "start": form != "council"}
        server.ask("POST", "/api/debates", new)
    return server.create(TOPIC, start=True, **BODY)


def _take_light(page: Page, server: Server, provider: Provider, done: str) -> None:
    page.goto(f"/debates/{done}")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    live = server.create(TOPIC, **BODY)
    page.goto(f"/debates/{live}")
    provider.slow_down(0.06)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("article.turn[id]:not(.private)")).to_have_count(2)
    writing = page.locator("article.writing:not(.private)")
    expect(writing).to_contain_text("first half year")
    _take(page, "debate")
    let_go = provider.hold(f"You are {CAST[1]['name']}.")  # so that the list shows one that runs
    page.goto("/")
    expect(page.locator(".row")).to_have_count(5)
    _take(page, "debates")
    server.ask("POST", f"/api/debates/{live}/cancel")
    let_go()
    page.goto("/new")
    page.get_by_label("Your question or claim").fill(TOPIC)
    expect(page.get_by_text("calls at most")).to_be_visible()
    page.locator("main").focus()
    _take(page, "new-debate")


def _take_dark(page: Page, done: str) -> None:
    page.goto(f"/debates/{done}")
    expect(page.get_by_role("figure")).to_be_visible()  # how it went
    _take(page, "verdict-dark")
    page.goto("/personas")
    expect(page.locator(".persona").first).to_be_visible()
    _take(page, "personas-dark")


def _take_narrow(page: Page, done: str) -> None:
    page.goto(f"/debates/{done}")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    _take(page, "debate-narrow")


def _take_all(browser: Browser, server: Server, provider: Provider) -> None:
    done = _stage(server, provider)
    with watched(browser, server.url, **WIDE) as sight:
        _take_light(sight.page, server, provider, done)
    with watched(browser, server.url, color_scheme="dark", **WIDE) as sight:
        _take_dark(sight.page, done)
    with watched(browser, server.url, **NARROW) as sight:
        _take_narrow(sight.page, done)
    provider.slow_down(0)
    with watched(browser, server.url, **WIDE) as sight:
        stage_room(sight.page, server, provider)
        _take(sight.page, "room")
    with watched(browser, server.url, color_scheme="dark", **WIDE) as sight:
        stage_council(sight.page, server, provider)
        _take(sight.page, "council-dark")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    provider = Provider()
    flags = (*FLAGS, "--no-sandbox") if os.geteuid() == 0 else FLAGS
    with tempfile.TemporaryDirectory() as home:
        server = Server(Path(home) / "home", provider.url, MOOT_MODEL="openai:gpt-6-luna")
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(flags))
                _take_all(browser, server, provider)
                browser.close()
        finally:
            server.kill()
            provider.close()


if __name__ == "__main__":
    main()
