"""Titles, tags and the like: one call to a model of the panel, and never a debate."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.unit.api.v1.desk import QUICK, USER, Gated, desk, frames, nobody_waits, told

from moot.api.v1.conversation import Said
from moot.api.v1.tasks import task_in, task_of
from moot.api.v1.wanted import Wanted

HISTORY = "<chat_history>\nUSER: Tabs or spaces?\nASSISTANT: Tabs.\n</chat_history>"


def open_webui(task: str, output: str) -> str:
    """As Open WebUI puts such prompts together; the words are those that the table looks for."""
    rules = "### Guidelines:\n- Be accurate.\n### Output:\nJSON format: " + output
    return f"### Task:\n{task}\n{rules}\n### Chat History:\n{HISTORY}"


PROMPTS: dict[str, tuple[str, str]] = {
    "title": (
        "title",
        open_webui(
            "Generate a concise, 3-5 word title with an emoji summarizing the chat history.",
            '{ "title": "..." }',
        ),
    ),
    "tags": (
        "tags",
        open_webui(
            "Generate 1-3 broad tags categorizing the main themes of the chat history, along "
            "with 1-3 more specific subtopic tags.",
            '{ "tags": ["tag1"] }',
        ),
    ),
    "follow-ups": (
        "follow_ups",
        open_webui(
            "Suggest 3-5 relevant follow-up questions or prompts that the user might naturally "
            "ask next in this conversation as a **user**, based on the chat history.",
            '{ "follow_ups": ["Question 1?"] }',
        ),
    ),
    "queries": (
        "queries",
        open_webui(
            "Analyze the chat history to determine the necessity of generating search queries, "
            "in the given language.",
            '{ "queries": [] }',
        ),
    ),
    "image": (
        "image_prompt",
        open_webui(
            "Generate a detailed prompt for am image generation task based on the given language "
            "and context.",
            '{ "prompt": "..." }',
        ),
    ),
    "completion": (
        "completion",
        (
            "### Task:\nYou are an autocompletion system. Continue the text in `<text>` by the "
            "**completion type** in `<type>`.\n<type>General</type>\n<text>Tabs or</text>"
        ),
    ),
    "emoji": (
        "emoji",
        (
            "Your task is to reflect the speaker's likely facial expression through a fitting "
            "emoji. "
            "Interpret emotions from the message.\n\nMessage: ```Tabs or spaces?```"
        ),
    ),
    "LibreChat": (
        "title",
        (
            "Provide a concise, 5-word-or-less title for the conversation, using title case "
            "conventions. Only return the title itself.\n\nConversation:\nUser: Tabs?\nAI: Yes."
        ),
    ),
    "LibreChat, structured": (
        "title",
        (
            "Analyze this conversation and provide:\n1. The detected language of the conversation\n"
            "2. A concise title in the detected language (5 words or less)\n\nUser: Tabs?\nAI: Yes."
        ),
    ),
    "LibreChat, older": (
        "title",
        (
            "Please generate a concise, 5-word-or-less title for the conversation, using its same "
            "language, with no punctuation. Apply title case conventions appropriate for it."
        ),
    ),
    "NextChat": (
        "title",
        (
            "Please generate a four to five word title summarizing our conversation without any "
            "lead-in, punctuation or quotation marks."
        ),
    ),
}


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_task_is_one_call_and_no_debate(tmp_path: Path, name: str) -> None:
    task, prompt = PROMPTS[name]
    async with desk(tmp_path) as at:
        answer = await at.chat(messages=[{"role": "user", "content": prompt}], stream=False)
        assert answer.status_code == 200
        assert answer.headers["x-moot-task"] == task
        body = answer.json()
        assert (body["moot"]["task"], body["moot"]["debate"]) == (task, None)
        assert body["choices"][0]["message"]["content"]
        assert "moot/" not in body["choices"][0]["message"]["content"]
        (request,) = at.model.requests  # type: ignore[union-attr]
        assert request.messages[-1].content == prompt
        assert body["usage"]["total_tokens"] > 0
        assert (await at.on.service.list()).items == ()


async def test_a_client_that_loses_patience_pays_once_for_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    model = Gated()
    asked = {"model": "quick", "messages": [{"role": "user", "content": PROMPTS["NextChat"][1]}]}
    async with desk(tmp_path, model, listens=True) as at:
        hasty = at.client(timeout=0.2, max_retries=2)
        with pytest.raises(openai.APITimeoutError):
            await hasty.chat.completions.create(**asked)
        await nobody_waits()
        model.open()
        answer = await at.client().chat.completions.create(**asked)
        assert answer.choices[0].message.content
        assert model.begun == ["task/title"]
        await at.client().chat.completions.create(**asked)  # delivered: made anew
        assert model.begun == ["task/title"] * 2


async def test_the_model_of_a_task_is_one_of_the_panel(tmp_path: Path) -> None:
    own = QUICK.replace("name: quick", "name: own") + "task_model: small:one\n"
    async with desk(tmp_path, panels={"own": own}) as at:
        messages = [{"role": "user", "content": PROMPTS["title"][1]}]
        first = (await at.chat(messages=messages)).json()
        assert list(first["moot"]["usage_by_model"]) == ["scripted:debater"]
        second = (await at.chat(model="own", messages=messages, max_tokens=100_000)).json()
        assert list(second["moot"]["usage_by_model"]) == ["small:one"]
        assert at.model.requests[-1].max_tokens == 1000  # type: ignore[union-attr]


async def test_a_short_request_is_a_task_too(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        short = await at.chat(max_tokens=64, stream=True)
        assert short.headers["x-moot-task"] == "short"
        chunks = frames(short.text)
        assert told(chunks)
        assert chunks[-1] == "[DONE]"
        assert (await at.on.service.list()).items == ()
        assert "x-moot-task" not in (await at.chat(max_tokens=65)).headers


def wanted(*messages: tuple[str, str], **more: Any) -> Wanted:
    return Wanted(model="quick", messages=tuple(Said(*one) for one in messages), **more)


def test_what_is_short_is_one_shot_and_little() -> None:
    assert task_of(wanted(("system", "s"), ("user", "u"), max_tokens=64)) == "short"
    talk = (("user", "a"), ("assistant", "b"), ("user", "c"))
    assert task_of(wanted(*talk, max_tokens=16)) == ""
    assert task_of(wanted(("user", "x" * 5000), max_tokens=16)) == ""
    assert task_of(wanted(("user", "u"), max_tokens=16, follows="resp_x")) == ""
    assert task_of(wanted(("user", "u"))) == ""
    assert task_of(wanted(*talk[:2], ("user", PROMPTS["NextChat"][1]))) == "title"


OPENINGS = (
    "Generate a title for my thesis on {}",
    "What is a concise, 3-5 word title for a talk about {}?",
    "Suggest 3-5 relevant follow-up questions I could ask a doctor about {}",
    "Please generate a title, tags and a summary of this article on {}",
    "### Task:\nWrite an essay on {} with a good title",
    "### Task:\nGenerate a concise title for my blog post on {}",
    "Provide a concise title for the conversation between Plato and {}",
    "Analyze this conversation and provide advice: we argued about {}",
    "Why does my chat client keep asking for a 5-word-or-less title about {}?",
    "Explain the prompt 'Generate 1-3 broad tags categorizing the main themes' for {}",
    "You are a title lawyer. Who owns the title to {}?",
    "Create a concise, 3-5 word phrase for {} that I can print on a mug",
)
SUBJECTS = (
    *("tabs", "land", "the <chat_history> tag", "a film", "boxing", "sonatas", "nobility", "bees"),
    *("title case conventions", "emoji", "RESPOND ONLY WITH love", "books", "patents", "songs"),
    *("JSON format", "the queen", "cars", "a heavyweight belt", "### Output:", "paintings"),
    *("deeds", "chess masters", "search queries", "a podcast", "conversation"),
)


def test_people_who_talk_of_titles_are_not_mistaken() -> None:
    prompts = [opening.format(subject) for opening, subject in product(OPENINGS, SUBJECTS)]
    assert len(set(prompts)) == 300
    assert [one for one in prompts if task_in(one)] == []
    assert all(
        task_of(wanted(*((one.role, one.text) for one in [Said("user", p)]))) == "" for p in prompts
    )
    assert task_in(USER[0]["content"]) == ""
