"""The data that breakdowns of an entry are based on."""

from pathlib import Path

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from portal.entries.historical import Historical, import_historical
from portal.models import Evaluation, Example, ExampleResult, Release, Submission, User
from portal.releases.importer import import_release
from portal.scores.breakdowns import read_answers
from portal.scores.estimates import BySet
from scoring.breakdowns.breakdown import By, break_down, known_facets
from tests.support.example_results import change_results
from tests.support.factories import add_answers, model, with_slug
from tests.support.worlds import write_rows

SET = "strict"
TASK = "code_run"
SCORES = [1.0, 0.0, 0.0, 1.0, None]


@pytest.fixture
def chains(db: None, tmp_path: Path) -> Release:
    """Chains of 2, 2, 4, 4 and unknown hops."""
    folder = tmp_path / "data"
    write_rows(folder / f"{TASK}.jsonl", ({"id": key, "answer": [key]} for key in range(5)))
    facets = [{"id": key, "hops": 2 + key // 2 * 2, "depth": key / 10} for key in range(4)]
    write_rows(folder / "facets" / f"{TASK}.jsonl", facets)
    write_rows(folder / "kv_retrieval.jsonl", [{"id": 0, "answer": ["x"]}])
    return import_release(folder, slug="data", title="Data")


@pytest.fixture
def evaluation(alice: User, chains: Release) -> Evaluation:
    submission = Submission.objects.create(
        owner=alice, language_model=model("Model"), release=chains, state="published"
    )
    with_slug(submission)
    columns: dict[str, BySet] = {TASK: {SET: SCORES}, "kv_retrieval": {SET: [1.0]}}
    found = add_answers(submission, columns)
    results = ExampleResult.objects.filter(evaluation=found, task=TASK)
    for index, prediction in enumerate(["0", " \n\t", "word " * 50_000, "3"]):
        change_results(results.filter(index=index), prediction=prediction)
    return found


def test_scores_facets_and_answers_come_in_a_few_queries(
    evaluation: Evaluation, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):  # one for data that may have lengths
        found = read_answers(evaluation.pk, SET)
    assert list(found) == ["kv_retrieval", TASK]
    answers = found[TASK]
    assert answers.scores == (1.0, 0.0, 0.0, 1.0, 0.0)
    assert (sorted(answers.missing), sorted(answers.empty)) == ([4], [1])
    assert [one.hops for one in answers.facets] == [2, 2, 4, 4, None]
    by_hops = break_down(answers, By.HOPS)
    assert by_hops
    assert [(one.label, one.mean, one.empty) for one in by_hops.bins] == [
        ("2", 50, 1),
        ("4", 50, 0),
    ]
    assert by_hops.unknown == 1


def test_one_task_is_read_without_the_others(evaluation: Evaluation) -> None:
    assert list(read_answers(evaluation.pk, SET, [TASK])) == [TASK]
    assert read_answers(evaluation.pk, "official-2024-06") == {}


def test_of_a_hidden_release_nothing_is_read(evaluation: Evaluation) -> None:
    Release.objects.update(hidden=True)
    assert read_answers(evaluation.pk, SET) == {}


def test_labels_alone_have_the_lengths_of_the_same_official_questions(
    evaluation: Evaluation, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Only where the label is the same too: here for questions 1 to 4."""
    Example.objects.filter(data_set__task=TASK).update(question_number=F("index"))
    rows = [
        {
            "id": key,
            "context": "def f(x): return x + 1 " * (key + 1),
            "input": "f(0)?",
            "answer": [key or 7],
        }
        for key in range(5)
    ]
    write_rows(tmp_path / "official" / f"{TASK}.jsonl", rows)
    release = import_release(tmp_path / "official", slug="hub", title="Hub")
    with_contexts = Example.objects.filter(data_set__releases=release)
    with_contexts.update(question_number=F("index"), depth=0.25)
    assert known_facets(read_answers(evaluation.pk, SET)[TASK]) == (By.DEPTH, By.HOPS)
    Release.objects.filter(pk=release.pk).update(official=True)
    with django_assert_num_queries(5):
        found = read_answers(evaluation.pk, SET)[TASK]
    lengths = list(with_contexts.order_by("index").values_list("tokens", flat=True))
    assert list(found.tokens) == [None, *lengths[1:]]
    assert [one.depth for one in found.facets] == [0.0, 0.1, 0.2, 0.3, 0.25]
    Release.objects.filter(pk=release.pk).update(hidden=True)
    assert set(read_answers(evaluation.pk, SET)[TASK].tokens) == {None}


@pytest.mark.django_db(transaction=True)
def test_released_files_with_official_labels_have_the_facets_of_their_ids(
    real_data: Path, tmp_path: Path
) -> None:
    """Even if the official data have not been imported."""
    folder = tmp_path / "kimi"
    folder.mkdir()
    for task in ("math_find", "code_debug"):
        rows = (real_data / "results" / "kimi" / f"preds_{task}.jsonl").read_bytes()
        (folder / f"preds_{task}.jsonl").write_bytes(rows)
    entry = import_historical(folder, Historical("Kimi"))
    found = read_answers(entry.evaluations.get().pk, SET)
    assert By.KIND not in known_facets(found["code_debug"])
    by_kind = break_down(found["math_find"], By.KIND)
    assert by_kind
    assert [(one.label, one.n) for one in by_kind.bins][:2] == [("max", 50), ("2nd max", 50)]
