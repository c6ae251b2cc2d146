"""The scorer in its box: the same scores as outside, and a code for every way to end badly."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.predictions.canonical import read_canonical
from scoring.predictions.reader import read_predictions
from scoring.releases.gold import TaskGold, read_gold
from scoring.report import report_json
from scoring.sandbox.results_file import read_contents, read_examples, read_report
from scoring.sandbox.run import (
    Boxes,
    BoxResult,
    KeptUpload,
    Level,
    read_in_box,
    score_in_box,
)
from scoring.score import Report, score
from tests.support.sandbox import (
    as_ordinary_user,
    boxes,
    files_in,
    label_files,
    open_to_all,
    small_world,
    with_package,
)
from tests.support.worlds import write_rows

LEVELS = pytest.mark.parametrize("level", Level)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return small_world(tmp_path)


def questions(gold: dict[str, TaskGold]) -> dict[str, str]:
    return {task: data.questions_hash for task, data in gold.items() if data.questions_hash}


def outside(predictions: Path, labels: Path) -> Report:
    found = read_predictions(predictions)
    return score(found, read_gold(labels, found.tasks), align="id")


def both_stages(made: Boxes, predictions: Path, labels: Path) -> BoxResult:
    """The result of stage two, given what stage one made of a directory."""
    with read_in_box(made, files_in(predictions)) as read:
        assert read.ok, read.details
        result = score_in_box(
            made,
            read.outputs["predictions"],
            label_files(labels, questions(read_gold(labels))),
            align="id",
        )
    assert result.ok, result.details
    return result


@LEVELS
def test_scores_in_the_box_are_those_outside(world: Path, level: Level) -> None:
    expected = outside(world / "preds", world / "gold")
    with both_stages(boxes(level), world / "preds", world / "gold") as result:
        assert read_report(result.outputs["report"]) == json.loads(
            json.dumps(report_json(expected))
        )


def test_released_files_get_the_same_scores_in_the_box(
    released: Path, summary_line: Callable[[str], None]
) -> None:
    expected = outside(released / "results" / "gpt4", released / "gold" / "paper")
    made = boxes(Level.LOCKDOWN)
    with both_stages(made, released / "results" / "gpt4", released / "gold" / "paper") as result:
        report = read_report(result.outputs["report"])
        examples = list(read_examples(result.outputs["examples"]))
    assert report == json.loads(json.dumps(report_json(expected)))
    verdicts = {(one.task, one.key): one.verdicts for one in examples}
    pairs = [
        (verdicts[task, key], scored.verdicts[name][index], name)
        for task, scored in expected.tasks.items()
        for index, key in enumerate(scored.keys)
        for name in scored.verdicts
    ]
    same = sum(
        (actual is None and expected is None)
        or (actual is not None and expected is not None and actual[name].reason == expected.reason)
        for actual, expected, name in pairs
    )
    summary_line(f"verdicts out of the box: {same} of {len(pairs)} say the same as outside")
    assert same == len(pairs)


def test_every_example_comes_with_its_prediction_and_place(world: Path) -> None:
    with both_stages(boxes(Level.LOCKDOWN), world / "preds", world / "gold") as result:
        examples = list(read_examples(result.outputs["examples"]))
    passkey = [one for one in examples if one.task == "passkey"]
    assert [(one.key, one.index) for one in passkey] == [(0, 0), (1, 1), (2, 2)]
    assert [one.prediction for one in passkey] == ["It is 00000.", "It is 00001.", None]
    assert passkey[2].verdicts is None
    assert passkey[0].verdicts is not None
    assert passkey[0].verdicts["strict"].score == 1.0


def test_an_archive_is_read_like_the_files_in_it(world: Path) -> None:
    packed = world / "upload"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, file in files_in(world / "preds").items():
            archive.write(file, f"run/{name}")
    made = boxes(Level.LOCKDOWN)
    with read_in_box(made, {"my run.zip": packed}) as read:
        first, *_ = read.outputs["predictions"].read().splitlines()
    assert json.loads(first)["digest"] == read_predictions(world / "preds").digest


def test_a_doubtful_alignment_comes_out_as_a_question(world: Path) -> None:
    answers = [{"prediction": "x"}, {"prediction": "y"}]
    write_rows(world / "preds" / "preds_passkey.jsonl", answers)
    made = boxes(Level.LOCKDOWN)
    with (
        read_in_box(made, files_in(world / "preds")) as read,
        score_in_box(made, read.outputs["predictions"], label_files(world / "gold")) as result,
    ):
        document = read_report(result.outputs["report"])
        assert result.outputs["examples"].read() == b""
    assert [question["task"] for question in document["alignment"]] == ["passkey"]
    assert document["tasks"] == {}


def test_where_nothing_can_be_scored_the_problems_come_out(world: Path) -> None:
    made = boxes(Level.LOCKDOWN)
    with (
        read_in_box(made, {"notes.jsonl": world / "preds" / "preds_passkey.jsonl"}) as read,
        score_in_box(made, read.outputs["predictions"], label_files(world / "gold")) as result,
    ):
        document = read_report(result.outputs["report"])
    assert [problem["code"] for problem in document["problems"]] == ["task_unknown"]
    assert "signature" not in document


def test_the_task_of_a_file_can_be_given(world: Path) -> None:
    source = {"notes.jsonl": world / "preds" / "preds_passkey.jsonl"}
    for options in ({"task": "passkey"}, {"file_tasks": {"notes.jsonl": "passkey"}}):
        with read_in_box(boxes(Level.LOCKDOWN), source, **options) as read:
            assert b'"task":"passkey"' in read.outputs["predictions"].read()


def test_kept_tasks_of_earlier_uploads_are_read_unless_new_files_replace_them(world: Path) -> None:
    earlier = world / "earlier"
    with zipfile.ZipFile(earlier, "w") as archive:
        for task in ("passkey", "code_run", "math_find"):
            archive.writestr(f"{task}.jsonl", f'{{"id": 0, "prediction": "old {task}"}}\n')
    new = {"passkey.jsonl": write_rows(world / "new", [{"id": 0, "prediction": "new"}])}
    kept = [KeptUpload("earlier.zip", earlier, ["passkey", "code_run"])]
    with read_in_box(boxes(Level.LOCKDOWN), new, kept=kept) as read:
        assert read.ok, read.details
        predictions = read_canonical(read.outputs["predictions"])
        contents = read_contents(read.outputs["contents"], 2)
    answers = {task: found.rows[0].prediction for task, found in predictions.tasks.items()}
    assert answers == {"passkey": "new", "code_run": "old code_run"}
    assert (contents, predictions.problems) == ([["code_run"], ["passkey"]], [])


def test_a_version_without_new_files_is_what_it_keeps(world: Path) -> None:
    source = world / "preds" / "preds_passkey.jsonl"
    kept = [KeptUpload("notes.jsonl", source, ["passkey"], task="passkey")]
    with read_in_box(boxes(Level.LOCKDOWN), {}, kept=kept) as read:
        assert read_canonical(read.outputs["predictions"]).readable
        assert read_contents(read.outputs["contents"], 1) == [["passkey"]]


def test_the_gold_is_not_in_the_box_of_the_first_stage(world: Path) -> None:
    made = boxes(Level.LOCKDOWN)
    secret = [{"id": 0, "answer": ["98765"]}]
    write_rows(world / "gold" / "passkey.jsonl", secret)
    with read_in_box(made, files_in(world / "preds")) as read:
        assert b"98765" not in read.outputs["predictions"].read()


_AS_SOMEBODY = """\
import json, sys
from pathlib import Path
from scoring.sandbox.results_file import read_report
from scoring.sandbox.preflight import preflight
from scoring.sandbox.run import *
world = Path(sys.argv[1])
found = preflight()
reports = {}
for level in Level:
    if level == Level.STRONG and found.level != Level.STRONG:
        continue
    files = {file.name: file for file in (world / "preds").iterdir()}
    with read_in_box(Boxes(level), files) as read:
        assert read.ok, read.details
        labels = [LabelSet(file.stem, file) for file in (world / "gold").iterdir()]
        with score_in_box(Boxes(level), read.outputs["predictions"], labels, align="id") as scored:
            assert scored.ok, scored.details
            reports[level] = read_report(scored.outputs["report"])["tasks"]
print(json.dumps({"preflight": found.as_json(), "reports": reports}))
"""


def test_an_ordinary_user_has_the_same_box(summary_line: Callable[[str], None]) -> None:
    with open_to_all() as folder:
        small_world(with_package(folder))
        found = as_ordinary_user(folder, _AS_SOMEBODY, folder)
        tasks = report_json(outside(folder / "preds", folder / "gold"))["tasks"]
    assert isinstance(found, dict)
    measured = found["preflight"]
    summary_line(f"sandbox as an ordinary user: {measured['level']}. {measured['reason']}")
    assert measured["level"] != Level.NONE
    assert [one for one in measured["findings"] if not one["held"]] == []
    assert found["reports"]
    for report in found["reports"].values():
        assert report == json.loads(json.dumps(tasks))
