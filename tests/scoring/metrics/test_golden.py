"""Every golden case has its score under every metric set, as the official code gives it."""

import json

from scoring.cli.local.verify import GOLDEN, score_of
from scoring.metrics import METRIC_SETS


def test_golden_cases_have_their_scores() -> None:
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").split("\n") if line]
    wrong = [
        (case["task"], name, case["prediction"], found, case["scores"][name])
        for case in cases
        for name in METRIC_SETS
        if abs((found := score_of(case, name)) - case["scores"][name]) > 1e-9
    ]
    assert wrong == []
