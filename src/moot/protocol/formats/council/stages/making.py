"""What stages are called, and how their steps are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moot.protocol.briefs import brief as for_people
from moot.protocol.formats.council import ballots, briefing
from moot.protocol.formats.council.memory import since
from moot.protocol.formats.council.positions import (
    is_settled,
)
from moot.protocol.formats.council.seats import judge
from moot.protocol.machine import END
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Participant
from moot.protocol.words import View

INITIALIZATION, ROUND_MANAGER, SUMMARIZATION = "initialization", "round_manager", "summarization"
EVALUATION, SYNTHESIS = "evaluation", ballots.SYNTHESIS

# Where turns stand: questions before the rounds, the rounds, what is made of them.
QUESTIONS, ROUNDS, RESULT = 0, 1, 2


def no_steps(_state: DebateState) -> tuple[Step, ...]:
    return ()


def member_step(state: DebateState, member: Participant, **fields: Any) -> Step:
    """A step of a member, which sees its own history as far as it is not summarised."""
    given: dict[str, Any] = {
        "participant": member.id,
        "stage": state.stage,
        "round": state.round,
        "system": briefing.brief(state, member),
        "since": since(state, member.id),
        "max_tokens": int(state.config.settings["max_tokens"]),
        "for_people": for_people(state, member, fields["prompt"]),
    }
    return Step(**{**given, **fields})


def lookups(state: DebateState) -> int:
    """How often a step may look into the files of the council."""
    return int(state.config.settings.get("max_tool_calls", 0))


def judge_step(state: DebateState, **fields: Any) -> Step:
    """A step of the judge, which sees all that was said in the rounds."""
    chair = judge(state)
    given: dict[str, Any] = {
        "participant": chair.id,
        "stage": state.stage,
        "round": state.round,
        "system": briefing.judge_brief(state, chair),
        "view": View.TRANSCRIPT,
        "since": since(state, chair.id),
        "max_tokens": int(state.config.settings["max_tokens_judge"]),
        "for_people": for_people(state, chair, fields["prompt"]),
    }
    return Step(**{**given, **fields})


def then(state: DebateState, event: str) -> str:
    """`event`, unless a limit was reached: what is there is then brought to its end."""
    return END if state.limits else event


def still_open(state: DebateState, steps: Iterator[Step]) -> tuple[Step, ...]:
    """Those that have no turn and are not done without."""
    return tuple(step for step in steps if not is_settled(state, step.key))


def is_long(state: DebateState, tokens: int) -> bool:
    """Whether a history of so many tokens is to be summarised."""
    return tokens > int(state.config.settings["summary_threshold_tokens"])
