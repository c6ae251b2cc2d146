"""Historical entries: released files, scored against the labels that they carry."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from portal.entries import historical
from portal.entries.historical import Historical, HistoricalError, import_historical
from portal.evaluations.leases import claim_evaluation
from portal.language_models.services import LanguageModelError
from portal.models import (
    AuditEntry,
    Evaluation,
    EvaluationState,
    ExampleResult,
    LanguageModel,
    Release,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    User,
)
from scoring.catalog import TASKS
from scoring.embedded_gold import embedded_gold
from scoring.metrics import METRIC_SETS
from scoring.predictions.reader import read_predictions
from scoring.score import Report, score
from scoring.stats import macro_mean
from tests.support.factories import original_of
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db(transaction=True)

PASSKEYS = [
    {"id": 0, "prediction": "The pass key is 71432.", "ground_truth": "71432"},
    {"id": 7, "prediction": "No idea", "ground_truth": "11111"},
]
OLD = Historical("Old model", "Some lab")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    write_rows(folder / "preds_passkey.jsonl", PASSKEYS)
    write_rows(folder / "preds_code_run.jsonl", [{"id": 0, "prediction": "4", "label": 4}])
    return folder


def reference(folder: Path, *, drop_first: bool = False) -> Report:
    """The output of ``python -m scoring score FOLDER --gold embedded``."""
    predictions, gold = embedded_gold(read_predictions(folder))
    return score(predictions, gold, drop_first=drop_first)


def means(submission: Submission) -> dict[tuple[str, str], float]:
    rows = TaskScore.objects.filter(evaluation__submission=submission)
    return {(row.task, row.metric_set): row.mean for row in rows}


def assert_like_the_reference(submission: Submission, report: Report) -> None:
    found = means(submission)
    assert found.keys() == {(task, name) for task in report.tasks for name in METRIC_SETS}
    for (task, name), mean in found.items():
        assert mean == pytest.approx(report.task_mean(task, name), abs=1e-9), (task, name)


def test_it_is_scored_and_published_by_the_site_itself(files: Path) -> None:
    submission = import_historical(files, OLD)
    assert (submission.state, submission.origin) == (SubmissionState.PUBLISHED, "historical")
    assert submission.owner is None
    assert_like_the_reference(submission, reference(files))
    assert ExampleResult.objects.filter(evaluation__submission=submission).count() == 3
    entry = AuditEntry.objects.get(submission=submission)
    assert (entry.action, entry.actor) == ("publish historical", None)


def test_its_release_is_its_own_and_takes_no_submissions(files: Path) -> None:
    submission = import_historical(files, OLD)
    assert submission.release.slug == "historical-old-model"
    assert not Release.objects.open_for_submissions().exists()
    keys = submission.release.data_sets.get(task="passkey").examples.values_list("key", flat=True)
    assert list(keys) == ["0", "7"]


def test_the_language_model_belongs_to_the_site(files: Path, alice: User) -> None:
    LanguageModel.objects.create(name="Old model", slug="old-model", owner=alice)
    model = import_historical(files, OLD).language_model
    assert (model.owner, model.slug, model.organisation) == (None, "old-model-2", "Some lab")


def test_the_original_files_are_kept_packed_in_one_way(files: Path) -> None:
    first = import_historical(files, OLD)
    moved = shutil.copytree(files, files.parent / "moved", copy_function=shutil.copyfile)
    second = import_historical(moved, Historical("Another model"))
    assert original_of(first).hash == original_of(second).hash
    with original_of(first).file.open("rb") as kept:
        assert (files / "preds_passkey.jsonl").read_bytes() in kept.read()


def test_no_job_is_enqueued(files: Path, messages: Path) -> None:
    import_historical(files, OLD)
    assert list(messages.iterdir()) == []


def test_a_second_run_changes_nothing_and_says_so(files: Path) -> None:
    first = import_historical(files, OLD)
    lines: list[str] = []
    assert import_historical(files, OLD, report=lines.append) == first
    assert lines == ["Old model: unchanged (published)"]
    assert Submission.objects.count() == Evaluation.objects.count() == 1


def test_files_of_another_run_are_an_entry_of_their_own(files: Path) -> None:
    rows = [{"id": 0, "prediction": "5", "label": 4}]
    write_rows(files / "preds_code_run_step_by_step.jsonl", rows)
    main, other = (import_historical(files, run) for run in OLD.runs_in(files))
    assert (main.prompt_strategy, other.prompt_strategy) == ("as released", "step by step")
    assert main.language_model == other.language_model
    assert other.release.slug == "historical-old-model-step-by-step"
    assert means(other) == {("code_run", name): 0.0 for name in METRIC_SETS}
    assert means(main)["code_run", "strict"] == 100
    again = [import_historical(files, run) for run in OLD.runs_in(files)]
    assert again == [main, other]


def test_other_files_for_the_same_model_are_refused(files: Path) -> None:
    import_historical(files, OLD)
    write_rows(files / "preds_code_run.jsonl", [{"id": 0, "prediction": "5", "label": 4}])
    with pytest.raises(HistoricalError, match="from other files or settings"):
        import_historical(files, OLD)
    with pytest.raises(HistoricalError, match="from other files or settings"):
        import_historical(files, Historical("Old model", drop_first=True))
    assert Submission.objects.count() == 1


def broken_off(files: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Evaluation | None:
    """Import, but break off where this function of the module would be called."""
    with monkeypatch.context() as patch:
        patch.setattr(historical, name, _interrupt)
        with pytest.raises(KeyboardInterrupt):
            import_historical(files, OLD)
    return Evaluation.objects.first()


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("place", ["score_evaluation", "_score", "change_submission"])
def test_an_interrupted_import_is_completed(
    files: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    broken_off(files, monkeypatch, place)
    assert Submission.objects.get().state == SubmissionState.PRIVATE
    assert import_historical(files, OLD).state == SubmissionState.PUBLISHED
    assert Evaluation.objects.get().state == EvaluationState.SCORED
    assert_like_the_reference(Submission.objects.get(), reference(files))


def test_an_import_interrupted_early_leaves_no_row(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(files, monkeypatch, "import_its_labels")
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()


def test_if_the_connection_is_lost_after_the_commit_the_file_is_kept(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = connection.commit

    def written_but_not_confirmed() -> None:
        commit()
        raise OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(connection, "commit", written_but_not_confirmed)
        with pytest.raises(OperationalError):
            import_historical(files, OLD)
    kept = original_of(Submission.objects.get())
    assert kept.file.storage.exists(str(kept.file.name))


def test_an_attempt_whose_process_was_killed_is_taken_over_when_its_lease_has_run_out(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = broken_off(files, monkeypatch, "score_evaluation")
    assert evaluation
    monkeypatch.setattr(site, "LEASE", 0.3)
    assert claim_evaluation(evaluation.pk)
    monkeypatch.setattr(site, "LEASE", 60.0)
    lines: list[str] = []
    import_historical(files, OLD, report=lines.append)
    assert any("waiting for the process that scores it" in line for line in lines)
    assert Evaluation.objects.get().attempt == 2


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"id": 0, "prediction": "71432"}], "has no labels"),
        ([{"prediction": "1", "label": "1"}, {"id": 0, "prediction": "1", "label": "1"}], "no id"),
        ([{"prediction": "1", "label": "1"}, {"prediction": "1"}], "no id"),
    ],
)
def test_files_that_cannot_be_scored_give_a_message_and_leave_nothing(
    tmp_path: Path, rows: list[dict[str, object]], sentence: str
) -> None:
    write_rows(tmp_path / "files" / "preds_passkey.jsonl", rows)
    with pytest.raises(HistoricalError, match=sentence):
        import_historical(tmp_path / "files", OLD)
    assert not Submission.objects.exists()
    assert not TaskDataSet.objects.exists()


def test_rows_without_ids_are_taken_in_their_order(tmp_path: Path) -> None:
    rows = [{"prediction": str(n), "label": str(n % 2)} for n in range(3)]
    write_rows(tmp_path / "files" / "preds_passkey.jsonl", rows)
    submission = import_historical(tmp_path / "files", OLD)
    assert_like_the_reference(submission, reference(tmp_path / "files"))
    assert means(submission)["passkey", "strict"] == pytest.approx(100 * 2 / 3)


def test_a_row_without_a_label_is_ignored_as_by_the_command(tmp_path: Path) -> None:
    write_rows(tmp_path / "files" / "preds_passkey.jsonl", [*PASSKEYS, {"id": 9, "prediction": ""}])
    submission = import_historical(tmp_path / "files", OLD)
    assert_like_the_reference(submission, reference(tmp_path / "files"))


def test_a_label_in_a_list_is_kept_as_a_list(tmp_path: Path) -> None:
    """One official revision distinguishes the two forms in Retrieve.KV."""
    rows = [{"id": n, "prediction": "ab12", "label": label} for n, label in enumerate(["ab12"])]
    rows.append({"id": 1, "prediction": "ab12", "label": ["ab12"]})
    write_rows(tmp_path / "files" / "preds_kv_retrieval.jsonl", rows)
    submission = import_historical(tmp_path / "files", OLD)
    assert_like_the_reference(submission, reference(tmp_path / "files"))


def test_a_taken_address_is_refused(files: Path, alice: User, storage: Path) -> None:
    LanguageModel.objects.create(name="Hers", slug="hers", owner=alice)
    with pytest.raises(LanguageModelError, match="already exists"):
        import_historical(files, Historical("Old model", slug="hers"))
    assert not Submission.objects.exists()
    assert [path for path in storage.rglob("*") if path.is_file()] == []


def test_the_command_reports_what_it_does(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(files / "preds_code_run_step_by_step.jsonl", [{"id": 0, "pred": "4", "label": 4}])
    call_command("import_historical", str(files), "--model", "Old model")
    said = capsys.readouterr().out
    assert "Old model: storing 2 examples of Retrieve.PassKey" in said
    assert "Old model: scoring 2 tasks, 3 examples" in said
    assert "Old model: published" in said
    assert "Old model, step by step: published" in said


def test_the_command_reports_errors_in_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a folder"):
        call_command("import_historical", str(tmp_path / "none"), "--model", "Old model")


@pytest.mark.parametrize(
    ("name", "drop_first"), [("gpt4", True), ("claude2", False), ("kimi", False)]
)
def test_released_files_have_the_scores_of_the_command(
    real_data: Path, summary_line: Callable[[str], None], name: str, drop_first: bool
) -> None:
    folder = real_data / "results" / name
    submission = import_historical(folder, Historical(name, drop_first=drop_first))
    assert_like_the_reference(submission, reference(folder, drop_first=drop_first))
    found = means(submission)
    overall = macro_mean([found[task, "official-2024-06"] for task in TASKS])
    published = {"gpt4": 45.68, "claude2": 36.99, "kimi": 34.66}[name]
    assert overall == pytest.approx(published, abs=0.005)
    official = json.loads((real_data / "official_scores" / f"{name}.json").read_text())
    for task, scores in official.items():
        if task in TASKS:
            expected = scores["88b3daa"]["score"]
            assert found[task, "official-2024-06"] == pytest.approx(expected, abs=1e-6)
    summary_line(f"historical {name}: {len(found)} scores as by the command, overall {overall:.2f}")


def test_gpt4_answers_worse_step_by_step_than_with_context_recalling(real_data: Path) -> None:
    folder = real_data / "results" / "gpt4"
    runs = Historical("gpt4", drop_first=True).runs_in(folder)
    assert [run.title for run in runs] == ["gpt4", "gpt4, step by step"]
    found = means(import_historical(folder, runs[1]))
    assert found.keys() == {("code_debug", name) for name in METRIC_SETS}
    official = json.loads((real_data / "official_scores" / "gpt4.json").read_text())
    for revision, name in (("88b3daa", "official-2024-06"), ("51d9b37", "official-2024-09")):
        score = official["code_debug_step_by_step"][revision]["score"]
        assert found["code_debug", name] == pytest.approx(score, abs=1e-6)
    assert found["code_debug", "official-2024-06"] == pytest.approx(15.74, abs=0.005)
