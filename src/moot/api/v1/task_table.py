"""What chat clients ask models for behind their users' backs: titles, tags, follow-up questions.

A client that has got one answer sends up to four such requests for it. None of them is a question
for a panel. The words are those of the clients' prompts, and change with them: a row that no longer
fits lets a request become a debate, which is dear but not wrong; so a row must never fit what a
person would write. Every row therefore says how the prompt begins, and what else is in it.

Sources: Open WebUI (backend/open_webui/config.py, 2026-07), LibreChat (@librechat/agents,
src/utils/title.ts, and its older title instruction), NextChat, Chatbox, opencode.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Row(NamedTuple):
    """A kind of task. `begins` is at the beginning of the message; `has` is all in it, too."""

    task: str
    client: str
    begins: re.Pattern[str]
    has: tuple[str, ...] = ()


def _begins(pattern: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + pattern, re.IGNORECASE)


_TASK = r"### Task:\s*"
_HISTORY = ("### ", "<chat_history>")

TABLE: tuple[Row, ...] = (
    Row("title", "Open WebUI", _begins(_TASK + r"Generate a concise, 3-5 word title"), _HISTORY),
    Row("tags", "Open WebUI", _begins(_TASK + r"Generate 1-3 broad tags categorizing"), _HISTORY),
    Row(
        "follow_ups",
        "Open WebUI",
        _begins(_TASK + r"Suggest 3-5 relevant follow-up questions"),
        _HISTORY,
    ),
    Row(
        "queries",
        "Open WebUI",
        _begins(
            _TASK + r"Analyze the chat history to determine the necessity of generating search"
        ),
        _HISTORY,
    ),
    Row(
        "image_prompt",
        "Open WebUI",
        _begins(_TASK + r"Generate a detailed prompt for an?m? image generation task"),
        _HISTORY,
    ),
    Row(
        "completion",
        "Open WebUI",
        _begins(_TASK + r"You are an autocompletion system"),
        ("<text>", "<type>"),
    ),
    Row(
        "emoji",
        "Open WebUI",
        _begins(
            r"Your task is to reflect the speaker's likely facial expression through a fitting"
        ),
        ("Message: ```",),
    ),
    Row(
        "title",
        "Open WebUI before 0.4",
        _begins(r"Create a concise, 3-5 word phrase"),
        ("suitable for the given query", "RESPOND ONLY WITH"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Provide a concise, 5-word-or-less title for the conversation"),
        ("title case conventions", "Conversation:"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Provide a concise, 5-word-or-less title for the conversation"),
        ("title case conventions", "Only return the title itself"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Analyze this conversation and provide:"),
        ("1. The detected language of the conversation", "2. A concise title"),
    ),
    Row(
        "title",
        "LibreChat before 0.7",
        _begins(r"Please generate a concise, 5-word-or-less title for the conversation"),
        ("using its same language", "title case conventions"),
    ),
    Row(
        "title",
        "NextChat",
        _begins(r"Please generate a four to five word title summarizing our conversation"),
        ("without any lead-in",),
    ),
    Row(
        "title",
        "Chatbox",
        _begins(r"Based on the chat history, give this conversation a name"),
        ("10 characters max",),
    ),
    Row(
        "title",
        "opencode",
        _begins(r"You are a title generator\. You output ONLY a thread title"),
    ),
)


def task_in(text: str) -> str:
    """What kind of task a message is; "" if it is none that is known."""
    for row in TABLE:
        if row.begins.match(text) and all(part in text for part in row.has):
            return row.task
    return ""
