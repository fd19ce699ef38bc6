"""What models are sent, how they are given one another's turns, and how their steps are made.

What others said is always a quotation (see `quoting`), and without names. Everybody's own answers
come back as the JSON that was asked for, so that no model learns from its own history to answer in
another form.

Where a history begins, and how long it has become, is here too: a participant with a summary sees
it in place of everything before it. The log keeps it all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.protocol.briefs import brief as for_people, introduced, persona
from moot.protocol.formats.council.answers import POSITION, RECORDS
from moot.protocol.formats.council.ballots import candidates
from moot.protocol.formats.council.order import Pass, settings_of
from moot.protocol.formats.council.positions import (
    critiques_of,
    final_position,
    holders,
    position,
    text_of,
)
from moot.protocol.formats.council.questions import (
    Clarification,
    clarifications,
    told_in_advance,
)
from moot.protocol.formats.council.seats import (
    active,
    critic_label,
    index_of,
    judge,
    members,
    proposal_label,
)
from moot.protocol.labelling import PROPOSAL, relabelled
from moot.protocol.quoting import quotations, quoted
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Heard, Prompt, Step
from moot.protocol.values import Participant, Place
from moot.protocol.words import StepKind, View, Visibility

BEGINNING: Place = (1,)
"""Questions before the rounds are part of the brief, not of the history."""
CHARACTERS_PER_TOKEN = 4
NO_ANSWER = "(no answer: use your own judgement)"
POSITIONS = (StepKind.PROPOSE, StepKind.REFINE)
NO_CRITIQUE = "(Nobody had anything to say about it.)"


def brief(state: DebateState, member: Participant) -> Prompt:
    """A member's system prompt."""
    return Prompt(
        "council/system",
        {
            "name": member.name,
            "others": _counted(len(members(state)) - 1),
            "topic": state.config.topic,
            "persona_block": persona(member.personality, member.position, member.instructions),
            "clarifications_block": _clarifications(state),
        },
    )


def judge_brief(state: DebateState, judge: Participant) -> Prompt:
    return Prompt(
        "council/judge_system",
        {
            "who": introduced(judge, "the judge"),
            "number": str(len(members(state))),
            "topic": state.config.topic,
            "persona_block": persona(judge.personality, judge.judging_criteria),
            "clarifications_block": _clarifications(state),
        },
    )


def _counted(others: int) -> str:
    return "one other member" if others == 1 else f"{others} other members"


def _clarifications(state: DebateState) -> Prompt | str:
    asked = (one for one in clarifications(state) if one.answer is not None)
    known = [*told_in_advance(state), *(one for one in asked if not one.same_as)]
    if not known:
        return ""
    said = "\n".join(_exchange(one) for one in known)
    return Prompt("council/clarifications", {"clarifications": said})


def _exchange(one: Clarification) -> str:
    told = quoted("User", one.answer or NO_ANSWER)
    return f"{quoted('Question', one.question)}\n{told}" if one.question else told


# --- prompts of members ---------------------------------------------------------------------------


def ask_prompt(state: DebateState) -> Prompt:
    most = str(settings_of(state).clarifications_max_per_agent)
    return Prompt("council/ask" if state.round == 1 else "council/ask_again", {"most": most})


def propose_prompt() -> Prompt:
    return Prompt("council/propose")


def critique_prompt(state: DebateState, of: Participant, turn: Turn) -> Prompt:
    proposal = quoted(proposal_label(state, of.id), plainly(turn))
    return Prompt("council/critique", {"round": str(state.round), "proposal": proposal})


def critiques_prompt(state: DebateState, members: Iterable[str]) -> Prompt:
    """The proposals of all of these in one text, for a person who says something of each."""
    turns = ((one, position(state, one, state.round)) for one in members)
    proposals = ((proposal_label(state, one), plainly(turn)) for one, turn in turns if turn)
    slots = {"round": str(state.round), "proposals": quotations(sorted(proposals))}
    return Prompt("council/critiques", slots)


def refine_prompt(state: DebateState, member: Participant, *, reminds: bool) -> Prompt:
    """`reminds` if the member's own proposal is no longer in its history."""
    turn = position(state, member.id, state.round)
    own = quoted("Your proposal", text_of(turn)) if turn and reminds else ""
    critiques = sorted(
        (critic_label(state, one.said.participant, member.id), plainly(one))
        for one in critiques_of(state, state.round, member.id)
    )
    return Prompt(
        "council/refine",
        {
            "round": str(state.round),
            "own_block": Prompt("council/own", {"proposal": own}) if own else "",
            "critiques": quotations(critiques) or NO_CRITIQUE,
        },
    )


def ballot_prompt(state: DebateState, labelled: Iterable[tuple[str, str]]) -> Prompt:
    """`labelled` are the letters and texts of the proposals."""
    rule = settings_of(state).decision
    proposals = quotations((f"Proposal {label}", text) for label, text in labelled)
    return Prompt(f"council/{rule}", {"proposals": proposals})


