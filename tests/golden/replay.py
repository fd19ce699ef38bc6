"""What a golden log is compared by: the state it folds to, and every decision on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.log import begin
from moot.protocol.machine import ask
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Broken, Finish, Idle, Record, Run
from moot.protocol.visibility import history

HERE = Path(__file__).parent


class Line(msgspec.Struct, frozen=True):
    """A row of the log as the store keeps it."""

    seq: int
    at: datetime
    body: msgspec.Raw


def write_log(path: Path, log: Iterable[e.Recorded]) -> None:
    lines = [Line(one.seq, one.at, msgspec.Raw(e.encode(one.event))) for one in log]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def read_lines(path: Path) -> list[Line]:
    return [msgspec.json.decode(line, type=Line) for line in path.read_bytes().splitlines()]


def read_log(path: Path) -> list[e.Recorded]:
    return [e.Recorded(one.seq, one.at, e.decode(bytes(one.body))) for one in read_lines(path)]


def expected_of(log: Sequence[e.Recorded]) -> dict[str, Any]:
    """Readable where a person would want to read it, digests where there is too much."""
    state = begin(log[0])
    decisions = [_decision(state, log[0].at)]
    for record in log[1:]:
        state.apply(record)
        decisions.append(_decision(state, record.at))
    held = _held(state)
    return {
        "state_sha256": _digest(held),
        "decisions_sha256": _digest(decisions),
        "state": {key: value for key, value in held.items() if key != "turns"},
        "turns": [f"{turn['key']} {_digest(turn)[:12]}" for turn in held["turns"]],
        "decisions": [one["say"] for one in decisions],
    }


def _held(state: DebateState) -> dict[str, Any]:
    # Named one by one: what later versions add to a state is none of an old log's business.
    held = {
        "status": state.status,
        "stage": state.stage,
        "round": state.round,
        "seq": state.seq,
        "stop_reason": state.stop_reason,
        "outcome": state.outcome,
        "failure": state.failure,
        "failures": state.failures,
        "questions": state.questions,
        "limits": state.limits,
        "pacing": state.pacing,
        "ending": state.ending,
        "calls": state.calls,
        "statements": state.statements,
        "messages_said": state.messages_said,
        "usage": _usage(state),
        "runtime_s": state.timeline.runtime_s(state.updated_at),
        "participants": list(state.participants),
        "left": list(state.left),
        "turns": [
            {
                "key": turn.said.step_key,
                "seq": turn.seq,
                "place": turn.place,
                "participant": turn.said.participant,
                "kind": turn.said.kind,
                "visibility": turn.said.visibility,
                "prompt": turn.said.prompt,
                "content": turn.said.content,
                "data": turn.said.data,
                "flags": turn.said.flags,
                "attempts": turn.said.attempts,
                "finish": turn.said.finish,
                "included": turn.included,
                "is_pending": turn.is_pending,
            }
            for turn in state.transcript()
        ],
    }
    built: dict[str, Any] = msgspec.to_builtins(held)
    return built


def _usage(state: DebateState) -> dict[str, Any]:
    return {name: getattr(state.usage, name) for name in state.usage.__struct_fields__}


def _decision(state: DebateState, now: datetime) -> dict[str, Any]:
    """What the format says next after this event, with every prompt it would send."""
    if not state.status.is_active:
        return {"say": str(state.status)}
    match ask(format_named(state.config.format), state, now):
        case Run(steps):
            sent = [
                [render(one.system), [m.content for m in history(state, one)], render(one.prompt)]
                for one in steps
            ]
            return {"say": " ".join(one.key for one in steps), "sent": sent}
        case Record(events):
            return {"say": " ".join(e.encode(one).decode() for one in events)}
        case Idle(reason):
            return {"say": f"idle: {reason}"}
        case Finish(stop_reason, outcome):
            return {"say": f"finish: {stop_reason}", "outcome": outcome}
        case Broken(error):
            raise error


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
