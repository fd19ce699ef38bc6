"""The judged duel of seed 001, call by call, over HTTP and on disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.acceptance.provider import ADA, BOB, JO, KINDS, PREMISE, TOPIC, Part, stage

from moot.library import Debate
from moot.protocol.outcomes import Verdict
from moot.protocol.words import Stance, Status, StepKind, StopReason
from moot.testing.oracles import check_no_secret, most_in_flight, transcript_hash
from moot.testing.server_faults import FAULTS, NASTY_TEXT
from moot.testing.server_ledger import Entry

# --- the seed's prompts, word for word -----------------------------------------------------------

PLAN = f"""The debate topic is: {TOPIC}

Before the debate begins, privately plan your argument. What are your two or
three strongest points? What counterarguments do you expect, and how will you
answer them?"""

THINK_OPENING = """The debate topic is: {topic}

{side}Your opponent is Bob. You are about to deliver your opening statement.
Privately consider: what is the strongest point to lead with?
How will you frame your position from the start?
Do not deliver your opening statement yet."""

OPENING = """The debate topic is: {topic}

{side}Your opponent is Bob. Deliver your opening argument now, in your own voice.
Speak directly and make your case. Do not write stage directions, do not write
your opponent's lines, and do not present both sides — give only your own argument."""

THINK = """Your opponent just said:

"{statement}"

Before you respond, privately reflect: What did they get right or wrong?
How does this shift the argument? How might the audience be reacting?
Plan what you'll say next. Do not give your debate response yet."""

THINK_FINAL = """Your opponent just said:

"{statement}"

Before you respond, privately reflect: What did they get right or wrong?
How does this shift the argument? How might the audience be reacting?
Plan what you'll say next. This is your final turn — plan a strong closing argument that
summarises your case and lands a decisive point. Do not give your debate response yet."""

RESPOND = """Now give your actual debate response, in character.
Speak in your own voice only — do not write stage directions,
do not write your opponent's lines, and do not present both sides."""

RESPOND_FINAL = """This is your final turn. Deliver your closing argument:
summarise your strongest points, rebut your opponent's key claim,
and make a clear case for why you have won this debate.
Speak in your own voice only — do not write stage directions,
do not write your opponent's lines, and do not present both sides."""

EVALUATE = """{speaker} just argued:

"{statement}"

Privately consider this argument. How coherent is the logic? If evidence is
used, does it actually warrant the conclusion, or does it merely suggest it?
If they are challenging their opponent's evidence, is that challenge
well-reasoned — and if so, credit it as a strong move in its own right.
How effective is the rhetoric? Note strengths and weaknesses. Do not score yet."""

SCORE_FIRST = """Give {speaker} an initial score out of 10 based on this first impression.
Respond with a JSON object in exactly this format:
{{"score": 7, "reasoning": "One sentence explaining the score."}}
The score must be a whole number between 0 and 10 inclusive."""

SCORE_RUNNING = """Give your current running score for {speaker} out of 10. This is a
cumulative score reflecting their whole performance so far — revise it up if
they've strengthened their case, or down if they've been rebutted.
Respond with a JSON object in exactly this format:
{{"score": 7, "reasoning": "One sentence explaining any change."}}
The score must be a whole number between 0 and 10 inclusive."""

DELIBERATE = """The debate is over. Privately weigh up what you just heard.
Who made the stronger case and why? Which specific arguments or moments swayed
you, and which fell flat? Give each debater a score out of 10 and decide on a
winner. Be specific. Write in the first person — use 'I', 'my', 'in my view'.
Do not refer to yourself by name or in the third person."""

PREMISE_BLOCK = f"""The debate premise was:
  Ada argued {{a}} the premise: "{PREMISE}"
  Bob argued {{b}} the premise: "{PREMISE}"

"""

CONFIRM = """Based on your deliberation, who won?
Reply with exactly one of these names and nothing else: 'Ada' or 'Bob'."""

RECORD = """Now express that verdict as a JSON object in exactly this format:
{"winner": "Ada", "scores": {"Ada": 8, "Bob": 6}}
The "winner" must be 'Ada' — consistent with your deliberation above.
The "scores" dict must contain entries for both names.
All scores must be whole numbers between 0 and 10."""