# --- prompts of the judge -------------------------------------------------------------------------


def evaluate_prompt(state: DebateState) -> Prompt:
    standing = holders(state, state.round + 1)
    labels = sorted(proposal_label(state, one.id) for one in standing)
    return Prompt("council/evaluate", {"round": str(state.round), "labels": ", ".join(labels)})


def evaluate_for_person(state: DebateState) -> Prompt:
    """The prompt of an evaluation, with the proposals, which a model has in its history."""
    prompt = evaluate_prompt(state)
    return Prompt(prompt.template, {**prompt.slots, "finals_block": _finals(state)})


def synthesize_prompt(
    state: DebateState, *, reminds: bool, winners: Sequence[str] | None
) -> Prompt:
    """`reminds` if the proposals are no longer in the judge's history; `winners` by id."""
    labels = None if winners is None else [proposal_label(state, one) for one in winners]
    return Prompt(
        "council/synthesize",
        {"finals_block": _finals(state) if reminds else "", "decision_block": _decision(labels)},
    )


def synthesize_for_person(state: DebateState, prompt: Prompt) -> Prompt:
    """`prompt` with what a model has in its history: each proposal in full and the last critiques
    of it."""
    said = [one for member in _by_label(state) for one in _heard_of(state, member)]
    told = Prompt("council/finals_in_full", {"proposals": quotations(said)})
    return Prompt(prompt.template, {**prompt.slots, "finals_block": told})


def _by_label(state: DebateState) -> list[str]:
    standing = (one.id for one in active(state) if final_position(state, one.id))
    return sorted(standing, key=lambda one: proposal_label(state, one))


def _heard_of(state: DebateState, member: str) -> Iterator[tuple[str, str]]:
    """A proposal by its label, and the last critiques of it."""
    yield proposal_label(state, member), _in_full(state, member)
    rounds = range(state.round, 0, -1)
    last = next((found for n in rounds if (found := critiques_of(state, n, member))), [])
    said = (heard(state, one, "") for one in last)
    yield from sorted((one.label, one.text) for one in said)


def _in_full(state: DebateState, member: str) -> str:
    """The last version of a proposal, with the reasons and risks it was put forward with, and the
    points that its author accepted or not."""
    own = (turn for turn in state.own_turns.get(member, ()) if turn.said.kind in POSITIONS)
    turns = [turn for turn in own if turn.is_heard]
    known = {name: value for turn in turns for name, value in (turn.said.data or {}).items()}
    return POSITION.told({**known, "proposal": text_of(turns[-1]), "is_plain": False})


def compare_prompt(labelled: Mapping[str, str]) -> Prompt:
    """`labelled` are the texts by letter."""
    proposals = quotations((f"Proposal {label}", text) for label, text in labelled.items())
    return Prompt("council/compare", {"proposals": proposals})


def _finals(state: DebateState) -> Prompt:
    turns = ((one, final_position(state, one.id)) for one in active(state))
    texts = sorted((proposal_label(state, one.id), text_of(turn)) for one, turn in turns if turn)
    return Prompt("council/finals", {"proposals": quotations(texts)})


def _decision(winners: Sequence[str] | None) -> Prompt | str:
    if winners is None:
        return ""
    if not winners:
        return Prompt("council/undecided")
    name = "council/chosen" if len(winners) == 1 else "council/tied"
    return Prompt(name, {"labels": " and ".join(winners)})


# --- histories ------------------------------------------------------------------------------------


def since(state: DebateState, participant: str) -> Place:
    """Where the history of a participant begins: at its last summary, or with the rounds."""
    for turn in reversed(state.own_turns.get(participant, [])):
        if turn.said.kind is StepKind.SUMMARIZE and turn.is_heard:
            return turn.place
    return BEGINNING


def history_tokens(state: DebateState, participant: str) -> int:
    """About how many tokens the participant's own prompts and replies take up."""
    begin = since(state, participant)
    turns = (turn for turn in state.own_turns.get(participant, []) if turn.place >= begin)
    counted = (turn.said for turn in turns if turn.is_heard)
    return sum(len(one.prompt) + len(one.content) for one in counted) // CHARACTERS_PER_TOKEN


def judge_tokens(state: DebateState) -> int:
    """About how many tokens everything said in the rounds takes up."""
    turns = (turn for turn in state.transcript() if turn.place >= BEGINNING)
    public = (one for one in turns if one.said.visibility is Visibility.PUBLIC and one.is_heard)
    return sum(len(one.said.content) for one in public) // CHARACTERS_PER_TOKEN


# --- how turns reach models -----------------------------------------------------------------------

BALLOT = "A ballot"


def heard(state: DebateState, turn: Turn, reader: str) -> Heard:
    """What `reader` is given of a turn, and under which label."""
    if turn.said.participant == reader:
        return Heard(label="", text=recalled(turn))
    return Heard(label=_label(state, turn), text=_text(state, turn))


