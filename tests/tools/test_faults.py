"""The planted faults of ``tests.tools.faults`` fit the product as it is."""

from tests.tools.faults.fault import problems
from tests.tools.faults.table import FAULTS


def test_every_fault_can_be_planted() -> None:
    assert problems(FAULTS) == []
