"""The order of a poll: who is asked, how often, and who decides.

Everybody answers at the same time and knows nothing of the others. Samples are the same question to
the same member once more; a person is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.formats.poll.answers import plain
from moot.protocol.labelling import LETTERS
from moot.protocol.roster import judge_beside, shared_model
from moot.protocol.settings import MaxTokensJudge, Settings, StepRetries, frozen
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.words import Role, StepKind

ANSWERS, DECISION = "answers", "decision"
MOST_MEMBERS, MOST_ANSWERS = 10, 100
MOST_READ = len(LETTERS)
"""Answers that members or a judge can be asked to read: each has a letter."""
ONCE = 1
JUDGES = ("Judge", "Poll Judge", "Presiding Judge")
"""What a judge whom nobody named can be called, whatever the members are called."""

DEFAULT_ROSTER = tuple(
    Participant(id=name.lower(), name=name, role=Role.MEMBER) for name in ("Ash", "Birch", "Cedar")
)
"""Three members who are told nothing but the question."""


class PollSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a poll."""

    samples: Annotated[
        int, Meta(ge=1, le=25, description="How often each model is asked; people are asked once.")
    ] = 1
    answer_type: Annotated[
        Literal["text", "choice", "number", "yes_no"],
        Meta(
            description="text: in their own words. choice: one of the choices. number: a number. "
            "yes_no: yes or no."
        ),
    ] = "text"
    choices: Annotated[
        tuple[Annotated[str, Meta(max_length=200)], ...],
        Meta(max_length=20, description="What can be chosen, with the answer type choice."),
    ] = ()
    decision: Annotated[
        Literal["first", "majority", "vote", "rank", "judge"],
        Meta(
            description="first: the first answer that can be read. majority: the answer that most "
            "give. vote: members vote on the answers. rank: members rank them (Borda). judge: a "
            "judge reads all answers and gives one."
        ),
    ] = "majority"
    step_retries: StepRetries = 1
    max_tokens_judge: MaxTokensJudge = 1500

    @property
    def is_voted(self) -> bool:
        return self.decision in ("vote", "rank")

    @property
    def is_prose(self) -> bool:
        """Whether an answer is just a text. To be counted, it would need a short one beside it."""
        return self.answer_type == "text" and self.decision != "majority"


def settings_of(state: DebateState) -> PollSettings:
    return state.settings_as(PollSettings)


# --- who takes part -------------------------------------------------------------------------------


def cast_poll(
    settings: PollSettings, participants: tuple[Participant, ...]
) -> tuple[Participant, ...]:
    """The members, and the judge if one decides. Raises InvalidInput."""
    members = tuple(one for one in participants if one.role is Role.MEMBER)
    judges = tuple(one for one in participants if one.role is Role.JUDGE)
    if len(members) + len(judges) < len(participants) or len(judges) > 1:
        message = "a poll takes members, at most one judge, and nobody else"
        raise InvalidInput(message, field="participants")
    if not 1 <= len(members) <= MOST_MEMBERS:
        message = f"a poll has 1 to {MOST_MEMBERS} members, not {len(members)}"
        raise InvalidInput(message, field="participants")
    _check(settings, members)
    if settings.decision == "judge":
        return (*members, *(judges or (judge_beside(members, JUDGES),)))
    if judges:
        message = (
            f"nobody asks {judges[0].name}: this poll is decided by {settings.decision}; "
            "set decision to judge, or leave the judge out"
        )
        raise InvalidInput(message, field="participants")
    return members


def _check(settings: PollSettings, members: Sequence[Participant]) -> None:
    """Raises InvalidInput for settings that do not go together."""
    number = sum(times(settings, one) for one in members)
    is_read = settings.is_voted or settings.decision == "judge"
    most = MOST_READ if is_read else MOST_ANSWERS
    if number > most:
        what = f"{len(members)} members and {settings.samples} samples make {number} answers"
        by = f" with the decision {settings.decision}" if is_read else ""
        message = f"{what}, and there can be {most}{by}; ask for fewer"
        raise InvalidInput(message, field="settings.samples")
    _check_choices(settings)


def _check_choices(settings: PollSettings) -> None:
    is_choice = settings.answer_type == "choice"
    known = [plain(one) for one in settings.choices]
    if known and not is_choice:
        message = f"has no effect on {settings.answer_type} answers; set answer_type to choice"
    elif is_choice and len(known) < 2:  # noqa: PLR2004 - with one there is nothing to choose
        message = "needs two texts or more to choose from"
    elif "" in known:
        message = "has a blank text; leave it out"
    elif len(set(known)) < len(known):
        message = "has two texts that would be counted as the same answer"
    else:
        return
    raise InvalidInput(message, field="settings.choices")


def members(config: Config) -> tuple[Participant, ...]:
    return tuple(one for one in config.participants if one.role is Role.MEMBER)


def judge(config: Config) -> Participant | None:
    return next((one for one in config.participants if one.role is Role.JUDGE), None)


def times(settings: PollSettings, member: Participant) -> int:
    """How often that member is asked."""
    return ONCE if member.is_human else settings.samples


def cautions(config: Config) -> tuple[str, ...]:
    """Samples are worth something only where a model may answer differently each time."""
    settings = frozen(PollSettings, config.settings)
    asked = [one for one in members(config) if times(settings, one) > ONCE]
    is_same = any(one.sampling.temperature == 0 or one.sampling.seed is not None for one in asked)
    alike = "With a temperature of 0 or a sampling seed, all samples of a model may be the same."
    return (*shared_model(config.participants), *((alike,) if is_same else ()))


# --- what is asked --------------------------------------------------------------------------------


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that is asked for: of which member, and for which sample."""

    member: Participant
    seat: int
    sample: int

    @property
    def key(self) -> str:
        again = f"/{self.sample}" if self.sample > ONCE else ""
        return f"{ANSWERS}/1/{self.member.id}/{StepKind.ANSWER}{again}"

    @property
    def place(self) -> Place:
        return (0, self.sample, self.seat)


BEFORE_ANSWERS: Place = (0,)
BEFORE_BALLOTS: Place = (1,)
LAST: Place = (2,)


def asked(config: Config, settings: PollSettings) -> Iterator[Asked]:
    """All answers that are asked for, everybody's first before anybody's second."""
    seats = list(enumerate(members(config)))
    for sample in range(1, settings.samples + 1):
        for seat, member in seats:
            if sample <= times(settings, member):
                yield Asked(member=member, seat=seat, sample=sample)


def ballot_key(member: Participant) -> str:
    return f"{DECISION}/1/{member.id}/{StepKind.VOTE}"


def judge_key(chair: Participant) -> str:
    return f"{DECISION}/1/{chair.id}/{StepKind.SYNTHESIZE}"


def most_calls(config: Config) -> int:
    settings = frozen(PollSettings, config.settings)
    ballots = len(members(config)) if settings.is_voted else 0
    return sum(1 for _ in asked(config, settings)) + ballots + int(settings.decision == "judge")


def longest_chain(config: Config) -> int:
    settings = frozen(PollSettings, config.settings)
    return 2 if settings.is_voted or settings.decision == "judge" else 1