def recalled(turn: Turn) -> str:
    """An answer as its author is given it again."""
    answer = RECORDS.get(turn.said.kind)
    data = _read(turn)
    return answer.recalled(data) if answer and data else turn.said.content


def plainly(turn: Turn, *, with_sources: bool = False) -> str:
    """An answer in words, with labels and no names; `with_sources` says whose points were taken
    up, which only the judge can make anything of."""
    answer = RECORDS.get(turn.said.kind)
    data = _read(turn)
    if answer is None or not data:
        return _without_heading(turn)
    return answer.told(data if with_sources else _without_sources(data)) or _without_heading(turn)


def _read(turn: Turn) -> Mapping[str, Any]:
    """The data of an answer that could be read."""
    data = turn.said.data or {}
    return {} if "reason" in data else data


def _without_sources(data: Mapping[str, Any]) -> dict[str, Any]:
    def bare(value: object) -> object:
        entries = value if isinstance(value, list) else ()
        if not any(isinstance(one, dict) for one in entries):
            return value
        return [{**one, "from": ""} if isinstance(one, dict) else one for one in entries]

    return {name: bare(value) for name, value in data.items()}


def _without_heading(turn: Turn) -> str:
    """What a critique says, without the line that tells people whose proposal it is about."""
    content = turn.said.content
    if turn.said.kind is not StepKind.CRITIQUE:
        return content
    heading, _, rest = content.partition("\n\n")
    return rest if rest and heading.startswith("On the proposal of ") else content


def _label(state: DebateState, turn: Turn) -> str:
    said = turn.said
    match said.kind:
        case StepKind.PROPOSE | StepKind.REFINE:
            return proposal_label(state, said.participant)
        case StepKind.CRITIQUE:
            of = said.about
            return f"{critic_label(state, said.participant, of)} on {proposal_label(state, of)}"
        case StepKind.VOTE:
            return BALLOT
        case _:
            return state.label_of(said.participant)


def _text(state: DebateState, turn: Turn) -> str:
    if turn.said.kind is StepKind.VOTE:
        return _ballot(state, turn)
    return plainly(turn, with_sources=True)


def _ballot(state: DebateState, turn: Turn) -> str:
    """A ballot with the debate's labels in place of its own letters, which only voters see."""
    letters = {
        f"{PROPOSAL} {one.label}": proposal_label(state, one.member.id) for one in candidates(state)
    }
    data = _read(turn)
    ranked = " > ".join(letters[f"{PROPOSAL} {one}"] for one in data.get("ranking", ()))
    return f"{ranked or 'spoilt'}\n\n{relabelled(data.get('reasons', ''), letters)}".strip()


# --- how a step is made, from a row of the order --------------------------------------------------

Steps = tuple[Step, ...]


def by_member(
    state: DebateState,
    row: Pass,
    member: Participant,
    about: Participant | None = None,
    **fields: Any,
) -> Step:
    """A step of a member, which sees its own history as far as it is not summarised."""
    seats = [index_of(state, one.id) for one in (about, member) if one]
    given: dict[str, Any] = {
        "key": row.key(state.round, member.id, about.id if about else ""),
        "participant": member.id,
        "about": about.id if about else "",
        "place": row.place(state.round, *seats),
        # All at once: none of them knows of the others, and a person among them reads none yet.
        "horizon": row.place(state.round),
        "system": brief(state, member),
        "since": since(state, member.id),
        "hears": heard,
        "max_tokens": settings_of(state).max_tokens,
        "for_people": for_people(state, member, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def by_judge(state: DebateState, row: Pass, **fields: Any) -> Step:
    """A step of the judge, which sees all that was said in the rounds."""
    chair = judge(state)
    given: dict[str, Any] = {
        "key": row.key(state.round, chair.id),
        "participant": chair.id,
        "place": row.place(state.round),
        "system": judge_brief(state, chair),
        "view": View.TRANSCRIPT,
        "since": since(state, chair.id),
        "hears": heard,
        "max_tokens": settings_of(state).max_tokens_judge,
        "for_people": for_people(state, chair, fields["prompt"]),
    }
    return _step(state, row, {**given, **fields})


def _step(state: DebateState, row: Pass, fields: dict[str, Any]) -> Step:
    given = {"kind": row.kind, "stage": row.stage, "round": state.round, "is_owed": True}
    return Step(**{**given, **fields})


def still_open(state: DebateState, steps: Iterator[Step]) -> Steps:
    """The steps that have no turn yet and are not done without."""
    return tuple(step for step in steps if not is_settled(state, step.key))


def any_open(state: DebateState, steps: Iterator[Step]) -> bool:
    """Whether `still_open` would find a step. Makes only as many steps as it takes to know: a
    prompt costs far more to make than a key."""
    return any(not is_settled(state, step.key) for step in steps)


def is_long(state: DebateState, tokens: int) -> bool:
    """Whether a history of so many tokens is to be summarised."""
    return tokens > settings_of(state).summary_threshold_tokens
