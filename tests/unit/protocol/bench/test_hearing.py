"""A hearing from its first ballot to its certificate, played without models."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from tests.unit.protocol.playing import CASE, PROPOSALS, Play, hearing, play

from moot import prompts
from moot.errors import InvalidInput
from moot.protocol import certificate_words as words, events as e
from moot.protocol.hearing.case import Side
from moot.protocol.hearing.certificate import CertificateStatus as Is
from moot.protocol.outcomes import Certificate
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import StopReason

Choice = Callable[[Step], str]
"""What a judge names, by the neutral names it was given."""


def votes(choose: Choice) -> Callable[[Step], str]:
    def reply(step: Step) -> str:
        winner = choose(step)
        margin = 0 if winner == "tie" else 2
        vote = {"reasons": f"It holds ({step.key}).", "winner": winner, "margin": margin}
        return json.dumps(vote)

    return reply


def for_side(side: str) -> Choice:
    """An honest judge: the same side, whatever it is called."""
    return lambda step: label(step, side)


def label(step: Step, side: str) -> str:
    sides: dict[str, str] = getattr(step.answer, "sides", {})
    return next(name for name, one in sides.items() if one == side)


def certified(played: Play) -> Certificate:
    found = played.state.outcome
    assert isinstance(found, Certificate)
    return found


def test_a_bench_of_one_mind_is_stable_after_one_look() -> None:
    played = play(hearing(3), votes(for_side("ada")))
    found = certified(played)
    assert (found.status, found.winner, found.winner_id) == (Is.STABLE, "Ada", "ada")
    assert (found.votes, found.ballots, found.needed, len(played.state.turns)) == (6, 6, 6, 6)
    assert (found.debate, found.at, found.verdict) == ("k3f2", 31, "ada")
    assert words.headline(found) == "Stable: Ada"
    assert words.lines(found)[0] == "6 of 6 ballots for Ada, by 3 judges, under either name."
    assert "too" in words.lines(found)[2]


def test_judges_who_go_by_the_name_are_contested_and_not_asked_again() -> None:
    played = play(hearing(3), votes(lambda _step: "X"))
    found = certified(played)
    assert (found.status, found.winner, len(played.state.turns)) == (Is.CONTESTED, None, 6)
    assert "voted for another side once the names were exchanged" in "\n".join(words.lines(found))


def test_a_judge_who_likes_the_middle_of_three_certifies_nobody() -> None:
    found = certified(play(hearing(3, case=PROPOSALS), votes(lambda _step: "Proposal B")))
    assert (found.status, found.winner) == (Is.CONTESTED, None)


def test_nearly_one_mind_is_asked_again_and_repeats_are_not_called_opinions() -> None:
    def choose(step: Step) -> str:
        is_slip = step.key == "hearing/1/j3/two/1/vote"
        return label(step, "bo" if is_slip else "ada")

    played = play(hearing(3), votes(choose))
    found = certified(played)
    assert (found.status, found.votes, found.ballots, found.looks) == (Is.STABLE, 17, 18, 2)
    assert len(played.state.turns) == 18
    assert "by 3 judges asked 6 times each" in words.lines(found)[0]


@pytest.mark.parametrize(
    ("judges", "repeats", "calls", "status"),
    [(1, 0, 2, Is.INSUFFICIENT), (1, 3, 6, Is.INSUFFICIENT), (1, 4, 8, Is.STABLE)],
)
def test_one_judge_needs_eight_ballots(judges: int, repeats: int, calls: int, status: Is) -> None:
    played = play(hearing(judges, repeats=repeats), votes(for_side("bo")))
    assert (certified(played).status, len(played.state.turns)) == (status, calls)


def test_one_order_certifies_nothing() -> None:
    found = certified(play(hearing(5, orders="one"), votes(for_side("ada"))))
    assert found.status is Is.INSUFFICIENT
    assert "nobody can tell whether a judge goes by the name" in "\n".join(words.lines(found))


def test_a_tie_is_a_tie_and_a_bench_that_cannot_be_read_elects_nobody() -> None:
    tie = certified(play(hearing(3), votes(lambda _step: "tie")))
    assert (tie.status, tie.winner, tie.ties) == (Is.TIE, None, 6)
    nothing = certified(play(hearing(3), lambda _step: "Both were good."))
    assert (nothing.status, nothing.unreadable) == (Is.UNREADABLE, 6)
    assert not nothing.counts


def test_a_person_votes_once_in_each_order_and_is_one_judge() -> None:
    def choose(step: Step) -> str:
        return label(step, "bo" if step.key == "hearing/1/j1/one/1/vote" else "ada")

    played = play(hearing(3, people=1), votes(choose))
    asked = [turn.said.participant for turn in played.state.turns.values()]
    assert (asked.count("j3"), asked.count("j1")) == (2, 6)
    found = certified(played)
    assert (found.ballots, found.votes) == (14, 13)
    assert found.judges[2].is_person
    assert "1 person" in "\n".join(words.lines(found))


def test_a_limit_before_the_last_ballot_certifies_nothing() -> None:
    played = Play(FORMATS["hearing"], hearing(3))
    for step in played.ready()[:4]:
        played.perform(step, votes(for_side("ada"))(step))
    played.append(e.LimitReached(limit=StopReason.MAX_COST, observed=1))
    assert not played.ready()
    found = certified(played)
    assert (found.status, found.winner, found.is_finished) == (Is.INSUFFICIENT, None, False)
    assert words.headline(found) == "Not finished: it ended before all ballots were cast"
    assert played.state.stop_reason is StopReason.MAX_COST


def test_what_a_judge_did_not_read_whole_does_not_count() -> None:
    played = Play(FORMATS["hearing"], hearing(3))
    for step in played.ready():
        played.perform(step, votes(for_side("ada"))(step), flags=("shortened",))
    assert not played.ready()
    assert certified(played).status is Is.UNREADABLE


def test_a_ballot_counts_though_somebody_excludes_it() -> None:
    played = Play(FORMATS["hearing"], hearing(3))
    first, *rest = played.ready()
    played.perform(first, votes(for_side("bo"))(first))
    turn = next(iter(played.state.turns.values()))
    played.append(e.TurnExcluded(turn=turn.seq))
    for step in rest:
        played.perform(step, votes(for_side("ada"))(step))
    assert played.ready()  # one of six is for Bo: the second look
    played.run(votes(for_side("ada")))
    assert certified(played).counts == {"ada": 17, "bo": 1}


def test_what_is_asked_is_set_out_as_it_reads() -> None:
    case = msgspec.structs.replace(CASE, premise="It is so.")
    played = Play(FORMATS["hearing"], hearing(3, case=case, people=1))
    asked = [step.for_people or step.prompt for step in played.ready()]
    texts = [prompts.render(one) for one in asked] + [one.text for one in played.sent.values()]
    assert len(texts) >= 6
    assert not any("\n\n\n" in text for text in texts)
    assert not any("You are You" in text for text in texts)


def test_no_judge_is_told_names_the_verdict_or_another_ballot() -> None:
    secret = "judge one has decided"

    def reply(step: Step) -> str:
        return json.dumps({"reasons": secret, "winner": label(step, "ada"), "margin": 1})

    sent = [one.text for one in play(hearing(3), reply).sent.values()]
    assert len(sent) == 6
    for text in sent:
        assert secret not in text
        assert "Ada" not in text.replace("Judge", "")
        assert "named" not in text
    assert {"[X]: Numbers were there before us, whatever Y says." in text for text in sent} == {
        True,
        False,
    }


def test_repeats_that_say_the_same_to_the_letter_are_told() -> None:
    def choose(step: Step) -> str:
        side = "bo" if step.key == "hearing/1/j3/two/1/vote" else "ada"
        return json.dumps({"reasons": "As before.", "winner": label(step, side), "margin": 1})

    found = certified(play(hearing(3), choose))
    assert found.repeated == 11
    assert any("told nothing new" in line for line in words.lines(found))


def test_a_judge_who_goes_by_the_name_is_told_of_though_it_is_stable() -> None:
    def choose(step: Step) -> str:
        return "X" if step.participant == "j3" else label(step, "ada")

    found = certified(play(hearing(3), votes(choose)))
    assert (found.status, found.votes, found.ballots) == (Is.STABLE, 15, 18)
    told = words.lines(found)
    assert "under either name" not in told[0]
    assert "Judge 3 voted for another side once the names were exchanged." in told


def test_copies_certify_nothing() -> None:
    def choose(step: Step) -> str:
        return json.dumps({"reasons": "As before.", "winner": label(step, "ada"), "margin": 1})

    found = certified(play(hearing(1, repeats=4), choose))
    assert (found.status, found.votes, found.ballots, found.repeated) == (Is.INSUFFICIENT, 2, 2, 6)
    assert words.headline(found) == "Not enough: most ballots were copies"
    assert words.lines(found)[0] == "2 of 2 ballots for Ada, by one judge asked 8 times."
    assert found.judges[0].one == {"ada": 4}  # what it said is shown, and audited


def test_a_broken_judge_is_no_contest() -> None:
    def reply(step: Step) -> str:
        honest = votes(for_side("ada"))
        return "Both were good." if step.participant == "j3" else honest(step)

    found = certified(play(hearing(3), reply))
    assert (found.status, found.winner, found.counts) == (Is.INSUFFICIENT, None, {"ada": 4})
    assert words.headline(found) == "Not enough: too few ballots could be counted"
    told = "\n".join(words.lines(found))
    assert "Those that could be counted agree." in told
    assert "Not counted: Judge 3: " in told
    assert "(2 ballots)" in told


def test_who_is_consistently_against_it_is_named() -> None:
    def choose(step: Step) -> str:
        return label(step, "bo" if step.participant == "j5" else "ada")

    found = certified(play(hearing(5), votes(choose)))
    assert (found.status, found.votes, found.needed) == (Is.CONTESTED, 24, 23)
    assert "Judge 5 is consistently for Bo." in words.lines(found)


def test_one_model_under_several_names_is_called_one() -> None:
    config = hearing(3)
    bench = [
        msgspec.structs.replace(one, model=f"host{number}:some/jo", personality=f"You are {number}")
        for number, one in enumerate(config.participants)
    ]
    config = msgspec.structs.replace(config, participants=tuple(bench))
    FORMATS["hearing"].check(config)
    assert any("share its errors" in one for one in FORMATS["hearing"].cautions(config))
    found = certified(play(config, votes(for_side("ada"))))
    assert "3 judges, but only 1 model, of unknown family." in words.lines(found)
    alike = tuple(msgspec.structs.replace(one, personality="") for one in bench)
    assert "twice" in refused(msgspec.structs.replace(config, participants=alike))


def test_a_judge_of_the_debate_itself_is_named() -> None:
    case = msgspec.structs.replace(CASE, judged_by=("other:j2", "human"))
    found = certified(play(hearing(3, case=case, people=1), votes(for_side("ada"))))
    assert [one.judged for one in found.judges] == [False, True, False]
    assert "Judge 2 is the model that judged the debate itself." in words.lines(found)


def test_a_person_who_may_judge_their_own_case_is_told_of() -> None:
    sides = tuple(msgspec.structs.replace(one, models=("human",)) for one in CASE.sides[:1])
    case = msgspec.structs.replace(CASE, sides=(*sides, *CASE.sides[1:]))
    config = hearing(3, case=case, people=1)
    assert any("their own case" in one for one in FORMATS["hearing"].cautions(config))
    found = certified(play(config, votes(for_side("ada"))))
    assert "Judge 3 is a person, and so is Ada: it may be one and the same." in words.lines(found)


# --- what is refused ------------------------------------------------------------------------------


def refused(config: Config) -> str:
    with pytest.raises(InvalidInput) as caught:
        FORMATS["hearing"].check(config)
    return str(caught.value)


def test_a_hearing_is_about_something() -> None:
    assert "moot judge" in refused(msgspec.structs.replace(hearing(3), hears=None))


@pytest.mark.parametrize("model", ["test:ada", "other:some/Ada"])
def test_nobody_judges_their_own_case_unless_it_is_allowed(model: str) -> None:
    config = hearing(3)
    judge = msgspec.structs.replace(config.participants[0], model=model)
    own = msgspec.structs.replace(config, participants=(judge, *config.participants[1:]))
    assert "speaks for Ada" in refused(own)
    allowed = msgspec.structs.replace(own, settings={**own.settings, "allow_own": True})
    FORMATS["hearing"].check(allowed)
    assert any("its own case" in one for one in FORMATS["hearing"].cautions(allowed))
    found = certified(play(allowed, votes(for_side("ada"))))
    assert found.judges[0].is_own
    assert any("its own case" in line for line in words.lines(found))


def test_the_same_model_twice_is_no_second_opinion() -> None:
    config = hearing(2)
    one, two = config.participants
    twice = (one, msgspec.structs.replace(two, model=one.model))
    assert "twice" in refused(msgspec.structs.replace(config, participants=twice))


def test_a_family_is_flagged_and_an_unknown_one_is_unknown() -> None:
    sides = (
        msgspec.structs.replace(CASE.sides[0], models=("openai:gpt-6-luna",)),
        Side(id="bo", names=("Bo",), models=("mine:secret",)),
    )
    config = hearing(3, case=msgspec.structs.replace(CASE, sides=sides))
    models = ("openai:gpt-5-mini", "anthropic:claude-haiku-5", "mine:other")
    judges = tuple(
        msgspec.structs.replace(one, model=model)
        for one, model in zip(config.participants, models, strict=True)
    )
    config = msgspec.structs.replace(config, participants=judges)
    assert FORMATS["hearing"].cautions(config) == (
        "openai:gpt-5-mini is of the same family as the model of Ada.",
    )
    found = certified(play(config, votes(for_side("ada"))))
    assert [one.family for one in found.judges] == ["OpenAI", "Anthropic", None]
    assert [one.kin for one in found.judges] == [("ada",), (), ()]
    told = "\n".join(words.lines(found))
    assert "3 judges, 2 families, 1 of unknown family." in told
    assert "Judge 1 is of the same family as the model of Ada." in told


def test_the_first_calls_are_told_from_those_that_may_come() -> None:
    rules = FORMATS["hearing"]
    assert (rules.most_calls(hearing(3)), rules.longest_chain(hearing(3))) == (18, 2)
    assert rules.most_calls(hearing(3, people=1)) == 14
    assert rules.most_calls(hearing(3, repeats=2)) == 12
