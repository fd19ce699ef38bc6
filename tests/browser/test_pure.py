"""The page's pure modules: in Chromium always, and under `node --test` where there is a node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Error as PageError, Page
from tests.golden.replay import read_log
from tests.markdown_cases import CASES, HOSTILE, normal

from moot.api.events import event_data
from moot.protocol.events import Recorded
from moot.protocol.log import begin
from moot.protocol.words import Status

HERE = Path(__file__).parent
GOLDEN = sorted((HERE.parent / "golden").glob("*.jsonl"))


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


def test_the_fold_agrees_with_the_servers(page: Page) -> None:
    _served(page)
    failed = {path.stem: why for path in GOLDEN if (why := _disagrees(page, path))}
    assert not failed


def _disagrees(page: Page, path: Path) -> str:
    """Where the page's fold of this log is another than ours; nothing if it is the same."""
    first, *rest = read_log(path)
    state = begin(first)
    frames = [_sent(first, state.status)]
    for record in rest:
        state.apply(record)
        frames.append(_sent(record, state.status))
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    expected["pending"] = [turn.seq for turn in state.transcript() if turn.is_pending]
    agreeing = "([f, e]) => import('/static/fold.test.mjs').then((m) => m.golden(f, e))"
    try:
        page.evaluate(agreeing, [frames, expected])
    except PageError as error:
        return str(error)
    return ""


def _sent(record: Recorded, status: Status) -> Any:
    """The event as the stream sends it."""
    return json.loads(msgspec.json.encode(event_data(record, status, is_private=True)))


def test_a_format_that_the_page_has_no_words_for_goes_by_its_name(page: Page) -> None:
    _served(page)
    asking = """import('/static/lib/formats.js').then((m) => {
        const { name, nick, roles, isPair } = m.formatOf('long_talk');
        const traits = [m.isOffered, m.isOpenEnded, m.isPair, m.isScored];
        return [name, nick, roles, isPair, m.documentsOf('long_talk'),
                ...traits.map((one) => one('long_talk'))];
    })"""
    about = ["Long talk", "Long talk", ["debater"], False, []]
    assert page.evaluate(asking) == [*about, True, False, False, False]


def test_a_judge_is_seated_where_the_format_has_one(page: Page) -> None:
    _served(page)
    seating = """async () => {
        const { served } = await import('/static/lib/words.js');
        const { form, personas, takeTeam } = await import('/static/lib/composing.js');
        served.formats.forum = { roles: ['member', 'judge'], name: 'Forum' };
        personas.value = [{ name: 'Ada', role: 'member' }, { name: 'Jo', role: 'judge' }];
        return ['council', 'forum', 'poll', 'room'].map((format) => {
            form.value = { ...form.value, format };
            return takeTeam({ members: ['Ada'], judge: 'Jo' }).map((one) => one.role);
        });
    }"""
    judged, alone = ["member", "judge"], ["member"]
    assert page.evaluate(seating) == [judged, judged, alone, alone]


def test_judges_have_faces_where_nobody_else_is(page: Page) -> None:
    _served(page)
    drawing = """async () => {
        const { html, render } = await import('/static/lib/ui.js');
        const { Faces } = await import('/static/parts/row.js');
        const drawn = (format, ...roles) => {
            const cast = roles.map((role, n) => ({ id: `p${n}`, name: role, role, side: '' }));
            const row = { format, cast, cast_size: cast.length, origin: 'cli' };
            const box = document.createElement('div');
            render(html`<${Faces} row=${row} most=${2} />`, box);
            return box.textContent.replace(/\\s/g, '');
        };
        return [
            drawn('hearing', 'judge', 'judge', 'judge'),
            drawn('exam', 'judge'),
            drawn('duel', 'debater', 'debater', 'judge'),
            drawn('standard', 'moderator', 'debater'),
        ];
    }"""
    assert page.evaluate(drawing) == ["JJ+1", "J", "DD", "D"]


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


RENDER = """async ([texts]) => {
  const { markup } = await import('/static/lib/markup.js');
  const { render } = await import('/static/lib/ui.js');
  return texts.map((text) => {
    const box = document.createElement('div');
    render(markup(text), box);
    return box.innerHTML;
  });
}"""
TIMED = """async ([texts]) => {
  const { markup } = await import('/static/lib/markup.js');
  return texts.map((text) => {
    const began = performance.now();
    markup(text);
    return performance.now() - began;
  });
}"""
LONGEST = 60_000


def test_markup_is_as_in_exported_documents(page: Page) -> None:
    page.goto("/models")
    made = page.evaluate(RENDER, [list(CASES)])
    found = dict(zip(CASES, map(normal, made), strict=True))
    assert found == dict(CASES)


def test_links_are_opened_elsewhere_and_tell_nobody(page: Page) -> None:
    page.goto("/models")
    (link,) = page.evaluate(RENDER, [["see https://a.example/x."]])
    assert 'href="https://a.example/x"' in link
    assert 'rel="noopener noreferrer nofollow"' in link


def test_markup_is_linear_in_what_it_is_given(page: Page) -> None:
    page.goto("/models")
    texts = [unit * (LONGEST // len(unit)) for unit in HOSTILE]
    slow = [
        (unit, took)
        for unit, took in zip(HOSTILE, page.evaluate(TIMED, [texts]), strict=True)
        if took > 5000
    ]
    assert slow == []
