"""Moot runs debates, deliberations and chat rooms between language models and people, durably.

`moot.open()` is the door for programs, `moot.sync.open()` the same for scripts and notebooks; what
`dir(moot)` lists is the API. Nothing is imported before it is used, so that `import moot` and
`moot --help` take no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot import sync as sync
    from moot.engine.feed import TextWritten as TextWritten
    from moot.engine.reads import FoundDebate as FoundDebate, Hit as Hit
    from moot.errors import (
        Busy as Busy,
        Canceled as Canceled,
        Failed as Failed,
        InvalidInput as InvalidInput,
        ModelError as ModelError,
        ModelUnavailable as ModelUnavailable,
        MootError as MootError,
        NoModel as NoModel,
        NotFound as NotFound,
        RateLimited as RateLimited,
        Refused as Refused,
        Stopped as Stopped,
        StoreUnavailable as StoreUnavailable,
        Unfinished as Unfinished,
        WaitingForPeople as WaitingForPeople,
    )
    from moot.library import (
        Answer as Answer,
        Debate as Debate,
        Moot as Moot,
        Panel as Panel,
        open_moot as open,  # noqa: A004
    )
    from moot.models.own import Messages as Messages, ModelFunction as ModelFunction
    from moot.protocol.events import Recorded as Recorded, TurnRecorded as TurnRecorded
    from moot.protocol.hearing.certificate import CertificateStatus as CertificateStatus
    from moot.protocol.outcomes import (
        Certificate as Certificate,
        ExamReport as ExamReport,
        Outcome as Outcome,
        OutcomeStatus as OutcomeStatus,
        Solution as Solution,
        Summary as Summary,
        Verdict as Verdict,
    )
    from moot.protocol.row import DebateRow as DebateRow, Seat as Seat
    from moot.protocol.searching import Piece as Piece
    from moot.protocol.values import Participant as Participant, Persona as Persona
    from moot.protocol.words import (
        Pacing as Pacing,
        Role as Role,
        Stance as Stance,
        Status as Status,
        StepKind as StepKind,
    )

    __version__: str

_ERRORS = (
    "MootError",
    "InvalidInput",
    "NotFound",
    "Refused",
    "Busy",
    "Unfinished",
    "Failed",
    "WaitingForPeople",
    "Stopped",
    "Canceled",
    "Certificate",
    "CertificateStatus",
    "StoreUnavailable",
    "ModelError",
    "NoModel",
    "RateLimited",
    "ModelUnavailable",
)
_OUTCOMES = (
    "Certificate",
    "ExamReport",
    "Outcome",
    "OutcomeStatus",
    "Solution",
    "Summary",
    "Verdict",
)
_WORDS = ("Pacing", "Role", "Stance", "Status", "StepKind")

# Where each name is, and what it is called there if that is something else.
_HOMES = {
    "open": "moot.library:open_moot",
    "Moot": "moot.library",
    "Answer": "moot.library",
    "Debate": "moot.library",
    "Panel": "moot.library",
    "DebateRow": "moot.protocol.row",
    "Seat": "moot.protocol.row",
    "Participant": "moot.protocol.values",
    "Persona": "moot.protocol.values",
    "Recorded": "moot.protocol.events",
    "TurnRecorded": "moot.protocol.events",
    "TextWritten": "moot.engine.feed",
    "FoundDebate": "moot.engine.reads",
    "Hit": "moot.engine.reads",
    "Piece": "moot.protocol.searching",
    "Messages": "moot.models.own",
    "ModelFunction": "moot.models.own",
    **dict.fromkeys(_ERRORS, "moot.errors"),
    "CertificateStatus": "moot.protocol.hearing.certificate",
    **dict.fromkeys(_OUTCOMES, "moot.protocol.outcomes"),
    **dict.fromkeys(_WORDS, "moot.protocol.words"),
}

__all__ = [
    "Answer",
    "Busy",
    "Canceled",
    "Certificate",
    "CertificateStatus",
    "Debate",
    "DebateRow",
    "ExamReport",
    "Failed",
    "FoundDebate",
    "Hit",
    "InvalidInput",
    "Messages",
    "ModelError",
    "ModelFunction",
    "ModelUnavailable",
    "Moot",
    "MootError",
    "NoModel",
    "NotFound",
    "Outcome",
    "OutcomeStatus",
    "Pacing",
    "Panel",
    "Participant",
    "Persona",
    "Piece",
    "RateLimited",
    "Recorded",
    "Refused",
    "Role",
    "Seat",
    "Solution",
    "Stance",
    "Status",
    "StepKind",
    "Stopped",
    "StoreUnavailable",
    "Summary",
    "TextWritten",
    "TurnRecorded",
    "Unfinished",
    "Verdict",
    "WaitingForPeople",
    "__version__",
    "open",
    "sync",
]


# Type checkers look at the imports above: for them a name that is not there is a mistake.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "sync":
            return import_module("moot.sync")
        if name == "__version__":
            return import_module("importlib.metadata").version("moot")
        if name not in _HOMES:
            message = f"module 'moot' has no attribute {name!r}"
            raise AttributeError(message)
        module, _, there = _HOMES[name].partition(":")
        return getattr(import_module(module), there or name)


def __dir__() -> list[str]:
    return __all__
