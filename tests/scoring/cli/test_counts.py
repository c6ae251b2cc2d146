"""Counts: the singular for one, the plural for others."""

import pytest

from scoring.cli.counts import counted
from scoring.logs.answers import LOSSES
from scoring.problems import PROBLEMS, Parameter, Problem


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 samples"), (1, "1 sample"), (1200, "1,200 samples")]
)
def test_things_are_counted(number: int, expected: str) -> None:
    assert counted(number, "sample") == expected


def test_another_plural_is_given() -> None:
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]


def test_problems_and_losses_have_both() -> None:
    params: dict[str, Parameter] = {
        "rows": 1,
        "count": 1,
        "variant": "x",
        "missing": 1,
        "n": 3,
        "code": "label_order",
    }
    counting = {code: kind for code, kind in PROBLEMS.items() if kind.one}
    assert len(counting) == 4
    for code, kind in counting.items():
        one = Problem(code, params=params).message
        several = Problem(code, params={**params, kind.counts: 2}).message
        assert one != several
        assert "2" in several
        assert "1 rows" not in one
    assert all(loss.one != loss.many for loss in LOSSES.values())
