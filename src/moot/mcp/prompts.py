"""Prompts that hosts offer their users by name: each is a request to use a tool."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

QUESTION = "question"
THEN = (
    "Follow `next` of its results until it is over. Then tell me what came of it, and who saw it "
    "differently."
)


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt: what people read about it, and the text before their question."""

    about: str
    text: str


PROMPTS: Mapping[str, Offered] = {
    "council": Offered(
        about="Ask a council of models, which settles on one answer.",
        text="Call the tool ask_council with this question:",
    ),
    "duel": Offered(
        about="Have two models argue both sides before a judge.",
        text="Call the tool debate with this topic:",
    ),
    "red-team": Offered(
        about="Have one model propose and others attack the proposal.",
        text='Call the tool ask_council with the panel "red-team" and this question:',
    ),
}


def listed() -> list[Prompt]:
    """Every prompt, as hosts are told of it."""
    argument = PromptArgument(name=QUESTION, description="What to ask.", required=True)
    return [
        Prompt(name=name, description=one.about, arguments=[argument])
        for name, one in PROMPTS.items()
    ]


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """The prompt of that name. Raises MCPError if there is none, or nothing is asked."""
    question = arguments.get(QUESTION, "").strip()
    if name not in PROMPTS or not question:
        wrong = f"there is no prompt {name!r}" if name not in PROMPTS else f"{QUESTION} is missing"
        raise MCPError(code=INVALID_PARAMS, message=wrong)
    offered = PROMPTS[name]
    text = f"{offered.text}\n\n{question}\n\n{THEN}"
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=offered.about, messages=[message])
