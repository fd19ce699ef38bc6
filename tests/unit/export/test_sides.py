"""Exports and the terminal's header say whose side is whose."""

from __future__ import annotations

import pytest
from tests.unit.cli.duels import ADA, BO
from tests.unit.protocol.playing import configured, play

from moot.cli.view.console import new_console
from moot.cli.view.header import header
from moot.export import render


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("Tabs or spaces?", ('for "Tabs"', 'for "spaces"')),
        (
            "Should cats vote?",
            ("for: argues that the answer is yes", "against: argues that the answer is no"),
        ),
    ],
)
def test_a_document_names_both_sides(topic: str, told: tuple[str, str]) -> None:
    played = play(configured("duel", (ADA, BO), topic=topic, turns=2))
    markdown = render(played.log, "md", debate_id="d1")
    html = render(played.log, "html", debate_id="d1").replace("&quot;", '"').replace("&#34;", '"')
    for side in told:
        assert f"| {side} |" in markdown
        assert side in html


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("Tabs or spaces?", ('FOR "Tabs"', 'FOR "spaces"')),
        (
            "Should cats vote?",
            ("Ada · argues that the answer is yes", "Bo · argues that"),
        ),
        ("Vim: [b]best[/b] vs <b>worst</b>", ('FOR "[b]best[/b]"', 'FOR "<b>worst</b>"')),
    ],
)
def test_the_header_names_both_sides(topic: str, told: tuple[str, str]) -> None:
    played = play(configured("duel", (ADA, BO), topic=topic, turns=1))
    console = new_console()
    with console.capture() as shown:
        console.print(header("x1", played.state))
    for side in told:
        assert side in shown.get()
