"""What a client is shown while a panel works: a line for each step, or the texts themselves.

What is private to a participant, or veiled while a person takes part, is never told: of such a
step, only that it was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from moot.engine.feed import Item, StepBegan, TextVoided, TextWritten
from moot.protocol import events as e
from moot.protocol.extracts import cut
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.visibility import Veil
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import USER, Visibility

STEP_MAX = 200
"""Characters of a step that are told."""
_BEGINS_AGAIN = "\n(The reply broke off and begins again.)\n\n"


class Thinking:
    """Tells what is new of one debate, for one client. `how` is the panel's: steps, text or off."""

    def __init__(self, how: str, state: DebateState, veil: Veil) -> None:
        self._tell: Callable[[Item], Iterable[str]] = {
            "steps": self._step,
            "text": self._text,
        }.get(how, lambda _item: ())
        self._names = names_in(state.config)
        self._veil = veil
        # With `text`, turns are shown as they are written, one at a time: this is that one.
        self._leader = ""
        self._led = 0

    def told(self, batch: Iterable[Item]) -> str:
        """What there is to tell of these items; "" if nothing."""
        return "".join(part for item in batch for part in self._tell(item))

    def _step(self, item: Item) -> Iterator[str]:
        match item:
            case e.Recorded(event=e.TurnRecorded() as turn) if turn.participant != USER:
                shown = cut(" ".join(self._said(item, turn).split()), STEP_MAX)
                heading = self._heading(turn)
                yield f"{heading}: {shown}\n\n" if shown else f"{heading}.\n\n"
            case e.Recorded(event=e.StepFailed() as failed):
                yield f"A step failed: {cut(failed.error, STEP_MAX)}\n\n"
            case _:
                pass

    def _text(self, item: Item) -> Iterator[str]:
        match item:
            case StepBegan(step=step) if not self._leader and self._is_open(step):
                self._leader, self._led = step.key, 0
            case TextWritten(step=step, text=text) if step.key == self._leader:
                yield from () if self._led else (f"{self._name(step.participant)}:\n\n",)
                self._led += len(text)
                yield text
            case TextVoided(step=step) if step.key == self._leader and self._led:
                yield _BEGINS_AGAIN
            case e.Recorded(event=e.TurnRecorded() as turn) if turn.participant != USER:
                yield self._whole(item, turn)
            case _:
                yield from self._step(item) if isinstance(item, e.Recorded) else ()

    def _whole(self, item: e.Recorded, turn: e.TurnRecorded) -> str:
        """The turn, or the end of it if it was shown as it was written."""
        if turn.step_key == self._leader:
            self._leader = ""
            if self._led:
                return "\n\n"
        said, heading = self._said(item, turn), self._heading(turn)
        return f"{heading}:\n\n{said}\n\n" if said else f"{heading}.\n\n"

    def _said(self, record: e.Recorded, turn: e.TurnRecorded) -> str:
        shown = self._veil.seen(record).event
        is_public = turn.visibility is Visibility.PUBLIC and isinstance(shown, e.TurnRecorded)
        return shown.content.strip() if is_public and isinstance(shown, e.TurnRecorded) else ""

    def _is_open(self, step: Step) -> bool:
        # An answer with a schema is JSON while it is written: it is told when it can be read.
        is_prose = step.answer.schema is None
        return is_prose and step.visibility is Visibility.PUBLIC and not self._veil.hides(step)

    def _heading(self, turn: e.TurnRecorded) -> str:
        about = f" ({self._name(turn.about)})" if turn.about else ""
        return f"{self._name(turn.participant)} {KINDS[turn.kind].does}{about}"

    def _name(self, participant: str) -> str:
        return self._names.get(participant, participant)


def names_in(config: Config) -> Mapping[str, str]:
    return {one.id: one.name for one in config.participants}
