"""Breakdowns of an entry as JSON and CSV, and which entries have none."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.breakdowns import BinSerializer, BreakdownSerializer
from portal.entries.historical import Historical, import_historical
from portal.models import (
    Action,
    AuditEntry,
    Example,
    ExampleResult,
    Release,
    ScoreVector,
    Submission,
    SubmissionState,
    User,
)
from portal.releases.importer import import_release
from portal.scores.estimates import pack_scores
from portal.web import throttle
from scoring.metrics import METRIC_SETS
from scoring.stats import mean_percent
from tests.support.clients import signed_in
from tests.support.example_results import change_results
from tests.support.factories import add_answers, model, published, reported, with_slug
from tests.support.openings import LATER
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

TASK = "kv_retrieval"
LENGTHS = (4_000, 16_000, 64_000)
QUESTIONS = 60


def ladder(folder: Path, slug: str, *, hidden: bool = False) -> Release:
    """A release with the same questions at three lengths, and one question without facets."""
    keys = range(len(LENGTHS) * QUESTIONS + 1)
    write_rows(
        folder / slug / f"{TASK}.jsonl", ({"id": key, "answer": [f"v{key}"]} for key in keys)
    )
    facets = [
        {
            "id": place * QUESTIONS + number,
            "target_tokens": length,
            "ladder": number,
            "depth": number / (QUESTIONS - 1),
            "kind": "=1+1" if number % 2 else "other",
        }
        for place, length in enumerate(LENGTHS)
        for number in range(QUESTIONS)
    ]
    write_rows(folder / slug / "facets" / f"{TASK}.jsonl", facets)
    write_rows(folder / slug / "code_debug.jsonl", [{"id": 0, "answer": ["f", "A"]}])
    return import_release(folder / slug, slug=slug, title=slug.title(), hidden=hidden)


def entry_of(
    owner: User, release: Release, state: SubmissionState = SubmissionState.PUBLISHED
) -> Submission:
    """An entry that is right at 4K and 16K, and at 64K if the evidence is in the second half."""
    at_64 = [float(number >= QUESTIONS / 2) for number in range(QUESTIONS)]
    scores = [1.0] * (2 * QUESTIONS) + at_64 + [0.0]
    submission = Submission.objects.create(
        owner=owner, language_model=model("Model"), release=release, state=state
    )
    with_slug(submission)
    columns = {
        TASK: dict.fromkeys(METRIC_SETS, scores),
        "code_debug": {name: [1.0] for name in METRIC_SETS},
    }
    found = add_answers(submission, columns)
    change_results(ExampleResult.objects.filter(evaluation=found), prediction="an answer")
    change_results(ExampleResult.objects.filter(evaluation=found, index=0), prediction=" ")
    change_results(ExampleResult.objects.filter(evaluation=found, index=1), prediction=None)
    return submission


@pytest.fixture
def entry(alice: User, tmp_path: Path) -> Submission:
    return entry_of(alice, ladder(tmp_path, "ladder"))


def address(entry: object) -> str:
    return f"/api/v1/entries/{entry}/breakdowns/"


def answer(entry: Submission, by: str, **query: str) -> Any:
    response = Client().get(address(entry.entry_id), {"task": TASK, "by": by, **query})
    assert response.status_code == 200, response.content
    return response.json()


def test_the_document_has_the_documented_fields(entry: Submission) -> None:
    found = answer(entry, "depth")
    assert set(found) == {"entry", "metric_set", *BreakdownSerializer().fields}
    assert set(found["bins"][0]) == set(BinSerializer().fields)
    assert (found["entry"], found["metric_set"]) == (entry.entry_id, "official-2024-06")


def test_by_length_with_differences_and_effective_context(entry: Submission) -> None:
    found = answer(entry, "length")
    assert (found["method"], found["n"], found["unknown"]) == ("target-lengths", 180, 1)
    bins = found["bins"]
    assert [(one["label"], one["from"], one["mean"]) for one in bins] == [
        ("4K", 4_000, 100.0),
        ("16K", 16_000, 100.0),
        ("64K", 64_000, 50.0),
    ]
    assert [one["difference"] for one in bins] == [None, 0.0, -50.0]
    assert bins[2]["difference_low"] < -50 < bins[2]["difference_high"] < 0
    assert (bins[2]["difference_n"], bins[2]["n"]) == (60, 60)
    assert (bins[0]["missing"], bins[0]["empty"], bins[1]["missing"]) == (1, 1, 0)
    context = found["effective_context"]
    assert (context["low"], context["high"], context["questions"]) == (16_000, 64_000, 60)
    assert 16_000 < context["tokens"] < 64_000
    assert found["p"] is None


def test_by_depth_with_a_test(entry: Submission) -> None:
    found = answer(entry, "depth", bins="2")
    assert [(one["from"], one["to"], one["n"]) for one in found["bins"]] == [
        (0.0, 0.5, 90),
        (0.5, 1.0, 90),
    ]
    assert [one["mean"] for one in found["bins"]] == pytest.approx([200 / 3, 100], abs=1e-5)
    assert found["p"] < 0.001
    assert found["effective_context"] is None


def test_by_length_and_depth(entry: Submission) -> None:
    found = answer(entry, "length,depth", bins="2")
    assert [(one["from"], one["depth_from"], one["mean"]) for one in found["bins"]] == [
        (4_000, 0.0, 100.0),
        (4_000, pytest.approx(0.5, abs=0.02), 100.0),
        (16_000, 0.0, 100.0),
        (16_000, pytest.approx(0.5, abs=0.02), 100.0),
        (64_000, 0.0, 0.0),
        (64_000, pytest.approx(0.5, abs=0.02), 100.0),
    ]
    assert found["bins"][4]["shrunk"] < -50


def test_the_mean_of_the_bins_is_that_of_the_task(entry: Submission) -> None:
    scores = [1.0] * 120 + [0.0] * 30 + [1.0] * 30
    for by in ("length", "depth", "kind"):
        bins = answer(entry, by)["bins"]
        pooled = sum(one["n"] * (one["mean"] or 0) for one in bins) / sum(one["n"] for one in bins)
        assert pooled == pytest.approx(mean_percent(scores), abs=1e-4), by


def test_the_file_says_the_same(entry: Submission) -> None:
    query = {"task": TASK, "by": "kind", "metric_set": "strict"}
    response = Client().get(f"/entries/{entry.entry_id}/breakdowns.csv", query)
    assert response.headers["Content-Disposition"].endswith('-kv_retrieval-by-kind.csv"')
    text = response.content.decode("utf-8-sig")
    assert response.content.decode() == f"\ufeff{text}"
    rows = list(csv.DictReader(io.StringIO(text)))
    bins = answer(entry, "kind", metric_set="strict")["bins"]
    assert [row["label"] for row in rows] == ["'=1+1", "other"]  # no formula for a spreadsheet
    for row, one in zip(rows, bins, strict=True):
        assert (row["metric_set"], row["by"], row["entry"]) == ("strict", "kind", entry.entry_id)
        assert float(row["mean"]) == one["mean"]
        assert float(row["low"]) == one["low"]
        assert (int(row["n"]), row["from"]) == (one["n"], "")


def test_an_unchanged_answer_is_not_sent_again(entry: Submission) -> None:
    query = {"task": TASK, "by": "depth"}
    first = Client().get(address(entry.entry_id), query)
    headers = {"If-None-Match": first.headers["ETag"]}
    assert Client().get(address(entry.entry_id), query, headers=headers).status_code == 304
    assert first.headers["Access-Control-Allow-Origin"] == "*"


def test_strangers_are_throttled(entry: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 3)
    queries = [{"task": TASK, "by": "depth", "bins": str(bins)} for bins in (2, 2, 3, 4, 5)]
    codes = [Client().get(address(entry.entry_id), query).status_code for query in queries]
    assert codes == [200] * 4 + [429]  # one of the two from the cache
    file = Client().get(f"/entries/{entry.entry_id}/breakdowns.csv", queries[0])
    assert file.status_code == 429


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "unknown_task"),
        ({"task": "chess", "by": "depth"}, 400, "unknown_task"),
        ({"task": TASK}, 400, "unknown_by"),
        ({"task": TASK, "by": "depth,length"}, 400, "unknown_by"),
        ({"task": TASK, "by": "depth", "bins": "1"}, 400, "unknown_bins"),
        ({"task": TASK, "by": "depth", "bins": "21"}, 400, "unknown_bins"),
        ({"task": TASK, "by": "depth", "bins": "x"}, 400, "unknown_bins"),
        ({"task": TASK, "by": "depth", "bins": "٣"}, 400, "unknown_bins"),
        ({"task": TASK, "by": "depth", "metric_set": "bleu"}, 400, "unknown_metric_set"),
        ({"task": "math_find", "by": "kind"}, 404, "missing_task"),
        ({"task": TASK, "by": "hops"}, 404, "unknown_facet"),
        ({"task": "code_debug", "by": "length"}, 404, "unknown_facet"),
    ],
)
def test_errors_have_a_code(
    entry: Submission, query: dict[str, str], status: int, code: str
) -> None:
    response = Client().get(address(entry.entry_id), query)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert Client().get(f"/entries/{entry.entry_id}/breakdowns.csv", query).status_code == status


def test_of_other_entries_there_is_none(alice: User, entry: Submission) -> None:
    query = {"task": TASK, "by": "depth"}
    numbers = reported("There", {"passkey": 10.0})
    expected = {"nothing": "unknown_entry", numbers.entry_id: "reported_entry"}
    for name, code in expected.items():
        response = Client().get(address(name), query)
        assert (response.status_code, response.json()["code"]) == (404, code)
        assert Client().get(f"/entries/{name}/breakdowns.csv", query).status_code == 404


@pytest.mark.parametrize("state", [s for s in SubmissionState if s != SubmissionState.PUBLISHED])
def test_of_an_entry_that_is_not_public_there_is_none_for_its_owner_either(
    entry: Submission, alice: User, state: str
) -> None:
    slug = entry.slug if state in ("hidden", "withdrawn") else None
    Submission.objects.update(state=state, slug=slug, publish_on=LATER)
    for client in (Client(), signed_in(alice)):
        response = client.get(address(entry.entry_id), {"task": TASK, "by": "depth"})
        assert (response.status_code, response.json()["code"]) == (404, "unknown_entry")


def test_a_withdrawn_entry_is_gone(entry: Submission, alice: User) -> None:
    changes = (
        (Action.PUBLISH, "in review", "published"),
        (Action.WITHDRAW, "published", "withdrawn"),
    )
    for action, before, after in changes:
        AuditEntry.objects.create(
            submission=entry, action=action, before=before, after=after, actor=alice
        )
    Submission.objects.update(state=SubmissionState.WITHDRAWN)
    response = Client().get(address(entry.entry_id), {"task": TASK, "by": "depth"})
    assert (response.status_code, response.json()["code"]) == (410, "entry_gone")


@pytest.mark.parametrize("who", ["anonymous", "owner", "other", "reviewer"])
def test_of_a_hidden_release_there_is_none_for_anybody(
    alice: User, adam: User, rita: User, tmp_path: Path, who: str
) -> None:
    """And no byte of the response depends on a verdict or a facet."""
    secret = entry_of(alice, ladder(tmp_path, "secret", hidden=True))
    person = {"anonymous": None, "owner": alice, "other": adam, "reviewer": rita}[who]
    client = signed_in(person) if person else Client()
    queries = [
        {"task": task, "by": by}
        for task in (TASK, "math_find")
        for by in ("length", "depth", "kind", "hops", "length,depth")
    ]
    answers = [client.get(address(secret.entry_id), query) for query in queries]
    assert {one.status_code for one in answers} == {404}
    assert {one.json()["code"] for one in answers} == {"hidden_labels"}
    ScoreVector.objects.update(scores=pack_scores([0.0] * 181))
    Example.objects.update(depth=None, kind="", target_tokens=None)
    again = [client.get(address(secret.entry_id), query) for query in queries]
    before, after = ([one.json() | {"request": ""} for one in asked] for asked in (answers, again))
    assert after == before
    assert {
        client.get(f"/entries/{secret.entry_id}/breakdowns.csv", query).status_code
        for query in queries
    } == {404}


def test_own_private_submissions_to_a_hidden_release_have_none(alice: User, tmp_path: Path) -> None:
    secret = entry_of(alice, ladder(tmp_path, "secret", hidden=True), SubmissionState.PRIVATE)
    response = signed_in(alice).get(address(secret.entry_id), {"task": TASK, "by": "depth"})
    assert (response.status_code, response.json()["code"]) == (404, "unknown_entry")


def test_scores_from_before_single_ones_were_kept_have_none(alice: User, official: Release) -> None:
    old = published(alice, official, "Old", {"passkey": 50.0})
    ScoreVector.objects.all().delete()
    response = Client().get(address(old.entry_id), {"task": "passkey", "by": "depth"})
    assert (response.status_code, response.json()["code"]) == (404, "missing_task")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("released", "by", "means"),
    [
        ("kimi/preds_kv_retrieval", "depth", [2, 26, 30, 48, 44, 46, 74, 86, 80, 100]),
        ("gpt4/preds_code_run", "hops", [63.75, 35, 7.5, 8.75, 1.25]),
        ("gpt4/preds_math_find", "kind", [100, 98, 44, 100, 52, 8, 18]),
    ],
)
def test_the_released_files_show_what_is_known_of_them(
    real_data: Path, tmp_path: Path, released: str, by: str, means: list[float]
) -> None:
    folder, name = released.split("/")
    (tmp_path / folder).mkdir()
    file = real_data / "results" / f"{released}.jsonl"
    (tmp_path / folder / file.name).write_bytes(file.read_bytes())
    entry = import_historical(tmp_path / folder, Historical(folder))
    found = answer(entry, by, task=name.removeprefix("preds_"))
    assert [one["mean"] for one in found["bins"]] == pytest.approx(means)
    assert (found["p"] is not None) == (by == "depth")
    assert (found["p"] or 0) < 0.001
