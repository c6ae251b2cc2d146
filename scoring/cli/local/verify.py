"""``infinitebench verify``: does this installation give the scores it should?"""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from scoring.cli.terminal import add_json_argument, write_json
from scoring.metrics import METRIC_SETS, score_example
from scoring.metrics.rouge import rouge_lsum

GOLDEN = Path(__file__).parents[2] / "golden.jsonl"

_DESCRIPTION = """\
Check the installed scorer against the golden cases that come with it, under every metric set, and
its ROUGE against the rouge-score package, bit for bit, if that is installed. Exit code 0 when all
agree, else 1.
"""


class Case(TypedDict):
    task: str
    prediction: str
    label: object
    options: NotRequired[list[str]]
    drop_first: NotRequired[bool]
    answer_type: NotRequired[str]
    scores: dict[str, float]  # by metric set


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_json_argument(parser, "what was found")


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
    lines = [f"golden cases: {total - len(different)} of {total} scores as expected"]
    summaries = [case for case in cases if case["task"] == "longbook_sum_eng"]
    compared = find_spec("rouge_score") is not None
    rouge = list(_rouge_differences(summaries)) if compared else []
    if compared:
        equal = len(summaries) - len(rouge)
        lines.append(f"ROUGE-Lsum: {equal} of {len(summaries)} equal to rouge-score")
    else:
        lines.append(
            "ROUGE-Lsum: not compared with rouge-score, which is not installed "
            "(pip install 'infinitebench[verify]')"
        )
    different += rouge
    if arguments.json:
        document = {"scores": total, "rouge_compared": compared, "differences": different}
        write_json(arguments.json, document)
    if arguments.json != "-":
        print("\n".join([*lines, *(f"✗ {text}" for text in different)]))
    return 1 if different else 0


def score_of(case: Case, metric_set: str) -> float:
    """The score that the installed scorer gives to a golden case."""
    return score_example(
        metric_set,
        case["task"],
        case["prediction"],
        case["label"],
        options=case.get("options", ()),
        drop_first=case.get("drop_first", False),
        answer_type=case.get("answer_type", ""),
    ).score


def _rouge_differences(summaries: list[Case]) -> Iterator[str]:
    package = import_module("scoring.cli.local.rouge_check")
    for case in summaries:
        prediction, references = case["prediction"], cast("list[str]", case["label"])
        expected = package.rouge_lsum_of_package(prediction, references)
        actual = rouge_lsum(prediction, references).f_measure
        if actual != expected:
            yield (
                f"ROUGE-Lsum: {actual}, not {expected} as in rouge-score {package.VERSION}, "
                f"for {prediction!r}"
            )
