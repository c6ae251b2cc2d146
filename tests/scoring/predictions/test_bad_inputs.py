"""Every bad input gets its code, and never keeps the rows around it from being read."""

from pathlib import Path

import pytest

from scoring.predictions.reader import Predictions, read_predictions
from scoring.problems import PROBLEMS, ProblemLog, visible
from tests.support.bad_inputs import FILES, GOOD


def _read(tmp_path: Path, content: bytes) -> Predictions:
    # En.Sum, whose predictions have the lowest cap.
    file = tmp_path / "preds_longbook_sum_eng.jsonl"
    file.write_bytes(content)
    return read_predictions(file)


def _codes(found: Predictions) -> set[str]:
    """Codes of errors and warnings, except the one for a file without any usable row."""
    reported = {problem.code for problem in found.problems if problem.severity != "note"}
    return reported - {"nothing_to_score"}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_input_gets_its_code_and_its_other_rows_are_read(name: str, tmp_path: Path) -> None:
    bad = FILES[name]
    found = _read(tmp_path, bad.make())
    rows = [row for task in found.tasks.values() for row in task.rows]
    assert _codes(found) == bad.codes
    assert [row.prediction for row in rows] == bad.predictions
    for problem in found.problems:
        assert problem.message.isprintable()
        assert len(problem.message) < 500
        assert problem.fix


def test_a_problem_names_file_line_and_task(tmp_path: Path) -> None:
    found = _read(tmp_path, GOOD + b"\n" + b"null\n")
    problem = found.problems[-1]
    assert (problem.file, problem.line) == ("preds_longbook_sum_eng.jsonl", 3)
    assert problem.task == "longbook_sum_eng"


def test_only_twenty_problems_of_a_kind_are_listed_and_the_rest_counted(
    tmp_path: Path,
) -> None:
    found = _read(tmp_path, b"null\n" * 50)
    listed = [problem for problem in found.problems if problem.code == "row_not_object"]
    assert [problem.line for problem in listed] == list(range(1, 21))
    assert found.problems[-1].params == {"code": "row_not_object", "count": 30}


def test_many_files_with_one_problem_do_not_hide_another() -> None:
    log = ProblemLog()
    for number in range(5_000):
        log.add("file_ignored", file=f"{number}.md")
    log.add("archive_entries", file="p.zip", limit=1_000)
    ignored, last, more = log.problems()[:-2], log.problems()[-2], log.problems()[-1]
    assert len(ignored) == 200
    assert last.code == "archive_entries"
    assert (more.file, more.params) == (None, {"code": "file_ignored", "count": 4_800})


def test_every_kind_of_problem_says_what_to_do() -> None:
    for code, kind in PROBLEMS.items():
        assert kind.message.endswith((".", "}", "?")), code
        assert kind.fix.endswith((".", "}")), code


def test_control_and_direction_characters_are_made_visible() -> None:
    assert visible("a\u202eb\x07\0") == "a⟨U+202E⟩b⟨U+0007⟩⟨U+0000⟩"


def test_a_long_text_is_shortened_in_its_middle() -> None:
    assert visible("a" * 50 + "b" * 50, 20) == "aaaaaaaaaa…bbbbbbbbbb"
