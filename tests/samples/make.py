"""Makes the samples that come with Moot: `python -m tests.samples.make`.

The texts are in the YAML files beside this one: written by us, each under the key of its step. They
are played through the rules of their formats, which write the prompts, decide who is next and what
came of it, at a time that is always the same. So the logs can be made again, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from tests.unit.protocol.playing import Play, configured
from tests.unit.protocol.rooms import Talking

from moot.definitions.documents import parse
from moot.protocol import events as e
from moot.protocol.formats.council.ballots import labelled, versions
from moot.protocol.formats.council.seats import critic_label, proposal_label
from moot.protocol.log import written
from moot.protocol.registry import FORMATS
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import SAMPLE_MODEL, Status

HERE = Path(__file__).parent
SHIPPED = Path(str(files("moot"))) / "data" / "samples"
WRITTEN = datetime(2026, 11, 2, 9, tzinfo=UTC)
WORDS_A_SECOND = 3
LABEL = re.compile(r"\{(critic|proposal):(\w+)\}")


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of texts: `turns` by step key, or of a room the `course`, speaker by speaker."""

    format: str
    topic: str
    participants: tuple[Participant, ...]
    settings: dict[str, Any] = {}
    turns: dict[str, Any] = {}
    course: tuple[dict[str, str], ...] = ()


def names() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.yaml"))


@cache
def text(name: str) -> Text:
    return msgspec.convert(parse((HERE / f"{name}.yaml").read_bytes(), name).data, Text)


def log_of(name: str) -> str:
    """The file that is shipped under that name."""
    return written(retimed(played(text(name)).log), {}, f"sample-{name}")


def played(given: Text) -> Play:
    """The debate, to its end. Every text is used, and no step is without one."""
    play = _talked(given) if given.course else _debated(given)
    assert play.state.status is Status.COMPLETED, play.state.status
    return play


def _config(given: Text) -> Config:
    people = [msgspec.structs.replace(one, model=SAMPLE_MODEL) for one in given.participants]
    return configured(given.format, people, given.topic, **given.settings)


def _debated(given: Text) -> Play:
    play = Play(FORMATS[given.format], _config(given))
    unused = dict(given.turns)
    while ready := play.ready():
        step = ready[0]
        play.perform(step, _reply(play.state, step, unused.pop(step.key)), model=SAMPLE_MODEL)
    assert not unused, sorted(unused)
    return play


def _reply(state: DebateState, step: Step, given: Any) -> str:
    if isinstance(given, Mapping) and "before" in given.get("ratings", {}):
        given = {**given, "ratings": _by_letter(state, given["ratings"])}
    reply = given if isinstance(given, str) else msgspec.json.encode(given).decode()

    def label(found: re.Match[str]) -> str:
        if found[1] == "proposal":
            return proposal_label(state, found[2])
        return critic_label(state, by=found[2], of=step.participant)

    return LABEL.sub(label, reply)


def _by_letter(state: DebateState, ratings: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    ids = {one.name: one.id for one in state.participants.values()}
    by_text = {one.text: ratings[one.when][ids[one.name]] for one in versions(state)}
    return {letter: by_text[words] for letter, words in labelled(state).items()}


class Told(Talking):
    """A room of those who are given, begun as the engine begins one."""

    def __init__(self, config: Config) -> None:
        self._config = config
        Play.__init__(self, FORMATS["room"], config)

    def append(self, *events: e.AnyEvent, after: timedelta = timedelta(seconds=1)) -> None:
        if events and isinstance(events[0], e.DebateStarted):
            super().append(*self.form.opening(self._config), after=timedelta())
        super().append(*events, after=after)


def _talked(given: Text) -> Play:
    talk = Told(_config(given))
    talk.say("")
    for line in given.course:
        ((who, words),) = line.items()
        step = talk.ready()[0]
        assert step.participant == who, f"{step.participant} is next, not {who}: {words[:40]}"
        talk.perform(step, words, model=SAMPLE_MODEL)
    talk.ready()
    talk.append(e.EndRequested())
    talk.ready()
    return talk


def retimed(log: list[e.Recorded]) -> list[e.Recorded]:
    """The same, as slow as somebody speaks, from the moment at which all samples begin."""
    return list(_retimed(log))


def _retimed(log: list[e.Recorded]) -> Iterator[e.Recorded]:
    at = WRITTEN
    for record in log:
        event = record.event
        if isinstance(event, e.TurnRecorded):
            at += timedelta(seconds=1 + len(event.content.split()) // WORDS_A_SECOND)
        yield e.Recorded(record.seq, at, event)


def main() -> None:
    SHIPPED.mkdir(exist_ok=True)
    for name in names():
        (SHIPPED / f"{name}.jsonl").write_text(log_of(name), "utf-8")


if __name__ == "__main__":
    main()