ANNOUNCE = """Now deliver your verdict to the debaters and audience, briefly.
State who won, what they did well, and what let the other side down.
Write in the first person — use 'I', 'my', 'in my view'.
Do not refer to yourself by name or in the third person.
No more than a short paragraph."""

SYSTEMS = {
    "ada": "You are Ada, a planner.\n\nStreets are for people.\n\nBe brief.",
    "bob": "You are Bob, a baker.\n\nDeliveries matter.\n\nBe concrete.",
    "jo": "You are Jo, a judge.\n\nWeigh evidence.",
}

# Ours, before the seed's first words to each of them.
CRITERIA = "What the judge, Jo, has been asked to look for:\n  Weigh evidence.\n\n"
LENGTH = (
    "Write about 150 words in each public statement. When you plan or think in private, short "
    "notes are enough.\n\n"
)
OF_JUDGES = (
    "When you weigh something in private, a short paragraph is enough. Where you are shown a "
    "format, take over the format only: the names and numbers in it stand for nothing.\n\n"
)


def _side(side: str, premise: str) -> str:
    return f'You are arguing {side} the premise: "{premise}"\n\n' if premise else ""


def _case(premise: str, sides: tuple[str, str]) -> str:
    """What the judge is told before the seed's first words."""
    case = f"The debate topic is: {TOPIC}\n\n"
    case += "Ada speaks first, Bob answers, and you judge what they say.\n"
    for name, side in zip(("Ada", "Bob"), sides, strict=True):
        case += f'  {name} argues {side} the premise: "{premise}"\n' if premise else ""
    return f"{case}\n{OF_JUDGES}"


def expected_prompts(
    said: list[str],
    *,
    premise: str = "",
    sides: tuple[str, str] = ("FOR", "AGAINST"),
    criteria: str = CRITERIA,
) -> dict[str, list[str]]:
    """What each participant must be asked, in order, given the public statements."""
    turns = len(said)
    plan = criteria + LENGTH + PLAN
    asked: dict[str, list[str]] = {"ada": [plan], "bob": [plan], "jo": []}
    own = _side(sides[0], premise)
    asked["ada"] += [
        THINK_OPENING.format(topic=TOPIC, side=own),
        OPENING.format(topic=TOPIC, side=own),
    ]
    for number in range(2, turns + 1):
        speaker = "bob" if number % 2 == 0 else "ada"
        is_final = number > turns - 2
        think = (THINK_FINAL if is_final else THINK).format(statement=said[number - 2])
        if number == 2:  # B learns its side when it thinks for the first time
            think = _side(sides[1], premise) + think
        asked[speaker] += [think, RESPOND_FINAL if is_final else RESPOND]
    for number, statement in enumerate(said, 1):
        name = "Bob" if number % 2 == 0 else "Ada"
        score = SCORE_FIRST if number <= 2 else SCORE_RUNNING
        case = _case(premise, sides) if number == 1 else ""
        asked["jo"] += [
            case + EVALUATE.format(speaker=name, statement=statement),
            score.format(speaker=name),
        ]
    block = PREMISE_BLOCK.format(a=sides[0], b=sides[1]) if premise else ""
    asked["jo"] += [block + DELIBERATE, CONFIRM, RECORD, ANNOUNCE]
    return asked


def who(entry: Entry) -> str:
    return next(key for key, system in SYSTEMS.items() if entry.messages[0][1] == system)


def prompts_by_participant(calls: list[Entry]) -> dict[str, list[str]]:
    asked: dict[str, list[str]] = {key: [] for key in SYSTEMS}
    for entry in calls:
        asked[who(entry)].append(entry.messages[-1][1])
    return asked


def verdict_of(debate: Debate) -> Verdict:
    assert isinstance(debate.outcome, Verdict)
    return debate.outcome


def statements(debate: Debate) -> list[str]:
    return [turn.content for turn in debate.turns if turn.kind is StepKind.SPEAK]


# --- the calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize("premise", ["", PREMISE], ids=["no premise", "premise"])
@pytest.mark.parametrize("turns", [1, 2, 3, 6, 7])
async def test_sends_exactly_the_prompts_of_the_seed(
    tmp_path: Path, turns: int, premise: str
) -> None:
    async with stage(tmp_path) as on:
        debate = await on.duel(turns=turns, premise=premise)
        assert debate.status is Status.COMPLETED
        assert len(on.calls) == 4 * turns + 6
        assert prompts_by_participant(on.calls) == expected_prompts(
            statements(debate), premise=premise
        )


