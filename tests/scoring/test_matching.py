"""Which data a file's rows were made for: each task's label version, or another release."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scoring.keys import Key
from scoring.matching import (
    Candidate,
    Fit,
    ReleaseNeeded,
    VersionNeeded,
    check_release,
    choose_data_sets,
    fit_of,
)
from scoring.predictions.reader import (
    ABSENT,
    Predictions,
    Row,
    TaskPredictions,
    read_predictions,
)
from scoring.releases.gold import GoldExample, TaskGold, read_gold, task_gold

TASK = "passkey"
NEW = [f"{n:05}" for n in range(20)]
OLD = [*NEW[:15], *(f"9{n:04}" for n in range(5))]  # the labels at the end differ


def gold_of(labels: Sequence[str], keys: Sequence[Key] | None = None) -> TaskGold:
    pairs = zip(keys or range(len(labels)), labels, strict=True)
    return task_gold(TASK, (GoldExample(key, label) for key, label in pairs))


HF = Candidate(gold_of(NEW), ("hf",))
PAPER = Candidate(gold_of(OLD, range(1, 41, 2)), ("paper",))


def predictions_of(*files: TaskPredictions) -> Predictions:
    return Predictions({file.task: file for file in files}, [], "")


def rows_of(
    gold: TaskGold, *, ids: bool = True, labels: bool = True, count: int | None = None
) -> Predictions:
    rows = [
        Row(one.key if ids else None, "x", one.label if labels else ABSENT, "preds.jsonl", line)
        for line, one in enumerate(gold.examples[:count], 1)
    ]
    return predictions_of(TaskPredictions(TASK, "official", ["preds.jsonl"], rows))


def chosen(predictions: Predictions, *candidates: Candidate, version: str = "") -> TaskGold:
    return choose_data_sets(predictions, {TASK: candidates}, version=version)[TASK]


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("version", [HF, PAPER], ids=["hf", "paper"])
@pytest.mark.parametrize("order", [1, -1])
def test_labels_choose_the_version(ids: bool, version: Candidate, order: int) -> None:
    predictions = rows_of(version.gold, ids=ids)
    assert chosen(predictions, *[HF, PAPER][::order]) == version.gold


@pytest.mark.parametrize("version", [HF, PAPER], ids=["hf", "paper"])
@pytest.mark.parametrize("count", [20, 12])
def test_without_labels_ids_choose_it(version: Candidate, count: int) -> None:
    predictions = rows_of(version.gold, labels=False, count=count)
    assert chosen(predictions, HF, PAPER) == version.gold


def test_with_neither_the_author_is_asked() -> None:
    bare = rows_of(HF.gold, ids=False, labels=False)
    with pytest.raises(VersionNeeded) as asked:
        chosen(bare, HF, PAPER)
    assert (asked.value.differing, asked.value.versions) == ({TASK: 5}, ("hf", "paper"))
    assert chosen(bare, HF, PAPER, version="paper") == PAPER.gold


def test_nothing_is_asked_where_versions_differ_in_ids_only() -> None:
    same = Candidate(gold_of(NEW, range(5, 25)), ("paper",))
    assert chosen(rows_of(HF.gold, ids=False, labels=False), HF, same) == HF.gold


def test_an_answer_changes_nothing_that_labels_decide() -> None:
    assert chosen(rows_of(HF.gold), HF, PAPER, version="paper") == HF.gold


def test_labels_in_common_with_both_are_taken_by_id() -> None:
    """By order the older version matches as many, but its ids differ."""
    same = Candidate(gold_of(NEW, range(5, 25)), ("paper",))
    assert chosen(rows_of(HF.gold), same, HF) == HF.gold


# Another release


def asked_for(predictions: Predictions, own: TaskGold, **others: TaskGold) -> list[str]:
    candidates = {TASK: [Candidate(gold, (name,)) for name, gold in others.items()]}
    fits = {task: fit_of(file, own) for task, file in predictions.tasks.items() if task == own.task}
    try:
        check_release(predictions, fits, lambda: candidates)
    except ReleaseNeeded as needed:
        return [other.release for other in needed.others]
    return []


OTHER = gold_of([f"8{n:04}" for n in range(20)])
SMALL = gold_of([f"7{n:04}" for n in range(5)])


@pytest.mark.parametrize("ids", [True, False])
def test_a_release_with_the_labels_of_the_file_is_suggested(ids: bool) -> None:
    assert asked_for(rows_of(OTHER, ids=ids), HF.gold, other=OTHER, small=SMALL) == ["other"]
    assert asked_for(rows_of(OTHER, ids=ids), OTHER, hf=HF.gold) == []


def test_without_labels_the_release_with_just_these_ids_is_suggested() -> None:
    assert asked_for(rows_of(SMALL, labels=False), HF.gold, small=SMALL) == ["small"]
    assert asked_for(rows_of(HF.gold, labels=False), SMALL, hf=HF.gold) == ["hf"]
    assert asked_for(rows_of(HF.gold, labels=False), HF.gold, other=OTHER) == []


def test_without_anything_the_number_of_rows_is_compared() -> None:
    bare = rows_of(SMALL, ids=False, labels=False)
    assert asked_for(bare, HF.gold, small=SMALL, other=OTHER) == ["small"]


def test_part_of_the_answers_stays_where_it_is() -> None:
    assert asked_for(rows_of(HF.gold, count=7), HF.gold, small=SMALL, other=OTHER) == []
    assert asked_for(rows_of(HF.gold, labels=False, count=7), HF.gold, small=SMALL) == []


def test_a_few_other_labels_do_not_suggest_another_release() -> None:
    assert asked_for(rows_of(HF.gold), gold_of([*NEW[:18], "1", "2"]), other=HF.gold) == []


def test_a_release_without_the_task_is_the_wrong_one() -> None:
    code = task_gold("code_run", [GoldExample(0, 1)])
    assert asked_for(rows_of(HF.gold), code, hf=HF.gold) == ["hf"]


def test_other_labels_are_only_read_where_they_can_matter() -> None:
    predictions = rows_of(HF.gold)

    def never() -> dict[str, list[Candidate]]:
        raise AssertionError

    check_release(predictions, {TASK: fit_of(predictions.tasks[TASK], HF.gold)}, never)
    with pytest.raises(AssertionError):
        check_release(predictions, dict[str, Fit](), never)


def test_one_task_of_several_with_other_labels_is_no_other_release() -> None:
    """GPT-4's file for Retrieve.KV was made for older data than its eleven other files."""
    file = rows_of(HF.gold).tasks[TASK]
    files = [
        replace(file, task=task)
        for task in (
            "passkey",
            "number_string",
            "code_run",
            "math_find",
            "kv_retrieval",
            "code_debug",
            "math_calc",
        )
    ]
    fits = {one.task: fit_of(one, HF.gold) for one in files} | {"code_run": fit_of(file, OTHER)}
    older = {"code_run": [Candidate(HF.gold, ("older",))]}
    check_release(predictions_of(*files), fits, lambda: older)


