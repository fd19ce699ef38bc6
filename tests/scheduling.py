"""Who runs which tests, and in which order, when pytest-xdist has several workers (`make test`).

A file of tests is given to one worker as a whole, and so is an `xdist_group`: what is made once per
module is made once, and the process that hands tests out has hundreds of things to do, not
thousands. What takes longest is begun first, so that no worker is left alone with it at the end.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

FIRST = (
    "postgres-workers",
    "tests/browser/",
    "tests/faults/",
    "quarantine",
    "postgres",
    "real_servers",
    "litellm",
    "embedded",
    "tests/acceptance/",
    "tests/package/",
    "tests/contract/",
    "tests/security/",
)
"""Groups and folders, those that keep a worker busy for longest first. Then comes everything else:
files of seconds, which fill what is left of the time."""


class WholeFiles(LoadGroupScheduling):  # type: ignore[misc]  # it has no types
    """As `--dist loadgroup`, but tests without a group are kept together by their file."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # the number of tests in a file says little

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]

    def _assign_work_unit(self, node: object) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=place), last=False)
        super()._assign_work_unit(node)


def place(scope: str) -> int:
    """Where a file or group stands in the order in which they are begun."""
    return next((n for n, name in enumerate(FIRST) if scope.startswith(name)), len(FIRST))
