"""While a person takes part, no view shows what their chair may not know."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence

import msgspec
import pytest
from tests.unit.cli.duels import plain_console
from tests.unit.protocol.examples import EXAMPLES
from tests.unit.protocol.playing import Play, council, duel, readable, rounds
from tests.unit.protocol.rooms import room

from moot import prompts
from moot.api.debate_views import debate_view
from moot.api.events import Frames
from moot.api.views import turn_view
from moot.cli.view.debate import print_events, print_transcript
from moot.cli.view.json_lines import JsonView
from moot.cli.view.live import LiveView
from moot.engine.feed import TextWritten
from moot.engine.people import asked
from moot.errors import InvalidInput, Refused
from moot.export import EXPORTS, render
from moot.protocol import events as e
from moot.protocol.formats.council import seats
from moot.protocol.log import begin, fold
from moot.protocol.registry import FORMATS
from moot.protocol.row import Cursor
from moot.protocol.state import INHERITED, DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.visibility import Veil, is_lifted, shown, veil_of
from moot.protocol.words import HIDDEN, HUMAN, USER, Finish, Role, Status, StepKind, Visibility

TELLING = (StepKind.CRITIQUE, StepKind.VOTE, StepKind.SYNTHESIZE)
"""What says whose proposal it is about, so that its author is not shown it again either."""
JUDGED = (StepKind.EVALUATE, StepKind.SCORE, StepKind.DELIBERATE, StepKind.CONFIRM)


def seated(config: Config, *people: str) -> Config:
    """The same, with these chairs and no others taken by people."""
    roster = tuple(
        msgspec.structs.replace(one, model=HUMAN if one.id in people else "")
        for one in config.participants
    )
    return msgspec.structs.replace(config, participants=roster)


# --- every view there is --------------------------------------------------------------------------


def documents(log: Sequence[e.Recorded]) -> Iterator[str]:
    for kind in EXPORTS:
        try:
            yield render(log, kind, debate_id="x1")
        except (InvalidInput, Refused):  # a document of another format; the log, whole or not
            continue


def answers(log: Sequence[e.Recorded]) -> str:
    """What HTTP answers: the debate, its turns with all that is private, and the event stream."""
    state, told = fold(log), shown(log).state
    veil, frames = veil_of(state), Frames()
    view = debate_view("x1", state, Cursor(), shown=told if veil.is_drawn else state)
    turns = [turn_view(turn, is_private=True) for turn in told.transcript()]
    sent = (
        frames.of_event("x1", record, Status.RUNNING, is_private=True, veil=veil) for record in log
    )
    parts = (msgspec.json.encode(view), msgspec.json.encode(turns), *sent)
    return b"".join(parts).decode()


class Watched:
    """A terminal that follows the debate, with text as it is written, and one that prints JSON."""

    def __init__(self, created: e.Recorded) -> None:
        console, self._out = plain_console(is_terminal=True)
        self.live = LiveView(console, "x1", begin(created), is_live=True)
        self.json = JsonView("x1", begin(created))

    def take(self, log: Sequence[e.Recorded]) -> None:
        for record in log:
            self.live.take(record)
            self.json.take(record)

    def write(self, step: Step, text: str) -> None:
        self.live.take(TextWritten(step, text))

    @property
    def text(self) -> str:
        return self._out.getvalue()


def printed(log: Sequence[e.Recorded], capsys: pytest.CaptureFixture[str]) -> str:
    for is_private in (True, False):
        print_transcript("x1", log, with_private=is_private)
        print_events("x1", log, with_private=is_private)
    return capsys.readouterr().out


# --- a debate with a canary in every turn ---------------------------------------------------------


class Canaries:
    """Plays a debate and knows which canary may be seen by whom."""

    def __init__(self, config: Config) -> None:
        self.played = Play(FORMATS[config.format], config)
        self.watched = Watched(self.played.log[0])
        self.people = {one.id for one in config.participants if one.is_human}
        self._secrets: dict[str, str] = {}
        self._early: dict[str, tuple[str, int, StepKind]] = {}

    def step(self) -> Step | None:
        """People answer last, so that there is as much to hide as possible."""
        ready = sorted(self.played.ready(), key=self._is_person)
        return ready[0] if ready else None

    def _is_person(self, step: Step) -> bool:
        return step.participant in (*self.people, USER)

    def perform(self, step: Step) -> None:
        key = step.key.replace("/", "-")
        if self._is_person(step):
            self.played.perform(step, readable(step), model="")
            return
        secret = step.visibility is Visibility.PRIVATE or step.kind in JUDGED
        canary = f"canary-{key}."
        if secret:
            self._secrets[canary] = step.participant
        else:
            self._early[canary] = (step.stage, step.round, step.kind)
        self._secrets[f"canary-thought-{key}."] = step.participant
        text = readable(step).replace("<", f"{canary} <")
        text = text if canary in text else f"{canary} {text}"
        self.watched.write(step, text)
        self.played.perform(step, text, reasoning=f"canary-thought-{key}.")

    def hidden(self) -> set[str]:
        """The canaries that no view may have now."""
        if self.played.state.status.is_terminal:
            return set()
        owed = {
            (step.stage, step.round, step.kind)
            for step in self.played.ready()
            if step.participant in self.people and self.played.form.name == "council"
        }
        secrets = {one for one, whose in self._secrets.items() if self.people - {whose}}
        early = {one for one, at in self._early.items() if at in owed}
        # What has no names is read in what one is asked, and nowhere else; see the test below.
        asked = "".join(
            one.event.text for one in self.played.log if isinstance(one.event, e.QuestionOpened)
        )
        unnamed = {
            one
            for one, (_, _, kind) in self._early.items()
            if kind in self.played.form.unnamed and one not in asked
        }
        return secrets | early | unnamed

    @property
    def early(self) -> set[str]:
        return set(self._early)

    @property
    def secrets(self) -> set[str]:
        return {one for one in self._secrets if "thought" not in one}


PLAYED = {"duel": (2,), "rounds": (2,), "council": (1, 4), "standard": (0,), "custom": (3,)}
"""Which of the examples are played; of other formats the first."""


def chairs() -> Iterator[tuple[str, Config]]:
    for name, configs in EXAMPLES.items():
        for number in PLAYED.get(name, (0,)):
            everybody = [one.id for one in configs[number].participants]
            for who in [(one,) for one in everybody] + [tuple(everybody[:2])]:
                yield f"{name}-{number}-{'+'.join(who)}", seated(configs[number], *who)


CHAIRS = dict(chairs())


@pytest.mark.parametrize("config", CHAIRS.values(), ids=CHAIRS)
def test_no_view_shows_what_a_chair_may_not_know(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    at = Canaries(config)
    of = 3 if config.format == "council" else 1  # it has many turns, and each view tells all
    taken = 1
    while step := at.step():
        at.perform(step)
        log = at.played.log
        hidden = at.hidden()
        at.watched.take(log[taken:])
        taken = len(log)
        if at.played.state.status.is_terminal:
            break
        if len(at.played.state.turns) % of:
            continue
        views = (*documents(log), answers(log), at.watched.text, printed(log, capsys))
        for view in views:
            assert not [canary for canary in hidden if canary in view], step.key
    log = at.played.log
    told = answers(log) + "".join(documents(log)) + printed(log, capsys)
    assert not [canary for canary in at.secrets if canary not in told]


def test_what_is_hidden_is_said_to_be_hidden_and_who_is_at_work_is_not() -> None:
    at = Canaries(seated(duel(turns=2), "ada"))
    for _ in range(3):
        step = at.step()
        assert step is not None
        at.perform(step)
    plan = shown(at.played.log).state.turns["planning/1/bo/plan"].said
    assert (plan.content, plan.data, plan.prompt, plan.flags) == ("", None, "", (HIDDEN,))
    assert "hidden until the debate is over" in render(at.played.log, "md", debate_id="x1")


def test_open_cards_show_everything_and_the_result_says_so() -> None:
    at = Canaries(seated(duel(turns=2), "ada"))
    while (step := at.step()) and len(at.secrets) < 2:
        at.perform(step)
    assert not any(canary in answers(at.played.log) for canary in at.secrets)
    at.played.append(e.CardsOpened())
    assert is_lifted(at.played.log, len(at.played.log))
    assert all(canary in answers(at.played.log) for canary in at.secrets)
    log = at.played.run().log
    assert "layed with open cards" in render(log, "md", debate_id="x1")
    assert "layed with open cards" in render(log, "html", debate_id="x1")
    assert '"has_open_cards": true' in render(log, "json", debate_id="x1")
    console, out = plain_console()
    LiveView(console, "x1", fold(log)).finish()
    assert "Played with open cards" in out.getvalue()


@pytest.mark.parametrize("who", ["ada", "bo", "judith"])
def test_whoever_sits_on_a_council_learns_whose_a_proposal_was_only_at_its_end(who: str) -> None:
    at = Canaries(seated(council(3, rounds=2), who))
    while step := at.step():
        at.perform(step)
        if at.played.state.status.is_terminal:
            break
        for turn in shown(at.played.log).state.turns.values():
            said = turn.said
            if said.kind not in at.played.form.unnamed:
                continue
            if said.participant == who and said.kind not in TELLING:
                assert said.content
                assert not re.search(r"[AB1-9] \((?:Ada|Bo|Cy)\)", said.content)
            else:
                assert (said.content, said.data, said.flags) == ("", None, (HIDDEN,))
    told = answers(at.played.log)
    assert all(canary in told for canary in at.early)


ASKED = ("text", "form", "prompt", "content", "data")
"""What a person may read by labels: what they are asked, and their own words."""


def told_of_names(at: Canaries) -> str:
    """Everything that views are made of, but for what has labels and no names."""
    log = at.played.log
    found = shown(log)
    view = debate_view("x1", at.played.state, Cursor(), shown=found.state)
    events = msgspec.to_builtins([(one.seq, one.event) for one in found.log])
    for question in (*view.questions, *(event for _, event in events)):
        told = question if isinstance(question, dict) else {}
        for name in ASKED:
            told.pop(name, None)
    rest = msgspec.to_builtins(view)
    rest["questions"] = [one.id for one in view.questions]
    return msgspec.json.encode([events, rest]).decode()


def asked_of(at: Canaries, step: Step) -> None:
    """Open the question that a person's step is, as the engine does."""
    at.played.append(asked(at.played.state, step, at.played.now))


