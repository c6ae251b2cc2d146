"""What a board shows of its entries but does not need for ranking: read for those on a page."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef

from leaderboard.caveats import UNRELIABLE_PROBLEMS, Caveats, caveats_in
from leaderboard.entries import Entry, OtherData
from leaderboard.queries import BoardRelease
from portal.models import Evaluation, Example, TaskDataSet, TaskScore
from portal.scores.comparison.runs import scores_of_runs
from portal.scores.scores import Score, disclosed, interval_of

_COLUMNS = (
    *("evaluation", "task", "mean", "stderr", "size", "answered", "asked"),
    *("low", "high", "interval_method", "covariances"),
    *("public_percent", "public_width", "is_previous_best"),
)


class _Scoring(NamedTuple):
    """An evaluation without its scores."""

    scorer: str  # its version
    hidden: bool  # its release is hidden
    caveats: Caveats


def detailed(entries: Sequence[Entry], release: BoardRelease, metric_set: str) -> list[Entry]:
    """The entries with their full scores, caveats, and differences between their data and the
    board's; takes a fixed number of queries, and three for each line of repeated runs."""
    own = {entry.evaluation for entry in entries if entry.evaluation is not None}
    scorings = _scorings(own.union(*(entry.runs for entry in entries if entry.run_ids)))
    scores = _task_scores(scorings, metric_set)
    used = frozenset[int]().union(*(entry.data_sets for entry in entries))
    other_data = _other_data(release, used) if release.official else {}
    return [
        entry
        if entry.evaluation is None
        else dataclasses.replace(
            entry,
            scores={**entry.scores, **scores_of_runs(entry.runs, metric_set)}
            if entry.run_ids
            else scores.get(entry.evaluation, {}),
            caveats={
                task: caveat
                for one in (entry.runs if entry.run_ids else [entry.evaluation])
                for task, caveat in scorings[one].caveats.items()
            },
            scorer=scorings[entry.evaluation].scorer,
            other_data=dict(
                other_data[data_set] for data_set in entry.data_sets if data_set in other_data
            ),
        )
        for entry in entries
    ]


def _scorings(evaluations: Iterable[int]) -> dict[int, _Scoring]:
    rows = Evaluation.objects.filter(pk__in=evaluations).order_by()
    found = rows.values_list(
        "pk", "signature__scorer", "submission__release__hidden", UNRELIABLE_PROBLEMS
    )
    return {
        pk: _Scoring(scorer or "", hidden, caveats_in(problems or ()))
        for pk, scorer, hidden, problems in found
    }


def _task_scores(scorings: Mapping[int, _Scoring], metric_set: str) -> dict[int, dict[str, Score]]:
    """By evaluation and task."""
    rows = TaskScore.objects.filter(evaluation__in=scorings, metric_set=metric_set).order_by()
    found: dict[int, dict[str, Score]] = {}
    for (
        evaluation, task, mean, stderr, size, answered, asked, low, high, method, covariances,
        percent, width, again,
    ) in rows.values_list(*_COLUMNS):  # fmt: skip
        interval = interval_of(low, high, method)
        true = Score(mean, stderr, size, answered, asked, interval, covariances=covariances)
        exact = not scorings[evaluation].hidden
        score = disclosed(true, percent, width=width, is_previous_best=again, exact=exact)
        if score:
            found.setdefault(evaluation, {})[task] = score
    return found


def _other_data(
    release: BoardRelease, used: Collection[int]
) -> Mapping[int, tuple[str, OtherData]]:
    """For data sets whose labels are not the board's: the task, and how they differ.

    Questions are matched by number, whatever their ids; on the board that is the index.
    """
    foreign = set(used) - release.data_sets
    if not foreign:
        return {}
    of_tasks = TaskDataSet.objects.filter(pk__in=foreign, task__in=release.labels)
    others = list(of_tasks.exclude(labels_hash__in=release.labels.values()))
    on_board = Example.objects.filter(
        data_set__releases__slug=release.slug,
        data_set__task=OuterRef("data_set__task"),
        index=OuterRef("question_number"),
    )
    differing = dict(
        Example.objects.filter(data_set__in=others)
        .alias(equal=Exists(on_board.filter(label=OuterRef("label"))))
        .filter(Exists(on_board), equal=False)
        .order_by()
        .values_list("data_set")
        .annotate(Count("pk"))
    )
    found = {}
    for one in others:
        about = OtherData(one.size, release.sizes[one.task], differing.get(one.pk, 0))
        if about.differing or about.size != about.board_size:
            found[one.pk] = one.task, about
    return found
