"""A poll from its first answer to what came of it: who is asked what, and what is counted."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.unit.protocol.playing import NAMES, Play, configured, poll

from moot.errors import InvalidInput
from moot.protocol import events as e, outcome_words
from moot.protocol.machine import ask
from moot.protocol.outcomes import Count, OutcomeStatus, Solution, shortened
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Record, Run, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import PASSED, Role, StepKind, StopReason, View

FORM = FORMATS["poll"]


def said(answer: Any, reasons: str = "So it is.") -> str:
    return json.dumps({"reasons": reasons, "answer": answer})


def answering(*answers: Any, later: str = "") -> Any:
    """Replies: these answers in the order of the transcript, and `later` to what comes after."""
    given = iter(answers)

    def reply(step: Step) -> str:
        if step.kind is not StepKind.ANSWER:
            return later
        one = next(given)
        return one if isinstance(one, str) and one.startswith("!") else said(one)

    return reply


def played(config: Config, *answers: Any, later: str = "") -> Play:
    return Play(FORM, config).run(answering(*answers, later=later))


def told(play: Play) -> tuple[str, str, str]:
    found = play.solution
    return outcome_words.headline(found), found.answer, found.status


# --- counting -------------------------------------------------------------------------------------


def test_the_answer_that_most_give_is_the_answer() -> None:
    play = played(poll(5, answer_type="yes_no"), "yes", "no", "yes", "Yes.", "no")
    assert told(play) == ("3 of 5 say yes", "yes", OutcomeStatus.DECIDED)
    assert play.solution.counts == (
        Count(answer="yes", count=3, by=("Ada", "Cy", "Di")),
        Count(answer="no", count=2, by=("Bo", "Ed")),
    )
    assert play.solution.reasons == tuple(f"{one}: So it is." for one in ("Ada", "Cy", "Di"))
    assert play.solution.dissent == ("Bo says no: So it is.", "Ed says no: So it is.")
    assert play.state.stop_reason is StopReason.DONE


def test_a_tie_is_called_a_tie_and_has_no_winner() -> None:
    play = played(poll(4, answer_type="yes_no"), "yes", "no", "no", "yes")
    assert told(play) == ("A tie: 2 say yes, 2 say no", "", OutcomeStatus.TIED)
    assert play.solution.description == ""
    assert outcome_words.trust(play.solution) == "tie"
    assert outcome_words.gist(shortened(play.solution)) == "A tie: 2 say yes, 2 say no"


def test_answers_that_all_differ_are_said_to_differ() -> None:
    play = played(poll(3), "Paris", "London", "Rome")
    assert told(play) == ("No two agree: 3 answers, all different", "", OutcomeStatus.TIED)


def test_the_same_answer_written_otherwise_is_the_same() -> None:
    play = played(poll(3), "The Beatles", "beatles.", "“BEATLES”")
    assert told(play)[0] == "All 3 say The Beatles"


def test_the_most_frequent_answer_of_a_minority_is_doubted() -> None:
    play = played(poll(4), "Rome", "Rome", "Bern", "Oslo")
    assert told(play)[0] == "2 of 4 say Rome"
    assert "not more than half" in " ".join(outcome_words.doubts(play.solution))


def test_a_unit_is_left_out_only_if_all_have_the_same() -> None:
    number = poll(3, answer_type="number")
    assert told(played(number, "4.50 km", "4.5km", "5 km"))[0] == "2 of 3 say 4.5"
    mixed = played(number, "4 km", "4 m", 4)
    assert mixed.solution.status is OutcomeStatus.TIED
    assert [one.answer for one in mixed.solution.counts] == ["4 km", "4 m", "4"]


def test_what_cannot_be_read_is_counted_as_unreadable_and_told() -> None:
    play = played(poll(3, answer_type="yes_no"), "yes", "perhaps", "yes")
    assert told(play)[0] == "2 of 3 say yes"
    assert (play.solution.asked, play.solution.answers, play.solution.unreadable) == (3, 2, 1)
    assert outcome_words.doubts(play.solution) == ("Left out: Bo: 1 answer could not be read.",)
    assert outcome_words.trust(play.solution) == "left_out"


def test_nothing_is_made_up_if_no_answer_can_be_read() -> None:
    play = played(poll(2, answer_type="number"), "many", "few")
    assert told(play) == ("No answer: none could be read", "", OutcomeStatus.UNREADABLE)
    assert outcome_words.trust(play.solution) == "unreadable"


# --- one model, and several times -----------------------------------------------------------------


def test_one_member_asked_once_is_simply_its_answer() -> None:
    play = Play(FORM, poll(1, decision="first")).run(lambda _: "In spring, because of the frost.")
    assert list(play.state.turns) == ["answers/1/ada/answer"]
    assert outcome_words.headline(play.solution) == "One answer"
    assert play.solution.description == "In spring, because of the frost."
    assert outcome_words.gist(play.solution) == "“In spring, because of the frost.”"


def test_one_member_can_be_asked_several_times() -> None:
    play = played(poll(1, samples=5, answer_type="number"), 7, 8, 7, 7, 9)
    assert told(play)[0] == "3 of 5 answers say 7"
    assert play.solution.counts[0].by == ("Ada",)
    assert list(play.state.turns)[:2] == ["answers/1/ada/answer", "answers/1/ada/answer/2"]


def test_a_person_is_asked_once() -> None:
    config = poll(2, samples=3, answer_type="yes_no")
    person = msgspec.structs.replace(config.participants[0], model="human")
    config = msgspec.structs.replace(config, participants=(person, config.participants[1]))
    keys = [one.key for one in Play(FORM, config).ready()]
    assert keys == [
        "answers/1/ada/answer",
        "answers/1/bo/answer",
        "answers/1/bo/answer/2",
        "answers/1/bo/answer/3",
    ]


def test_the_first_answer_that_can_be_read_is_of_the_first_member_that_has_one() -> None:
    config = poll(3, answer_type="yes_no", decision="first")
    assert told(played(config, "maybe", "no", "yes"))[:2] == ("The first of 2 answers: no", "no")
    config = poll(2, samples=2, answer_type="yes_no", decision="first")
    assert told(played(config, "maybe", "no", "yes", "no"))[1] == "yes"


# --- alone ----------------------------------------------------------------------------------------


def test_all_answer_at_once_and_nobody_is_sent_anything_of_another() -> None:
    play = Play(FORM, poll(3, samples=2))
    steps = play.ready()
    assert len(steps) == 6
    for step in steps[:-1]:
        play.perform(step, said(f"secret {step.key}"))
    sent = play.look(steps[-1])
    assert (steps[-1].view, sent.history) == (View.BLANK, ())
    assert "secret" not in sent.text


@pytest.mark.parametrize(
    ("config", "calls", "chain"),
    [
        (poll(1, decision="first"), 1, 1),
        (poll(3, samples=4), 12, 1),
        (poll(3, decision="vote"), 6, 2),
        (poll(2, samples=3, decision="rank"), 8, 2),
        (poll(3, decision="judge"), 4, 2),
    ],
)
def test_it_makes_the_calls_that_it_says(config: Config, calls: int, chain: int) -> None:
    assert (FORM.most_calls(config), FORM.longest_chain(config)) == (calls, chain)
    play = Play(FORM, config).run(
        lambda step: '{"choice": "A", "ranking": ["A"]}' if "vote" in step.key else f"<{step.key}>"
    )
    assert len(play.state.turns) == calls


# --- votes ----------------------------------------------------------------------------------------


def voter(*letters: str) -> Any:
    given = iter(letters)

    def reply(step: Step) -> str:
        if step.kind is StepKind.VOTE:
            one = next(given)
            chosen = {"choice": one, "ranking": list(one)}
            return json.dumps({"reasons": "Answer A is better.", **chosen})
        return f"It is {step.participant}."

    return reply


def test_members_vote_on_answers_without_names() -> None:
    play = Play(FORM, poll(3, decision="vote")).run(voter("B", "B", "A"))
    sent = play.sent["decision/1/ada/vote"]
    assert "[Answer A]: It is " in sent.prompt
    assert "[Ada]" not in sent.text
    winner = play.solution.decision["winner"]
    assert play.solution.decision["points"][winner] == 2
    assert play.solution.description == f"It is {winner.lower()}."
    assert outcome_words.headline(play.solution) == f"{winner}'s answer won, with 2 of 3 votes"
    ballot = play.state.turns["decision/1/ada/vote"].said.content
    assert f"Answer B ({winner})" in ballot


def test_a_tie_of_votes_chooses_nothing() -> None:
    play = Play(FORM, poll(2, decision="vote")).run(voter("A", "B"))
    assert play.solution.status is OutcomeStatus.TIED
    assert outcome_words.headline(play.solution).startswith("A tie between ")
    assert play.solution.description == ""
    assert sorted(play.solution.dissent) == ["Ada: It is ada.", "Bo: It is bo."]


def test_rankings_are_counted_by_points() -> None:
    play = Play(FORM, poll(3, decision="rank")).run(voter("ABC", "ABC", "BAC"))
    assert sorted(play.solution.decision["points"].values()) == [0, 4, 5]
    assert outcome_words.headline(play.solution).endswith("'s answer was ranked first")


def test_nobody_votes_where_all_say_the_same() -> None:
    play = played(poll(3, answer_type="yes_no", decision="vote"), "yes", "Yes", True)
    assert len(play.state.turns) == 3
    assert told(play) == ("All 3 say yes", "yes", OutcomeStatus.DECIDED)
    assert outcome_words.headline(shortened(play.solution)) == "All 3 say yes"


def test_typed_answers_are_voted_on_once_each_with_their_reasons() -> None:
    config = poll(3, answer_type="yes_no", decision="vote")
    play = Play(FORM, config).run(
        lambda step: (
            '{"reasons": "", "choice": "A"}'
            if step.kind is StepKind.VOTE
            else said("no" if step.participant == "bo" else "yes", f"Reason {step.participant}.")
        )
    )
    prompt = play.sent["decision/1/ada/vote"].prompt
    assert prompt.count("[Answer ") == 2
    assert "yes\n\n  Reason ada.\n\n  Reason cy." in prompt.replace("\n  \n", "\n\n")
    assert play.solution.answer in ("yes", "no")


def test_no_readable_ballot_is_no_answer() -> None:
    play = Play(FORM, poll(2, decision="vote")).run(voter("Z", "Z"))
    assert outcome_words.headline(play.solution) == "No answer: no ballot could be counted"
    assert play.solution.status is OutcomeStatus.UNREADABLE


def test_excluding_an_answer_does_not_change_what_a_ballot_means() -> None:
    play = Play(FORM, poll(3, decision="vote"))
    for step in play.ready():
        play.perform(step, f"It is {step.participant}.")
    first = play.ready()[0]
    prompt = play.look(first).prompt
    chosen = prompt.split("[Answer C]: It is ")[1].split(".")[0]
    out = next(
        one for one in play.state.turns.values() if f"[Answer A]: {one.said.content}" in prompt
    )
    play.perform(first, '{"reasons": "", "choice": "C"}')
    play.append(e.TurnExcluded(turn=out.seq))
    for step in play.ready():
        play.perform(step, '{"reasons": "", "choice": "C"}')
    play.ready()
    assert play.solution.description == f"It is {chosen}."


# --- a judge --------------------------------------------------------------------------------------


def test_a_judge_reads_all_answers_without_names_and_gives_one() -> None:
    config = poll(3, answer_type="number", decision="judge", judge=True)
    play = played(config, 4, 5, 4, later=said("5.0", "Answer A is careless."))
    sent = play.sent["decision/1/judith/synthesize"]
    assert sent.prompt.count("[Answer ") == 3
    assert all(name not in sent.text for name in ("Ada", "Bo", "Cy"))
    assert told(play) == ("The judge says 5", "5", OutcomeStatus.DECIDED)
    reasons = play.solution.reasons[0]
    assert reasons.startswith("Answer A (")
    assert len(play.solution.dissent) == 2


def test_a_judge_writes_prose_from_prose() -> None:
    play = Play(FORM, poll(2, decision="judge")).run(lambda step: f"Text of {step.participant}.")
    assert play.solution.description == "Text of judge."
    assert outcome_words.headline(play.solution) == "Written from 2 answers"


def test_a_judge_that_cannot_be_read_decides_nothing() -> None:
    config = poll(2, answer_type="yes_no", decision="judge")
    play = played(config, "yes", "yes", later="Hard to say, isn't it?")
    assert told(play) == (
        "No answer: the judge's answer could not be read",
        "",
        OutcomeStatus.UNREADABLE,
    )
    assert play.solution.counts[0].count == 2


# --- who takes part, and what does not go together ------------------------------------------------


def test_a_judge_is_added_only_where_a_judge_decides() -> None:
    def roles(**settings: Any) -> list[Role]:
        return [one.role for one in poll(2, **settings).participants]

    assert roles() == [Role.MEMBER, Role.MEMBER]
    assert roles(decision="judge") == [Role.MEMBER, Role.MEMBER, Role.JUDGE]


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"judge": True}, "participants", "nobody asks Judith.*set decision to judge"),
        ({"members": 5, "samples": 25}, "settings.samples", "125 answers, and there can be 100"),
        ({"members": 3, "samples": 7, "decision": "vote"}, "settings.samples", "there can be 20"),
        ({"answer_type": "choice"}, "settings.choices", "two texts or more"),
        ({"answer_type": "choice", "choices": ["Tea"]}, "settings.choices", "two texts or more"),
        ({"answer_type": "choice", "choices": ["Tea", "tea."]}, "settings.choices", "the same"),
        ({"answer_type": "choice", "choices": ["Tea", " "]}, "settings.choices", "blank"),
        ({"choices": ["Tea", "Coffee"]}, "settings.choices", "set answer_type to choice"),
    ],
)
def test_it_refuses_what_cannot_be_asked(fields: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as error:
        poll(**fields)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("role", "words"), [(Role.DEBATER, "takes members"), (Role.JUDGE, "1 to 10 members, not 0")]
)
def test_it_refuses_a_roster_without_members(role: Role, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        configured("poll", (Participant(id="jo", name="Jo", role=role),))


def test_it_warns_of_samples_that_cannot_differ() -> None:
    config = poll(1, samples=3)
    cold = msgspec.structs.replace(config.participants[0].sampling, temperature=0.0)
    member = msgspec.structs.replace(config.participants[0], sampling=cold)
    assert FORM.cautions(config) == ()
    (caution,) = FORM.cautions(msgspec.structs.replace(config, participants=(member,)))
    assert "all samples" in caution


# --- limits, failures, people who pass ------------------------------------------------------------


def limited(play: Play) -> None:
    play.append(e.LimitReached(limit=StopReason.MAX_COST, observed=1))


def test_after_a_limit_everybody_may_answer_once_and_no_sample_begins() -> None:
    play = Play(FORM, poll(2, samples=3, answer_type="yes_no"))
    play.perform(play.ready()[0], said("yes"))
    limited(play)
    (owed,) = play.ready()
    assert owed.key == "answers/1/bo/answer"
    play.perform(owed, said("yes"))
    assert play.ready() == ()
    assert play.state.stop_reason is StopReason.MAX_COST
    assert "4 answers never came" in play.solution.left_out


def test_nothing_begins_if_the_limit_comes_before_the_first_answer() -> None:
    play = Play(FORM, poll(2))
    limited(play)
    assert play.ready() == ()
    assert play.state.outcome is None


def test_what_is_there_is_decided_on_when_it_is_ended() -> None:
    play = Play(FORM, poll(3, decision="vote"))
    for step in play.ready()[:2]:
        play.perform(step, f"It is {step.participant}.")
    play.append(e.EndRequested())
    assert [one.kind for one in play.ready()] == [StepKind.VOTE] * 3
    play.run(voter("A", "A", "A"))
    assert play.solution.status is OutcomeStatus.DECIDED
    assert "1 answer never came" in play.solution.left_out


def fail(play: Play, step: Step, **fields: Any) -> None:
    play.append(
        e.StepFailed(
            failed_key=step.key, code="unreadable", error="it was blank", attempts=1, **fields
        )
    )


def test_a_member_that_cannot_answer_is_left_out_and_told() -> None:
    play = Play(FORM, poll(2, answer_type="yes_no", step_retries=1))
    ada, bo = play.ready()
    fail(play, ada)
    assert [one.key for one in play.ready()] == [ada.key, bo.key]  # once more
    fail(play, ada)
    assert [one.key for one in play.ready()] == [bo.key]
    play.perform(bo, said("no"))
    play.ready()
    assert told(play)[0] == "1 of 2 says no"
    assert play.solution.left_out == ("Ada: no answer (it was blank)",)


def test_the_last_answer_cannot_be_left_out() -> None:
    play = Play(FORM, poll(2, step_retries=0))
    ada, bo = play.ready()
    fail(play, ada)
    play.ready()
    fail(play, bo)
    decision = ask(FORM, play.state, play.now)
    assert isinstance(decision, Run)
    assert [one.key for one in decision.steps] == [bo.key]


def test_an_outage_is_nobodys_failure() -> None:
    play = Play(FORM, poll(2, step_retries=0))
    ada, _ = play.ready()
    fail(play, ada, of_provider=True)
    decision = ask(FORM, play.state, play.now)
    assert not isinstance(decision, Record)
    assert not any(isinstance(one.event, e.NoticePosted) for one in play.log)


def test_a_retry_asks_those_again_who_were_left_out() -> None:
    play = Play(FORM, poll(2, answer_type="yes_no", decision="judge", step_retries=0))
    ada, bo = play.ready()
    fail(play, ada)
    play.ready()
    play.perform(bo, said("no"))
    (judging,) = play.ready()
    fail(play, judging, of_provider=True)
    play.append(e.DebateFailed(error="down", code="x", step_key=judging.key), e.DebateRetried())
    assert [one.key for one in play.ready()] == [ada.key]
    play.run(lambda _: said("no"))
    assert told(play) == ("The judge says no", "no", OutcomeStatus.DECIDED)
    assert play.solution.left_out == ()


def test_who_passes_has_not_answered() -> None:
    play = Play(FORM, poll(2, answer_type="yes_no", model="human"))
    ada, bo = play.ready()
    play.perform(ada, said("yes"), model="")
    play.perform(bo, "", flags=(PASSED,), model="")
    play.ready()
    assert told(play)[0] == "1 of 2 says yes"
    assert "Bo passed" in play.solution.left_out
    assert play.solution.unreadable == 0


# --- old logs, lists ------------------------------------------------------------------------------


def test_a_list_is_told_the_headline_without_the_reasons() -> None:
    play = played(poll(5, answer_type="yes_no"), "yes", "no", "yes", "yes", "no")
    short = shortened(play.solution)
    assert outcome_words.gist(short) == outcome_words.headline(short) == "3 of 5 say yes"
    assert isinstance(short, Solution)
    assert (short.reasons, short.dissent, short.counts[0].by) == ((), (), ())


def test_ten_members_can_be_asked_ten_times() -> None:
    config = poll(len(NAMES), samples=10)
    assert FORM.most_calls(config) == 100