MAPPED = re.compile(r"(?:Proposal|Critic)s? (?:[A-J]|\d) \((?:Ada|Bo|Cy)\)|, as Critic \d")


@pytest.mark.parametrize("who", ["ada", "bo", "judith"])
@pytest.mark.parametrize("decision", ["synthesis", "rank"])
def test_no_view_of_a_council_tells_whose_a_label_is(
    who: str,
    decision: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two councils that differ only in who has which label are told in the same words."""
    told: list[list[str]] = []
    for salt in ("", "other"):
        monkeypatch.setattr(
            seats,
            "shuffle_key",
            lambda *texts, salt=salt: hashlib.blake2b("|".join((salt, *texts)).encode()).digest(),
        )
        config = council(3, rounds=2, termination="convergence", threshold=100, decision=decision)
        at = Canaries(seated(config, who))
        told.append([])
        while step := at.step():
            if at._is_person(step):
                asked_of(at, step)
                told[-1].append(told_of_names(at))
                views = (*documents(at.played.log), answers(at.played.log))
                assert not [one for one in views if MAPPED.search(one)]
                assert not MAPPED.search(printed(at.played.log, capsys))
            at.perform(step)
    assert len(told[0]) >= 3
    assert told[0] == told[1]


def test_what_is_read_without_a_name_does_not_tell_how_long_it_was_and_the_sum_is_told() -> None:
    at = Canaries(seated(council(3, rounds=1), "bo"))
    spent = Usage(input_tokens=5, output_tokens=70, cost_usd=0.5)
    step = at.step()
    assert step is not None
    at.played.perform(
        step, readable(step), usage=spent, duration_ms=900, finish=Finish.LENGTH, model="x:y"
    )
    found = shown(at.played.log).state
    said = found.turns[step.key].said
    assert (said.usage, said.duration_ms, said.finish) == (Usage(cost_usd=0.0), 0, Finish.STOP)
    assert found.usage == spent
    exported = json.loads(render(at.played.log, "json", debate_id="x1"))
    assert exported["debate"]["usage"]["output_tokens"] == 70
    assert exported["turns"][0]["meta"]["usage"]["output_tokens"] == 0
    at.played.append(e.CardsOpened())
    assert shown(at.played.log).state.turns[step.key].said.usage == spent


def test_a_person_on_a_council_is_asked_with_all_that_a_model_is_told_and_no_name() -> None:
    at = Canaries(seated(council(3, rounds=2), "bo"))
    told: dict[StepKind, str] = {}
    while step := at.step():
        if step.participant == "bo":
            told[step.kind] = told.get(step.kind, "") + prompts.render(
                step.for_people or step.prompt
            )
        at.perform(step)
    assert "canary-proposal-1-ada-propose." in told[StepKind.CRITIQUE]
    assert "canary-proposal-1-cy-propose." in told[StepKind.CRITIQUE]
    assert "canary-critique-1-ada-critique-bo." in told[StepKind.REFINE]
    for text in told.values():
        assert "Ada" not in text
        assert "Cy" not in text


def test_a_person_who_judges_a_council_is_shown_the_proposals_by_their_letters() -> None:
    at = Canaries(seated(council(3, rounds=1, termination="convergence"), "judith"))
    told = ""
    while step := at.step():
        if step.kind is StepKind.EVALUATE:
            told = prompts.render(step.for_people or step.prompt)
        at.perform(step)
    assert "canary-refinement-1-ada-refine." in told
    assert "Proposal A" in told
    assert "Ada" not in told


def test_a_person_who_writes_the_solution_is_shown_what_a_model_would_have_read() -> None:
    at = Canaries(seated(council(3, rounds=2, termination="fixed"), "judith"))
    while (step := at.step()) and step.kind is not StepKind.SYNTHESIZE:
        at.perform(step)
    assert step is not None
    told = prompts.render(step.for_people or step.prompt)
    for one in ("ada", "bo", "cy"):
        assert f"canary-refinement-2-{one}-refine." in told
        assert f"canary-proposal-1-{one}-propose." in told  # the reasons and the risks
        for by in {"ada", "bo", "cy"} - {one}:
            assert f"canary-critique-2-{by}-critique-{one}." in told
            assert f"canary-critique-1-{by}-critique-{one}." not in told
    order = re.findall(r"^\[([^\]]+)\]:", told, re.MULTILINE)
    assert order[:4] == [
        "Proposal A",
        "Critic 1 on Proposal A",
        "Critic 2 on Proposal A",
        "Proposal B",
    ]
    assert all(f"\n  {heading}:" in told for heading in ("Reasons", "Risks", "Accepted"))
    assert not re.search(r"\b(?:Ada|Bo|Cy)\b", told)


def test_the_names_in_what_a_person_judged_are_not_shown_to_them() -> None:
    at = Canaries(seated(council(3, rounds=2, termination="convergence"), "judith"))
    while (step := at.step()) and step.kind is not StepKind.EVALUATE:
        at.perform(step)
    assert step is not None
    said = '{"reasons": "Proposal A is best.", "confidence": 10, "quality": 60}'
    at.played.perform(step, said, model="")
    assert re.search(r"Proposal A \(\w+\)", at.played.state.turns[step.key].said.content)
    told = shown(at.played.log).state.turns[step.key].said
    assert "Proposal A is best." in told.content
    assert not re.search(r"Proposal A \(", told.content)
    assert not MAPPED.search(answers(at.played.log))


def test_a_council_that_was_forked_tells_no_name_while_somebody_plays_the_original() -> None:
    at = Canaries(council(3, rounds=1))
    while step := at.step():
        at.perform(step)
    log = [_inherited(record) for record in at.played.log]
    assert fold(log).outcome is not None
    source = veil_of(fold(Canaries(seated(council(3, rounds=1), "bo")).played.log))
    played = Veil(chairs=dict.fromkeys(source.chairs))  # somebody plays, and owes nothing just now
    found = shown(log, [played]).state
    assert found.outcome is None
    assert not [
        turn.said.step_key
        for turn in found.turns.values()
        if turn.said.content and turn.said.participant != "bo"
    ]


def _inherited(record: e.Recorded) -> e.Recorded:
    event = record.event
    if not isinstance(event, e.TurnRecorded):
        return record
    event = msgspec.structs.replace(event, flags=(*event.flags, INHERITED))
    return e.Recorded(record.seq, record.at, event)


def test_the_veil_of_a_council_is_lifted_by_its_end_and_by_nothing_else() -> None:
    at = Canaries(seated(council(3, rounds=1), "bo"))
    while step := at.step():
        at.perform(step)
    log = at.played.log
    lifted = [
        record.event.step_key if isinstance(record.event, e.TurnRecorded) else type(record.event)
        for record in log
        if is_lifted(log, record.seq)
    ]
    assert lifted == [e.DebateCompleted]


@pytest.mark.parametrize("config", [duel(turns=2), rounds(max_rounds=1)])
def test_nothing_is_hidden_where_no_person_takes_part(config: Config) -> None:
    log = Canaries(config).played.run(most=5).log
    assert not veil_of(fold(log)).is_drawn
    assert shown(log).log is log


def test_in_a_room_nothing_is_private() -> None:
    ann = Participant(id="ann", name="Ann", role=Role.MEMBER, model=HUMAN)
    state: DebateState = Play(FORMATS["room"], room(ann)).state
    assert not veil_of(state).is_drawn


def test_a_note_for_others_is_hidden_from_a_debater_and_one_for_all_is_not() -> None:
    config = seated(rounds(max_rounds=3, checkpoint="every_round"), "ada")
    for to, is_hidden in (("bo", True), ("ada", False), ("all", False)):
        played = Play(FORMATS["rounds"], config)
        while (step := played.ready()[0]).participant != USER:
            played.perform(step, readable(step))
        note = {"action": "guide", "note": "canary", "to": to, "visibility": "private"}
        played.perform(step, msgspec.json.encode(note).decode(), model="")
        assert ("canary" not in render(played.log, "json", debate_id="x1")) is is_hidden
