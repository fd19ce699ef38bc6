"""What can be typed in a room behind a slash: a table of names, usages and what they do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from moot.cli.output import kind_of, write
from moot.cli.room.opening import newcomer
from moot.cli.staging import read_pairs
from moot.cli.view.room import Screen, roster
from moot.engine.service import Service
from moot.errors import InvalidInput, Refused
from moot.export import render
from moot.protocol.formats.room import acts as room_acts
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.formats.room.mentions import mentioned
from moot.protocol.formats.room.rules import Room
from moot.protocol.state import DebateState
from moot.protocol.words import Pacing


class Session(Protocol):
    """What a command can use of a session; see `session`."""

    service: Service
    id: str
    state: DebateState
    screen: Screen
    personas_path: Path

    async def act(self, make: room_acts.Make) -> None: ...

    async def change(self, settings: Mapping[str, Any]) -> bool: ...

    def leave(self) -> None: ...


class Command(msgspec.Struct, frozen=True):
    usage: str
    about: str
    run: Callable[[Session, str], Awaitable[None]]
    takes_member: bool = False


def member_of(state: DebateState, text: str) -> str:
    """The id of the member that `text` names, as a mention does. Raises InvalidInput."""
    names = {one.id: one.name for one in state.participants.values()}
    called = mentioned("@" + text.strip().removeprefix("@"), names)
    if not called:
        here = ", ".join(names.values()) or "nobody"
        message = f"there is no {text.strip() or 'such member'} here; in this room: {here}"
        raise InvalidInput(message)
    return called[0]


def turns_of(text: str) -> list[int]:
    """The numbers of turns in a text such as `#12, 14`. Raises InvalidInput."""
    found = [part.removeprefix("#") for part in text.replace(",", " ").split()]
    if not found or not all(part.isdecimal() and len(part) < 10 for part in found):  # noqa: PLR2004
        raise InvalidInput("give the numbers of turns, such as: 12 14")
    return [int(part) for part in found]


async def _auto(session: Session, _text: str) -> None:
    await session.act(room_acts.paced(Pacing.AUTO))


async def _manual(session: Session, _text: str) -> None:
    await session.act(room_acts.paced(Pacing.MANUAL))


async def _stop(session: Session, _text: str) -> None:
    await session.service.command(session.id, "stop")


async def _set(session: Session, text: str) -> None:
    """Change a setting, given its name and value; without a value, show what is set."""
    name, _, value = (part.strip() for part in text.strip().replace("=", " ", 1).partition(" "))
    if value:
        value = {"on": "true", "off": "false"}.get(value.lower(), value)
        changes = read_pairs([f"{setting_of(name)}={value}"])
        if not await session.change(changes):
            session.screen.say("it already has that value")
        return
    names = [setting_of(name)] if name else sorted(Room.changeable)
    for one in names:
        session.screen.say(f"{one} = {_shown(getattr(session.state.settings, one))}")


def setting_of(word: str) -> str:
    """The setting that a word stands for: `delay` is response_delay. Raises InvalidInput."""
    wanted = word.strip().lower().replace("-", "_")
    can = sorted(Room.changeable)
    found = [name for name in can if name == wanted] or [name for name in can if wanted in name]
    if len(found) != 1 or not wanted:
        message = f"choose one of these: {', '.join(can)}"
        raise InvalidInput(message)
    return found[0]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


async def _mute(session: Session, text: str) -> None:
    await session.act(room_acts.muted(member_of(session.state, text), is_muted=True))


async def _unmute(session: Session, text: str) -> None:
    await session.act(room_acts.muted(member_of(session.state, text), is_muted=False))


async def _pick(session: Session, text: str) -> None:
    """Choose answers, given by `all`, `none`, numbers of turns, or names."""
    pending = [turn for turn in session.state.transcript() if turn.is_pending]
    wanted = text.strip().lower()
    if wanted in ("all", "none", ""):
        chosen = [turn.seq for turn in pending] if wanted == "all" else []
        if not wanted and pending:
            raise InvalidInput("choose with numbers, names, all or none")
    else:
        chosen = [_card(session.state, word) for word in text.replace(",", " ").split()]
    labels = {turn.seq: session.state.label_of(turn.said.participant) for turn in pending}
    await session.act(room_acts.settled(chosen))
    session.screen.say(settled(labels, chosen))


def settled(labels: Mapping[int, str], chosen: Collection[int]) -> str:
    """What has become of the answers that were pending, by the numbers of their turns."""
    taken = [f"#{seq} [{label}]" for seq, label in labels.items() if seq in chosen]
    rest = [f"#{seq} [{label}]" for seq, label in labels.items() if seq not in chosen]
    left_out = f"; excluded: {', '.join(rest)}" if rest else ""
    return f"included: {', '.join(taken) or 'none'}{left_out}"


def _card(state: DebateState, word: str) -> int:
    if word.removeprefix("#").isdecimal():
        return turns_of(word)[0]
    member = member_of(state, word)
    for turn in state.transcript():
        if turn.is_pending and turn.said.participant == member:
            return turn.seq
    message = f"{state.label_of(member)} has no answer to choose"
    raise Refused(message)


async def _include(session: Session, text: str) -> None:
    for turn in turns_of(text):
        await session.service.include(session.id, turn, included=True)
        session.screen.say(f"#{turn} is now included")


async def _exclude(session: Session, text: str) -> None:
    for turn in turns_of(text):
        await session.service.include(session.id, turn, included=False)
        session.screen.say(f"#{turn} is now excluded")


async def _add(session: Session, text: str) -> None:
    new = newcomer(text.strip(), session.personas_path)
    await session.service.join(session.id, new)


async def _leave(session: Session, text: str) -> None:
    await session.act(room_acts.left(member_of(session.state, text)))


async def _retry(session: Session, text: str) -> None:
    failed = list(floor_of(session.state).failed)
    if not text.strip() and not failed:
        raise Refused("no member has failed")
    member = member_of(session.state, text) if text.strip() else failed[-1]
    await session.act(room_acts.retried(member))


async def _again(session: Session, text: str) -> None:
    member = member_of(session.state, text) if text.strip() else _last_speaker(session.state)
    await session.act(room_acts.said_again(member))


def _last_speaker(state: DebateState) -> str:
    for turn in state.newest_first():
        if turn.said.model and turn.said.participant in state.participants:
            return turn.said.participant
    raise Refused("nobody has said anything yet")


async def _save(session: Session, text: str) -> None:
    path = text.strip() or f"moot-{session.id}.md"
    try:
        kind = kind_of(path)
        log, files = await session.service.log(session.id), await session.service.files(session.id)
        write(path, render(log, kind, debate_id=session.id, files=files))
    except InvalidInput as error:
        raise InvalidInput(error.message) from None  # without the field: nobody has given an option
    session.screen.say(f"written to {path}")


async def _who(session: Session, _text: str) -> None:
    for line in roster(session.state):
        session.screen.say(line)


async def _help(session: Session, _text: str) -> None:
    width = max(len(one.usage) for one in COMMANDS.values())
    for one in COMMANDS.values():
        session.screen.say(f"{one.usage:<{width}}  {one.about}")
    session.screen.say("Anything else is a message; @name asks a member; an empty line continues.")


async def _end(session: Session, _text: str) -> None:
    # The session leaves once the room is closed: leaving now might leave nobody to close it.
    await session.service.command(session.id, "end")


async def _quit(session: Session, _text: str) -> None:
    session.leave()


COMMANDS: Mapping[str, Command] = {
    "auto": Command("/auto", "members take turns by themselves", _auto),
    "manual": Command("/manual", "all answer at once, and you choose which answers count", _manual),
    "stop": Command("/stop", "stop everyone at once (also Ctrl-C)", _stop),
    "pick": Command(
        "/pick 12 14", "include these answers and exclude the rest; also: all, none", _pick
    ),
    "include": Command("/include 12", "include a turn in all later prompts", _include),
    "exclude": Command("/exclude 12", "leave a turn out of all later prompts", _exclude),
    "mute": Command("/mute NAME", "skip a member from now on", _mute, takes_member=True),
    "unmute": Command("/unmute NAME", "let a muted member speak again", _unmute, takes_member=True),
    "add": Command("/add WHO", "add a persona, or: /add Name | Title: what they are like", _add),
    "leave": Command("/leave NAME", "a member leaves", _leave, takes_member=True),
    "retry": Command("/retry [NAME]", "a member that failed tries again", _retry, True),
    "again": Command("/again [NAME]", "replace the last answer with a new one", _again, True),
    "set": Command(
        "/set delay 5", "change a setting: delay, messages, wait, compact; /set lists them", _set
    ),
    "who": Command("/who", "list the members, their skips, and how full their windows are", _who),
    "save": Command("/save [FILE]", "write the transcript: .md, .html, .json or .csv", _save),
    "end": Command("/end", "close the room for good", _end),
    "help": Command("/help", "this list", _help),
    "quit": Command("/quit", "leave; come back with `moot room ID` (also Ctrl-D)", _quit),
}


def find_command(word: str) -> Command:
    """The command with that name, or whose name alone begins so. Raises InvalidInput."""
    begun = [one for name, one in COMMANDS.items() if name.startswith(word)] if word else []
    exact = COMMANDS.get(word)
    if exact is not None or len(begun) == 1:
        return exact or begun[0]
    message = f"there is no command /{word[:40]}; see /help"
    raise InvalidInput(message)


def completions(state: DebateState, text: str) -> Iterator[tuple[str, int]]:
    """Completions for the end of `text`, each with how many characters it replaces."""
    head, _, word = text.rpartition(" ")
    names = [one.name for one in state.participants.values()]
    if not head and word.startswith("/"):
        yield from _beginning((f"/{name} " for name in COMMANDS), word)
    elif word.startswith("@"):
        yield from _beginning((f"@{name} " for name in names), word)
    elif head.startswith("/"):
        command = COMMANDS.get(head.split(" ")[0][1:])
        if command is not None and command.takes_member:
            yield from _beginning(names, word)


def _beginning(words: Iterable[str], begun: str) -> Iterator[tuple[str, int]]:
    wanted = begun.casefold()
    return ((word, len(begun)) for word in words if word.casefold().startswith(wanted))
