"""Which data the rows of a file were made for: labels decide where the file carries them, else ids,
else the number of rows.

A release may have a task in several label versions, of which the one that fits best is taken for
each task. And predictions that were submitted to the wrong release are recognised by another
release that fits them clearly better: nothing is scored before their author has chosen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from scoring.alignment import Agreement, agreement
from scoring.predictions.reader import ABSENT, Predictions, TaskPredictions
from scoring.releases.gold import TaskGold

CLEARLY = 0.5  # of the 3 points of a fit, on average over the submitted tasks
_CERTAIN = 3 - CLEARLY  # from here on no other release can fit clearly better


class Candidate(NamedTuple):
    """A data set that a task's rows may have been made for, and the releases that it belongs to."""

    gold: TaskGold
    releases: tuple[str, ...] = ()


class Fit(NamedTuple):
    """How well the rows of a task fit a data set."""

    points: float  # 0 to 3
    agreement: Agreement
    has_ids: bool


class OtherRelease(NamedTuple):
    """A release that fits the predictions clearly better than the chosen one."""

    release: str
    fits: Mapping[str, Fit]  # by task, without those that the release does not have


class VersionNeeded(Exception):  # noqa: N818 - not an error: a question to the submitter
    """Nothing in the rows says which label version they were made for, and scores depend on it."""

    def __init__(self, differing: Mapping[str, int], versions: Sequence[str]) -> None:
        super().__init__(f"label versions differ: {', '.join(versions)}")
        self.differing = dict(differing)  # number of labels that differ, by task
        self.versions = tuple(versions)


class ReleaseNeeded(Exception):  # noqa: N818 - not an error: a question to the submitter
    """Another release fits the predictions better, and nothing is scored until one is chosen."""

    def __init__(self, chosen: Mapping[str, Fit], others: Sequence[OtherRelease]) -> None:
        super().__init__(f"other releases fit better: {', '.join(one.release for one in others)}")
        self.chosen = dict(chosen)  # by task
        self.others = tuple(others)  # the best first


def fit_of(file: TaskPredictions, gold: TaskGold) -> Fit:
    """How well the rows of a task fit a data set, in points.

    With labels: 3 times the share of them that the data set has at their place, by id or by order.
    With ids alone: the share of ids that it has, and as much again times the share of its examples
    that have a row. With neither: 1 where there are as many rows as examples.
    """
    found = agreement(gold, file)
    has_ids = any(row.key is not None for row in file.rows)
    if found.labelled:
        points = 3 * found.best / found.labelled
    elif has_ids:
        known = (found.rows - found.unknown) / found.rows
        points = known * (1 + min(1.0, found.rows / found.examples))
    else:
        points = float(found.rows == found.examples)
    return Fit(points, found, has_ids)


def choose_data_sets(
    predictions: Predictions,
    candidates: Mapping[str, Sequence[Candidate]],
    *,
    version: str = "",
) -> dict[str, TaskGold]:
    """The data set that fits best, for each submitted task that has candidates.

    Of two that fit equally well it is the one whose labels are matched by id, then the one of the
    version that fits all tasks best, then the first. ``version`` is the submitter's answer for
    tasks that have neither ids nor labels. Raises ``VersionNeeded`` where it is missing.
    """
    fits = {
        task: [(fit_of(file, candidate.gold), candidate) for candidate in candidates[task]]
        for task, file in predictions.tasks.items()
        if candidates.get(task)
    }
    totals: dict[str, float] = {}
    for pairs in fits.values():
        for found, candidate in pairs:
            for release in candidate.releases:
                totals[release] = totals.get(release, 0.0) + found.points

    chosen: dict[str, TaskGold] = {}
    differing: dict[str, int] = {}
    for task, pairs in fits.items():
        may_answer = _says_nothing(predictions.tasks[task])
        preferences = [
            (
                may_answer and version in releases,
                found.points,
                found.agreement.by_id,
                max((totals[release] for release in releases), default=0.0),
            )
            for found, (_, releases) in pairs
        ]
        best, (gold, _) = pairs[preferences.index(max(preferences))]
        chosen[task] = gold
        if may_answer and best.points and not version:
            equal = [other.gold for found, other in pairs if found.points == best.points]
            if most := max(_count_different_labels(gold, other) for other in equal):
                differing[task] = most
    if differing:
        raise VersionNeeded(differing, list(totals))
    return chosen


def _says_nothing(file: TaskPredictions) -> bool:
    """Whether its rows have neither ids nor labels."""
    return all(row.key is None and row.label is ABSENT for row in file.rows)


def _count_different_labels(one: TaskGold, other: TaskGold) -> int:
    """In the order of the examples."""
    pairs = zip(one.examples, other.examples, strict=False)
    return sum(first.label != second.label for first, second in pairs)


def check_release(
    predictions: Predictions,
    chosen: Mapping[str, Fit],
    read_others: Callable[[], Mapping[str, Sequence[Candidate]]],
) -> None:
    """Raises ``ReleaseNeeded`` where other releases fit the predictions clearly better.

    ``chosen``: the fits of the release that was chosen, by task; ``read_others``: the data sets of
    other releases, by task, which are only read where they can matter. A task that a release lacks
    has no points there.
    """
    tasks = predictions.tasks
    if not tasks or _mean_points(tasks, chosen) >= _CERTAIN:
        return
    others = read_others()
    found: dict[str, dict[str, Fit]] = {}
    for task, file in tasks.items():
        for candidate in others.get(task, ()):
            fit = fit_of(file, candidate.gold)
            for release in candidate.releases:
                known = found.setdefault(release, {}).get(task)
                if known is None or fit.points > known.points:
                    found[release][task] = fit
    points = {release: _mean_points(tasks, fits) for release, fits in found.items()}
    best = max(points.values(), default=0.0)
    if best < _mean_points(tasks, chosen) + CLEARLY:
        return
    better = [OtherRelease(name, fits) for name, fits in found.items() if points[name] == best]
    raise ReleaseNeeded(chosen, better)


def _mean_points(tasks: Iterable[str], fits: Mapping[str, Fit]) -> float:
    points = [fits[task].points if task in fits else 0.0 for task in tasks]
    return sum(points) / len(points)
