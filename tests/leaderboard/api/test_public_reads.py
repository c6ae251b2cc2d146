"""Releases, tasks, language models, entries and examples: what the pages show, paginated."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import resolve

from portal.models import FormerModel, Release, Submission, User
from portal.web import throttle
from tests.leaderboard.comparison.conftest import STRONG, WEAK, answered, data, imported
from tests.support.contexts import release_with_contexts, store_context
from tests.support.factories import model, published, reported

__all__ = ["data"]
pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture(autouse=True)
def without_throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 10**6)


def read(path: str, **query: Any) -> Any:
    response = Client().get(path if path.startswith("http") else f"{API}{path}", query or None)
    assert response.status_code == 200, response.content
    return response.json()


def problem(path: str, **query: Any) -> tuple[int, str]:
    response = Client().get(f"{API}{path}", query)
    assert response.headers["Content-Type"] == "application/problem+json"
    return response.status_code, response.json()["code"]


@pytest.fixture
def strong(alice: User, data: Release) -> Submission:
    answered(alice, data, "Weak", WEAK)
    return answered(alice, data, "Strong", STRONG)


def test_lists_lead_through_all_pages_and_back(alice: User, official: Release) -> None:
    for number in range(5):
        published(alice, official, f"Model {number}", {"passkey": 50.0})
    first = read("/models/", limit=2)
    assert (first["count"], first["previous"]) == (5, None)
    second = read(first["next"])
    third = read(second["next"])
    names = [one["name"] for page in (first, second, third) for one in page["models"]]
    assert names == [f"Model {number}" for number in range(5)]
    assert third["next"] is None
    assert read(third["previous"])["models"] == second["models"]
    published(alice, official, "Model 0 b", {"passkey": 50.0})  # between the first and the second
    assert [one["name"] for one in read(first["next"])["models"]] == ["Model 2", "Model 3"]
    assert [one["entries"] for one in first["models"]] == [1, 1]


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("/models/", {"limit": "0"}, (400, "bad_limit")),
        ("/models/", {"limit": "101"}, (400, "bad_limit")),
        ("/models/", {"limit": "٣"}, (400, "bad_limit")),
        ("/models/", {"cursor": "é"}, (400, "bad_cursor")),
        ("/models/", {"cursor": "ZnJvbS9nb25l"}, (400, "bad_cursor")),  # from/gone
        ("/releases/", {"cursor": "x"}, (400, "bad_cursor")),
        ("/models/nobody/", {}, (404, "unknown_model")),
        ("/releases/nothing/", {}, (404, "unknown_release")),
        ("/tasks/chess/", {}, (404, "unknown_task")),
        ("/tasks/passkey/", {"release": "nothing"}, (404, "unknown_release")),
        ("/tasks/passkey/", {"metric_set": "bleu"}, (400, "unknown_metric_set")),
        ("/entries/nothing/", {}, (404, "unknown_entry")),
        ("/examples/data/passkey/none/", {}, (404, "not_found")),
        ("/examples/data/passkey/0/context/", {}, (404, "not_found")),
        ("/examples/data/passkey/", {"is": "nonsense"}, (400, "invalid_choice")),
        ("/nothing/", {}, (404, "not_found")),
    ],
)
def test_errors_have_a_code(
    data: Release, path: str, query: dict[str, str], expected: tuple[int, str]
) -> None:
    assert problem(path, **query) == expected


def test_models_are_found_by_words_makers_and_former_names(alice: User, official: Release) -> None:
    new = model("Qwen-3 8B", organisation="Alibaba")
    FormerModel.objects.create(slug="qwen-old", name="Qwen two", language_model=new)
    published(alice, official, "Qwen-3 8B", {"passkey": 50.0})
    model("Unused")
    for search in ("qwen 3", "alibaba", "two", ""):
        assert [one["name"] for one in read("/models/", search=search)["models"]] == ["Qwen-3 8B"]
    assert read("/models/", search="llama")["models"] == []
    assert read("/models/qwen-old/")["id"] == new.slug
    assert read(f"/models/{new.slug}/")["former"] == ["qwen-old"]


def test_an_entry_has_the_scores_of_the_board_under_every_metric_set(strong: Submission) -> None:
    entry = read(f"/entries/{strong.entry_id}/")
    assert (entry["kind"], entry["trust"]) == ("submitted", "scored")
    for metric_set in ("official-2024-06", "strict"):
        board = read("/entries/", release="data", metric_set=metric_set)
        line = next(one for one in board["entries"] if one["id"] == strong.entry_id)
        assert entry["scores"][metric_set] == line["scores"]
        assert entry["overall"][metric_set] == line["overall"]
        assert entry["settings"] == line["settings"]
    assert [(one["rank"], one["ranked"]) for one in entry["ranks"]] == [(1, 2)] * 3
    assert read("/models/strong/")["entries"][0]["overall"] == entry["overall"]
    assert {resolve(path).kwargs["entry_id"] for path in entry["exports"].values()} == {entry["id"]}


def test_a_reported_entry_has_what_was_reported(official: Release) -> None:
    entry = read(f"/entries/{reported('There', {'passkey': 10.0}, 'Paper').entry_id}/")
    assert (entry["source"], entry["scoring"], entry["exports"]) == ("Paper", None, {})
    assert entry["scores"]["official-2024-06"]["passkey"]["mean"] == 10.0
    assert entry["scores"]["strict"] == {}


@pytest.mark.parametrize("hidden", [False, True])
def test_a_release_has_the_facts_of_its_tasks(tmp_path: Path, *, hidden: bool) -> None:
    imported(tmp_path, "data", hidden=hidden)
    [listed] = read("/releases/")["releases"]
    assert (listed["id"], listed["examples"], listed["hidden"]) == ("data", 110, hidden)
    found = {one["task"]: one for one in read("/releases/data/")["task_data"]}
    assert found["passkey"]["examples"] == 40
    assert (found["passkey"]["labels_sha256"] is None) == hidden


def test_a_task_has_rules_and_what_guessing_scores(data: Release) -> None:
    assert len(read("/tasks/")["tasks"]) == 12
    task = read("/tasks/passkey/", release="data")
    assert task["rules"][0]["text"]
    assert (task["chance"], task["constant"]["percent"]) == (None, 0)  # its labels have no digits
    assert task["sizes"] == [{"release": "data", "examples": 40}]
    assert read("/tasks/code_debug/")["chance"] == 25


def test_examples_with_answers_and_windows_of_contexts() -> None:
    text = "It was a dark night.\nThe captain spoke.\n" * 50
    key = "a/b?c d"
    release_with_contexts("long", "longbook_qa_eng", {key: store_context(text)}, tokens=500)
    [row] = read("/examples/long/longbook_qa_eng/")["examples"]
    assert row["url"].endswith(f"/examples/long/longbook_qa_eng/{quote(key)}/")
    example = read(row["url"], tokens=5)
    assert (example["key"], example["gold"], example["window"]["text"]) == (key, ["x"], text[:20])
    window = read(example["context"]["url"], tokens=10, q="dark", **{"from": 2})
    assert (window["text"], window["hits"]) == (text[8:48], [[9, 13]])
    found = read(f"{row['url']}search/", q="captain", limit=2)
    assert (found["total"], [hit["number"] for hit in found["hits"]]) == (50, [1, 2])
    assert read(row["url"])["predictions"] == []


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("POST", "/entries/", {}, (405, "method_not_allowed")),
        ("POST", "/", {}, (403, "permission_denied")),  # since there is no form token
        ("GET", "/entries/", {"Accept": "text/html"}, (406, "not_acceptable")),
        ("GET", "/entries/?release=%00", {}, (400, "parse_error")),
        ("PUT", "/nothing/", {}, (404, "not_found")),
    ],
)
def test_whatever_is_wrong_is_a_problem_document(
    official: Release, method: str, path: str, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.generic(method, f"{API}{path}", headers=headers)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert (response.status_code, response.json()["code"]) == expected


def test_a_board_is_read_in_pages_of_any_size(strong: Submission) -> None:
    first = read("/entries/", release="data", limit=1)
    assert (first["count"], first["previous"], first["entries"][0]["model"]) == (2, None, "Strong")
    second = read(first["next"])
    assert (second["next"], second["entries"][0]["model"]) == (None, "Weak")
    assert read(second["previous"])["entries"] == first["entries"]


def test_what_is_left_of_the_limit_is_told(
    official: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 2)
    paths = [f"{API}/models/?search={word}" for word in ("a", "a", "b", "c")]
    found = [Client().get(path) for path in paths]
    assert [one.status_code for one in found] == [200, 200, 200, 429]
    assert {one.headers["RateLimit-Policy"] for one in found} == {'"expensive";q=2;w=60'}
    left = [one.headers.get("RateLimit") for one in found]
    assert left == ['"expensive";r=1;t=20', None, '"expensive";r=0;t=20', '"expensive";r=0;t=20']
    assert found[3].headers["Retry-After"] == "20"


def test_scripts_of_other_sites_may_ask_conditionally(official: Release) -> None:
    answer = Client().options(f"{API}/tasks/")
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Headers"] == "If-None-Match"
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    read_answer = Client().get(f"{API}/tasks/")
    assert "ETag" in read_answer.headers["Access-Control-Expose-Headers"]
    head = Client().head(f"{API}/tasks/")
    assert (head.content, head.headers["ETag"]) == (b"", read_answer.headers["ETag"])
