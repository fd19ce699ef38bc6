"""Every error has one shape, and nothing inside leaks out through it."""

from __future__ import annotations

import inspect
import json
import logging
from pathlib import Path

import pytest
from tests.unit.api.serving import Serving, serving

from moot import errors
from moot.api import problems
from moot.models.port import Caller
from moot.testing.scripted import ScriptedModels

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.MootError)
]


class Missing(ScriptedModels):
    """Has every model but those of one provider."""

    def get(self, name: str) -> Caller:
        if name.startswith("no:"):
            message = f"there is no model {name}"
            raise errors.NoModel(message)
        return super().get(name)


def made(kind: type[errors.MootError], message: str) -> errors.MootError:
    if issubclass(kind, errors.ParameterRefused):
        return kind(message, parameter="temperature")
    return kind(message)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_of_moot_is_mapped(kind: type[errors.MootError]) -> None:
    assert kind in problems.TITLES
    response = problems.of_error(made(kind, "what happened"))
    body = json.loads(bytes(response.body))
    assert response.media_type == "application/problem+json"
    assert response.status_code == body["status"] == kind.http_status
    assert body["code"] == kind.code
    assert body["type"] == f"urn:moot:problem:{kind.code}"
    assert body["title"] == problems.TITLES[kind]
    assert ("retry-after" in response.headers) == (kind.retryable and kind.http_status != 500)


@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_our_own_fault_is_not_explained(
    kind: type[errors.MootError], caplog: pytest.LogCaptureFixture
) -> None:
    body = json.loads(bytes(problems.of_error(made(kind, "/home/ada/moot.db is broken")).body))
    hides = kind.http_status == 500 or kind is errors.StoreUnavailable
    assert ("/home/ada" in body["detail"]) == (not hides)
    if kind.http_status == 500:
        assert body["incident"] in body["detail"]
        assert [r.__dict__["incident"] for r in caplog.records] == [body["incident"]]


def test_the_field_is_told_and_not_repeated() -> None:
    error = errors.InvalidInput("must be 1 or more", field="settings.turns")
    body = json.loads(bytes(problems.of_error(error).body))
    assert (body["field"], body["detail"]) == ("settings.turns", "must be 1 or more")


async def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    wrong = {"name": "a\nb[", "role": "debater"}
    people = [{**wrong, "temperature": 9}, {"name": "Bo", "role": "debater", "color": "vague"}]
    async with serving(tmp_path, worker=False) as on:

        async def fields(**body: object) -> dict[str, str]:
            answer = await on.client.post("/api/debates", json={"topic": "T", **body})
            assert answer.status_code == 422
            told = answer.json()
            assert told["errors"][0] == {name: told[name] for name in ("detail", "field")}
            return {one["field"]: one["detail"] for one in told["errors"]}

        found = await fields(participants=people)
        assert set(found) == {
            "participants.0.name",
            "participants.0.temperature",
            "participants.1.color",
        }
        assert "one line" in found["participants.0.name"]
        assert "must not contain [" in found["participants.0.name"]
        alike = [{"name": name, "role": "debater"} for name in ("Ada", "ada")]
        found = await fields(settings={"turns": 0, "words": -1}, participants=alike)
        assert set(found) == {"settings.turns", "settings.words", "participants.1.name"}
        assert (await on.get("/api/debates"))["items"] == []


async def test_an_accident_is_an_incident_and_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, worker=False) as on:

        async def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError("sk-CANARY")

        monkeypatch.setattr(on.service, "list", broken)
        with caplog.at_level(logging.ERROR):
            answer = await on.client.get("/api/debates")
        body = answer.json()
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert body["code"] == "internal"
        assert "CANARY" not in answer.text
        assert "Traceback" not in answer.text
        logged = [r.__dict__.get("incident") for r in caplog.records if r.name == problems.__name__]
        assert logged == [body["incident"]]


MISSING = (
    ("GET", "/api/nothing", 404, "not_found"),
    ("GET", "/api/debates/", 404, "not_found"),
    ("GET", "/docs", 404, "not_found"),
    ("PUT", "/api/debates", 405, "method_not_allowed"),
    ("DELETE", "/healthz", 405, "method_not_allowed"),
    ("GET", "/api/debates/nosuchdebate1234", 404, "not_found"),
    ("GET", "/api/debates/%00", 404, "not_found"),
    ("GET", "/api/debates/..%2f..%2fetc", 404, "not_found"),
    ("GET", "/api/debates/Ü", 404, "not_found"),
    ("POST", "/api/debates/nosuchdebate1234/start", 404, "not_found"),
    ("DELETE", "/api/debates/nosuchdebate1234", 404, "not_found"),
    ("GET", "/api/debates/nosuchdebate1234/turns", 404, "not_found"),
    ("GET", "/api/debates/nosuchdebate1234/export", 404, "not_found"),
)


