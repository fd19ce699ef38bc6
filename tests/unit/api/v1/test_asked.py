"""One debate for one question: time-outs, retries, kills, regeneration, answers to questions."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.unit.api.v1.desk import (
    KEY,
    QUESTION,
    QUICK,
    USER,
    Desk,
    Gated,
    by_label,
    desk,
    frames,
    told,
)

from moot.api.v1.asked import answers_in
from moot.protocol import events as e
from moot.protocol.words import Status, StepKind
from moot.testing.scripted import ScriptedModel

ONE_RUN = 10
"""Calls of the panel `quick`."""
HASTY = QUICK.replace("name: quick", "name: hasty") + "grace_seconds: 0\n"


async def until(holds: Any) -> None:
    """Return when `holds()` does, which may be awaited for."""
    async with asyncio.timeout(20):
        while not await holds():  # noqa: ASYNC110 - the server tells nobody of it
            await asyncio.sleep(0.005)


async def read(streaming: Any) -> list[Any]:
    return [one async for one in await streaming]


class Raw:
    """A client that reads a stream frame by frame, and can be killed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def frame(self) -> str:
        """The next frame; "" at the end."""
        while line := (await self._reader.readline()).decode():
            if line.startswith("data: "):
                return line[6:].strip()
        return ""

    async def kill(self) -> None:
        self._writer.transport.abort()
        await asyncio.sleep(0)


