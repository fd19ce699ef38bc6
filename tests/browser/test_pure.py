"""The page's pure modules: in Chromium always, and under `node --test` where there is a node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page
from tests.golden.replay import read_log

from moot.api.frames import event_data
from moot.protocol.events import Recorded
from moot.protocol.folding import begin
from moot.protocol.words import Status

HERE = Path(__file__).parent
GOLDEN = sorted((HERE.parent / "golden").glob("*.jsonl"))
pytestmark = pytest.mark.xdist_group("browser")


def _served(page: Page) -> None:
    """The test module at an address of the server, which does not ship it."""
    source = (HERE / "fold.test.mjs").read_text().replace("../../src/moot/web/", "/static/")
    page.route(
        "**/static/fold.test.mjs",
        lambda route: route.fulfill(body=source, content_type="text/javascript"),
    )
    page.goto("/models")


def test_the_fold_keeps_its_rules(page: Page) -> None:
    _served(page)
    assert page.evaluate("import('/static/fold.test.mjs').then((m) => m.run())") == []


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_fold_agrees_with_the_servers(page: Page, path: Path) -> None:
    _served(page)
    first, *rest = read_log(path)
    state = begin(first)
    frames = [_sent(first, state.status)]
    for record in rest:
        state.apply(record)
        frames.append(_sent(record, state.status))
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    expected["pending"] = [turn.seq for turn in state.transcript() if turn.is_pending]
    page.evaluate(
        "([f, e]) => import('/static/fold.test.mjs').then((m) => m.golden(f, e))",
        [frames, expected],
    )


def _sent(record: Recorded, status: Status) -> Any:
    """The event as the stream sends it."""
    return json.loads(msgspec.json.encode(event_data(record, status, is_private=True)))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here; Chromium has run them")
def test_node_agrees() -> None:
    done = subprocess.run(
        ["node", "--test", str(HERE / "fold.test.mjs")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


MARKUP = {
    "a **b** *c* ~~d~~ `e*`": "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e*</code></p>",
    "# T\n- x\n- y\n\n1. z": "<h3>T</h3><ul><li>x</li><li>y</li></ul><ol><li>z</li></ol>",
    "a\nb": "<p>a<br>b</p>",
    "```\n<b>\n```": "<pre><code>&lt;b&gt;</code></pre>",
    "> q": "<blockquote><p>q</p></blockquote>",
    "|a|b|\n|--|--|\n|1|2|": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    ),
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
    "![i](https://evil.example/i.png)": None,
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "[x](//evil.example)": "<p>[x](//evil.example)</p>",
    "[x](data:text/html,1)": "<p>[x](data:text/html,1)</p>",
    "snake_case_name 2*3*4": "<p>snake_case_name 2<em>3</em>4</p>",
}


def test_markup_is_rendered_and_nothing_else_is(page: Page) -> None:
    page.goto("/models")
    for text, wanted in MARKUP.items():
        made = page.evaluate(
            "(t) => import('/static/lib/markup.js').then((m) => m.markup(t))", text
        )
        assert "<img" not in made
        if wanted is not None:
            assert made == wanted, text
    link = page.evaluate(
        "import('/static/lib/markup.js').then((m) => m.markup('see https://a.example/x.'))"
    )
    assert 'href="https://a.example/x"' in link
    assert "noopener" in link


def test_markup_is_linear_in_what_it_is_given(page: Page) -> None:
    page.goto("/models")
    for piece in ("*a ", "[", "`", "__a", "> ", "- \n", "[a](", "|-", "~~x ", "**"):
        page.evaluate(
            "(t) => import('/static/lib/markup.js').then((m) => m.markup(t).length)",
            piece * (50_000 // len(piece)),
        )