async def test_what_is_not_there_is_a_problem_too(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        for method, path, status, code in MISSING:
            answer = await on.client.request(method, path)
            assert (answer.status_code, answer.json()["code"]) == (status, code), path
            assert answer.headers["content-type"] == "application/problem+json", path


async def _told(on: Serving, path: str, body: object) -> dict[str, str]:
    """All that is wrong, by field."""
    answer = await on.client.post(path, json=body)
    assert answer.status_code == 422, answer.text
    found = answer.json()
    return {one["field"]: one["detail"] for one in found.get("errors", [found])}


@pytest.mark.parametrize("path", ["/api/debates", "/api/forecasts"])
async def test_everything_wrong_with_a_new_debate_is_told_at_once(
    tmp_path: Path, path: str
) -> None:
    body = {
        "topic": "T",
        "premise": "P",
        "particpants": [],
        "settings": {"turns": 0, "wrods": 3},
        "participants": [
            {"persona": "Nobody Such"},
            {"persona": "Ada", "temprature": 1},
            {"name": "Zed", "role": "king"},
            {"name": "a\nb", "role": "debater"},
        ],
        "seed": "seven",
    }
    async with serving(tmp_path, worker=False) as on:
        found = await _told(on, path, body)
        assert (await on.get("/api/debates"))["items"] == []
    assert found["premise"] == "is a setting: send it as `settings.premise`"
    assert "did you mean `participants`?" in found["particpants"]
    assert "did you mean `temperature`?" in found["participants.1.temprature"]
    assert found.keys() == {
        *("premise", "particpants", "settings.turns", "settings.wrods", "seed"),
        *("participants.0.persona", "participants.1.temprature", "participants.2.role"),
        "participants.3.name",
    }


async def test_names_that_mean_nothing_are_told_together(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        found = await _told(on, "/api/debates", {"topic": "", "format": "duell", "team": "zz"})
        assert found.keys() == {"topic", "format", "team"}
        found = await _told(on, "/api/debates", {"file": "nope", "topic": "T", "seed": 1})
        assert found.keys() == {"file", "topic"}
        found = await _told(on, "/api/debates", {"topic": "T", "me": {"name": "Z", "as": "king"}})
        assert found.keys() == {"me.as"}


async def test_a_fork_and_a_rematch_tell_of_all_models_and_settings(tmp_path: Path) -> None:
    models = Missing()
    async with serving(tmp_path, worker=False) as on:
        source = await on.create()
        on.open(models=models)
        at = f"/api/debates/{source}"
        body = {"model": "no:a", "judge_model": "no:b", "seed": 3, "models": {"judge": "no:c"}}
        found = await _told(on, f"{at}/rematches", body)
        assert found.keys() == {"seed", "model", "judge_model", "models.judge"}
        settings = {"max_rounds": 0, "max_runds": 1}
        body = {"changes": {"settings": settings, "models": {"judge": "no:c"}}}
        found = await _told(on, f"{at}/forks", body)
        fields = {f"settings.{name}" for name in settings}
        assert found.keys() == {*(f"changes.{name}" for name in fields), "changes.models.judge"}
        answer = await on.client.patch(f"{at}/settings", json=settings)
        assert {one["field"] for one in answer.json()["errors"]} == fields
        assert len((await on.get("/api/debates"))["items"]) == 1


MENDED = (
    ("PUT", "/api/debates", b"", (405, "method_not_allowed"), "use GET or POST or HEAD"),
    ("OPTIONS", "/api/debates", b"", (405, "method_not_allowed"), "use GET or POST"),
    ("GET", "/api/debates/", b"", (404, "not_found"), "leave out the slash"),
    ("GET", "/api/nothing", b"", (404, "not_found"), "/openapi.json lists all calls"),
    ("POST", "/api/debates", b"", (422, "invalid_input"), "needs a JSON object"),
    ("POST", "/api/debates", b"[]", (422, "invalid_input"), "needs a JSON object"),
    ("POST", "/api/debates", b"{bad", (400, "invalid_json"), "the body is not JSON"),
)


async def test_a_problem_says_what_would_be_right(tmp_path: Path) -> None:
    json_type = {"Content-Type": "application/json"}
    async with serving(tmp_path, worker=False) as on:
        for method, path, body, problem, said in MENDED:
            answer = await on.client.request(method, path, content=body, headers=json_type)
            assert (answer.status_code, answer.json()["code"]) == problem, (method, path, body)
            assert said in answer.json()["detail"]
            if answer.status_code == 405:
                assert answer.headers["allow"] == "GET, POST, HEAD"


async def test_a_body_of_another_type_is_refused_with_the_header_to_send(tmp_path: Path) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", content=b'{"topic": "T"}', headers=headers)
        assert (await on.get("/api/debates"))["items"] == []
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert "Content-Type: application/json" in answer.json()["detail"]


async def test_head_is_get_without_the_body(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.head("/api/debates")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_a_slip_of_the_hand_is_one_mistake(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        answer = await on.client.post("/api/debates", json={"topik": "Tea?"})
        assert (await on.get("/api/debates"))["items"] == []
    told = answer.json()
    assert (told["field"], "errors" in told) == ("topik", False)
    assert "did you mean `topic`?" in told["detail"]