# The released files


STRIPPED = {  # whether labels and ids are omitted
    "as released": (False, False),
    "no labels": (True, False),
    "no ids": (False, True),
    "bare": (True, True),
}


def stripped(predictions: Predictions, *, labels: bool, ids: bool) -> Predictions:
    def without(row: Row) -> Row:
        row = row._replace(label=ABSENT) if labels else row
        return row._replace(key=None) if ids else row

    tasks = {
        task: replace(file, rows=[without(row) for row in file.rows])
        for task, file in predictions.tasks.items()
    }
    return replace(predictions, tasks=tasks)


@pytest.mark.parametrize("variant", STRIPPED)
@pytest.mark.parametrize("model", ["gpt4", "claude2", "kimi"])
def test_released_files_end_on_the_data_they_were_made_for(
    released: Path, model: str, variant: str
) -> None:
    hub, paper = (read_gold(released / "gold" / name) for name in ("hf", "paper"))
    candidates = {
        task: [Candidate(hub[task], ("hf",)), Candidate(paper[task], ("paper",))] for task in hub
    }
    whole = read_predictions(released / "results" / model)
    labels, ids = STRIPPED[variant]
    predictions = stripped(whole, labels=labels, ids=ids)
    if variant == "bare":
        with pytest.raises(VersionNeeded) as asked:
            choose_data_sets(predictions, candidates)
        assert set(asked.value.differing) == {"longbook_qa_eng"}
        chosen = choose_data_sets(predictions, candidates, version="paper")
    else:
        chosen = choose_data_sets(predictions, candidates)
    for task in ("longbook_sum_eng", "longbook_qa_eng", "longbook_choice_eng"):
        says = variant != "bare" or task == "longbook_qa_eng"
        assert chosen[task] == paper[task] or not says
    # For a release with fewer examples, the same ids and other labels, they are still recognised.
    wrong = {
        task: task_gold(
            task, [one._replace(label=gold.examples[-1].label) for one in gold.examples[:20]]
        )
        for task, gold in hub.items()
    }
    fits = {task: fit_of(file, wrong[task]) for task, file in predictions.tasks.items()}
    others = {
        task: [one._replace(releases=("infinitebench",)) for one in found]
        for task, found in candidates.items()
    }
    with pytest.raises(ReleaseNeeded) as needed:
        check_release(predictions, fits, lambda: others)
    assert [other.release for other in needed.value.others] == ["infinitebench"]
