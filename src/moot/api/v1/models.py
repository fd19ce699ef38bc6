"""`/v1/models`: the panels, and nothing but the panels.

No name leads to a model of a provider: that would make an open proxy of somebody's keys.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from moot.api.responses import answer, documented
from moot.api.v1.refusals import Refusal
from moot.api.views import View
from moot.definitions.panels import NAME_MAX, Library
from moot.definitions.values import Panel
from moot.errors import InvalidInput

OWNER = "moot"
BEGAN = int(time.time())
FRESH_S = 1.0
"""For how long panels are used before they are read again."""


class ModelView(View, frozen=True, kw_only=True):
    """A panel, as clients of OpenAI's API list models. `created` is when the server began."""

    id: str
    object: str = "model"
    created: int
    owned_by: str = OWNER
    name: str
    description: str


class ModelList(View, frozen=True, kw_only=True):
    object: str = "list"
    data: list[ModelView]


VIEWS: tuple[type[msgspec.Struct], ...] = (ModelList,)


def model_id(panel: str) -> str:
    """What clients call that panel."""
    return f"{OWNER}/{panel}"


class Panels:
    """The panels, read again if they were last read more than a moment ago: a file that is edited
    counts at once, and a crowd of questions does not make us read it five hundred times."""

    def __init__(self, read: Callable[[], Library]) -> None:
        self._read = read
        self._reading = asyncio.Lock()
        self._found = Library()
        self._until = 0.0

    async def all(self) -> Library:
        """All panels. Raises Refusal if the folder of the user's own cannot be read."""
        async with self._reading:
            if time.monotonic() >= self._until:
                try:
                    self._found = await asyncio.to_thread(self._read)
                except InvalidInput as error:
                    raise Refusal(500, "panel_unreadable", str(error)) from None
                self._until = time.monotonic() + FRESH_S
            return self._found

    async def find(self, name: str) -> Panel:
        """See `find`; raises Refusal."""
        return find(name, await self.all())


def find(name: str, panels: Library) -> Panel:
    """The panel that is named: as `moot/council`, as `moot-council` for routers that break at a
    slash, or by its bare name.

    Raises Refusal, which names the panels that there are, or says what is wrong with its file.
    """
    by_name = {one.name: one for one in panels}
    whole = name.strip().lower().removeprefix(f"{OWNER}/")
    names = (whole, whole.removeprefix(f"{OWNER}-"))
    found = next((by_name[one] for one in names if one in by_name), None)
    if found is None:
        _check_broken(names, panels)
        known = ", ".join(model_id(one.name) for one in panels)
        detail = f"there is no panel called {name[:NAME_MAX]!r}; there are: {known}"
        raise Refusal(404, "model_not_found", detail, field="model")
    return found


def _check_broken(names: Iterable[str], panels: Library) -> None:
    for bad in filter(None, map(panels.broken_named, names)):
        raise Refusal(500, "panel_unreadable", bad.told, field="model")


def routes(panels: Panels) -> APIRouter:
    router = APIRouter(tags=["v1"])

    @router.get("/v1/models", response_class=Response, responses=documented(ModelList))
    async def list_models() -> Response:
        """The panels that can be asked, listed as models."""
        return answer(ModelList(data=[_view(one) for one in await panels.all()]))

    @router.get("/v1/models/{model:path}", response_class=Response, responses=documented(ModelView))
    async def show_model(model: str) -> Response:
        """One panel, as a model."""
        return answer(_view(await panels.find(model)))

    return router


def _view(panel: Panel) -> ModelView:
    name = model_id(panel.name)
    return ModelView(id=name, created=BEGAN, name=name, description=panel.about)
