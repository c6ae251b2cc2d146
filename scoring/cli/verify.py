"""``python -m scoring verify``: does this installation give the scores it should?"""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from rouge_score import rouge_scorer

from scoring.metrics import METRIC_SETS, score_example
from scoring.metrics.rouge import rouge_lsum

GOLDEN = Path(__file__).parent.parent / "golden.jsonl"

_DESCRIPTION = """\
Check the installed scorer against the golden cases that come with it, under every metric set, and
its ROUGE against the rouge-score package, bit for bit. Exit code 0 when all agree, else 1.
"""


class Case(TypedDict):
    task: str
    prediction: str
    label: object
    options: NotRequired[list[str]]
    drop_first: NotRequired[bool]
    scores: dict[str, float]  # by metric set


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION


def run(arguments: Namespace) -> int:
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").split("\n") if line]
    different = []
    for case in cases:
        for name in METRIC_SETS:
            found, expected = score_of(case, name), case["scores"][name]
            if abs(found - expected) > 1e-9:
                text = f"{found}, not {expected}, for {case['prediction']!r}"
                different.append(f"{case['task']}, {name}: {text}")
    total = len(cases) * len(METRIC_SETS)
    print(f"golden cases: {total - len(different)} of {total} scores as expected")
    rouge = [text for case in cases for text in _rouge_differences(case)]
    summaries = sum(case["task"] == "longbook_sum_eng" for case in cases)
    print(
        f"ROUGE-Lsum: {summaries - len(rouge)} of {summaries} equal to "
        f"rouge-score {version('rouge-score')}"
    )
    for text in different + rouge:
        print(f"✗ {text}")
    return 1 if different or rouge else 0


def score_of(case: Case, metric_set: str) -> float:
    """The score that the installed scorer gives to a golden case."""
    return score_example(
        metric_set,
        case["task"],
        case["prediction"],
        case["label"],
        options=case.get("options", ()),
        drop_first=case.get("drop_first", False),
    ).score


def _rouge_differences(case: Case) -> Iterator[str]:
    if case["task"] != "longbook_sum_eng":
        return
    prediction, references = case["prediction"], cast("list[str]", case["label"])
    package = rouge_scorer.RougeScorer(["rougeLsum"])
    expected = package.score_multi(references, prediction)["rougeLsum"].fmeasure
    actual = rouge_lsum(prediction, references).f_measure
    if actual != expected:
        yield f"ROUGE-Lsum: {actual}, not {expected}, for {prediction!r}"
