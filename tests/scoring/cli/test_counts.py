"""Counts: the singular for one, the plural for others."""

from scoring.logs.answers import LOSSES
from scoring.problems import PROBLEMS, Parameter, Problem


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
