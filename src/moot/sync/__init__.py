"""The library without `await`, for scripts and notebooks.

    with moot.sync.open() as m:
        debate = m.create("Should cities be car-free?", turns=4)
        for turn in debate.run():
            print(turn.participant, turn.content)
        print(debate.winner)

Every verb is the same as in `moot.library`, takes the same arguments, and returns when it is done.
Moot itself runs in a thread with an event loop of its own, so all of this works inside a running
loop, as in a notebook. Ctrl-C interrupts the verb that is waited for, and cuts off its calls.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from moot import library
from moot.engine.feed import Item
from moot.engine.people import Given
from moot.engine.reads import FoundDebate
from moot.library import Panel
from moot.models.own import ModelFunction
from moot.models.port import Models
from moot.protocol.events import TurnRecorded
from moot.protocol.outcomes import Certificate, Outcome
from moot.protocol.row import DebateRow
from moot.protocol.state import DebateState
from moot.protocol.values import Participant, Persona
from moot.protocol.words import USER, Pacing, Status
from moot.sync.background import Background

Rows = list[DebateRow]
Finds = list[FoundDebate]
Panels = list[Panel]


class Debate:
    """One debate, by its `id`; see `moot.Debate`."""

    def __init__(self, background: Background, debate: library.Debate) -> None:
        self._background = background
        self._debate = debate

    def __repr__(self) -> str:
        return repr(self._debate)

    @property
    def id(self) -> str:
        """See `moot.Debate`."""
        return self._debate.id

    @property
    def state(self) -> DebateState:
        """See `moot.Debate`."""
        return self._debate.state

    @property
    def topic(self) -> str:
        """See `moot.Debate.topic`."""
        return self._debate.topic

    @property
    def title(self) -> str:
        """See `moot.Debate.title`."""
        return self._debate.title

    @property
    def status(self) -> Status:
        """See `moot.Debate.status`."""
        return self._debate.status

    @property
    def outcome(self) -> Outcome | None:
        """See `moot.Debate.outcome`."""
        return self._debate.outcome

    @property
    def winner(self) -> str | None:
        """See `moot.Debate.winner`."""
        return self._debate.winner

    @property
    def scores(self) -> dict[str, int | float] | None:
        """See `moot.Debate.scores`."""
        return self._debate.scores

    @property
    def cost_usd(self) -> float | None:
        """See `moot.Debate.cost_usd`."""
        return self._debate.cost_usd

    @property
    def turns(self) -> list[TurnRecorded]:
        """See `moot.Debate.turns`."""
        return self._debate.turns

    def refresh(self) -> DebateState:
        """See `moot.Debate.refresh`."""
        return self._background.do(self._debate.refresh())

    def seen_by(self, participant: str) -> Debate:
        """See `moot.Debate.seen_by`."""
        return self._another(self._debate.seen_by(participant))

    def unveiled(self) -> Debate:
        """See `moot.Debate.unveiled`."""
        return self._another(self._debate.unveiled())

    def finish(self) -> Outcome | None:
        """See `moot.Debate.finish`."""
        return self._background.do(self._debate.finish())

    def run(self) -> Generator[TurnRecorded, None, None]:
        """See `moot.Debate.run`."""
        return self._background.each(self._debate.run())

    def stream(self, *, text: bool = False) -> Generator[Item, None, None]:
        """See `moot.Debate.stream`."""
        return self._background.each(self._debate.stream(text=text))

    def answer(self, question_id: str, given: Given) -> None:
        """See `moot.Debate.answer`."""
        self._background.do(self._debate.answer(question_id, given))

    def say(self, content: str) -> None:
        """See `moot.Debate.say`."""
        self._background.do(self._debate.say(content))

    def reveal(self) -> None:
        """See `moot.Debate.reveal`."""
        self._background.do(self._debate.reveal())

    def command(self, name: str) -> None:
        """See `moot.Debate.command`."""
        self._background.do(self._debate.command(name))

    def rename(self, title: str) -> None:
        """See `moot.Debate.rename`."""
        self._background.do(self._debate.rename(title))

    def pace(self, pacing: Pacing | str) -> None:
        """See `moot.Debate.pace`."""
        self._background.do(self._debate.pace(pacing))

    def choose(self, turns: Sequence[int]) -> None:
        """See `moot.Debate.choose`."""
        self._background.do(self._debate.choose(turns))

    def include(self, turn: int, included: bool = True) -> None:
        """See `moot.Debate.include`."""
        self._background.do(self._debate.include(turn, included))

    def join(self, newcomer: Participant | Persona) -> None:
        """See `moot.Debate.join`."""
        self._background.do(self._debate.join(newcomer))

    def leave(self, participant: str) -> None:
        """See `moot.Debate.leave`."""
        self._background.do(self._debate.leave(participant))

    def mute(self, participant: str, muted: bool = True) -> None:
        """See `moot.Debate.mute`."""
        self._background.do(self._debate.mute(participant, muted))

    def change(self, **settings: Any) -> None:
        """See `moot.Debate.change`."""
        self._background.do(self._debate.change(**settings))

    def fork(
        self,
        *,
        at: int | None = None,
        models: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Debate:
        """See `moot.Debate.fork`."""
        return self._another(self._debate.fork(at=at, models=models, settings=settings))

    def rematch(
        self,
        *,
        swap: bool = False,
        model: str | None = None,
        judge_model: str | None = None,
        models: Mapping[str, str] | None = None,
        seed: int | None = None,
    ) -> Debate:
        """See `moot.Debate.rematch`."""
        making = self._debate.rematch(
            swap=swap, model=model, judge_model=judge_model, models=models, seed=seed
        )
        return self._another(making)

    def label(self, winner: str, *, by: str = USER, note: str = "") -> None:
        """See `moot.Debate.label`."""
        self._background.do(self._debate.label(winner, by=by, note=note))

    def labels(self) -> dict[str, str]:
        """See `moot.Debate.labels`."""
        return self._background.do(self._debate.labels())

    def certificate(self) -> Certificate | None:
        """See `moot.Debate.certificate`."""
        return self._background.do(self._debate.certificate())

    def export(self, kind: str = "md") -> str:
        """See `moot.Debate.export`."""
        return self._background.do(self._debate.export(kind))

    def delete(self) -> None:
        """See `moot.Debate.delete`."""
        self._background.do(self._debate.delete())

    def _another(self, making: Coroutine[Any, Any, library.Debate]) -> Debate:
        return Debate(self._background, self._background.do(making))


class Moot:
    """An open Moot, see `moot.Moot`. Closed by `close`, or at the end of a `with` block."""

    def __init__(self, background: Background) -> None:
        self._background = background

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._background.close(is_cut=isinstance(error, KeyboardInterrupt))

    def close(self) -> None:
        """Let calls under way finish, as `moot.open` does on its way out, and close everything."""
        self._background.close()

    def create(  # noqa: PLR0913 - what a debate is made of, each by name
        self,
        topic: str,
        *,
        format: str | None = None,  # noqa: A002 - the glossary's word
        participants: Sequence[Participant | Persona | str] = (),
        team: str | None = None,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """See `moot.Moot.create`."""
        making = self._background.moot.create(
            topic,
            format=format,
            participants=participants,
            team=team,
            seed=seed,
            model=model,
            judge_model=judge_model,
            idempotency_key=idempotency_key,
            **settings,
        )
        return self._debate(making)

    def load(
        self,
        path_or_name: str | Path,
        *,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """See `moot.Moot.load`."""
        making = self._background.moot.load(
            path_or_name,
            seed=seed,
            model=model,
            judge_model=judge_model,
            idempotency_key=idempotency_key,
            **settings,
        )
        return self._debate(making)

    def ask(  # noqa: PLR0913 - what a question is made of, each by name
        self,
        panel: str | Path | Panel,
        question: str,
        *,
        after: Debate | str | None = None,
        seed: int | None = None,
        model: str | None = None,
        judge_model: str | None = None,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> library.Answer:
        """See `moot.Moot.ask`."""
        asking = self._background.moot.ask(
            panel,
            question,
            after=after.id if isinstance(after, Debate) else after,
            seed=seed,
            model=model,
            judge_model=judge_model,
            idempotency_key=idempotency_key,
            **settings,
        )
        return self._background.do(asking)

    def judge(
        self,
        debate: Debate | str,
        bench: Sequence[str] = (),
        *,
        idempotency_key: str | None = None,
        **settings: Any,
    ) -> Debate:
        """See `moot.Moot.judge`."""
        making = self._background.moot.judge(
            debate.id if isinstance(debate, Debate) else debate,
            bench,
            idempotency_key=idempotency_key,
            **settings,
        )
        return Debate(self._background, self._background.do(making))

    def panels(self) -> Panels:
        """See `moot.Moot.panels`."""
        return self._background.do(self._background.moot.panels())

    def import_log(self, log: bytes | str | Path) -> Debate:
        """See `moot.Moot.import_log`."""
        return self._debate(self._background.moot.import_log(log))

    def get(self, debate_id: str) -> Debate:
        """See `moot.Moot.get`."""
        return self._debate(self._background.moot.get(debate_id))

    def list(
        self,
        *,
        status: Status | str | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
    ) -> Rows:
        """See `moot.Moot.list`."""
        finding = self._background.moot.list(
            status=status, format=format, door=door, query=query, limit=limit
        )
        return self._background.do(finding)

    def search(
        self,
        query: str,
        *,
        status: Status | str | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        limit: int = 20,
    ) -> Finds:
        """See `moot.Moot.search`."""
        finding = self._background.moot.search(query, status=status, format=format, limit=limit)
        return self._background.do(finding)

    def _debate(self, making: Coroutine[Any, Any, library.Debate]) -> Debate:
        return Debate(self._background, self._background.do(making))


def open(  # noqa: A001 - the word of the library
    *,
    home: str | Path | None = None,
    database_url: str | None = None,
    models: Mapping[str, ModelFunction] | Models | None = None,
) -> Moot:
    """See `moot.open`. Opens at once: use it in a `with` block, or `close` it yourself."""
    opening = library.open_moot(home=home, database_url=database_url, models=models)
    return Moot(Background(opening))
