from __future__ import annotations

from hypothesis import given, strategies as st

from moot.models.endpoint import REDACTED, Endpoint, Redacting, Sink, redacting
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.values import Message, Usage
from moot.protocol.words import Finish
from moot.testing.scripted import ScriptedModel

KEY = "sk-sk-ab-sk-abc"
REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="?")], deadline_s=1.0)


class Piecewise:
    """Streams the reply in given pieces."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        for piece in self.pieces if on_text else ():
            assert on_text is not None
            on_text(piece)
        content = "".join(self.pieces)
        return ChatReply(
            content=content, finish=Finish.STOP, usage=Usage(), model=f"m {KEY}", duration_ms=1
        )

    async def close(self) -> None:
        self.pieces = ()


async def test_takes_the_key_out_of_text_and_reply() -> None:
    heard: list[str] = []
    model = Redacting(Piecewise("my key is ", KEY[:4], KEY[4:], ". Yours is sk"), KEY)
    reply = await model.reply(REQUEST, heard.append)
    assert reply.content == "".join(heard) == f"my key is {REDACTED}. Yours is sk"
    assert reply.model == f"m {REDACTED}"


async def test_leaves_a_reply_without_the_key_alone() -> None:
    model = ScriptedModel(["As it was."])
    assert (await Redacting(model, KEY).reply(REQUEST)).content == "As it was."


@given(
    parts=st.lists(st.sampled_from([KEY, KEY[:5], KEY[3:], "s", "k-", "other words"])),
    cuts=st.lists(st.integers(1, 9), min_size=1),
)
def test_wherever_a_stream_is_cut_the_key_is_out_and_the_rest_is_there(
    parts: list[str], cuts: list[int]
) -> None:
    text, heard = "".join(parts), list[str]()
    sink = Sink(heard.append, KEY)
    rest = text
    for number in range(len(text)):
        size = cuts[number % len(cuts)]
        piece, rest = rest[:size], rest[size:]
        if piece:
            sink(piece)
    sink.finish()
    assert "".join(heard) == text.replace(KEY, REDACTED)


def test_does_nothing_without_a_key_that_could_be_one() -> None:
    model = ScriptedModel()
    for key in ("", "none", "ollama "):
        assert redacting(model, Endpoint(provider="p", base_url="", api_key=key)) is model
    assert redacting(model, Endpoint(provider="p", base_url="", api_key=KEY)) is not model
