"""The descriptions of the metric sets."""

import pytest

from leaderboard.tasks.rules import RULES, rules_of
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS


@pytest.mark.parametrize("task", TASKS)
def test_each_rule_of_a_task_is_described_once(task: str) -> None:
    """Metric sets share a description exactly where they share a rule."""
    rules = [METRIC_SETS[name][task] for name in METRIC_SETS]
    named = [name for name in METRIC_SETS if name in RULES[task]]
    changes = [
        name
        for place, name in enumerate(METRIC_SETS)
        if place == 0 or rules[place] is not rules[place - 1]
    ]
    assert named == changes
    assert [one.name for rule in rules_of(task) for one in rule.metric_sets] == list(METRIC_SETS)
