"""The closed sets of words the whole system uses: in code, database, API and pages alike.

Adding a member here is a decision about the language of the product; see docs/glossary.md.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where a debate stands. `completed` and `canceled` are final."""

    CREATED = "created"
    RUNNING = "running"
    WAITING = "waiting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    COMPLETED = "completed"
    CANCELED = "canceled"

    @property
    def is_terminal(self) -> bool:
        return self in (Status.COMPLETED, Status.CANCELED)

    @property
    def is_active(self) -> bool:
        """A worker has something to do, or to finish, for a debate with this status."""
        return self in _ACTIVE


_ACTIVE = (Status.RUNNING, Status.STOPPING)  # used many times per call, so it is not made each time


class Role(StrEnum):
    """What a participant is there for."""

    MODERATOR = "moderator"
    DEBATER = "debater"
    JUDGE = "judge"
    MEMBER = "member"
    BENCH = "bench"
    """One of those who are asked at the very end, each by itself; never the judge of the debate."""

    @property
    def is_judging(self) -> bool:
        """Whether the models and wishes for judges apply. A moderator gets them too: like a judge,
        moderators do not argue."""
        return self in (Role.JUDGE, Role.MODERATOR, Role.BENCH)


class Stance(StrEnum):
    """The side a debater argues: for, against, or neither."""

    PRO = "pro"
    CON = "con"
    NONE = "none"

    @property
    def opposite(self) -> Stance:
        return {Stance.PRO: Stance.CON, Stance.CON: Stance.PRO}.get(self, Stance.NONE)


class StepKind(StrEnum):
    """What a participant did in a turn."""

    PLAN = "plan"
    THINK = "think"
    SPEAK = "speak"
    EVALUATE = "evaluate"
    SCORE = "score"
    DELIBERATE = "deliberate"
    CONFIRM = "confirm"
    VERDICT = "verdict"
    ASK = "ask"
    SUMMARIZE = "summarize"
    PROPOSE = "propose"
    CRITIQUE = "critique"
    REFINE = "refine"
    SYNTHESIZE = "synthesize"
    VOTE = "vote"
    ANSWER = "answer"
    """What is said to a question that asks for no speech: a clarification, a checkpoint, a poll."""


class Visibility(StrEnum):
    """Who may read a turn: everyone, or only the participant who made it (and the audience)."""

    PUBLIC = "public"
    PRIVATE = "private"


class View(StrEnum):
    """What of the log a step's prompt contains besides its own text and notes of checkpoints."""

    OWN = "own"
    """The participant's own earlier prompts and replies, nothing else (seed 001)."""
    TRANSCRIPT = "transcript"
    """The same, and every included public turn of the others (seeds 000, 002, 003)."""
    BLANK = "blank"
    """Nothing: the prompt says all there is to know (independent proposals, seed 004)."""


class Pacing(StrEnum):
    """Whether a room's members take turns by themselves, or a person chooses answers."""

    AUTO = "auto"
    MANUAL = "manual"


class StopReason(StrEnum):
    """Why a debate ended or stands still."""

    DONE = "done"
    MAX_ROUNDS = "max_rounds"
    MAX_RUNTIME = "max_runtime"
    MAX_TOKENS = "max_tokens"
    MAX_COST = "max_cost"
    ENDED = "ended"
    STOPPED = "stopped"
    CANCELED = "canceled"
    CONSENSUS = "consensus"
    STABLE = "stable"
    NO_NEW_ARGUMENTS = "no_new_arguments"
    ALL_SKIPPED = "all_skipped"
    ERROR = "error"


class Finish(StrEnum):
    """Why a model stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "filter"
    OTHER = "other"


class Effort(StrEnum):
    """How much a model is to think before it answers."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


USER = "user"
"""The person who runs the debate and sits in no chair. No participant can have this name."""

PASSED, EXPIRED, SKIPPED = "passed", "expired", "skipped"
"""Flags of turns in which nothing was said: a person passed (EXPIRED too, if the time was up), or a
member skipped."""
ECHOED = "echo"
"""The flag of a turn that only repeats the words of its prompt."""
HIDDEN = "hidden"
"""Flag of turns whose words are withheld from views while somebody takes part who may not know
them; no log has it. See `visibility`."""
UNSPOKEN = frozenset({PASSED, SKIPPED, HIDDEN})

SAMPLE_MODEL = "sample:written"
"""What stands in place of a model in a sample: the people who make Moot wrote it."""
HUMAN = "human"
"""The model name of a person. The engine opens a question instead of calling a model."""
