"""The words people read for the closed sets of `words`: one table for terminal, page and exports.

Plain text; whoever shows it escapes it in its own way. The page gets the tables from the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from moot.protocol import answer_words, certificate_words
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Usage
from moot.protocol.words import Status, StepKind, StopReason


class Kind(NamedTuple):
    """A step kind in three forms: the turn it makes, "Ada …" once it is done, "Ada is …" before."""

    noun: str
    does: str
    doing: str


KINDS: Mapping[StepKind, Kind] = {
    StepKind.PLAN: Kind("plan", "plans", "planning"),
    StepKind.THINK: Kind("thought", "thinks", "thinking"),
    StepKind.SPEAK: Kind("statement", "speaks", "speaking"),
    StepKind.EVALUATE: Kind("evaluation", "weighs it", "weighing the argument"),
    StepKind.SCORE: Kind("score", "scores", "scoring"),
    StepKind.DELIBERATE: Kind("deliberation", "deliberates", "deliberating"),
    StepKind.CONFIRM: Kind("choice of winner", "settles the verdict", "settling the verdict"),
    StepKind.VERDICT: Kind("verdict", "gives the verdict", "reaching a verdict"),
    StepKind.ASK: Kind("question", "asks", "looking for questions"),
    StepKind.SUMMARIZE: Kind("summary", "sums up", "summing up"),
    StepKind.PROPOSE: Kind("proposal", "proposes", "writing a proposal"),
    StepKind.CRITIQUE: Kind("critique", "criticises", "writing a critique"),
    StepKind.REFINE: Kind("refined proposal", "refines", "refining the proposal"),
    StepKind.SYNTHESIZE: Kind("solution", "writes the solution", "writing the solution"),
    StepKind.VOTE: Kind("ballot", "votes", "voting"),
    StepKind.ANSWER: Kind("answer", "answers", "answering"),
}

FLAGS: Mapping[str, str] = {
    "truncated": "cut off at the length limit",
    "filtered": "cut off by the provider's filter",
    "unreadable": "could not be read",
    "echo": "repeats the words of its prompt",
    "trimmed": "lines written for somebody else were left out",
    "relabeled": "began with somebody else's name, which was left out",
    "passed": "passed",
    "expired": "the time to answer was up",
    "skipped": "skipped",
    "shortened": "written without the oldest turns, which no longer fitted the model's window",
    "overfull": "the prompt was longer than the model's window, so it may not have been read whole",
    "sampling_ignored": "the provider did not accept all of the sampling settings",
    "plain_text": "used as written, because it is not JSON",
    "partial": "incomplete; used as far as it goes",
    "hidden": "hidden while somebody takes part who may not know it",
    "inherited": "shared with the debate it was forked from",
}

ERRORS = frozenset({"failed", "rate_limit", "paused_rate_limited", "context_full"})
"""Codes of notices that are errors; all others are system messages (seed 002, "Message Types")."""

FILES_LEFT_OUT, BUDGET_NOT_HELD = "files_left_out", "budget_not_held"
WARNINGS = frozenset({FILES_LEFT_OUT, BUDGET_NOT_HELD})
"""Codes of notices that come with a debate's creation: files that were named and are not attached,
and a cap on money that cannot be held because a price is not known."""

CAPS = frozenset({StopReason.MAX_COST, StopReason.MAX_RUNTIME, StopReason.MAX_TOKENS})
"""Limits after which an outcome is only what could be said until then."""
REASONS: Mapping[StopReason, str] = {
    StopReason.DONE: "everything was said",
    StopReason.MAX_ROUNDS: "all rounds were played",
    StopReason.MAX_RUNTIME: "the time limit was reached",
    StopReason.MAX_TOKENS: "the token limit was reached",
    StopReason.MAX_COST: "the cost limit was reached",
    StopReason.ENDED: "it was ended by hand",
    StopReason.STOPPED: "it was stopped",
    StopReason.CANCELED: "it was canceled",
    StopReason.CONSENSUS: "they agreed",
    StopReason.STABLE: "nobody changed their position any more",
    StopReason.NO_NEW_ARGUMENTS: "nothing new was said",
    StopReason.ALL_SKIPPED: "nobody had more to say",
    StopReason.ERROR: "a step failed",
}
"""Completes "It ended because …"."""


class StatusWord(NamedTuple):
    """What a status is called, and its tone: idle, live, wait, bad or done."""

    label: str
    tone: str


STATUSES: Mapping[Status, StatusWord] = {
    Status.CREATED: StatusWord("Ready", "idle"),
    Status.RUNNING: StatusWord("Running", "live"),
    Status.WAITING: StatusWord("Waiting for you", "wait"),
    Status.STOPPING: StatusWord("Stopping", "live"),
    Status.STOPPED: StatusWord("Stopped", "idle"),
    Status.FAILED: StatusWord("Failed", "bad"),
    Status.COMPLETED: StatusWord("Completed", "done"),
    Status.CANCELED: StatusWord("Canceled", "idle"),
}


class FormatWord(NamedTuple):
    """What a format does, in words for somebody who has to choose one."""

    name: str
    end: str
    """How a debate of the format may end."""
    asks: str
    """The question it is for."""
    roles: tuple[str, ...]
    """Whom it seats."""
    length: str
    """The setting that makes it short or long."""
    unit: str
    """What that setting counts."""
    short: int
    long: int
    """The values of that setting for short and long debates; medium is the default."""
    joins: str = ""
    """What stands between the first two seats, if they read as a sentence."""
    nick: str = ""
    """The name where there is little room, if that is a different one."""


SAMPLE, FILE = "import/sample", "import/file"
ORIGINS: Mapping[str, str] = {
    SAMPLE: "A sample, written by the people who make Moot. No model said this.",
    FILE: "Imported from a file. Moot cannot tell whether it happened as it says.",
}
"""What a reader must know of a debate that was not held here, by the origin of its row."""
FORKED_ORIGINS: Mapping[str, str] = {
    SAMPLE: (
        "It begins with a sample, written by the people who make Moot. No model said what was taken"
        " over from it."
    ),
    FILE: (
        "It begins with a debate that was imported from a file. Moot cannot tell whether that "
        "happened as it says."
    ),
}
"""The same for a debate that was forked from such a debate."""
ORIGIN_LABELS: Mapping[str, str] = {
    SAMPLE: "sample",
    FILE: "imported",
    "v1": "asked over /v1",
    "mcp": "asked over MCP",
}
"""By which door a debate came, in a word or three, for lists."""
NOTHING_ASKED = "no model was asked, and nothing was spent"

NO_SCORE = "no readable score"
PREMISE: Mapping[bool, str] = {True: "Premise upheld", False: "Premise rejected"}
OPEN_CARDS = (
    "Played with open cards: a person who took part was shown before the end what is private."
)
OUTCOME_HIDDEN = (
    "The outcome is hidden for now, because somebody still has to answer in the debate that this "
    "one was forked from."
)
REVEALS = (
    "Open cards show everybody who looks at this debate what the others plan and think, how the "
    "judge weighs and scores, and what others write while you still owe an answer. This cannot be "
    "undone, and the result will say that the debate was played with open cards."
)
"""What opening the cards gives away; people are told before they do it."""

TRUST: Mapping[str, str] = {
    "missing": "No verdict",
    "unreadable": "Unreadable",
    "passed": "Passed",
    "contested": "Contested",
    "unconfirmed": "Not confirmed",
    "scores_unknown": "Scores unknown",
    "left_out": "Somebody was left out",
    "open_cards": "Open cards",
    "tie": "Tie",
    "confirmed": "Confirmed",
}
"""How far an outcome can be relied on, in a word or two, the most serious first."""

SOLUTION_PARTS: Mapping[str, str] = {
    "reasons": "Why this",
    "rejected": "Rejected",
    "trade_offs": "Trade-offs",
    "recommendations": "Recommendations",
    "unfulfilled_requirements": "Unfulfilled requirements",
    "open_questions": "Open questions",
    "dissent": "Dissent",
}
"""The parts of a solution that are lists, in the order in which people read them."""

PROVIDERS: Mapping[str, str] = {
    "openai": "OpenAI",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "xai": "xAI",
    "lmstudio": "LM Studio",
    "vllm": "vLLM",
    "llamacpp": "llama.cpp",
}
"""Providers whose name is not just the id with a capital."""


def written(usage: Usage) -> str:
    """How many tokens were written; those that were only thought are told apart."""
    thought = f", {usage.thought_tokens:,} thought" if usage.thought_tokens else ""
    return f"{usage.answer_tokens:,} out{thought}"


def message_type(code: str) -> str:
    """What a notice with that code is: `error` or `system`."""
    return "error" if code in ERRORS else "system"


def provenance(config: Config) -> str:
    """Where a debate comes from that was not held here, in a sentence or two; else ""."""
    if config.origin is None:
        return ""
    told = FORKED_ORIGINS if config.forked_from else ORIGINS
    return told.get(config.origin.label, "")


def is_sample(config: Config) -> bool:
    """Whether all of it was written by the people who make Moot."""
    origin = config.origin.label if config.origin else ""
    return origin == SAMPLE and config.forked_from is None


def early(reason: StopReason | None) -> tuple[str, ...]:
    """The sentence that a limit ended the debate early, if one did."""
    return (f"It ended early: {REASONS[reason]}.",) if reason in CAPS else ()


def as_data(formats: Mapping[str, FormatWord]) -> dict[str, Any]:
    """All tables, and the words of these formats, for whoever cannot import them: the page."""
    return {
        "kinds": {kind.value: words._asdict() for kind, words in KINDS.items()},
        "flags": dict(FLAGS),
        "reasons": {reason.value: text for reason, text in REASONS.items()},
        "statuses": {
            status.value: {**words._asdict(), "is_over": status.is_terminal}
            for status, words in STATUSES.items()
        },
        "premise": {"upheld": PREMISE[True], "rejected": PREMISE[False]},
        "solution_parts": dict(SOLUTION_PARTS),
        "of_tie": answer_words.OF_TIE,
        "certificates": {
            status.value: {"label": label, "meaning": certificate_words.MEANINGS[status]}
            for status, label in certificate_words.STATUSES.items()
        },
        "no_score": NO_SCORE,
        "trust": dict(TRUST),
        "formats": {name: words._asdict() for name, words in formats.items()},
        "providers": dict(PROVIDERS),
        "cards": {"open": OPEN_CARDS, "reveals": REVEALS},
        "origins": dict(ORIGINS),
        "forked_origins": dict(FORKED_ORIGINS),
        "origin_labels": dict(ORIGIN_LABELS),
    }


# --- what a debate has cost -----------------------------------------------------------------------
# In one spelling for terminal, page and exports: see `money` in words.js.

UNKNOWN, FREE = "price unknown", "free"
DECIMALS = ((0.01, 2), (0.001, 3), (0.0, 4))
"""How many decimals are shown from which sum on: less than a cent still differs from nothing."""


def money(usd: float) -> str:
    """`$0.05`, `$0.004`, `free`."""
    decimals = next(count for least, count in DECIMALS if usd >= least)
    return f"${usd:.{decimals}f}" if usd > 0 else FREE


def cost(state: DebateState) -> str:
    """The cost in dollars, `free`, or `price unknown`; `at least` if some prices are not known."""
    total = state.usage.cost_usd
    if total is None:
        return UNKNOWN if state.calls else FREE
    turns = (turn.said for turn in state.turns.values())
    is_partial = any(said.model and said.usage.cost_usd is None for said in turns)
    if total == 0:
        return UNKNOWN if is_partial else FREE
    about = "at least " if is_partial else "about " if state.usage.is_estimated else ""
    return about + money(total)