@asynccontextmanager
async def raw(at: Desk, body: dict[str, Any], **headers: str) -> AsyncIterator[Raw]:
    host, _, port = at.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    sent = json.dumps({"model": "quick", "messages": USER, "stream": True, **body}).encode()
    lines = ["POST /v1/chat/completions HTTP/1.1", f"Host: {host}:{port}"]
    lines += [f"Content-Length: {len(sent)}", f"Authorization: Bearer {KEY}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + sent)
    try:
        yield Raw(reader, writer)
    finally:
        writer.close()


async def test_a_client_that_loses_patience_pays_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    model = Gated()
    async with desk(tmp_path, model, listens=True) as at:
        hasty = at.client(timeout=0.2, max_retries=2)
        with pytest.raises(openai.APITimeoutError):
            await hasty.chat.completions.create(model="quick", messages=USER)
        with pytest.raises(openai.APITimeoutError):
            await read(hasty.chat.completions.create(model="quick", messages=USER, stream=True))
        model.open()
        answer = await at.client().chat.completions.create(model="quick", messages=USER)
        assert await at.debates() == [answer.moot["debate"]]
        assert model.calls == ONE_RUN
        again = await at.client().chat.completions.create(model="quick", messages=USER)
        assert again.moot["debate"] != answer.moot["debate"]  # delivered: regenerate regenerates


async def test_who_says_that_it_tries_again_gets_what_was_sent(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        body = {"model": "quick", "messages": USER}
        first = (await at.ask(body)).json()
        retry = (await at.ask(body, x_stainless_retry_count="1")).json()
        assert retry["moot"]["debate"] == first["moot"]["debate"]
        assert retry["choices"] == first["choices"]
        fresh = (await at.ask(body, x_stainless_retry_count="0")).json()
        assert fresh["moot"]["debate"] != first["moot"]["debate"]
        for odd in ("", "-1", "x", "9" * 30):
            assert (await at.ask(body, x_stainless_retry_count=odd)).status_code == 200


async def test_another_question_is_another_debate(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model) as at:
        body: dict[str, Any] = {"model": "quick", "messages": USER}
        others: list[tuple[dict[str, Any], dict[str, str]]] = [
            ({}, {}),
            ({"stream": True}, {}),  # the same question in another way
            ({"seed": 3}, {}),
            ({"max_tokens": 500}, {}),
            ({"user": "ann"}, {}),
            ({"messages": [*USER, {"role": "user", "content": "Why?"}]}, {}),
            ({"model": "duel"}, {}),
            ({}, {"authorization": "Bearer other"}),
            ({}, {"x_openwebui_chat_id": "7"}),
        ]
        asking = [
            asyncio.create_task(at.ask({**body, **change}, **headers)) for change, headers in others
        ]

        async def all_there() -> bool:
            return len(await at.debates()) == len(others) - 1

        await until(all_there)
        model.open()
        answers = await asyncio.gather(*asking)
        assert {one.status_code for one in answers} == {200}
        assert len(await at.debates()) == len(others) - 1


@pytest.mark.parametrize("panel", ["quick", "hasty"])
async def test_a_client_killed_at_any_instant_finds_its_answer(tmp_path: Path, panel: str) -> None:
    model = Gated()
    chance = random.Random(panel)  # noqa: S311 - no secret
    async with desk(tmp_path, model, listens=True, panels={"hasty": HASTY}) as at:
        for number in range(8):
            body = {"model": panel, "messages": [{"role": "user", "content": f"{number}?"}]}
            model.close_again()
            before = model.calls
            for _ in range(chance.randrange(1, 4)):
                model.let(chance.randrange(0, 3))
                async with raw(at, body) as client:
                    for _ in range(chance.randrange(0, 2)):
                        assert await client.frame()
                    await client.kill()
            model.open()
            async with raw(at, body) as client:
                seen = []
                while (frame := await client.frame()) != "[DONE]":
                    seen.append(json.loads(frame))
            debate = seen[-1]["moot"]["debate"]
            assert len(await at.debates()) == number + 1
            # What was under way when it was stopped is recorded: nothing is called twice.
            assert model.calls - before == ONE_RUN
            answer = await at.on.client.get(f"/api/debates/{debate}/export?as=answer")
            assert told(seen).startswith(answer.text.strip())


async def test_nobody_there_stops_it_and_asking_again_goes_on(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model, listens=True, panels={"hasty": HASTY}) as at:
        async with raw(at, {"model": "hasty"}) as client:
            assert json.loads(await client.frame())["choices"][0]["delta"]["role"] == "assistant"

            async def is_there() -> bool:
                return bool(await at.debates())

            await until(is_there)
            (debate,) = await at.debates()
            await client.kill()

        async def is_stopping() -> bool:
            return (await at.on.service.summary(debate)).status in (Status.STOPPING, Status.STOPPED)

        await until(is_stopping)
        model.open()
        answer = await at.client().chat.completions.create(model="hasty", messages=USER)
        assert answer.moot["debate"] == debate
        assert model.calls == ONE_RUN


async def test_a_debate_goes_on_while_one_of_two_is_there(tmp_path: Path) -> None:
    model = Gated()
    async with desk(tmp_path, model, listens=True, panels={"hasty": HASTY}) as at:
        staying = asyncio.create_task(
            at.client().chat.completions.create(model="hasty", messages=USER)
        )

        async def is_there() -> bool:
            return bool(await at.debates())

        await until(is_there)
        async with raw(at, {"model": "hasty"}) as client:
            assert await client.frame()
            await client.kill()
        model.open()
        answer = await staying
        assert answer.moot["debate"] == (await at.debates())[0]
        kinds = [type(one.event) for one in await at.on.service.log(answer.moot["debate"])]
        assert e.StopRequested not in kinds


# --- a panel that asks ---------------------------------------------------------------------------

ASKED = json.dumps({"questions": ["Which editor?", "How many people?"]})


def asker() -> ScriptedModel:
    return ScriptedModel(by_label(ada__ask=ASKED, bo__ask='{"questions": []}'))


async def asked(at: Desk, messages: list[Any]) -> Any:
    return (await at.chat(model="asking", messages=messages)).json()


def said(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"])


async def given(at: Desk, debate: str) -> list[str]:
    state = await at.on.service.state(debate)
    return [turn.said.content for turn in state.transcript() if turn.said.kind is StepKind.ANSWER]


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("1. Emacs\n2. Nine", ["Emacs", "Nine"]),
        ("2) Nine\n1) Emacs\n   and vi", ["Emacs\n   and vi", "Nine"]),
        ("Emacs, and nine of us.", ["Emacs, and nine of us."] * 2),
        ("2: Nine", ["Nine"]),
    ],
)
async def test_the_next_message_answers_the_same_debate(
    tmp_path: Path, reply: str, answers: list[str]
) -> None:
    async with desk(tmp_path, asker()) as at:
        first = await asked(at, USER)
        assert "1. Which editor?\n2. How many people?" in said(first)
        assert first["moot"]["status"] == "waiting"
        talk = [
            {"role": "system", "content": "It is noon."},
            *USER,
            {"role": "assistant", "content": said(first), "reasoning_content": "x"},
            {"role": "user", "content": reply},
        ]
        second = await asked(at, talk)
        assert second["moot"]["debate"] == first["moot"]["debate"]
        assert second["moot"]["status"] == "completed"
        assert len(await at.debates()) == 1
        state = await at.on.service.state(first["moot"]["debate"])
        turns = [one.said for one in state.transcript() if one.said.kind is StepKind.ANSWER]
        assert [one.content for one in turns if one.content] == answers
        # What was told before is not told again.
        total = first["usage"]["prompt_tokens"] + second["usage"]["prompt_tokens"]
        assert total == (await at.on.service.summary(first["moot"]["debate"])).input_tokens


async def test_an_answer_that_is_sent_twice_answers_once(tmp_path: Path) -> None:
    async with desk(tmp_path, asker()) as at:
        first = await asked(at, USER)
        talk = [
            *USER,
            {"role": "assistant", "content": f"<think>x</think>\n{said(first)}"},
            {"role": "user", "content": "Emacs."},
        ]
        one, other = await asyncio.gather(asked(at, talk), asked(at, talk))
        assert said(one) == said(other)
        assert await at.debates() == [first["moot"]["debate"]]
        # Regenerated when it is over: a question of its own, with all that was said to read.
        third = await asked(at, talk)
        assert third["moot"]["debate"] != first["moot"]["debate"]


async def test_another_conversation_answers_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path, asker()) as at:
        first = await asked(at, USER)
        reply = [
            {"role": "assistant", "content": said(first)},
            {"role": "user", "content": "Emacs."},
        ]
        elsewhere = await asked(at, [{"role": "user", "content": "Bees?"}, *reply])
        assert elsewhere["moot"]["debate"] != first["moot"]["debate"]
        body = {"model": "asking", "messages": [*USER, *reply]}
        stranger = (await at.ask(body, authorization="Bearer other")).json()
        assert stranger["moot"]["debate"] != first["moot"]["debate"]
        waiting = await at.on.service.summary(first["moot"]["debate"])
        assert waiting.status is Status.WAITING


async def test_questions_are_streamed_too(tmp_path: Path) -> None:
    async with desk(tmp_path, asker()) as at:
        chunks = frames((await at.chat(model="asking", stream=True)).text)
        assert "Which editor?" in told(chunks)
        assert chunks[-2]["choices"][0]["finish_reason"] == "stop"


def test_numbers_belong_to_questions() -> None:
    questions = [
        e.QuestionOpened(
            question_id=name, participant="user", kind=StepKind.ANSWER, stage="s", round=1, text="?"
        )
        for name in ("a", "b", "c")
    ]
    rows = [
        ("1. x\n2. y\n3. z", ["x", "y", "z"]),
        ("3. z", ["", "", "z"]),
        ("1. x\n1. y", ["1. x\n1. y"] * 3),
        ("4. x", ["4. x"] * 3),
        ("Well.\n1. x", ["Well.\n1. x"] * 3),
        ("nothing", ["nothing"] * 3),
        ("", [""] * 3),
    ]
    for text, answers in rows:
        assert list(answers_in(text, questions).values()) == answers
    assert answers_in("2. y", questions[:1]) == {"a": "2. y"}
    assert QUESTION
