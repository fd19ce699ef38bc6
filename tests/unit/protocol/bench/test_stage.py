"""A hearing as the last stage of a duel, a debate of rounds and a council."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.unit.protocol.playing import Play, Reply, council, duel, readable, rounds

from moot.errors import InvalidInput
from moot.protocol import certificate_words, events as e
from moot.protocol.bench.asking import STAGE
from moot.protocol.hearing.certificate import CertificateStatus
from moot.protocol.outcomes import Certificate, OutcomeStatus, Verdict, certificate_in, shortened
from moot.protocol.recovering import LEFT_OUT
from moot.protocol.registry import FORMATS
from moot.protocol.settings import read_settings
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.visibility import history
from moot.protocol.words import Role, Status, StepKind, StopReason, View, Visibility

THREE = ("lab:one", "lab:two", "lab:three")
BENCH: dict[str, Any] = {"bench": THREE, "hearing": "adaptive"}
DEBATES = {
    "duel": duel(turns=2, **BENCH),
    "duel-alone": duel(turns=2, judge=False, **BENCH),
    "rounds": rounds(max_rounds=2, **BENCH),
    "rounds-judged": rounds(max_rounds=3, judge_each_round=True, **BENCH),
    "rounds-alone": rounds(max_rounds=1, judge=False, **BENCH),
    "council": council(3, rounds=2, **BENCH),
}
debates = pytest.mark.parametrize("config", DEBATES.values(), ids=list(DEBATES))


def for_side(side: str) -> Reply:
    """All judges of the bench are for that side, whatever it is called."""

    def reply(step: Step) -> str:
        if step.stage != STAGE:
            return readable(step)
        sides: dict[str, str] = getattr(step.answer, "sides")  # noqa: B009 - of a hearing's ballot
        winner = next(label for label, one in sides.items() if one == side)
        return json.dumps({"reasons": "It is sound.", "winner": winner, "margin": 2})

    return reply


def played(config: Config, reply: Reply | None = None) -> Play:
    return Play(FORMATS[config.format], config).run(reply or for_side("bo"))


def told(play: Play) -> Certificate:
    found = certificate_in(play.state.outcome)
    assert found is not None
    return found


def at_the_hearing(config: Config) -> Play:
    """Played until the first ballots are due."""
    play = Play(FORMATS[config.format], config)
    while (ready := play.ready()) and ready[0].stage != STAGE:
        play.perform(ready[0], readable(ready[0]))
    assert ready
    return play


def ballots(play: Play) -> list[str]:
    return [key for key in play.state.turns if key.startswith(f"{STAGE}/")]


@debates
def test_a_bench_of_one_mind_comes_to_stable(config: Config) -> None:
    play = played(config)
    assert play.state.status is Status.COMPLETED
    assert len(ballots(play)) == 6
    certificate = told(play)
    assert (certificate.status, certificate.winner_id) == (CertificateStatus.STABLE, "bo")
    assert certificate.is_finished
    assert [one.model for one in certificate.judges] == list(THREE)
    assert play.state.outcome is not None
    assert certificate_words.beside(play.state.outcome)[0] == "Certificate. Stable: Bo."


@debates
def test_the_outcome_is_the_one_without_a_bench(config: Config) -> None:
    settings = {**config.settings, "bench": [], "hearing": "none"}
    people = tuple(one for one in config.participants if one.role is not Role.BENCH)
    plain = msgspec.structs.replace(config, settings=settings, participants=people)
    before, after = played(plain).state, played(config).state
    assert before.stop_reason is after.stop_reason
    if before.outcome is None:
        assert isinstance(after.outcome, Verdict)
        assert (after.outcome.status, after.outcome.winner) == (OutcomeStatus.MISSING, None)
    else:
        assert after.outcome is not None
        without = msgspec.structs.replace(after.outcome, certificate=None)
        assert without == before.outcome


@debates
def test_ballots_come_last_and_no_judge_is_given_anything_but_the_case(config: Config) -> None:
    play = at_the_hearing(config)
    for step in play.ready():
        assert (step.view, step.visibility) == (View.BLANK, Visibility.PUBLIC)
        assert history(play.state, step) == []
        assert step.kind is StepKind.VOTE
        assert all(step.place > turn.place for turn in play.state.turns.values())
    assert play.form.upcoming(play.state, play.now) == ()


@debates
def test_it_makes_as_many_calls_as_it_says_at_the_most(config: Config) -> None:
    form, sided = FORMATS[config.format], iter(range(100))

    def nearly(step: Step) -> str:
        if step.stage != STAGE:
            return readable(step)
        return for_side("bo" if next(sided) else "ada")(step)

    play = played(config, nearly)
    assert len(ballots(play)) == 18
    assert play.state.calls <= form.most_calls(config)


@debates
def test_a_limit_before_the_hearing_leaves_the_bench_unasked(config: Config) -> None:
    play = at_the_hearing(config)
    before = [record for record in play.log if not _enters(record.event)]
    cut = Play(FORMATS[config.format], config)
    for record in before[len(cut.log) :]:
        cut.append(record.event)
    cut.append(e.LimitReached(limit=StopReason.MAX_TOKENS, observed=1))
    cut.run()
    assert cut.state.status is Status.COMPLETED
    assert ballots(cut) == []
    if cut.state.outcome is not None:
        assert not told(cut).is_finished


def _enters(event: e.AnyEvent) -> bool:
    return isinstance(event, e.StageEntered) and event.stage == STAGE


@debates
@pytest.mark.parametrize(
    "cut", [e.LimitReached(limit=StopReason.MAX_TOKENS, observed=1), e.EndRequested()], ids=str
)
def test_no_ballot_is_owed_once_it_is_cut_off(config: Config, cut: e.AnyEvent) -> None:
    play = at_the_hearing(config)
    step = play.ready()[0]
    play.perform(step, for_side("bo")(step))
    play.append(cut)
    play.run()
    assert play.state.status is Status.COMPLETED
    assert len(ballots(play)) == 1
    certificate = told(play)
    assert not certificate.is_finished
    assert certificate.winner is None


@debates
@pytest.mark.parametrize("is_outage", [False, True], ids=["failed", "outage"])
def test_a_ballot_that_does_not_come_is_left_out(config: Config, is_outage: bool) -> None:
    play = at_the_hearing(config)
    failing = play.ready()[0].key
    asked = 0
    while ready := play.ready():
        step = ready[0]
        if step.key == failing:
            asked += 1
            failed = e.StepFailed(
                failed_key=step.key,
                code="model_unavailable",
                error="it is down",
                attempts=1,
                waited_s=600 if is_outage else 0,
                of_provider=is_outage,
            )
            play.append(failed)
        else:
            play.perform(step, for_side("bo")(step))
    assert asked == (1 if is_outage else 2)
    assert play.state.status is Status.COMPLETED
    assert len(told(play).left_out) == 1
    assert "it is down" in told(play).left_out[0]
    assert told(play).unreadable == 1
    assert getattr(play.state.outcome, "left_out", ()) == ()
    codes = [getattr(record.event, "code", "") for record in play.state.notices]
    assert LEFT_OUT in codes


def test_what_is_listed_keeps_the_certificate() -> None:
    for config in DEBATES.values():
        outcome = played(config).state.outcome
        assert outcome is not None
        assert certificate_in(shortened(outcome)) == certificate_in(outcome)


# --- who sits there -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["duel", "rounds", "council"])
def test_to_seat_it_again_changes_nothing(name: str) -> None:
    config, form = DEBATES[name], FORMATS[name]
    settings = read_settings(form.settings, config.settings)
    assert form.cast(settings, config.participants) == config.participants
    bench = config.participants[-3:]
    assert {one.role for one in bench} == {Role.BENCH}
    assert [one.name for one in bench] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("settings", "field", "what"),
    [
        ({"bench": THREE}, "settings.hearing", "set `hearing` to adaptive"),
        ({"hearing": "3"}, "settings.bench", "name the judges in `bench`"),
        ({"bench": ["Ada"], "hearing": 1}, "settings.bench", "is no model"),
        ({"bench": ["lab:x"] * 10, "hearing": "1"}, "settings.bench", "at most 9"),
        ({"bench": ["lab:x"], "hearing": 6}, "settings.hearing", "must be"),
    ],
)
def test_it_refuses_half_a_hearing(settings: dict[str, Any], field: str, what: str) -> None:
    for make in (duel, rounds, council):
        with pytest.raises(InvalidInput, match=what) as refusal:
            make(**settings)
        assert refusal.value.field == field


def test_it_takes_a_figure_for_the_word() -> None:
    assert duel(bench=THREE, hearing=2).settings["hearing"] == "2"


@pytest.mark.parametrize("name", ["duel", "rounds", "council"])
def test_nobody_judges_their_own_case(name: str) -> None:
    config, form = DEBATES[name], FORMATS[name]
    form.check(config)
    first, *others = config.participants
    own = msgspec.structs.replace(first, model="elsewhere:maker/two")
    with pytest.raises(InvalidInput, match=f"lab:two speaks for {first.name}") as refusal:
        form.check(msgspec.structs.replace(config, participants=(own, *others)))
    assert refusal.value.field == "settings.bench"


@pytest.mark.parametrize("make", [duel, rounds, council])
def test_the_same_model_twice_is_refused(make: Any) -> None:
    config = make(bench=["lab:one", "lab:one"], hearing="adaptive")
    with pytest.raises(InvalidInput, match="twice"):
        FORMATS[config.format].check(config)
