"""How a scored submission compares: its rank, and its differences from the previous version and
from what was reported about the same model.

There is none on hidden releases, where every number would reveal something about the labels that
the Ladder rule has not disclosed.
"""

from collections.abc import Collection
from typing import NamedTuple

from portal.models import Evaluation, ReportedEntry, Submission, User
from portal.permissions.access import may_see_verdicts, submissions_seen_by
from portal.releases.titles import task_title
from portal.scores.comparison.differences import (
    Difference,
    comparison_among,
    differences_to_reported,
)
from portal.scores.comparison.ranks import Rank, RankPreview, preview_ranks
from portal.scores.samples import samples_among
from portal.scores.scores import Score, mean_of, scores_by_set
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from portal.scores.vectors import read_vectors
from portal.submissions.versions import Version
from scoring.catalog import DOMAINS, tasks_of
from scoring.metrics import PAPER_SET


class OutlookRow(NamedTuple):
    """A task, or the mean of all tasks."""

    task: str  # empty: the mean
    title: str
    score: Score | None
    rank: Rank | None
    to_previous: Difference | None
    to_reported: Difference | None


class Outlook(NamedTuple):
    overall: OutlookRow
    rows: list[OutlookRow]  # of the tasks that have a score
    preview: RankPreview | None
    previous: Submission | None  # the previous version
    previous_number: int
    reported: ReportedEntry | None
    is_sample: bool  # a run that has not asked everything, which has no rank

    @property
    def metric_set(self) -> MetricSetTitle:
        return METRIC_SET_TITLES[PAPER_SET]

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to say about single tasks."""
        ranks = self.preview and self.preview.tasks
        return bool(ranks or self.previous or self.reported)


def outlook_of(
    user: User, submission: Submission, evaluation: Evaluation, version: Version
) -> Outlook | None:
    """None on hidden releases."""
    if submission.release.hidden:
        return None
    tasks = [data_set.task for data_set in submission.release.data_sets.all()]
    scores = scores_by_set(evaluation, exact=True)[PAPER_SET]
    preview = preview_ranks(submission, scores, PAPER_SET)
    previous, before = _previous(user, version)
    to_previous, overall_to_previous = (
        _differences(evaluation, before, tasks) if before else ({}, None)
    )
    reported = _reported(submission, set(scores))
    to_reported, overall_to_reported = (
        differences_to_reported(tasks, scores, reported) if reported else ({}, None)
    )
    rows = [
        OutlookRow(
            task,
            str(task_title(task, submission.release)),
            scores[task],
            preview.tasks.get(task) if preview else None,
            to_previous.get(task),
            to_reported.get(task),
        )
        for domain in DOMAINS
        for task in tasks_of(domain)
        if task in scores
    ]
    overall = OutlookRow(
        "",
        "",
        mean_of(tasks, scores),
        preview.overall if preview else None,
        overall_to_previous,
        overall_to_reported,
    )
    return Outlook(
        overall,
        rows,
        preview,
        previous if to_previous else None,
        version.number - 1,
        reported,
        is_sample=any(score.asked is not None for score in scores.values()),
    )


def _differences(
    evaluation: Evaluation, before: Evaluation, tasks: Collection[str]
) -> tuple[dict[str, Difference], Difference | None]:
    """The differences by task, and that of the mean of all tasks."""
    vectors = read_vectors([evaluation.pk, before.pk], PAPER_SET)
    new, old = (vectors.get(one.pk, {}) for one in (evaluation, before))
    compare = comparison_among(samples_among([evaluation.pk, before.pk]).values())
    by_task = {task: compare(new, old, [task]) for task in tasks}
    found = {task: difference for task, difference in by_task.items() if difference}
    return found, compare(new, old, tasks)


def _previous(user: User, version: Version) -> tuple[Submission | None, Evaluation | None]:
    """The previous version with its newest scores, if this user may see them."""
    if version.before is None:
        return None, None
    seen = submissions_seen_by(user).select_related("release")
    previous = seen.filter(pk=version.before).first()
    if previous is None or not may_see_verdicts(user, previous):
        return None, None
    return previous, previous.evaluations.scored().first()


def _reported(submission: Submission, tasks: set[str]) -> ReportedEntry | None:
    """The reported entry of the same model and method that has the most of these tasks; None for
    data that are not official, since all reported numbers are for official data."""
    if not (submission.release.official or submission.release.part_of_id):
        return None
    entries = ReportedEntry.objects.filter(
        language_model__name__iexact=submission.language_model.name,
        method__iexact=submission.method,
    )
    found = [
        (len(tasks & {score.task for score in entry.scores.all()}), -entry.pk, entry)
        for entry in entries.select_related("language_model").prefetch_related("scores")
    ]
    common, _, best = max(found, default=(0, 0, None))
    return best if common else None
