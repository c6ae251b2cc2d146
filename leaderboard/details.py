"""What a board shows of its entries but does not need to rank them: read for those on a page."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import Count, Exists, OuterRef

from leaderboard.caveats import unreliable_scores
from leaderboard.entries import Entry, OtherData
from leaderboard.queries import BoardRelease
from portal.models import Example, TaskDataSet, TaskScore
from portal.scores.runs import scores_of_runs
from portal.scores.scores import Score, disclosed, interval_of

_COLUMNS = (
    *("evaluation", "task", "data_set__labels_hash", "evaluation__submission__release__hidden"),
    *("mean", "stderr", "size", "answered", "low", "high", "interval_method", "covariances"),
    *("public_percent", "public_width", "is_previous_best", "evaluation__signature__scorer"),
)


def detailed(entries: Sequence[Entry], release: BoardRelease, metric_set: str) -> list[Entry]:
    """The entries with their scores in full, their caveats, and how their data differ from the
    board's; in a fixed number of queries, and three for each line of repeated runs."""
    own = {entry.evaluation for entry in entries if entry.evaluation is not None}
    evaluations = own.union(*(entry.runs for entry in entries if entry.run_ids))
    scores, used, scorers = _task_scores(evaluations, metric_set)
    caveats = unreliable_scores(evaluations)
    other_data = _other_data(release, set().union(*used.values())) if release.official else {}
    found = [
        entry
        if entry.evaluation is None
        else dataclasses.replace(
            entry,
            scores=entry.scores if entry.run_ids else scores.get(entry.evaluation, {}),
            caveats=caveats.get(entry.evaluation, {}),
            scorer=scorers.get(entry.evaluation, ""),
            other_data={
                task: about
                for labels, (task, about) in other_data.items()
                if labels in used.get(entry.evaluation, ())
            },
        )
        for entry in entries
    ]
    return [
        dataclasses.replace(
            entry,
            scores={**entry.scores, **scores_of_runs(entry.runs, metric_set)},
            caveats={
                task: caveat for one in entry.runs for task, caveat in caveats.get(one, {}).items()
            },
        )
        if entry.run_ids
        else entry
        for entry in found
    ]


def _task_scores(
    evaluations: Iterable[int], metric_set: str
) -> tuple[dict[int, dict[str, Score]], dict[int, set[str]], dict[int, str]]:
    """By evaluation: the scores by task, the hashes of the labels they were scored with, and the
    version of the scorer."""
    rows = TaskScore.objects.filter(evaluation__in=evaluations, metric_set=metric_set)
    found: dict[int, dict[str, Score]] = {}
    hashes: dict[int, set[str]] = {}
    scorers: dict[int, str] = {}
    for (
        evaluation, task, labels, hidden, mean, stderr, size, answered, low, high, method,
        covariances, percent, width, again, scorer,
    ) in rows.order_by().values_list(*_COLUMNS):  # fmt: skip
        hashes.setdefault(evaluation, set()).add(labels)
        scorers[evaluation] = scorer or ""
        true = Score(
            mean,
            stderr,
            size,
            answered,
            interval_of(low, high, method),
            covariances=covariances,
        )
        score = disclosed(true, percent, width=width, is_previous_best=again, exact=not hidden)
        if score:
            found.setdefault(evaluation, {})[task] = score
    return found, hashes, scorers


def _other_data(
    release: BoardRelease, used: Collection[str]
) -> Mapping[str, tuple[str, OtherData]]:
    """Of labels that are not the board's, by their hash: the task, and how the data differ.

    A question is known by its number, whatever its id; on the board it is the index.
    """
    foreign = set(used).difference(release.labels.values())
    if not foreign:
        return {}
    others = list(TaskDataSet.objects.filter(labels_hash__in=foreign, task__in=release.labels))
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
            found[one.labels_hash] = one.task, about
    return found
