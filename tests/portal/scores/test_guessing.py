"""Scores that can be reached without reading anything."""

import pytest

from portal.models import Example, Release
from portal.scores.questions.guessing import Guessing, guessing
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS, score_example
from tests.support.factories import release_of_all_tasks

pytestmark = pytest.mark.django_db

LABELS: dict[str, list[object]] = {
    "passkey": ["11111", "22222", "11111", "33333"],
    "code_debug": [["f", "B"], ["g", "B"], ["h", "B"], ["i", "D"]],
    "longdialogue_qa_eng": [["ANN"], ["BOB", "BOBBY"], ["BOB"], ["EVE"]],
    "math_find": [7, 7, 48.0, 3],
    "longbook_qa_eng": [["a"], ["a"], ["b"], ["c"]],
}


@pytest.fixture
def release() -> Release:
    made = release_of_all_tasks("made", official=False)
    Example.objects.bulk_create(
        Example(data_set=data_set, index=index, key=str(index), label=label)
        for data_set in made.data_sets.filter(task__in=LABELS)
        for index, label in enumerate(LABELS[data_set.task])
    )
    return made


def of(release: Release, task: str, metric_set: str = "strict") -> Guessing:
    return guessing(TASKS[task], release.slug, metric_set, hidden=release.hidden)


@pytest.mark.parametrize("metric_set", METRIC_SETS)
@pytest.mark.parametrize(
    ("task", "percent"), [("passkey", 50), ("code_debug", 75), ("math_find", 50)]
)
def test_the_best_constant_answer_is_the_most_frequent_one(
    release: Release, task: str, percent: float, metric_set: str
) -> None:
    found = of(release, task, metric_set).constant
    assert found
    assert found.percent == percent
    scores = [score_example(metric_set, task, found.text, label).score for label in LABELS[task]]
    assert 100 * sum(scores) / len(scores) == percent


def test_only_options_can_be_chosen_by_chance(release: Release) -> None:
    assert of(release, "code_debug").chance == 25
    assert of(release, "passkey").chance is None


def test_answers_that_can_be_partly_right_have_no_constant(release: Release) -> None:
    assert of(release, "longbook_qa_eng") == Guessing()


def test_a_text_with_several_answers_is_a_weakness_of_the_official_rules(
    release: Release,
) -> None:
    tricks = {
        (task, name): of(release, task, name).trick
        for task in ("code_debug", "longdialogue_qa_eng")
        for name in METRIC_SETS
    }
    assert {where: trick and trick.percent for where, trick in tricks.items()} == {
        ("code_debug", "official-2024-06"): 100,
        ("code_debug", "official-2024-09"): 100,
        ("code_debug", "strict"): None,
        ("longdialogue_qa_eng", "official-2024-06"): 100,
        ("longdialogue_qa_eng", "official-2024-09"): 100,
        ("longdialogue_qa_eng", "strict"): None,
    }


def test_of_a_hidden_release_there_is_only_chance(release: Release) -> None:
    Release.objects.update(hidden=True)
    release.refresh_from_db()
    assert of(release, "code_debug") == Guessing(chance=25)
    assert of(release, "passkey") == Guessing()


def test_data_without_examples_have_no_constant() -> None:
    empty = release_of_all_tasks("made", official=False)
    assert of(empty, "passkey") == Guessing()
