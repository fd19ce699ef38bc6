"""A room and a council that read like some, for the pictures of `make screenshots`."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect
from tests.browser.opening import Provider, Server

from moot.testing.server_wire import ChatCall

ROOM = "Should we split our program into services?"
COUNCIL = "How should a small town heat its homes?"
SAID = {
    "Ada": "I would start with the **smallest** thing that holds: one queue, one worker, and a log"
    " that you can read. Two services are a promise to run two services for ever.",
    "Sol": "How do we know that the queue is the bottleneck? I would *measure* for a week first."
    " @Mira, what did the last outage cost?",
    "Mira": "Four hours, mostly because nobody knew where to look. I would build the log first;"
    " it is two days of work.",
}
PROPOSALS = {
    "Ada": "Put heat pumps into the public buildings first, where the town decides alone, and let"
    " the grid company plan from the measured load. Homes follow street by street.",
    "Bo": "Found a cooperative that owns the network. Whoever joins pays by the month, and the"
    " first two hundred homes make it cheaper than gas.",
    "Cy": "Insulate the worst homes before anything else. Every pump that comes afterwards can be"
    " half the size.",
}
CAST = [
    {"name": "Ada", "role": "member", "title": "Engineer"},
    {"name": "Bo", "role": "member", "title": "Treasurer"},
    {"name": "Cy", "role": "member", "title": "Tenant"},
    {"name": "Jo", "role": "judge"},
]
SOLUTION = {
    "description": "Heat pumps go into the public buildings and the school first. The measured load"
    " decides in which order the streets follow.\n\nEach household gets one offer by the month,"
    " and a county fund pays a third for houses built before 1978.",
    "reasons": [
        "It begins where the town decides alone, and every step tells what the next costs."
    ],
    "rejected": ["A network for all homes at once, because nobody knows the load yet."],
    "trade_offs": ["Slower than a mandate, but nobody is forced."],
    "recommendations": [
        "Measure the load of the school this winter.",
        "Ask the county for the fund before the offers go out.",
    ],
    "unfulfilled_requirements": ["No answer for listed buildings."],
    "open_questions": ["Who runs the pumps after ten years?"],
    "dissent": ["The author of Proposal A would have begun with the worst insulated homes."],
    "confidence": 78,
}


def _of(call: ChatCall, texts: dict[str, str]) -> str:
    return next(
        (text for name, text in texts.items() if f"You are {name}" in call.messages[0][1]), ""
    )


class Sitting:
    """What the council says; its judge agrees more from round to round."""

    def __init__(self) -> None:
        self._judged = 0

    def __call__(self, call: ChatCall) -> str | None:
        name = (call.request.response_format or {}).get("json_schema", {}).get("name")
        told = self._told(call, str(name))
        return json.dumps(told) if told else None

    def _told(self, call: ChatCall, name: str) -> dict[str, Any] | None:
        own = _of(call, PROPOSALS)
        rated = {"Ada": 72, "Bo": 64, "Cy": 58}
        about = next((one for one in rated if PROPOSALS[one][:40] in call.messages[-1][1]), "Bo")
        if name == "evaluation":
            self._judged += 1
            reasons = "They agree on the order of things and still differ on who pays."
            return {"confidence": 58 + 14 * self._judged, "quality": 66 + 6 * self._judged,
                    "reasons": reasons}  # fmt: skip
        if name == "ratings":
            texts = call.messages[-1][1].split("[Proposal ")[1:]
            found = {one[0]: 81 if "county fund" in one else 66 for one in texts}
            return {"reasons": "The best of them says who pays.", "ratings": found}
        replies: dict[str, dict[str, Any]] = {
            "proposal": {"proposal": own, "reasons": ["It begins where mistakes are cheap."],
                         "risks": ["Slow in the first two winters."]},
            "critique": {"strengths": ["It begins where the town decides alone."],
                         "weaknesses": ["It does not say who pays for the old houses."],
                         "suggestions": ["Name the fund."], "rating": rated[about]},
            "refinement": {"proposal": own.replace("first", "and the school first")
                           + " A county fund pays a third for houses built before 1978.",
                           "accepted": [{"from": "Critic 1", "point": "Who pays for old houses",
                                         "why": "It decides whether people join."}],
                           "rejected": []},
            "solution": SOLUTION,
        }  # fmt: skip
        return replies.get(name)


def stage_room(page: Page, server: Server, provider: Provider) -> str:
    """A room in which answers wait to be chosen; its id."""
    provider.say(ROOM, lambda call: _of(call, SAID))
    new = {"topic": ROOM, "format": "room", "start": True, "settings": {"pacing": "manual"}}
    room = str(server.ask("POST", "/api/debates", new)["id"])
    page.goto(f"/debates/{room}")
    for text in ("What would you build first?", "And what would you leave out?"):
        field = page.get_by_role("combobox", name="Your message")
        field.fill(text)
        field.press("Enter")
        expect(page.get_by_role("button", name="Let all 3 speak")).to_be_enabled()
        page.get_by_label("Choose Sol\u2019s answer").uncheck()
        if "first" in text:
            page.get_by_role("button", name="Let Ada and Mira speak").click()
    return room


def stage_council(page: Page, server: Server, provider: Provider) -> str:
    """A council that has come to its solution; its id."""
    provider.say(COUNCIL, Sitting())
    settings = {"rounds": 2, "termination": "convergence", "threshold": 90}
    council = server.create(
        COUNCIL, format="council", start=True, settings=settings, participants=CAST
    )
    page.goto(f"/debates/{council}")
    expect(page.get_by_role("region", name="Solution")).to_be_visible()
    return council
