"""``python -m scoring verify``: does this installation give the scores it should?"""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from rouge_score import rouge_scorer

from scoring.metrics import METRIC_SETS, score_example
from scoring.metrics.rouge import rouge_lsum

GOLDEN = Path(__file__).parent.parent / "golden.jsonl"

_DESCRIPTION = """\
Check the installed scorer against the golden cases that come with it, under every metric set, and
its ROUGE against the rouge-score package, bit for bit. Exit code 0 when all agree, else 1.
"""

Case = dict[str, object]


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION


def run(arguments: Namespace) -> int:
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    different = [text for case in cases for text in _differences(case)]
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


def golden_verdict(case: Case, metric_set: str) -> float:
    """The score of a golden case by the installed scorer."""
    return score_example(
        metric_set,
        str(case["task"]),
        str(case["prediction"]),
        case["label"],
        options=tuple(case.get("options", ())),  # type: ignore[arg-type]
        drop_first=bool(case.get("drop_first")),
    ).score


def _differences(case: Case) -> Iterator[str]:
    expected = case["scores"]
    assert isinstance(expected, dict)
    for name in METRIC_SETS:
        found = golden_verdict(case, name)
        if abs(found - expected[name]) > 1e-9:
            yield (
                f"{case['task']}, {name}: {found} instead of {expected[name]} "
                f"for {case['prediction']!r}"
            )


def _rouge_differences(case: Case) -> Iterator[str]:
    if case["task"] != "longbook_sum_eng":
        return
    prediction, references = str(case["prediction"]), case["label"]
    assert isinstance(references, list)
    package = rouge_scorer.RougeScorer(["rougeLsum"])
    theirs = package.score_multi(references, prediction)["rougeLsum"].fmeasure
    ours = rouge_lsum(prediction, references).f_measure
    if ours != theirs:
        yield f"ROUGE-Lsum: {ours} instead of {theirs} for {prediction!r}"
