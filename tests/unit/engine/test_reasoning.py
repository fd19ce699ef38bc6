"""What models think before they speak: kept with their turns, and in nobody's prompt.

The protocol's own prompts are searched in `test_privacy`; here are whole debates of the engine,
with people in chairs, unreadable answers, forks and rooms, and every way out for readers.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.unit.engine.bench import ADA, BOB, JO, Bench, bench, human

from moot.api.events import event_data
from moot.api.views import turn_view
from moot.engine.creation import NewDebate
from moot.engine.forking import Changes
from moot.export import EXPORTS, render
from moot.models.port import ChatReply, ChatRequest
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.values import Participant, Usage
from moot.protocol.words import Finish, Status
from moot.testing.scripted import ScriptedModel, sensible

CANARY = "canary-thought"
USAGE = Usage(input_tokens=10, output_tokens=30, thought_tokens=20)


def thinking(request: ChatRequest) -> ChatReply:
    """A sensible reply, after a thought."""
    said = sensible(request)
    return ChatReply(
        content=said if isinstance(said, str) else "",
        thought=f"{CANARY} {request.label}",
        finish=Finish.STOP,
        usage=USAGE,
        model=request.model,
        duration_ms=1,
    )


def unreadable_first() -> Any:
    """Answers no typed question readably the first time."""
    asked: set[str] = set()

    def script(request: ChatRequest) -> ChatReply:
        reply = thinking(request)
        is_first = request.schema is not None and request.label not in asked
        asked.add(request.label)
        return msgspec.structs.replace(reply, content="No.") if is_first else reply

    return script


def assert_nobody_was_sent_a_thought(on: Bench, debate: str) -> None:
    assert isinstance(on.model, ScriptedModel)
    sent = [message.content for one in on.model.requests for message in one.messages]
    assert not [text for text in sent if CANARY in text]
    for event in on.log(debate):
        match event:
            case e.QuestionOpened():
                assert CANARY not in msgspec.json.encode(event).decode()
            case e.AttemptFailed(reply=reply):
                assert CANARY not in reply
            case e.TurnRecorded(content=content, prompt=prompt, data=data):
                assert CANARY not in f"{content} {prompt} {json.dumps(data)}"
            case _:
                pass


FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "duel": ("duel", {"turns": 2}),
    "rounds": ("rounds", {"max_rounds": 2, "judge_each_round": True}),
    "council": ("council", {"rounds": 1, "decision": "vote"}),
    "standard": ("standard", {"max_rounds": 1}),
    "custom": ("custom", {"max_rounds": 2}),
    "classic": ("classic", {"free_rounds": 1}),
    "room": ("room", {"max_messages": 4, "response_delay": 1}),
}


@pytest.mark.parametrize("case", FORMATS)
async def test_it_is_kept_with_every_turn_and_sent_to_nobody(case: str) -> None:
    form, settings = FORMATS[case]
    roster: tuple[Participant, ...] = (
        (ADA, BOB) if form in ("standard", "custom", "classic") else ()
    )
    roster = (ADA, BOB, JO) if form == "duel" else roster
    async with bench(ScriptedModel(unreadable_first())) as on:
        new = NewDebate(topic="Is it so?", format=form, settings=settings, participants=roster)
        debate = await on.service.create(new, start=True)
        if form == "room":
            await on.service.say(debate, "Well?")
        state = await on.service.run(debate)
        said = [turn.said for turn in state.turns.values() if turn.said.model]
        assert said
        assert all(one.reasoning.startswith(CANARY) for one in said)
        assert_nobody_was_sent_a_thought(on, debate)
        # The same in a fork, which takes what was thought along and shows it to nobody either.
        fork = await on.service.fork(debate, len(on.log(debate)) // 2, Changes())
        await on.service.run(fork)
        copied = [one for one in on.log(fork) if isinstance(one, e.TurnRecorded) and one.model]
        assert copied
        assert all(one.reasoning for one in copied)
        assert_nobody_was_sent_a_thought(on, fork)


async def test_it_is_in_no_question_to_a_person() -> None:
    async with bench(ScriptedModel(thinking)) as on:
        debate = await on.create((human(ADA), BOB, JO), turns=2)
        asked = 0
        while (state := await on.service.run(debate)).status is Status.WAITING:
            asked += len(state.questions)
            await on.service.answer_all(debate, dict.fromkeys(state.questions, "Because it is."))
        assert asked
        assert state.status is Status.COMPLETED
        assert_nobody_was_sent_a_thought(on, debate)


async def test_it_is_shown_where_private_turns_are_and_counted_apart() -> None:
    async with bench(ScriptedModel(thinking)) as on:
        debate = await on.create(turns=1)
        state = await on.service.run(debate)
        log = await on.service.log(debate)
    assert state.usage.thought_tokens == 20 * state.calls
    assert state.usage.answer_tokens == 10 * state.calls
    for turn in state.transcript():
        assert turn_view(turn, is_private=True).meta.reasoning == turn.said.reasoning
        assert turn_view(turn, is_private=False).meta.reasoning is msgspec.UNSET
    for record in log:
        shown = msgspec.json.encode(event_data(record, state.status, is_private=True)).decode()
        hidden = msgspec.json.encode(event_data(record, state.status, is_private=False)).decode()
        assert (CANARY in shown) is isinstance(record.event, e.TurnRecorded)
        assert CANARY not in hidden
    for name in ("md", "html", "json", "csv"):
        text = render(log, name, debate_id=debate)
        assert text.count(CANARY) == len(state.turns), name
    told = f"{state.usage.answer_tokens} out, {state.usage.thought_tokens} thought"
    assert told in render(log, "md", debate_id=debate)
    assert told in render(log, "html", debate_id=debate)
    assert fold(log).usage == state.usage
    assert set(EXPORTS) >= {"md", "html", "json", "csv"}
