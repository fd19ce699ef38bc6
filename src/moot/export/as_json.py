"""The debate as one JSON document: all turns and all failed tries, keys in a fixed order."""

from __future__ import annotations

from typing import Any

import msgspec

from moot.protocol import events as e
from moot.protocol.outcome_words import headline
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Value
from moot.protocol.visibility import Shown
from moot.protocol.vocabulary import message_type, provenance


def as_json(shown: Shown, debate_id: str) -> str:
    state, log = shown.state, shown.log
    document = {
        "debate": _debate(state, debate_id),
        "turns": [_turn(turn) for turn in state.transcript()],
        "notices": [
            {
                "seq": record.seq,
                "at": record.at,
                "type": message_type(record.event.code),
                **_plain(record.event),
            }
            for record in state.notices
            if isinstance(record.event, e.NoticePosted)
        ],
        "failed_attempts": [
            _failed(record, record.event)
            for record in log
            if isinstance(record.event, (e.AttemptFailed, e.StepFailed))
        ],
        "tools_used": [
            {"seq": record.seq, "at": record.at, **_plain(record.event)}
            for record in log
            if isinstance(record.event, e.ToolUsed)
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document).decode(), indent=2) + "\n"


def _plain(value: Value) -> dict[str, Any]:
    """All fields in the order of their declaration; the log leaves defaults out, we do not."""
    return {
        name: _plain(field) if isinstance(field, Value) else field
        for name in value.__struct_fields__
        for field in (getattr(value, name),)
    }


def _debate(state: DebateState, debate_id: str) -> dict[str, Any]:
    config = state.config
    roster = [*state.participants.values(), *state.left.values()]
    return {
        "id": debate_id,
        "format": config.format,
        "topic": config.topic,
        "title": state.title,
        "settings": config.settings,
        "participants": [{**_plain(one), "has_left": one.id in state.left} for one in roster],
        "status": state.status,
        "stop_reason": state.stop_reason,
        "failure": _plain(state.failure) if state.failure else None,
        "stage": state.stage,
        "round": state.round,
        "limits_reached": state.limits,
        "questions": [_plain(question) for question in state.questions.values()],
        "seed": config.seed,
        "draws": [_plain(draw) for draw in config.draws],
        "attachments": [_plain(attachment) for attachment in config.attachments],
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "runtime_s": state.timeline.runtime_s(state.updated_at),
        "statements": state.statements,
        "calls": state.calls,
        "usage": _plain(state.usage),
        "outcome": state.outcome,
        "headline": headline(state.outcome) if state.outcome else None,
        "has_open_cards": state.has_open_cards,
        "seq": state.seq,
        "moot_version": config.moot_version,
        "follows": config.follows,
        "origin": _plain(config.origin) if config.origin else None,
        "provenance": provenance(config),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    said = turn.said
    return {
        "id": turn.seq,
        "step_key": said.step_key,
        "seq": turn.seq,
        "type": turn.type,
        "at": turn.at,
        "stage": said.stage,
        "round": said.round,
        "participant": said.participant,
        "kind": said.kind,
        "about": said.about,
        "visibility": said.visibility,
        "included": turn.included,
        "pending": turn.is_pending,
        "content": said.content,
        "data": said.data,
        "meta": {
            "prompt": said.prompt,
            "model": said.model,
            "usage": _plain(said.usage),
            "duration_ms": said.duration_ms,
            "attempts": said.attempts,
            "finish": said.finish,
            "flags": said.flags,
            "sampling": _plain(said.sampling),
            "reasoning": said.reasoning,
        },
    }


def _failed(record: e.Recorded, event: e.AttemptFailed | e.StepFailed) -> dict[str, Any]:
    """One shape for both: a step that was given up has the number of its tries, not of one try."""
    gave_up = isinstance(event, e.StepFailed)
    fields = _plain(event)
    step_key = fields.pop("failed_key", None) or fields.pop("attempt_of", None)
    return {"seq": record.seq, "at": record.at, "step_key": step_key, "gave_up": gave_up, **fields}
