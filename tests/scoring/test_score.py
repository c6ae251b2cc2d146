"""The whole pipeline: what counts, what is missing, which means exist."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS
from scoring.predictions.reader import Predictions
from scoring.report import report_json, report_table
from scoring.score import AlignmentNeeded, Report, score
from scoring.stats import macro_mean, mean_percent, rounded, standard_error
from tests.support.worlds import file_of, gold_of, row

KEYS = {key: f"{key:05}" for key in range(4)}


def scored(answers: dict[int, str | None], task: str = "passkey") -> Report:
    file = file_of(task, [row(key, text) for key, text in answers.items()])
    return score(Predictions({task: file}, [], "digest"), {task: gold_of(task, KEYS)})


def test_a_missing_prediction_counts_zero_and_is_marked() -> None:
    report = scored({0: "00000", 1: "wrong", 3: None})
    task = report_json(report)["tasks"]["passkey"]  # type: ignore[index]
    assert task["scores"]["strict"] == 25
    assert (task["n"], task["answered"], task["missing"]) == (4, 2, 2)
    assert task["examples"]["strict"] == [1.0, 0.0, None, None]
    assert [problem["code"] for problem in task["problems"]] == ["predictions_missing"]


def test_a_declared_first_operand_is_left_out() -> None:
    file = file_of("math_calc", [row(0, "7 1 2 3")])
    gold = {"math_calc": gold_of("math_calc", {0: (1, 2, 3)})}
    for drop_first, percent in ((False, 0.0), (True, 100.0)):
        report = score(Predictions({"math_calc": file}, [], "digest"), gold, drop_first=drop_first)
        assert set(report.tasks["math_calc"].means.values()) == {percent}


def test_the_standard_error_is_of_a_sample_in_percentage_points() -> None:
    report = scored({0: "00000", 1: "wrong"})
    expected = 100 * math.sqrt((0.75**2 + 3 * 0.25**2) / 3) / math.sqrt(4)
    assert report.tasks["passkey"].stderrs["strict"] == pytest.approx(expected)


def test_the_table_has_the_intervals_of_means_too() -> None:
    tasks = ("passkey", "number_string", "kv_retrieval")
    files = {task: file_of(task, [row(0, "0")]) for task in tasks}
    gold = {task: gold_of(task, {0: "0", 1: "1"}) for task in tasks}
    report = score(Predictions(files, [], "digest"), gold, designs={})
    lines = {line.split()[0]: line for line in report_table(report).splitlines() if line}
    for metric_set, mean in report.domain("retrieval").items():
        interval = report.interval_of_mean(tasks, metric_set)
        assert f"{mean:.2f}  {interval}" in lines["retrieval"]
    assert "–" not in lines["novel"] + lines["overall"]


def test_intervals_are_there_only_where_they_are_wanted() -> None:
    file = file_of("passkey", [row(0, "00000")])
    arguments = (
        Predictions({"passkey": file}, [], "digest"),
        {"passkey": gold_of("passkey", KEYS)},
    )
    assert "intervals" not in report_json(score(*arguments))
    document = report_json(score(*arguments, designs={}))
    [task] = document["tasks"].values()  # type: ignore[attr-defined]
    assert task["intervals"]["strict"]["method"] == "wilson"
    assert task["texts"] is None  # it is unknown which questions share a text
    assert document["intervals"]["overall"] == dict.fromkeys(METRIC_SETS)  # type: ignore[index]


@pytest.mark.parametrize(
    ("percent", "places", "printed"),
    [(23.25, 1, "23.3"), (1.25, 1, "1.3"), (45.683309, 2, "45.68"), (0.125, 2, "0.13"),
     (2.675, 2, "2.68"), (100.0, 1, "100.0"), (12.5, 0, "13"), (1e-05, 2, "0.00")],
)  # fmt: skip
def test_halves_are_rounded_up_as_they_are_read(percent: float, places: int, printed: str) -> None:
    assert str(rounded(percent, places)) == printed


def test_a_mean_exists_only_when_all_its_tasks_were_submitted() -> None:
    files = {task: file_of(task, [row(0, "0")]) for task in ("passkey", "number_string")}
    gold = {task: gold_of(task, {0: "0"}) for task in TASKS if task in files}
    report = score(Predictions(files, [], "digest"), gold)
    assert report.domain("retrieval") == dict.fromkeys(METRIC_SETS)
    files["kv_retrieval"] = file_of("kv_retrieval", [row(0, "no")])
    gold["kv_retrieval"] = gold_of("kv_retrieval", {0: "yes"})
    report = score(Predictions(files, [], "digest"), gold)
    assert report.domain("retrieval")["official-2024-06"] == pytest.approx(200 / 3)
    assert report.overall() == dict.fromkeys(METRIC_SETS)


def test_a_task_missing_from_the_release_is_reported_and_ignored() -> None:
    files = {task: file_of(task, [row(0, "00000")]) for task in ("passkey", "code_run")}
    report = score(Predictions(files, [], "digest"), {"passkey": gold_of("passkey", KEYS)})
    assert list(report.tasks) == ["passkey"]
    assert "task_not_in_release" in [problem.code for problem in report.problems]


def test_a_file_without_a_usable_row_is_no_question_and_no_score() -> None:
    files = {
        "passkey": file_of("passkey", [row(0, "00000")]),
        "math_calc": file_of("math_calc", [row(None, None)]),
    }
    gold = {"passkey": gold_of("passkey", KEYS), "math_calc": gold_of("math_calc", {0: (1, 2)})}
    report = score(Predictions(files, [], "digest"), gold)
    assert list(report.tasks) == ["passkey"]
    assert report.domain("math") == dict.fromkeys(METRIC_SETS)
    reported = [(one.task, one.code, one.severity) for one in report.problems]
    assert reported[0] == ("math_calc", "task_unreadable", "error")


def test_one_answer_is_enough_for_files_with_and_without_ids() -> None:
    files = {
        "passkey": file_of("passkey", [row(key, "x") for key in (0, 1, 2, 99)]),
        "code_run": file_of("code_run", [row(None, "7")]),
    }
    gold = {"passkey": gold_of("passkey", KEYS), "code_run": gold_of("code_run", {0: 7, 1: 8})}
    report = score(Predictions(files, [], "digest"), gold, align="id")
    methods = {task: scored.method for task, scored in report.tasks.items()}
    assert methods == {"passkey": "id", "code_run": "order"}


def test_nothing_is_scored_while_a_question_is_open() -> None:
    file = file_of("passkey", [row(key, "x") for key in (0, 1, 2, 99)])
    with pytest.raises(AlignmentNeeded) as needed:
        score(Predictions({"passkey": file}, [], "d"), {"passkey": gold_of("passkey", KEYS)})
    assert needed.value.questions[0].task == "passkey"


def test_the_signature_names_everything_that_the_scores_depend_on() -> None:
    signature = scored({0: "00000"}).signature
    assert signature["input"] == "digest"
    assert signature["metric_sets"] == list(METRIC_SETS)
    assert signature["aligned"] == {"passkey": "id"}
    assert set(signature["gold"]) == {"passkey"}  # type: ignore[call-overload]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_means_and_errors_do_not_depend_on_the_order(scores: list[float]) -> None:
    shuffled = sorted(scores)
    assert mean_percent(scores) == mean_percent(shuffled)
    assert standard_error(scores) == pytest.approx(standard_error(shuffled))


def test_an_empty_list_has_no_mean_and_a_single_score_no_error() -> None:
    assert mean_percent([]) is None
    assert standard_error([0.5]) is None
    assert macro_mean([]) is None
    assert macro_mean([1.0, None]) is None
