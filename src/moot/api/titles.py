"""What the settings of formats are called where people fill them in: the titles of their schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TITLES: Mapping[str, str] = {
    "max_runtime_seconds": "Stop after so many seconds",
    "max_total_output_tokens": "Stop after so many tokens",
    "max_cost_usd": "Stop when it has cost, in dollars",
    "strict_budget": "Refuse to start if a price is not known",
    "call_timeout_seconds": "Longest call, in seconds",
    "provider_patience_seconds": "How long to wait for a provider, in seconds",
    "human_timeout_seconds": "Time people have to answer, in seconds",
    "model_debater": "Model of debaters and members",
    "model_judge": "Model of judges and moderators",
    "reasoning_effort": "Thinking before answers",
    "max_tokens": "Longest reply, in tokens",
    "checkpoint": "Wait between rounds",
    "turns": "Statements",
    "words": "Words asked for",
    "stance_a": "Side of the first debater",
    "max_rounds": "Rounds",
    "free_rounds": "Rounds of free debate",
    "facilitate": "The moderator steps in between rounds",
    "think": "Think in private before every statement",
    "judge_each_round": "Judge after every round",
    "termination": "It ends",
    "threshold": "Threshold, in per cent",
    "answers": "What the council knows from the start",
    "interactive_clarifications": "Members may ask you questions first",
    "clarifications_max_iterations": "How many rounds of questions there may be",
    "clarifications_max_per_agent": "How many questions each member may ask you first",
    "summary_threshold_tokens": "Summarise a history longer than this, in tokens",
    "decision": "How it is decided",
    "compare": "Compare first and last proposals",
    "max_tool_calls": "File lookups per step",
    "step_retries": "Retries of a failed step",
    "response_delay": "Seconds between messages",
    "max_messages": "Pause after so many messages",
    "max_wait": "Seconds of silence",
    "mention_depth": "Longest chain of mentions",
    "compact": "Go on with a summary when the window is full",
    "say_topic": "Begin with your question as the first message",
}

OF: Mapping[str, str] = {
    "judge": "judges",
    "moderator": "moderator",
    "summary": "summary",
    "free": "free debate",
    "closing": "closing",
}
"""Ends of the names of settings that are for some only: "Longest reply, in tokens (judges)"."""
_OF = re.compile(rf"(.+)_({'|'.join(OF)})")


def title(setting: str) -> str:
    """What people call that setting."""
    if setting not in TITLES and (found := _OF.fullmatch(setting)):
        return f"{title(found[1])} ({OF[found[2]]})"
    return TITLES.get(setting, setting.replace("_", " ").capitalize())


def titled(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a format's settings, with the title of each."""
    root = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    named = {name: {"title": title(name), **given} for name, given in root["properties"].items()}
    made = {**root, "properties": named}
    if root is schema:
        return made
    return {**schema, "$defs": {**schema["$defs"], schema["$ref"].rpartition("/")[2]: made}}
