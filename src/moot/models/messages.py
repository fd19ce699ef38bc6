"""The messages of a call: in one shape for every model, and no more than its window holds.

Chat templates of real servers refuse what our histories have: two speakers in a row, a blank reply,
a second system message. So what is sent has one system message, first; then `user` and `assistant`
take turns, beginning and ending with `user`; and nothing is blank. Calls of tools and their results
stay as they are.

Joining goes from the front to the end and never looks ahead, so a history that grew at its end has
the same beginning as before, byte for byte, and providers' prefix caches hit.

Tokens are estimated from characters, calibrated per model by what providers report: exact counts
would need every provider's own tables.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

import msgspec

from moot.protocol.values import Message, Usage

BETWEEN = "\n\n"
OPENING = "Begin."
"""What stands before an assistant's first words if nobody has asked for them."""
CLOSING = "Go on."
"""What stands after an assistant's last words if nobody has answered them."""
NO_RESULT = "(nothing)"

REMEMBERED_FROM = 64
"""Shorter histories are shaped each time: that takes microseconds, and memory is dearer."""
MOST_REMEMBERED = 8 * 1024 * 1024
"""Characters of joined messages that are kept; the histories used longest ago go first."""

CHARACTERS_PER_TOKEN = 4.0
"""What to assume of a model that has not reported anything yet."""
FEWEST, MOST = 1.0, 8.0
"""Bounds of the calibration, so that one absurd report cannot spoil it."""
WEIGHT = 0.2
"""How much the newest report counts."""
LONG = 200
"""A prompt with more messages than this is not worth learning from again."""
PER_MESSAGE = 4
"""Tokens a chat template adds to each message."""
MARGIN = 0.95
"""The part of a window that may be filled: the rest is for the error of the estimate."""


_content: Callable[[Message], str] = attrgetter("content")


# --- their shape ----------------------------------------------------------------------------------


def shaped(messages: Sequence[Message]) -> list[Message]:
    """The same messages in the shape that every server takes."""
    return list(messages) if _is_in_shape(messages) else _whole(*_joined(messages))


def without_tools(messages: Iterable[Message]) -> list[Message]:
    """The messages with tool calls and results as plain text, for a server that takes no tools."""
    return [_plain(message) for message in messages]


def with_last(messages: Sequence[Message], text: str) -> list[Message]:
    """The messages with `text` added to the last of them."""
    *before, last = messages
    content = f"{last.content}{BETWEEN}{text}"
    return [*before, msgspec.structs.replace(last, content=content)]


class _Settled(msgspec.Struct):
    """The beginning of a history, up to a reply that was answered: nothing changes it any more.

    `came` is that part as it came, `system` and `joined` how it is sent, `size` its characters.
    """

    came: list[Message] = []
    system: str = ""
    joined: list[Message] = []
    size: int = 0

    def extend(self, messages: Sequence[Message]) -> None:
        """Take in the next part of that history, which again ends with an answered reply."""
        system, joined = _joined(messages)
        self.came += messages
        self.system = _told_once([self.system, system])
        self.joined += joined
        self.size += sum(len(one.content) for one in joined)


