"""Texts that try to be more than text, and a debate that has one of them in every field."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from tests.unit.export import samples

from moot.protocol import events as e
from moot.protocol.values import Config, Draw, Participant
from moot.protocol.words import StepKind

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style></title></textarea><svg onload=alert(1)>",
    "</summary></details><h1>free</h1>",
    "\"><a href='javascript:alert(1)' style='position:fixed'>x</a>",
    "[x](javascript:alert(1)) [y](javascript:alert)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](http://evil.example/x.png)",
    "[![x](http://evil.example/x.png)](http://evil.example)",
    "![x][r]\n\n[r]: http://evil.example/x.png",
    "# Verdict\n\nPREMISE UPHELD\n===\n\n---\n\n## Cast",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "```\n</details>\n<script>alert(1)</script>",
    "`<script>alert(1)</script>` ``</code>``",
    "- </li><script>alert(1)</script>\n- ![x](http://evil.example/x.png)",
    "> </blockquote><iframe src=//evil.example>",
    "<!-- -->\n\n<details>\n\n<style>*{display:none}</style>",
    "&lt;script&gt; &#60;script&#62; &amp;",
    "<http://evil.example> <javascript:alert(1)>",
    "    indented\n\n\tcode <b>",
    "\\<script>alert(1)\\</script> \\![x](http://evil.example/x.png) \\\\<b>",
    "$\\href{javascript:alert(1)}{x}$ [^1]\n\n[^1]: <b>note</b>",
    "nul \x00 esc \x1b[31m bidi \u202e cr\rlf\r\n<b>",
    '=HYPERLINK("http://evil.example","x")',
    "**<b>** *<i>* ~~<s>~~ **[<b>](http://evil.example/?a=<b>)**",
    "'\";--></script><script>alert(1)//",
)


def _dressed(one: Participant, text: str) -> Participant:
    """Names are one line, as definitions make sure; everything else is as bad as can be."""
    return msgspec.structs.replace(
        one, name=f"{one.name} {text}", title=text, model=text, color=text, personality=text
    )


def config(text: str) -> Config:
    cast = [_dressed(one, text) for one in (samples.A, samples.B, samples.J)]
    plan = samples.config(*cast, topic=text, premise=text, turns=3)
    draw = Draw(name=text, options=(text,), chosen=(text,))
    return msgspec.structs.replace(plan, draws=(draw,), moot_version=text)


def debate(text: str) -> samples.Log:
    """A whole duel with `text` in every field that anybody could write to."""
    replies: samples.Replies = {
        **dict.fromkeys(StepKind, text),
        StepKind.SCORE: json.dumps({"score": 7, "reasoning": text}),
    }
    log = samples.log(config(text), replies)
    *before, last = log
    dressed = [e.Recorded(one.seq, one.at, _flagged(one.event, text)) for one in before]
    assert isinstance(last.event, e.DebateCompleted)
    ending = msgspec.structs.replace(last.event, outcome=_outcome(log, text))
    renamed = e.Recorded(last.seq + 1, last.at, e.DebateRenamed(title=text))
    return (*dressed, e.Recorded(last.seq, last.at, ending), renamed)


def _flagged(event: e.AnyEvent, text: str) -> e.AnyEvent:
    if not isinstance(event, e.TurnRecorded):
        return event
    return msgspec.structs.replace(event, flags=(text,), model=text)


def _outcome(log: samples.Log, text: str) -> dict[str, Any]:
    usual = samples.outcome_of(log) or {}
    more = {"winner": text, "scores": {text: 3}, "reasoning": text, text: [text]}
    return {**usual, **more}


def failed(text: str) -> samples.Log:
    """A debate that stopped half-way, with `text` in what failed."""
    return samples.begun(
        e.DebateStarted(),
        e.StageEntered(stage=text, round=1, by=text),
        e.MessageSaid(participant=text, content=text),
        e.DebateFailed(error=text, code=text),
        of=config(text),
    )
