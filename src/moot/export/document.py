"""What a reader is shown, whatever the document: cast, sections, statements, scores.

Built on stage, round, kind and visibility, so that it serves every format. Nothing is rendered
here, and nothing here knows one format from another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby

import msgspec

from moot.protocol.events import NoticePosted
from moot.protocol.occasions import is_left_out
from moot.protocol.outcomes import HIGHEST, LOWEST
from moot.protocol.registry import FORMATS
from moot.protocol.roster import is_alternative
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Participant
from moot.protocol.vocabulary import BUDGET_NOT_HELD, FILES_LEFT_OUT
from moot.protocol.words import HIDDEN, SKIPPED, USER, Role, Stance, StepKind, Visibility

OF_THE_HOUSE = frozenset({BUDGET_NOT_HELD, FILES_LEFT_OUT})
"""Notices about money and files, for whoever runs the debate."""
SIDES = {Stance.PRO: "for", Stance.CON: "against", Stance.NONE: ""}


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """A participant as the reader meets it. `number` counts from 1 in the order of the cast."""

    id: str
    name: str
    number: int
    title: str = ""
    role: str = ""
    stance: Stance = Stance.NONE
    argues: str = ""
    model: str = ""
    color: str = ""
    has_left: bool = False

    @property
    def side(self) -> str:
        return self.argues if is_alternative(self.argues) else SIDES[self.stance]

    @property
    def stands(self) -> str:
        """The side, and what it argues."""
        is_said = not self.argues or is_alternative(self.argues)
        return self.side if is_said else f"{self.side}: argues {self.argues}"


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What `scorer` gave `scored` after a statement. `value` is None if it could not be read."""

    statement: int
    scored: Speaker
    scorer: Speaker
    value: float | int | None
    reasoning: str


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """The scores one participant got from one judge, in order."""

    label: str
    scored: Speaker
    scores: tuple[Score, ...]

    @property
    def readable(self) -> list[Score]:
        return [score for score in self.scores if score.value is not None]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A turn with its speaker. Statements are numbered from 1."""

    turn: Turn
    speaker: Speaker
    statement: int | None = None
    score: Score | None = None
    notices: tuple[str, ...] = ()
    """What people had been told before the turn."""

    @property
    def is_skipped(self) -> bool:
        """Whether nothing was said: a notice says so, or a person was never asked for it."""
        return SKIPPED in self.turn.said.flags or is_left_out(self.turn.said)

    @property
    def is_private(self) -> bool:
        return self.turn.said.visibility is Visibility.PRIVATE


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Turns of one stage and round that follow each other."""

    stage: str
    round: int
    entries: tuple[Entry, ...]
    notices: tuple[str, ...] = ()
    """What people had been told at the end of the section before."""

    @property
    def is_private(self) -> bool:
        return all(entry.is_private for entry in self.entries)


