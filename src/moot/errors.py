"""Every error Moot raises, in one tree.

    MootError
    ├── InvalidInput          what was given cannot be used; says which field, and where
    ├── NotFound              no such debate, format, persona or question
    ├── Refused               the command does not fit the debate's status; nothing changed
    │   └── FormatMissing     the debate's format is not installed here
    ├── Busy                  another worker is running this debate
    ├── Unfinished            a debate was to be run to its end, and has not got there
    │   ├── Failed            a step failed; says why, and `finish()` tries again
    │   ├── WaitingForPeople  somebody has to answer first
    │   ├── Stopped           somebody stopped it
    │   └── Canceled          somebody called it off for good
    ├── IllegalEvent          an event the lifecycle table does not allow; a bug or a damaged log
    ├── StoreError            the database said no
    │   ├── Conflict          somebody else appended first: fold the news and decide again
    │   ├── LeaseLost         the fence has moved on: this worker must not write any more
    │   └── StoreUnavailable  locked, read-only, unreachable
    │       └── DiskFull      there is no room to write; says on which disk
    └── ModelError            a call to a model failed
        ├── NoModel           no such provider, no key, or nothing installed that can answer
        ├── ModelRefused      the provider will answer the same next time: 400, 401, 403, 404 ...
        │   ├── FunctionFailed    a function that a program gave as a model raised something
        │   ├── ParameterRefused  it does not take one of the parameters; says which
        │   ├── KeyRefused    the key is missing, wrong or may not do this
        │   ├── QuotaUsedUp   nothing is left to spend there
        │   └── ModelNotOffered   there is no such model at that provider
        ├── RateLimited       429 and its relatives; may say for how long
        ├── ModelUnavailable  refused, reset, 5xx, too slow
        └── ReplyBroken       it answered, but not with a whole readable reply
            ├── BudgetSpent   it thought until its budget was used up, and said nothing
            └── ReplyTooLarge it would answer as much again, and cost as much again

`code` is stable and part of the API. `http_status` is a hint for the edge. `retryable` says whether
the same request can succeed later without anybody changing anything.
A model talking nonsense is not an error but a value (`protocol.answers.Unreadable`).
"""

from __future__ import annotations

from collections.abc import Sequence

ENDS_PROCESS = (KeyboardInterrupt, SystemExit)
"""What anybody's code may raise that is no mistake of its own, but the end of the process."""


MOST_SAID = 1000
"""How many characters of a stranger's error are told."""


class MootError(Exception):
    """The root; catch this to catch everything Moot means to raise."""

    code = "error"
    http_status = 500
    retryable = False


class InvalidInput(MootError):
    """What was given cannot be used. `field` is a dotted path, `line` counts from 1 in `source`.

    `others` are further mistakes in the same input; as text, each is a line.
    """

    code = "invalid_input"
    http_status = 422

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        source: str | None = None,
        line: int | None = None,
        others: tuple[InvalidInput, ...] = (),
    ) -> None:
        self.message = message
        self.field = field
        self.source = source
        self.line = line
        self.others = others
        super().__init__(message)

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        first = ": ".join(part for part in (where, self.field, self.message) if part)
        return "\n".join([first, *(str(other) for other in self.others)])


def joined(mistakes: Sequence[InvalidInput]) -> InvalidInput:
    """All mistakes as one: the first, with the rest as its `others`."""
    first, *rest = (one for mistake in mistakes for one in (mistake, *mistake.others))
    return InvalidInput(
        first.message,
        field=first.field,
        source=first.source,
        line=first.line,
        others=tuple(_alone(one) for one in rest),
    )


def _alone(mistake: InvalidInput) -> InvalidInput:
    return InvalidInput(
        mistake.message, field=mistake.field, source=mistake.source, line=mistake.line
    )


class NotFound(MootError):
    """`field` is the dotted path of the name that was not found, if it was in some input."""

    code = "not_found"
    http_status = 404

    def __init__(self, message: str = "", *, field: str | None = None) -> None:
        self.field = field
        super().__init__(message)


class Refused(MootError):
    """The debate's status or format does not allow it. Nothing has changed."""

    code = "refused"
    http_status = 409


class FormatMissing(Refused):
    """The debate's format comes from a package that is not installed here."""

    code = "format_missing"


