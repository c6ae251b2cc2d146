"""The bad files through the web page: each gets its response, and none leaves a trace elsewhere."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client

from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, EvaluationState, Original, Release, Submission, User
from portal.releases.importer import import_release
from tests.support.bad_archives import ARCHIVES
from tests.support.bad_inputs import FILES
from tests.support.clients import File, signed_in, submit, submitted
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db
LABELS: dict[str, object] = {  # examples of each task
    "passkey": ["71432"],
    "number_string": ["1"],
    "kv_retrieval": "x",
    "longbook_sum_eng": ["A book."],
    "longbook_qa_eng": ["Yes."],
    "longbook_qa_chn": ["是"],
    "longdialogue_qa_eng": ["ANN"],
    "code_run": [6],
    "math_find": [1],
}
TASKS = tuple(LABELS)
BY_THE_RELEASE = {"predictions_missing", "id_unknown", "labels_differ"}
SUM = "longbook_sum_eng"  # its predictions have the lowest cap
ALONE = {  # one concerns all files, the other this task
    "no ids at all": EvaluationState.NEEDS_ANSWER,
    "a prediction over the cap": EvaluationState.SCORED,
}
LARGE = [name for name in FILES if " MB " in f"{name} " or "MiB of" in name]
TOO_LARGE = "more than 100 MiB"
SMALL = [name for name in FILES if name not in (*ALONE, *LARGE, TOO_LARGE)]
ROUNDS = [SMALL[start : start + len(TASKS)] for start in range(0, len(SMALL), len(TASKS))]


@pytest.fixture
def release(db: None, tmp_path: Path) -> Release:
    for task, label in LABELS.items():
        examples = [{"id": number, "answer": label} for number in range(10)]
        write_rows(tmp_path / "gold" / f"{task}.jsonl", examples)
    return import_release(tmp_path / "gold", slug="bad", title="For bad files")


@pytest.fixture
def browser(adam: User) -> Client:
    """The browser of an admin, who has no quota."""
    return signed_in(adam)


@pytest.fixture(autouse=True)
def _nothing_is_written_elsewhere(
    storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Only uploads are stored, under the site's own names, whatever archives call their members."""
    (tmp_path / "here" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "deep")
    yield
    files = {file for file in tmp_path.rglob("*") if file.is_file()}
    stored = {Path(original.file.path) for original in Original.objects.all()}
    known = ("gold", site.CACHE_DIR.name)
    strange = {file for file in files - stored if file.relative_to(tmp_path).parts[0] not in known}
    assert strange == set()
    assert not any(Path(name).exists() for name in ("/tmp/p.js", "/preds_code_run.jsonl"))


def judged(browser: Client, release: Release, files: Mapping[str, bytes]) -> Evaluation:
    """The result of an upload, scored in the real box."""
    submission = submitted(submit(browser, release, files.items()))
    evaluation = submission.evaluations.get()
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    assert evaluation.failure in ("", "nothing_to_score")
    assert bool(evaluation.failure) == (evaluation.state == EvaluationState.FAILED)
    return evaluation


def problems_of(evaluation: Evaluation, file: str = "") -> set[str]:
    """The codes of errors and warnings that the reader reported for a file, or all of them."""
    problems = [problem for problem in evaluation.problems if problem["severity"] != "note"]
    codes = {problem["code"] for problem in problems if not file or problem["file"] == file}
    return codes - BY_THE_RELEASE


@pytest.mark.parametrize("names", ROUNDS, ids=lambda names: names[0])
def test_several_bad_files(browser: Client, release: Release, names: list[str]) -> None:
    bad = {f"preds_{task}.jsonl": FILES[name] for task, name in zip(TASKS, names, strict=False)}
    evaluation = judged(browser, release, {file: one.make() for file, one in bad.items()})
    assert {file: problems_of(evaluation, file) for file in bad} == {
        file: one.codes for file, one in bad.items()
    }


@pytest.mark.parametrize("name", ALONE)
def test_a_bad_file_by_itself(browser: Client, release: Release, name: str) -> None:
    evaluation = judged(browser, release, {f"preds_{SUM}.jsonl": FILES[name].make()})
    assert (evaluation.state, problems_of(evaluation)) == (ALONE[name], FILES[name].codes)


@pytest.mark.parametrize("name", LARGE)
def test_a_large_bad_file(browser: Client, release: Release, name: str) -> None:
    evaluation = judged(browser, release, {f"preds_{SUM}.jsonl": FILES[name].make()})
    assert problems_of(evaluation) == FILES[name].codes


def test_a_file_that_is_too_large(browser: Client, release: Release) -> None:
    files: list[File] = [(f"preds_{SUM}.jsonl", FILES[TOO_LARGE].make())]
    assert submit(browser, release, files).status_code == 413
    assert not Submission.objects.exists()


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_bad_archive(browser: Client, release: Release, name: str) -> None:
    bad = ARCHIVES[name]
    evaluation = judged(browser, release, {"preds_passkey.jsonl.gz": bad.make()})
    assert problems_of(evaluation) == ({bad.code} if bad.code else set())
    scored = evaluation.task_scores.values_list("task", flat=True)
    assert set(scored) == set(bad.tasks)