@pytest.mark.parametrize("turns", [1, 6])
async def test_makes_two_calls_per_statement_and_the_plans_without_a_judge(
    tmp_path: Path, turns: int
) -> None:
    async with stage(tmp_path) as on:
        debate = await on.duel([ADA, BOB], turns=turns)
        assert debate.status is Status.COMPLETED
        assert debate.outcome is None
        assert len(on.calls) == 2 * turns + 2
        asked = prompts_by_participant(on.calls)
        assert asked == {**expected_prompts(statements(debate), criteria=""), "jo": []}


async def test_sends_each_participant_its_own_growing_history_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as on:
        await on.duel(turns=6, premise=PREMISE)
        histories: dict[str, list[tuple[str, str]]] = {
            key: [("system", system)] for key, system in SYSTEMS.items()
        }
        for entry in on.calls:
            messages = [(role, content) for role, content in entry.messages]
            history = histories[who(entry)]
            assert messages[:-1] == history
            assert messages[-1][0] == "user"
            history += [messages[-1], ("assistant", entry.reply)]


async def test_lets_no_private_word_reach_anybody_else(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        debate = await on.duel(turns=6, premise=PREMISE)
        public = set(statements(debate))
        for entry in on.calls:
            if entry.reply in public:
                continue
            canary = f"CANARY-{entry.number}"
            others = [one for one in on.calls if who(one) != who(entry)]
            for other in others:
                told = [content for _, content in other.messages]
                assert not any(canary + end in text for text in told for end in (":", '"'))


async def test_lets_no_debater_see_a_score_or_a_verdict(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.duel(turns=4)
        for entry in on.calls:
            if who(entry) != "jo":
                assert "score" not in json.dumps(entry.messages)


async def test_makes_no_call_before_what_it_depends_on(tmp_path: Path) -> None:
    async with stage(tmp_path, latency_s=0.005) as on:
        debate = await on.duel(turns=6)
        by_reply = {entry.reply: entry for entry in on.calls}
        last: dict[str, Entry] = {}
        for entry in on.calls:
            before = [last[who(entry)]] if who(entry) in last else []
            prompt = entry.messages[-1][1]
            before += [by_reply[text] for text in statements(debate) if f'"{text}"' in prompt]
            for needed in before:
                assert needed.ended_at is not None
                assert needed.ended_at <= entry.started_at
            last[who(entry)] = entry
        # Both have planned before anything is said in public.
        opening = next(one for one in on.calls if KINDS["opening"] in one.messages[-1][1])
        plans = [one for one in on.calls if one.messages[-1][1].endswith(PLAN)]
        assert len(plans) == 2
        assert all(one.ended_at is not None for one in plans)
        assert max(one.ended_at or 0 for one in plans) <= opening.started_at


async def test_lets_judge_and_debater_work_at_the_same_time(tmp_path: Path) -> None:
    async with stage(tmp_path, latency_s=0.05) as on:
        await on.duel(turns=6)
        assert most_in_flight(on.calls) == 2
        overlaps = 0
        for first, second in zip(on.calls, on.calls[1:], strict=False):
            assert first.ended_at is not None
            is_pair = {who(first), who(second)} & {"jo"} and who(first) != who(second)
            overlaps += bool(is_pair) and second.started_at < first.ended_at
        # Each statement but the last is weighed, and then scored, beside the next one's making.
        assert overlaps >= 8
        assert _longest_chain(on.calls) < 30


def _longest_chain(calls: list[Entry]) -> int:
    """How many calls at the most came strictly one after the other."""
    count, free_at = 0, 0.0
    for entry in sorted(calls, key=lambda one: one.ended_at or 0):
        if entry.started_at >= free_at and entry.ended_at is not None:
            count, free_at = count + 1, entry.ended_at
    return count


# --- scores --------------------------------------------------------------------------------------

BAD_SCORES = [
    '{"score": 11, "reasoning": "Wow."}',
    '{"score": -1, "reasoning": "Ouch."}',
    '{"score": "seven", "reasoning": "A word."}',
    '{"score": 7.5, "reasoning": "Half."}',
    '{"score": true, "reasoning": "Yes."}',
    '{"reasoning": "No score."}',
    "I would give it a seven.",
]


@pytest.mark.parametrize("bad", BAD_SCORES)
async def test_asks_again_for_a_bad_score_and_takes_the_good_one(tmp_path: Path, bad: str) -> None:
    good = '{"score": 4, "reasoning": "Fair."}'
    async with stage(tmp_path, Part(first_score=[bad, good])) as on:
        debate = await on.duel(turns=1)
        (score,) = [turn for turn in debate.turns if turn.kind is StepKind.SCORE]
        assert score.data == {"score": 4, "reasoning": "Fair."}
        assert (score.attempts, score.flags) == (2, ())
        again = next(one for one in on.calls if "could not be used" in one.messages[-1][1])
        assert again.messages[-2] == ("assistant", bad)
        assert len(on.calls) == 11
        # What was asked again is no part of the history that later prompts carry.
        last = on.calls[-1]
        assert bad not in [content for _, content in last.messages]


@pytest.mark.parametrize("bad", BAD_SCORES)
async def test_records_a_score_that_stays_bad_as_unreadable(tmp_path: Path, bad: str) -> None:
    # Figures of its own: those of the example would be nobody's, for no statement has a score.
    async with stage(tmp_path, Part(first_score=bad, record=_record("Ada", 7, 5))) as on:
        debate = await on.duel(turns=1)
        assert debate.status is Status.COMPLETED
        (score,) = [turn for turn in debate.turns if turn.kind is StepKind.SCORE]
        assert score.flags == ("unreadable",)
        assert not (score.data or {}).get("score")
        assert score.attempts == 3
        assert debate.state.calls == len(on.calls) == 12


# --- verdicts ------------------------------------------------------------------------------------


def _record(winner: Any, a: Any = 8, b: Any = 6, names: tuple[str, str] = ("Ada", "Bob")) -> str:
    return json.dumps({"winner": winner, "scores": {names[0]: a, names[1]: b}})


VERDICTS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    # what the judge says; what the verdict must be; how many calls that takes beyond 10
    "plain": ({}, {"winner": "Ada", "status": "decided", "is_contested": False}, 0),
    "winner contradicts the confirmation, then not": (
        {"confirm": "Bob", "record": [_record("Ada"), _record("Bob", 5, 6)]},
        {"winner": "Bob", "winner_id": "bob", "scores": {"Ada": 5, "Bob": 6}},
        1,
    ),
    "winner contradicts the confirmation for ever": (
        {"confirm": "Bob", "record": _record("Ada")},
        {"winner": "Bob", "scores": None, "status": "scores_unknown"},
        2,
    ),
    "confirmation in a sentence": (
        {"confirm": "The winner is **BOB**!", "record": _record("Bob", 3, 9)},
        {"winner": "Bob", "confirmed_winner": "Bob"},
        0,
    ),
    "confirmation names both": (
        {
            "deliberate": "To me it is Bob's.",
            "confirm": "Ada, though Bob came close",
            "record": _record("Bob", 3, 9),
        },
        {"winner": "Bob", "confirmed_winner": None, "is_unconfirmed": True, "status": "decided"},
        0,
    ),
    "confirmation names nobody, the announcement does": (
        {"confirm": "Hard to say.", "record": _record("Ada", 8, 5), "announce": "Ada wins."},
        {"winner": "Ada", "confirmed_winner": None, "is_unconfirmed": True, "status": "decided"},
        0,
    ),
    "nothing but the record names anybody": (
        {"confirm": "Hard to say.", "record": _record("Ada", 8, 5)},
        {"winner": None, "scores": None, "status": "unreadable"},
        0,
    ),
    "the example of the prompt, and nobody confirmed": (
        {"confirm": "Hard to say.", "record": _record("Ada", 8, 6), "announce": "Ada wins."},
        {"winner": None, "scores": None, "status": "unreadable"},
        1,
    ),
    "scores contradict the winner": (
        {"record": _record("Ada", 4, 9)},
        {"winner": "Ada", "scores": {"Ada": 4, "Bob": 9}, "is_contested": True},
        0,
    ),
    "equal scores bear no winner out": (
        {"record": _record("Ada", 7, 7)},
        {"winner": "Ada", "is_contested": True},
        0,
    ),
    "unreadable, but confirmed": (
        {"record": "Ada won, obviously."},
        {"winner": "Ada", "scores": None, "status": "scores_unknown"},
        2,
    ),
    "unreadable, and not confirmed": (
        {"confirm": "Both!", "record": "Nobody knows."},
        {"winner": None, "winner_id": None, "scores": None, "status": "unreadable"},
        2,
    ),
    "a stranger wins": (
        {"confirm": "Zed", "record": _record("Zed")},
        {"winner": None, "status": "unreadable"},
        2,
    ),
    "scores out of bounds, then not": (
        {"record": [_record("Ada", 11), _record("Ada", True), _record("Ada", 9, 2)]},
        {"winner": "Ada", "scores": {"Ada": 9, "Bob": 2}},
        2,
    ),
    "one score is missing": (
        {"record": '{"winner": "Ada", "scores": {"Ada": 8}}'},
        {"winner": "Ada", "scores": None, "status": "scores_unknown"},
        2,
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
async def test_comes_to_the_verdict_that_was_given_and_to_no_other(
    tmp_path: Path, case: str
) -> None:
    said, expected, again = VERDICTS[case]
    async with stage(tmp_path, Part(**said)) as on:
        debate = await on.duel(turns=1)
        assert debate.status is Status.COMPLETED
        verdict = verdict_of(debate)
        assert {key: getattr(verdict, key) for key in expected} == expected
        assert debate.state.calls == len(on.calls) == 10 + again


SAM = msgspec.structs.replace(ADA, id="sam", name="Sam")
SAMANTHA = msgspec.structs.replace(BOB, id="samantha", name="Samantha")


@pytest.mark.parametrize(
    ("confirmation", "winner"),
    [("Samantha", "Samantha"), ("Sam", "Sam"), ("samantha.", "Samantha"), ("SAM!", "Sam")],
)
async def test_tells_names_apart_that_contain_one_another(
    tmp_path: Path, confirmation: str, winner: str
) -> None:
    names = ("Sam", "Samantha")
    record = _record(winner, 5, 5, names)
    part = Part(names, confirm=confirmation, record=record)
    async with stage(tmp_path, part) as on:
        debate = await on.duel([SAM, SAMANTHA, JO], turns=1)
        verdict = verdict_of(debate)
        assert verdict.confirmed_winner == verdict.winner == winner
        assert verdict.winner_id == winner.lower()
        assert len(on.calls) == 10


@pytest.mark.parametrize(
    ("premise", "stance", "winner", "upheld"),
    [
        (PREMISE, Stance.PRO, "Ada", True),
        (PREMISE, Stance.PRO, "Bob", False),
        (PREMISE, Stance.CON, "Ada", False),
        (PREMISE, Stance.CON, "Bob", True),
        (PREMISE, Stance.PRO, None, None),
        ("", Stance.PRO, "Ada", None),
    ],
)
async def test_derives_whether_the_premise_is_upheld_from_the_winners_side(
    tmp_path: Path, premise: str, stance: Stance, winner: str | None, upheld: bool | None
) -> None:
    confirm = winner or "Neither"
    record = _record(winner, 5, 5) if winner else "No verdict."
    roster = (msgspec.structs.replace(ADA, stance=stance), BOB, JO)
    async with stage(tmp_path, Part(confirm=confirm, record=record)) as on:
        debate = await on.duel(roster, turns=1, premise=premise)
        assert verdict_of(debate).premise_upheld is upheld


async def test_lets_the_con_side_open(tmp_path: Path) -> None:
    roster = (msgspec.structs.replace(ADA, stance=Stance.CON), BOB, JO)
    async with stage(tmp_path) as on:
        debate = await on.duel(roster, turns=2, premise=PREMISE)
        assert prompts_by_participant(on.calls) == expected_prompts(
            statements(debate), premise=PREMISE, sides=("AGAINST", "FOR")
        )


async def test_the_announcement_is_the_reasoning_of_the_verdict(tmp_path: Path) -> None:
    async with stage(tmp_path, Part(announce="I found Ada the clearer.")) as on:
        debate = await on.duel(turns=1)
        assert verdict_of(debate).reasoning == "I found Ada the clearer."
        last = debate.turns[-1]
        assert (last.kind, last.content) == (StepKind.VERDICT, "I found Ada the clearer.")


async def test_a_verdict_that_is_never_announced_is_still_the_verdict(tmp_path: Path) -> None:
    async with stage(tmp_path, Part(announce=" ")) as on:
        debate = await on.duel(turns=1)
        assert debate.status is Status.COMPLETED
        assert verdict_of(debate).winner == "Ada"
        assert debate.turns[-1].flags == ("unreadable",)


async def test_a_statement_that_stays_blank_fails_the_duel_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, Part(opening=["", "", "", "At last."])) as on:
        debate = await on.duel(turns=1)
        assert debate.state.stop_reason is StopReason.ERROR
        assert debate.state.failure is not None
        assert debate.state.failure.step_key == "opening/1/ada/speak"
        await on.go_on(debate)
        assert debate.status is Status.COMPLETED
        assert statements(debate) == ["At last."]
        assert debate.state.calls == len(on.calls) == 13


# --- the provider's weather ----------------------------------------------------------------------

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
SLOW = {"never_a_byte", "drip", "hangs_after_finish"}
FAULTY = 7
"""The call that goes wrong."""


@pytest.mark.faults
@pytest.mark.parametrize("text", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_never_records_a_wrong_turn_whatever_the_provider_does(
    tmp_path: Path, fault: str, text: bool
) -> None:
    plan = [None] * (FAULTY - 1) + [fault]
    part = Part()
    async with stage(tmp_path / "faulty", _by_prompt(part), faults=plan) as on:
        debate = await on.duel(turns=2, text=text, call_timeout_seconds=1 if fault in SLOW else 60)
        assert debate.status in (Status.COMPLETED, Status.FAILED)
        if debate.status is Status.FAILED:
            assert debate.state.stop_reason is StopReason.ERROR
            await on.go_on(debate, text=text)
        assert debate.status is Status.COMPLETED
        assert sum(one.fault == fault for one in on.calls) == 1, "the fault did not land"
        # A try that is written into a connection just reset reaches no provider.
        unseen = debate.state.calls - len(on.calls)
        assert unseen == 0 or (fault == "reset_after_body" and unseen == 1)
    _check_turns(debate, await _expected(tmp_path / "undisturbed"), fault)
    check_no_secret(tmp_path)


def _by_prompt(part: Part) -> Any:
    """Replies that do not depend on how many calls came before."""

    def script(call: Any) -> str:
        steady = msgspec.structs.replace(call, number=len(call.messages))
        return part(steady)

    return script


_undisturbed: dict[str, str] = {}


async def _expected(home: Path) -> dict[str, str]:
    """What every step comes to when nothing goes wrong; found out once."""
    if not _undisturbed:
        async with stage(home, _by_prompt(Part())) as on:
            debate = await on.duel(turns=2)
            _undisturbed.update({turn.step_key: turn.content for turn in debate.turns})
    return _undisturbed


ALTERING = {"no_json", "winner_stranger", "bad_utf8", *NASTY_TEXT}
"""Faults that change what is said into something else that may be said."""


def _check_turns(debate: Debate, expected: dict[str, str], fault: str) -> None:
    found = {turn.step_key: turn.content for turn in debate.turns}
    assert found.keys() == expected.keys()
    altered = [key for key in expected if found[key] != expected[key]]
    if fault not in ALTERING:
        assert altered == []
    for key in altered:
        # Later prompts quote it, but every reply depends on the length of the history alone.
        assert altered == [key]
        assert not CONTROL.search(found[key])


async def test_is_the_same_duel_whether_it_is_streamed_or_not(tmp_path: Path) -> None:
    hashes = []
    for text in (False, True):
        async with stage(tmp_path / str(text), _by_prompt(Part())) as on:
            debate = await on.duel(turns=3, text=text)
            assert all(entry.is_streamed is text for entry in on.calls)
            hashes.append(transcript_hash(await on.moot.service.log(debate.id)))
    assert hashes[0] == hashes[1]


# --- the embedded model --------------------------------------------------------------------------
