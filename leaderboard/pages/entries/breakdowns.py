"""A breakdown of an entry as an address asks for it, and as a file."""

from collections.abc import Mapping
from typing import NamedTuple

from portal.endpoint_runs.results.context_gain import evidence_only_of
from portal.scores.breakdowns import read_answers
from portal.scores.comparison.differences import PLACES
from portal.web.csv_files import csv_of_records
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import (
    FEWEST_PARTS,
    MOST_PARTS,
    PARTS,
    Breakdown,
    By,
    break_down,
)
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS, PAPER_SET

PARAMETERS = ("task", "by", "bins", "metric_set")
Figures = dict[str, float | str | bool | None]


class QueryError(ValueError):
    """An address asks for something impossible. ``code`` names the parameter."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Wanted(NamedTuple):
    task: str
    by: By
    bins: int
    metric_set: str

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Wanted":
        """Raises ``QueryError``."""
        task, by, bins, metric_set = (query.get(name, "") for name in PARAMETERS)
        if task not in TASKS:
            raise QueryError("unknown_task", f"task is one of: {', '.join(TASKS)}.")
        if by not in list(By):
            raise QueryError("unknown_by", f"by is one of: {'; '.join(By)}.")
        is_number = bins.isascii() and bins.isdecimal() and len(bins) < 3
        if bins and not (is_number and FEWEST_PARTS <= int(bins) <= MOST_PARTS):
            raise QueryError("unknown_bins", f"bins is from {FEWEST_PARTS} to {MOST_PARTS}.")
        if metric_set not in ("", *METRIC_SETS):
            known = ", ".join(METRIC_SETS)
            raise QueryError("unknown_metric_set", f"metric_set is one of: {known}.")
        return cls(task, By(by), int(bins or PARTS), metric_set or PAPER_SET)

    @property
    def name(self) -> str:
        """Of a file, without its extension."""
        return f"{self.task}-by-{self.by.replace(',', '-')}"


class NoBreakdownError(LookupError):
    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def read_breakdown(evaluation: int, wanted: Wanted) -> Breakdown:
    """Raises ``NoBreakdownError``."""
    control = evidence_only_of({evaluation}).get(evaluation) if wanted.by is By.LENGTH else None
    found = read_answers(evaluation, wanted.metric_set, [wanted.task], control)
    if wanted.task not in found:
        raise NoBreakdownError(
            "missing_task", "The entry has no scores of single examples of this task."
        )
    breakdown = break_down(found[wanted.task], wanted.by, wanted.bins)
    if breakdown is None:
        raise NoBreakdownError("unknown_facet", f"Of its examples no {wanted.by} is known.")
    return breakdown


def bin_figures(one: Bin) -> Figures:
    """Under their names in files and in the API; in percent, or percentage points."""
    low, high, method = one.interval or (None, None, None)
    depths, paired = one.depths or (None, None), one.paired
    return {
        "from": one.start,
        "to": one.end,
        "depth_from": depths[0],
        "depth_to": depths[1],
        "label": one.label,
        "n": one.n,
        "mean": _rounded(one.mean),
        "low": _rounded(low),
        "high": _rounded(high),
        "method": method,
        "wide": one.wide,
        "texts": one.texts,
        "missing": one.missing,
        "empty": one.empty,
        "shrunk": _rounded(one.shrunk),
        "difference": _rounded(paired and paired.difference),
        "difference_low": _rounded(paired and paired.low),
        "difference_high": _rounded(paired and paired.high),
        "difference_p": paired and float(f"{paired.p:.{PLACES}g}"),
        "difference_n": paired and paired.n,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)


def breakdown_csv(entry: str, breakdown: Breakdown, metric_set: str) -> str:
    """A header, and a row for each bin."""
    about = {
        "entry": entry,
        "task": breakdown.task,
        "by": breakdown.by.value,
        "metric_set": metric_set,
    }
    return csv_of_records([{**about, **bin_figures(one)} for one in breakdown.bins])
