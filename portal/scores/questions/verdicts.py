"""What the metric sets say about an answer, as pages show it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.metrics import Verdict


def status_of(percent: float) -> str:
    """``right``, ``partial`` or ``wrong``."""
    return "right" if percent == 100 else "partial" if percent else "wrong"


class SharedVerdict(NamedTuple):
    """The verdict on an answer that one or more metric sets give for the same reason."""

    metric_sets: Sequence[MetricSetTitle]
    percent: float
    code: str
    reason: str

    @property
    def status(self) -> str:
        return status_of(self.percent)


def shared_verdicts(verdicts: Mapping[str, Verdict]) -> list[SharedVerdict]:
    """``verdicts``: by metric set, whose order is kept."""
    groups: dict[tuple[float, str, str], list[MetricSetTitle]] = {}
    for name, verdict in verdicts.items():
        what = (100 * verdict.score, verdict.code, verdict.reason)
        groups.setdefault(what, []).append(METRIC_SET_TITLES[name])
    return [SharedVerdict(sets, *what) for what, sets in groups.items()]
