"""Scores of summaries by facts (``scoring.plot_facts``): a column of its own besides the metric
sets.

Only on generated releases, and part of no mean. They are shown to readers who may see verdicts,
since each fact is a part of the label.
"""

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple, Protocol

from portal.models import Evaluation, FactScore, TaskDataSet
from portal.scores.designs import designs_of
from portal.scores.samples import Settled, part_of_design
from portal.scores.scores import interval_of
from portal.scores.titles import MetricSetTitle
from scoring.catalog import TASKS
from scoring.intervals import Interval, estimate
from scoring.plot_facts import FACT_TASKS
from scoring.plot_facts import FactScore as Shares
from scoring.sandbox.results_file import ResultsFileError
from scoring.stats import mean_percent, rounded

FACTS_TITLE = MetricSetTitle(
    "facts",
    "Facts",
    (
        "How many facts of the plot a summary tells (recall), and how much of it tells them "
        "(precision). Part of no mean; generated releases only."
    ),
)
UNKNOWN_FACTS: str = "Scored before facts were"


class Facts(NamedTuple):
    """The score by facts of a task of summaries, in percent."""

    recall: float
    precision: float
    percent: float  # the mean of the harmonic means of the two
    interval: Interval | None
    size: int  # examples
    asked: int | None = None  # how many questions a sample's score is based on; None: all

    @property
    def text(self) -> str:
        return str(rounded(self.percent, 2))

    @property
    def shares(self) -> str:
        """``50.0 / 35.1``: recall and precision."""
        return f"{rounded(self.recall, 1)} / {rounded(self.precision, 1)}"


FactsByTask = Mapping[str, Facts]


class Generated(Protocol):
    """What is read of a release."""

    @property
    def generator(self) -> int | None: ...
    @property
    def hidden(self) -> bool: ...


def fact_tasks(
    release: Generated, tasks: Collection[str], *, exact: bool = False
) -> frozenset[str]:
    """The tasks that have a column for facts. ``exact``: the reader may see verdicts."""
    is_shown = release.generator is not None and (exact or not release.hidden)
    return FACT_TASKS.intersection(tasks) if is_shown else frozenset()


def mean_of_runs(runs: Sequence[FactsByTask]) -> dict[str, Facts]:
    """The means over repeated runs, without intervals, and without tasks that one of them lacks."""
    first, *others = runs
    return {
        task: Facts(
            fmean(one[task].recall for one in runs),
            fmean(one[task].precision for one in runs),
            fmean(one[task].percent for one in runs),
            None,
            facts.size,
        )
        for task, facts in first.items()
        if all(task in one for one in others)
    }


def estimate_facts(
    evaluation: Evaluation,
    document: Mapping[str, Any],
    data_sets: Mapping[str, TaskDataSet],
    settled: Settled | None,
) -> list[FactScore]:
    """The rows to store for a report from the sandbox. Raises ``ResultsFileError``."""
    found = {task: one["facts"] for task, one in document["tasks"].items() if "facts" in one}
    designs = designs_of([data_sets[task] for task in found]) if found else {}
    rows = []
    for task, reported in found.items():
        data_set, examples = data_sets[task], reported["examples"]
        if len(examples["recall"]) != data_set.size:
            raise ResultsFileError(f"{task} has not as many summaries as its data set")
        places: Sequence[int] = range(data_set.size)
        design = designs[data_set.pk]
        if settled is not None:
            places = settled.places.get(task, ())
            design = part_of_design(design, places)
        shares = [Shares(examples["recall"][n], examples["precision"][n]) for n in places]
        scored = estimate(TASKS[task], [one.score for one in shares], design)
        if scored is None:
            continue
        is_whole = len(places) == data_set.size
        is_random = is_whole or settled is None or settled.is_random
        low, high, method = (is_random and scored.interval) or (None, None, "")
        row = FactScore(
            evaluation=evaluation,
            task=task,
            recall=mean_percent([one.recall for one in shares]) or 0.0,
            precision=mean_percent([one.precision for one in shares]) or 0.0,
            mean=scored.mean,
            low=low,
            high=high,
            interval_method=method,
            size=data_set.size,
            asked=None if is_whole else len(places),
            examples=examples,
        )
        rows.append(row)
    return rows


def facts_by_evaluation(
    evaluations: Collection[int], *, exact: bool = False
) -> dict[int, dict[str, Facts]]:
    """By evaluation and task. ``exact``: the reader may see the verdicts of all of them; otherwise
    those on hidden releases are left out. One query."""
    rows = FactScore.objects.filter(evaluation__in=evaluations).order_by("evaluation", "task")
    if not exact:
        rows = rows.filter(evaluation__submission__release__hidden=False)
    found: dict[int, dict[str, Facts]] = {}
    for row in rows.defer("examples"):
        found.setdefault(row.evaluation_id, {})[row.task] = Facts(
            row.recall,
            row.precision,
            row.mean,
            interval_of(row.low, row.high, row.interval_method),
            row.size,
            row.asked,
        )
    return found


def facts_document(facts: Facts) -> dict[str, Any]:
    """For the API and exports."""
    return {
        "recall": facts.recall,
        "precision": facts.precision,
        "score": facts.percent,
        "interval": dict(facts.interval._asdict()) if facts.interval else None,
    }
