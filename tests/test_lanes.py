"""The tables of lanes name what exists."""

import pytest

from tests.lanes import EXHAUSTIVE, KEPT, LANES
from tests.support.paths import ROOT


@pytest.mark.parametrize("entry", [*LANES, *EXHAUSTIVE, *KEPT])
def test_an_entry_leads_to_a_test(entry: str) -> None:
    place, _, name = entry.partition("::")
    path = ROOT / "tests" / place
    assert path.exists()
    assert not name or f"def {name}" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", KEPT)
def test_what_is_kept_would_be_left_out(entry: str) -> None:
    assert entry.startswith(EXHAUSTIVE)