class Busy(MootError):
    """Somebody else is working on it just now; try again later."""

    code = "busy"
    http_status = 409
    retryable = True


class Unfinished(MootError):
    """A debate was to be run to its end and has not got there; `debate_id` says which."""

    code = "unfinished"
    http_status = 409

    def __init__(self, message: str, *, debate_id: str = "") -> None:
        self.debate_id = debate_id
        super().__init__(message)


class Failed(Unfinished):
    """`reason` is the code of the failure: that of a model's error, or `unreadable`."""

    code = "failed"

    def __init__(self, message: str, *, debate_id: str = "", reason: str = "") -> None:
        self.reason = reason
        super().__init__(message, debate_id=debate_id)


class WaitingForPeople(Unfinished):
    """`questions` are the ids of the open questions, as `answer` takes them."""

    code = "waiting"

    def __init__(
        self, message: str, *, debate_id: str = "", questions: tuple[str, ...] = ()
    ) -> None:
        self.questions = questions
        super().__init__(message, debate_id=debate_id)


class Stopped(Unfinished):
    """The debate was stopped and can go on."""

    code = "stopped"


class Canceled(Unfinished):
    """The debate was canceled and cannot go on."""

    code = "canceled"


class IllegalEvent(MootError):
    code = "illegal_event"


class StoreError(MootError):
    code = "store"


class Conflict(StoreError):
    code = "conflict"
    http_status = 409
    retryable = True


class LeaseLost(StoreError):
    code = "lease_lost"
    http_status = 409


class StoreUnavailable(StoreError):
    """The database cannot be reached or written to."""

    code = "store_unavailable"
    http_status = 503
    retryable = True


class DiskFull(StoreUnavailable):
    code = "disk_full"


class ModelError(MootError):
    """`retry_after_s` is what the provider asked for, already made sane, or None.

    `written` counts the characters that had arrived before it broke: they were paid for.
    `attempts` is how many tries were made in all, once no more will be; `waited_s` is how long the
    provider was waited for in vain.
    """

    code = "model"
    http_status = 502

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, written: int = 0
    ) -> None:
        self.retry_after_s = retry_after_s
        self.written = written
        self.attempts = 1
        self.waited_s = 0.0
        super().__init__(message)


class NoModel(ModelError):
    """`field` is the dotted path of the model's name, if it was in some input."""

    code = "no_model"
    http_status = 422

    def __init__(self, message: str, *, field: str | None = None) -> None:
        self.field = field
        super().__init__(message)


class ModelRefused(ModelError):
    code = "model_refused"


class FunctionFailed(ModelRefused):
    """A function that a program gave as a model has raised something."""

    code = "function_failed"


class ParameterRefused(ModelRefused):
    """`parameter` is one of `PARAMETERS` of `models.port`: what to leave out or write otherwise."""

    code = "parameter_refused"

    def __init__(self, message: str, *, parameter: str = "") -> None:
        self.parameter = parameter
        super().__init__(message)


class KeyRefused(ModelRefused):
    code = "key_refused"


class QuotaUsedUp(ModelRefused):
    code = "quota_used_up"


class ModelNotOffered(ModelRefused):
    code = "model_not_offered"


class RateLimited(ModelError):
    """The provider asks to be left alone for a while."""

    code = "rate_limited"
    http_status = 429
    retryable = True


class ModelUnavailable(ModelError):
    """The provider or its server does not answer."""

    code = "model_unavailable"
    http_status = 503
    retryable = True


class ReplyBroken(ModelError):
    code = "reply_broken"
    retryable = True


class BudgetSpent(ReplyBroken):
    """`usage` is what the reply has cost, if the provider said so. The same request with more room
    for thoughts can succeed."""

    code = "budget"

    def __init__(self, message: str, *, usage: object = None) -> None:
        self.usage = usage
        super().__init__(message)


class ReplyTooLarge(ReplyBroken):
    code = "reply_too_large"
    retryable = False


def mistake(error: BaseException) -> str:
    """What is told of an error that anybody's code has raised: a format, or a function.

    It can be recorded everywhere: what would be refused might take paid replies down with it.
    """
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - that, too, is anybody's code
        said = ""
    said = said[:MOST_SAID].replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(error, MootError) and said:
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
