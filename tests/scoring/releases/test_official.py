"""Both official metric sets against the results of the official code."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import score_example
from scoring.metrics.official_2024_09 import letter_on_line

REVISIONS = {"88b3daa": "official-2024-06", "51d9b37": "official-2024-09"}


def test_every_metric_case_matches_both_official_revisions(
    real_data: Path, summary_line: Callable[[str], None]
) -> None:
    text = (real_data / "metric_cases.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in text.split("\n") if line]
    different = [
        (case, revision)
        for case in cases
        for revision, name in REVISIONS.items()
        if not _matches(case, case["official"][revision], name)
    ]
    total = len(cases) * len(REVISIONS)
    summary_line(f"metric cases: {total - len(different)} of {total} official scores matched")
    assert len(cases) >= 5_625
    assert different == []


def _matches(case: dict[str, object], official: float | str, metric_set: str) -> bool:
    verdict = score_example(
        metric_set,
        str(case["task"]),
        str(case["prediction"]),
        case["label"],
        drop_first=bool(case.get("drop_first")),
    )
    crashed = isinstance(official, str)
    expected = 0.0 if isinstance(official, str) else official
    explained = not crashed or verdict.code.startswith("official_crash")
    return abs(verdict.score - expected) <= 1e-9 and explained and bool(verdict.reason)


# The rules in cases that differ between the revisions or are easy to get wrong.
CASES = [
    # task, label, prediction, score under 2024-06, under 2024-09
    ("kv_retrieval", ["c14c"], "c14c", 0, 1),
    ("kv_retrieval", "c14c", "it is:c14c.", 1, 1),
    ("code_run", 5, "3.5", 1, 1),
    ("code_run", 10, "1_0", 1, 1),
    ("code_run", 4, "+４", 1, 1),
    ("code_run", 4, "", 0, 0),
    ("math_find", 3, "3.5", 0, 0),
    ("math_find", 48.0, "the median is 48", 1, 1),
    ("math_find", 4, "-4", 1, 1),
    ("math_find", 4, "9" * 5_000, 0, 0),
    ("math_calc", [1, 2, 3, 4], "1, 2, -3 and 5", 0.75, 0.75),
    ("math_calc", [[1, 2]], "1 2 " + "9" * 5_000, 0, 0),
    ("code_debug", ["f", "B"], "B", 0, 1),
    ("code_debug", ["f", "B"], "B. f", 1, 1),
    ("code_debug", ["f", "B"], "B or D", 0, 1),
    ("code_debug", ["f", "B"], "the answer is: B", 1, 1),
    ("code_debug", ["f", "B"], "f", 0, 1),
    ("code_debug", ["f", "B"], "it is:", 0, 0),
    ("longbook_choice_eng", ["tea", "B"], "Based on the book", 1, 1),
    ("longbook_choice_eng", ["tea", "B"], "tea", 1, 1),
    ("longbook_choice_eng", ["tea", "B"], "D A\nB", 0, 0),
    ("longbook_choice_eng", ["tea", "B"], "A B", 0, 1),
    ("longdialogue_qa_eng", ["ACE ROTHSTEIN", "ACE"], "Ace", 0, 1),
    ("longdialogue_qa_eng", ["ACE"], "spaces", 0, 1),
    ("longbook_qa_eng", ["the hebrides"], "Hebrides.", 1, 1),
    ("longbook_qa_eng", [], "Hebrides.", 0, 0),
    ("longbook_qa_chn", ["胡一刀"], "胡一刀。", 1, 1),
    ("longbook_sum_eng", "a b c", "", 0, 0),
]


@pytest.mark.parametrize(("task", "label", "prediction", "june", "september"), CASES)
def test_a_rule_scores_as_the_official_code(
    task: str, label: object, prediction: str, june: float, september: float
) -> None:
    scores = [score_example(name, task, prediction, label).score for name in REVISIONS.values()]
    assert scores == [june, september]


@given(st.text("ABJK _é猫\n.a", max_size=60))
def test_the_linear_search_finds_the_letter_that_the_official_pattern_finds(text: str) -> None:
    quadratic = re.search(r"\b[A-J]\b(?!.*\b[A-J]\b)", text)
    linear = letter_on_line(text, re.compile(r"\b[A-J]\b"))
    assert (linear and linear.span()) == (quadratic and quadratic.span())
