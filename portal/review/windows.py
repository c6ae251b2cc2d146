"""How many of the inputs that were answered are longer than the language model says it takes."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db.models import Count, Q

from portal.models import Evaluation, Example, Submission
from scoring.catalog import TASKS

Counts = dict[tuple[int, str], dict[str, int]]  # by release and task


class Window(NamedTuple):
    """Of the examples with known lengths; of the official tasks where none is known."""

    tokens: int  # that it takes
    longer: int
    of: int
    of_tasks: bool = False  # tasks are counted, by their average input


def counts_of(submissions: Iterable[Submission]) -> Counts:
    """For the windows of their language models, however many, in one query."""
    pairs = [(one.release_id, one.language_model.context_window) for one in submissions]
    windows = {window for _, window in pairs if window}
    longer = {_column(one): Count("pk", filter=Q(tokens__gt=one)) for one in windows}
    releases = {release for release, window in pairs if window}
    known = Example.objects.filter(data_set__releases__in=releases, tokens__isnull=False)
    groups = known.order_by().values("data_set__releases", "data_set__task")
    return {
        (group.pop("data_set__releases"), group.pop("data_set__task")): group
        for group in groups.annotate(known=Count("pk"), **longer)
    }


def window_of(submission: Submission, scored: Evaluation | None, counts: Counts) -> Window | None:
    """None where no window is told, nothing was answered, or no length is known."""
    window = submission.language_model.context_window
    if not window or scored is None:
        return None
    tasks = {score.task for score in scored.task_scores.all()}
    found = [counts[key] for task in tasks if (key := (submission.release_id, task)) in counts]
    if found:
        longer = sum(one[_column(window)] for one in found)
        return Window(window, longer, sum(one["known"] for one in found))
    return _by_averages(window, tasks) if submission.release.official and tasks else None


def _by_averages(window: int, tasks: Collection[str]) -> Window:
    longer = sum(TASKS[task].input_tokens > window for task in tasks)
    return Window(window, longer, len(tasks), of_tasks=True)


def _column(window: int) -> str:
    return f"longer_than_{window}"