class Document:
    """A folded debate, arranged for reading."""

    def __init__(self, state: DebateState, debate_id: str, *, is_public: bool = False) -> None:
        """If `is_public`, only the scores are included of all that was said in private."""
        self.state = state
        self.is_public = is_public
        self.id = debate_id
        self.name = state.name
        self.topic = state.config.topic if state.title else ""
        """The topic, if the debate has a title of its own; else empty."""
        self.premise = state.settings.premise

    @property
    def wants_verdict(self) -> bool:
        """Whether a reader would miss a verdict if there is none."""
        rules = FORMATS.get(self.state.config.format)
        return rules is None or rules.gives_verdict

    @cached_property
    def speakers(self) -> dict[str, Speaker]:
        """The cast in the order of the roster, then those who left, then strangers in the log."""
        state = self.state
        found = [*state.participants.values(), *state.left.values()]
        cast = {
            one.id: _speaker(one, number, has_left=one.id in state.left)
            for number, one in enumerate(found, 1)
        }
        for turn in state.transcript():
            who = turn.said.participant
            cast.setdefault(who, _stranger(state, who, len(cast) + 1))
        return cast

    def speaker(self, participant: str) -> Speaker:
        found = self.speakers.get(participant)
        return found or _stranger(self.state, participant, len(self.speakers) + 1)

    @cached_property
    def transcript(self) -> list[Entry]:
        posted = self._posted()
        told = 0
        made: list[Entry] = []
        for entry in self._entries():
            before = told
            while told < len(posted) and posted[told][0] < entry.turn.seq:
                told += 1
            texts = tuple(text for _seq, text in posted[before:told])
            made.append(msgspec.structs.replace(entry, notices=texts) if texts else entry)
        return made

    def _posted(self) -> list[tuple[int, str]]:
        unsaid = OF_THE_HOUSE if self.is_public else frozenset()
        notices = ((record.seq, record.event) for record in self.state.notices)
        return [
            (seq, one.text)
            for seq, one in notices
            if isinstance(one, NoticePosted) and one.code not in unsaid
        ]

    @cached_property
    def last_notices(self) -> list[str]:
        """What people were told after the last turn."""
        shown = sum(len(entry.notices) for entry in self.transcript)
        return [text for _seq, text in self._posted()[shown:]]

    def _entries(self) -> Iterator[Entry]:
        for entry in self._all_entries():
            if not self.is_public:
                yield entry
            elif entry.score or not entry.is_private:
                said = msgspec.structs.replace(entry.turn.said, reasoning="")
                turn = msgspec.structs.replace(entry.turn, said=said)
                yield msgspec.structs.replace(entry, turn=turn)

    def _all_entries(self) -> Iterator[Entry]:
        statement, last = 0, None
        for turn in self.state.transcript():
            said, speaker = turn.said, self.speaker(turn.said.participant)
            if SKIPPED in said.flags:
                yield Entry(turn=turn, speaker=speaker)
            elif said.kind is StepKind.SPEAK and said.visibility is Visibility.PUBLIC:
                statement, last = statement + 1, speaker
                yield Entry(turn=turn, speaker=speaker, statement=statement)
            elif said.kind is StepKind.SCORE and last is not None and HIDDEN not in said.flags:
                # A log of 0.1 may not say whom a score is about.
                scored = self.speaker(said.about) if said.about else last
                score = _score(turn, statement, scored, speaker)
                yield Entry(turn=turn, speaker=speaker, score=score)
            else:
                yield Entry(turn=turn, speaker=speaker)

    @cached_property
    def scores(self) -> list[Score]:
        return [entry.score for entry in self.transcript if entry.score]

    @cached_property
    def scores_of(self) -> Mapping[int, list[Score]]:
        """The scores by the number of the statement after which they were given."""
        found: dict[int, list[Score]] = {}
        for score in self.scores:
            found.setdefault(score.statement, []).append(score)
        return found

    @cached_property
    def series(self) -> list[Series]:
        """One line per debater and judge."""
        lines: dict[tuple[str, str], list[Score]] = {}
        for score in self.scores:
            lines.setdefault((score.scored.id, score.scorer.id), []).append(score)
        several = len({scorer for _scored, scorer in lines}) > 1
        return [_series(scores, names_judge=several) for scores in lines.values()]

    @cached_property
    def sections(self) -> list[Section]:
        """The debate in reading order; what a person said outside any stage stays in its place."""
        keys: list[tuple[str, int]] = []
        for entry in self.transcript:
            said = entry.turn.said
            keys.append((said.stage, said.round) if said.stage or not keys else keys[-1])
        grouped = groupby(zip(keys, self.transcript, strict=True), key=lambda pair: pair[0])
        found = [
            Section(stage=stage, round=round_, entries=tuple(entry for _key, entry in pairs))
            for (stage, round_), pairs in grouped
        ]
        return [*found[:1], *map(_after_another, found[1:])]

    def heading(self, section: Section) -> str:
        """`Opening`, or `Exchange, round 2` where a stage has several rounds."""
        title = section.stage.replace("_", " ").strip().capitalize() or "The floor"
        return f"{title}, round {section.round}" if self._rounds[section.stage] > 1 else title

    @cached_property
    def _rounds(self) -> Mapping[str, int]:
        """How many rounds each stage has."""
        return Counter(stage for stage, _ in {(one.stage, one.round) for one in self.sections})

    @cached_property
    def models(self) -> list[str]:
        """The models that really answered, in order of appearance."""
        return list(dict.fromkeys(e.turn.said.model for e in self.transcript if e.turn.said.model))


def _after_another(section: Section) -> Section:
    """The section with its first notices above the heading, not below: a notice is about what was
    said before it."""
    replace = msgspec.structs.replace
    first, *rest = section.entries
    entries = (replace(first, notices=()), *rest)
    return replace(section, entries=entries, notices=first.notices)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _speaker(one: Participant, number: int, *, has_left: bool) -> Speaker:
    return Speaker(
        id=one.id,
        name=one.name,
        number=number,
        title=one.title,
        role=_role(one),
        stance=one.stance,
        argues=one.argues,
        model=one.model,
        color=one.color,
        has_left=has_left,
    )


def _stranger(state: DebateState, who: str, number: int) -> Speaker:
    """Somebody who is on no roster, such as the user."""
    role = "person" if who == USER else ""
    return Speaker(id=who, name=state.label_of(who), number=number, role=role)


def _role(one: Participant) -> str:
    return "person" if one.is_human and one.role is Role.MEMBER else str(one.role)


def _series(scores: Sequence[Score], *, names_judge: bool) -> Series:
    scored, scorer = scores[0].scored, scores[0].scorer
    label = f"{scored.name} by {scorer.name}" if names_judge else scored.name
    return Series(label=label, scored=scored, scores=tuple(scores))


def _score(turn: Turn, statement: int, scored: Speaker, scorer: Speaker) -> Score:
    data = turn.said.data or {}
    return Score(
        statement=statement,
        scored=scored,
        scorer=scorer,
        value=_within(data.get("score")),
        reasoning=_text(data.get("reasoning")),
    )


def _within(value: object) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if LOWEST <= value <= HIGHEST else None
