"""Every bad input gets its code, and never stops the rows beside it."""

from pathlib import Path

import pytest

from scoring.predictions import Predictions, read_predictions
from scoring.problems import PROBLEMS, ProblemLog, visible
from tests.scoring.bad_inputs import FILES, GOOD


def _read(tmp_path: Path, content: bytes) -> Predictions:
    # En.Sum, since its predictions have the lowest cap.
    file = tmp_path / "preds_longbook_sum_eng.jsonl"
    file.write_bytes(content)
    return read_predictions(file)


def _codes(found: Predictions) -> set[str]:
    """Codes of errors and warnings, without the one that says that nothing is left."""
    told = {problem.code for problem in found.problems if problem.severity != "note"}
    return told - {"nothing_to_score"}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_input_gets_its_code_and_its_other_rows_are_read(name: str, tmp_path: Path):
    bad = FILES[name]
    found = _read(tmp_path, bad.make())
    rows = [row for task in found.tasks.values() for row in task.rows]
    assert _codes(found) == bad.codes
    assert [row.prediction for row in rows] == bad.predictions


@pytest.mark.parametrize("name", FILES)
def test_every_problem_can_be_shown(name: str, tmp_path: Path):
    for problem in _read(tmp_path, FILES[name].make()).problems:
        assert problem.message.isprintable()
        assert len(problem.message) < 500
        assert problem.fix


def test_a_problem_names_file_line_and_task(tmp_path: Path):
    found = _read(tmp_path, GOOD + b"\n" + b"null\n")
    problem = found.problems[-1]
    assert (problem.file, problem.line) == ("preds_longbook_sum_eng.jsonl", 3)
    assert problem.task == "longbook_sum_eng"


def test_of_many_problems_of_one_kind_twenty_are_listed_and_the_rest_counted(tmp_path: Path):
    found = _read(tmp_path, b"null\n" * 50)
    listed = [problem for problem in found.problems if problem.code == "row_not_object"]
    assert [problem.line for problem in listed] == list(range(1, 21))
    assert found.problems[-1].params == {"code": "row_not_object", "count": 30}


def test_problems_in_all_are_bounded():
    log = ProblemLog()
    for number in range(5_000):
        log.add("file_empty", file=f"{number}.jsonl")
    listed = [problem for problem in log.problems() if problem.code == "file_empty"]
    assert len(listed) == 1_000


def test_every_kind_of_problem_says_what_to_do():
    for code, kind in PROBLEMS.items():
        assert kind.message.endswith((".", "}", "?")), code
        assert kind.fix.endswith((".", "}")), code


def test_control_and_direction_characters_are_made_visible():
    assert visible("a\u202eb\x07\0") == "a⟨U+202E⟩b⟨U+0007⟩⟨U+0000⟩"


def test_a_long_text_is_shortened_in_its_middle():
    assert visible("a" * 50 + "b" * 50, 20) == "aaaaaaaaaa…bbbbbbbbbb"
