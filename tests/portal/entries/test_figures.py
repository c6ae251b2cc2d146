"""The released results as figures: the board of ∞Bench without any of its texts."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from portal.entries.figures import FILE, import_figures
from portal.models import Evaluation, ExampleResult, Release, Submission, TaskScore
from scoring.metrics import METRIC_SETS

KV = "/examples/infinitebench/kv_retrieval/"


@pytest.fixture(scope="module")
def once(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Imported for all tests of this module; the transactions of each are inside this one."""
    with django_db_blocker.unblock(), transaction.atomic():
        import_figures()
        with django_db_blocker.block():
            yield
        transaction.set_rollback(True)


@pytest.fixture
def imported(once: None, db: None) -> None: ...


def entry(model: str, strategy: str = "as released") -> Submission:
    return Submission.objects.get(language_model__name=model, prompt_strategy__startswith=strategy)


def overall(submission: Submission) -> float:
    rows = TaskScore.objects.filter(
        evaluation__submission=submission, metric_set="official-2024-06"
    )
    return sum(rows.values_list("mean", flat=True)) / 12


def breakdown(client: Client, submission: Submission, task: str, by: str) -> list[float]:
    address = f"/api/v1/entries/{submission.entry_id}/breakdowns/?task={task}&by={by}"
    return [round(one["mean"], 2) for one in client.get(address).json()["bins"]]


# The file


def test_the_file_is_what_the_released_files_give(real_data: Path) -> None:
    call_command("released_figures", "--check", real_data)


def test_the_command_refuses_a_file_of_other_figures(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(gzip.decompress(FILE.read_bytes()))
    document["entries"][0]["tasks"]["passkey"]["scores"]["strict"][7] = 0.5
    changed = tmp_path / FILE.name
    changed.write_bytes(gzip.compress(json.dumps(document).encode()))
    monkeypatch.setattr("portal.management.commands.released_figures.FILE", changed)
    with pytest.raises(CommandError, match="is not what"):
        call_command("released_figures", "--check", real_data)


def test_the_file_is_small_and_holds_no_text_of_others() -> None:
    document = json.loads(gzip.decompress(FILE.read_bytes()))
    assert FILE.stat().st_size < 300_000
    assert {len(one) for data_set in document["data_sets"] for one in data_set["labels"]} == {10}
    for one in document["entries"]:
        assert {problem["severity"] for problem in one["problems"]} <= {"note", "warning", "error"}
        assert all(len(problem["message"]) < 200 for problem in one["problems"])
        for task in one["tasks"].values():
            numbers = [score for name in METRIC_SETS for score in task["scores"][name]]
            assert all(score is None or 0 <= score <= 1 for score in numbers)


# The board


@pytest.mark.parametrize(
    ("model", "percent"),
    [("GPT-4 (1106-preview)", 45.68), ("Claude 2", 36.99), ("Kimi-Chat", 34.66)],
)
def test_the_board_has_the_published_overall_scores(
    imported: None, model: str, percent: float
) -> None:
    assert round(overall(entry(model)), 2) == percent


def test_the_known_findings_are_there(imported: None, client: Client) -> None:
    kimi, gpt4 = entry("Kimi-Chat"), entry("GPT-4 (1106-preview)")
    by_depth = breakdown(client, kimi, "kv_retrieval", "depth")
    assert by_depth == [2, 26, 30, 48, 44, 46, 74, 86, 80, 100]
    assert breakdown(client, gpt4, "code_run", "hops") == [63.75, 35, 7.5, 8.75, 1.25]
    by_kind = breakdown(client, gpt4, "math_find", "kind")
    assert sorted(by_kind) == [8, 18, 44, 52, 98, 100, 100]


def test_home_is_the_board_of_the_benchmark(imported: None, client: Client) -> None:
    body = client.get("/").content.decode()
    assert "<title>InfiniteBench leaderboard" in body
    assert "GPT-4 (1106-preview)" in body


def test_printed_numbers_are_reproduced(imported: None, client: Client) -> None:
    rows = client.get("/reproduction/tables.json").json()["numbers"]
    models = {"GPT-4 (1106-preview)", "Claude 2", "Kimi-Chat"}
    states = {row["state"] for row in rows if row["model"] in models}
    assert states == {"equal", "explained"}


def test_missing_answers_are_told_from_figures(imported: None) -> None:
    kimi = Evaluation.objects.get(submission=entry("Kimi-Chat"))
    results = ExampleResult.objects.filter(evaluation=kimi)
    assert not results.exclude(prediction=None).exclude(prediction="").exists()
    blank = results.blank().exclude(prediction="")
    missing = {(row.task, row.index) for row in blank}
    answered = dict(kimi.task_scores.filter(metric_set="strict").values_list("task", "answered"))
    assert len(missing) == results.values("task", "index").count() - sum(answered.values())


def test_a_second_import_changes_nothing(imported: None) -> None:
    lines: list[str] = []
    import_figures(report=lines.append)
    assert lines == []
    assert Submission.objects.count() == Evaluation.objects.count() == 4


# Pages that would show texts


@pytest.mark.parametrize("address", [KV, f"{KV}7/", "/releases/infinitebench/", "/releases/hf/"])
def test_pages_say_that_texts_are_not_here(imported: None, client: Client, address: str) -> None:
    body = client.get(address).content.decode()
    assert 'data-code="figures only"' in body
    assert "INFINITEBENCH_DATA" in body
    assert "import_release --hub" in body


def test_an_opened_answer_shows_its_scores_without_its_text(imported: None, client: Client) -> None:
    kimi = entry("Kimi-Chat")
    body = client.get(f"{KV}499/?entry={kimi.pk}").content.decode()
    assert 'data-empty="text"' in body
    assert 'data-sets="strict " data-percent="100.00"' in body
    assert 'data-status="missing"' not in body


def test_an_answer_as_data_has_scores_and_no_prediction(imported: None, client: Client) -> None:
    answers = client.get(f"{KV}499.json").json()["predictions"]
    kimi = next(one for one in answers if one["model"] == "Kimi-Chat")
    assert kimi["prediction"] is None
    assert kimi["scores"]["strict"] == 100


def test_an_entry_offers_no_file_of_its_answers(imported: None, client: Client) -> None:
    page = f"/entries/{entry('Claude 2').entry_id}/"
    body = client.get(page).content.decode()
    assert 'data-code="figures only"' in body
    assert "predictions.zip" not in body
    for name in ("predictions.zip", "every-eval-ever.zip", "inspect.zip", "lm-eval.zip"):
        assert client.get(f"{page}{name}").status_code == 404
    rows = client.get(f"{page}examples.csv").getvalue().decode().splitlines()
    assert sum(",answered," in row for row in rows) == 3946


@pytest.mark.parametrize("task", ["passkey", "longdialogue_qa_eng"])
def test_the_page_of_a_task_says_so_too(imported: None, client: Client, task: str) -> None:
    assert 'data-code="figures only"' in client.get(f"/tasks/{task}/").content.decode()


def test_nothing_can_be_submitted_or_reported_without_labels(
    imported: None, client: Client, alice: object
) -> None:
    assert not Release.objects.open_for_submissions().exists()
    client.force_login(alice)  # type: ignore[arg-type]
    address = "/labels/report/?release=infinitebench&task=kv_retrieval&key=7"
    assert client.get(address).status_code == 404