class Shaper:
    """`shaped`, which remembers long histories: the thousandth turn shapes what is new in it."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._size = 0
        self._known: OrderedDict[tuple[str, ...], _Settled] = OrderedDict()

    def __call__(self, messages: Sequence[Message]) -> list[Message]:
        if len(messages) < REMEMBERED_FROM:
            return shaped(messages)
        settled = self._settled(messages)
        system, joined = _joined(messages[len(settled.came) :])
        return _whole(_told_once([settled.system, system]), settled.joined + joined)

    def _settled(self, messages: Sequence[Message]) -> _Settled:
        """What is settled of this history, kept for the next call."""
        key = _mark(messages)
        known = self._known.pop(key, None) or _Settled()
        self._size -= known.size
        count = len(known.came)
        # Lists compare by identity first: for messages that were kept this costs next to nothing.
        if known.came != messages[:count] or not _is_answered(messages, count):
            known, count = _Settled(), 0
        known.extend(messages[count : _last_answered(messages, count)])
        self._known[key] = known
        self._size += known.size
        while self._size > self._most:
            _, gone = self._known.popitem(last=False)
            self._size -= gone.size
        return known


def _mark(messages: Sequence[Message]) -> tuple[str, ...]:
    """What tells one history from others, even if two debaters were told and have heard the same:
    it includes the first words of its own."""
    first = next((one.content for one in messages if one.role == "assistant"), "")
    return (messages[0].content, messages[1].content, first)


def _last_answered(messages: Sequence[Message], least: int) -> int:
    """How many messages there are up to the last reply that is followed by a question.

    Each side of that place is joined as if the other side were not there.
    """
    last = len(messages) - 1
    return next((at for at in range(last, least, -1) if _is_answered(messages, at)), least)


def _is_answered(messages: Sequence[Message], at: int) -> bool:
    """Whether a question stands at `at`, and a reply before it."""
    if at == 0 or at >= len(messages):
        return False
    reply, question = messages[at - 1], messages[at]
    is_said = reply.content.strip() and question.content.strip()
    return bool(is_said) and (reply.role, question.role) == ("assistant", "user")


def _is_in_shape(messages: Sequence[Message]) -> bool:
    """Whether there is nothing to do, as for most histories. Those with tools are not looked at."""
    begins = 1 if messages and messages[0].role == "system" else 0
    expected = "user"
    for one in messages[begins:]:
        if one.role != expected or one.tool_calls or not one.content or one.content.isspace():
            return False
        expected = "assistant" if expected == "user" else "user"
    # It must end with a question, and a system message must not be blank.
    return expected == "assistant" and not (begins and not messages[0].content.strip())


def _whole(system: str, body: list[Message]) -> list[Message]:
    if not body or body[0].role == "assistant":
        body.insert(0, Message(role="user", content=OPENING))
    if body[-1].role == "assistant":
        body.append(Message(role="user", content=CLOSING))
    if system:
        body.insert(0, Message(role="system", content=system))
    return body


def _told_once(texts: Iterable[str]) -> str:
    return BETWEEN.join([text for text in texts if text.strip()])


def _joined(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """System messages as one text, and the others: neighbours of one role as one, none blank."""
    system: list[str] = []
    groups: list[list[Message]] = []
    last = ""
    # Runs for every message of every call, so no function is called where there is nothing to do.
    for one in messages:
        role = one.role
        if role == "system":
            system.append(one.content)
        elif kept := one if one.content.strip() else _of_blank(one):
            if role == last != "tool":
                groups[-1].append(kept)
            else:
                groups.append([kept])
                last = role
    found = [group[0] if len(group) == 1 else _as_one(group) for group in groups]
    return _told_once(system), found


def _of_blank(message: Message) -> Message | None:
    """What is sent for a message without words: a call needs none, and a result must be there."""
    if message.tool_call_id:
        return msgspec.structs.replace(message, content=NO_RESULT)
    return message if message.tool_calls else None


def _as_one(group: Sequence[Message]) -> Message:
    role = group[0].role
    if role == "user":  # by far the most, and never blank here
        return Message(role=role, content=BETWEEN.join([one.content for one in group]))
    return Message(
        role=role,
        content=_told_once(one.content for one in group),
        tool_calls=tuple(call for one in group for call in one.tool_calls),
    )


def _plain(message: Message) -> Message:
    if message.role == "tool":
        return Message(role="user", content=f"Looked up:\n{message.content}")
    if not message.tool_calls:
        return message
    calls = [f"Look up: {one.function.name} {one.function.arguments}" for one in message.tool_calls]
    return Message(role=message.role, content=_told_once([message.content, *calls]))


# --- how many of them fit -------------------------------------------------------------------------


def characters_in(messages: Sequence[Message]) -> int:
    # Runs for every call, over histories that may have a thousand messages: no loop of our own.
    return sum(map(len, map(_content, messages)))


class TokenEstimator:
    """Knows each model's characters per token, as far as it has been told."""

    def __init__(self) -> None:
        self._ratios: dict[str, float] = {}

    def learn(self, model: str, messages: Sequence[Message], usage: Usage) -> None:
        """Take a provider's count into account."""
        counted = usage.input_tokens - PER_MESSAGE * len(messages)
        if usage.is_estimated or counted <= 0:
            return
        if len(messages) > LONG and model in self._ratios:
            return  # the shorter prompts before it have told as much, and this one is slow to read
        seen = characters_in(messages) / counted
        ratio = self._ratios.get(model, CHARACTERS_PER_TOKEN)
        self._ratios[model] = min(MOST, max(FEWEST, ratio + WEIGHT * (seen - ratio)))

    def tokens(self, model: str, messages: Sequence[Message]) -> int:
        """About how many tokens these messages are for that model."""
        characters = characters_in(messages)
        ratio = self._ratios.get(model, CHARACTERS_PER_TOKEN)
        return int(characters / ratio) + PER_MESSAGE * len(messages)

    def shorten(
        self, model: str, messages: list[Message], *, window: int | None, reserve: int
    ) -> list[Message]:
        """The messages, without the oldest exchanges if the window cannot hold them all.

        The system prompt and the newest message always stay. What is left begins with a question,
        as providers want it.
        """
        if window is None:
            return messages
        excess = self.tokens(model, messages) - (int(window * MARGIN) - reserve)
        if excess <= 0:
            return messages
        kept = 1 if messages and messages[0].role == "system" else 0
        start = kept
        while start < len(messages) - 1 and (excess > 0 or messages[start].role != "user"):
            excess -= self.tokens(model, messages[start : start + 1])
            start += 1
        return [*messages[:kept], *messages[start:]]
