"""Submissions that have answered the questions of a task, for comparisons by reviewers."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.models import OuterRef

from portal.models import Evaluation, Example, Submission, SubmissionState, TaskScore, User
from portal.permissions.access import with_verdicts_for
from scoring.catalog import Task
from scoring.labels import Label, LabelError, canonical_label
from scoring.metrics import PAPER_SET, Question

# Maps a question's index in one data set to its index in another, which may have other labels.
Places = Mapping[int, int]


class Answering(NamedTuple):
    submission: Submission
    evaluation: int
    data_set: int


def answering_task(
    reader: User | None,
    task: Task,
    states: Collection[SubmissionState],
    but: Submission | None = None,
) -> list[Answering]:
    """The submissions in these states whose verdicts the reader may see, each with its newest
    scores, the oldest scores first. ``reader`` None: the site itself, which sees all. Three
    queries."""
    submissions = Submission.objects.filter(state__in=states)
    newest = Evaluation.objects.current_of(OuterRef("pk"))
    scores = TaskScore.objects.filter(
        evaluation__in=submissions.annotate(current=newest).values("current"),
        task=task.id,
        metric_set=PAPER_SET,
    ).order_by("evaluation")
    found = list(scores.values_list("evaluation__submission", "evaluation", "data_set"))
    loaded = Submission.objects.select_related("language_model", "release")
    by_id = loaded.in_bulk(
        [submission for submission, _, _ in found if not but or submission != but.pk]
    )
    visible = with_verdicts_for(reader, list(by_id.values())) if reader else set(by_id)
    return [
        Answering(by_id[submission], evaluation, data_set)
        for submission, evaluation, data_set in found
        if submission in visible
    ]


def places_of(data_set: int, others: Collection[int]) -> dict[int, Places]:
    """For each data set, this one included: where this one's questions are in it; empty if it has
    none of them. One query."""
    wanted = {data_set, *others}
    rows = Example.objects.filter(data_set__in=wanted).order_by("data_set", "index")
    numbered: dict[int, dict[int, int]] = {one: {} for one in wanted}
    own: dict[int, int | None] = {}
    for found, index, number in rows.values_list("data_set", "index", "question_number"):
        if number is not None:
            numbered[found].setdefault(number, index)
        if found == data_set:
            own[index] = number
    places: dict[int, Places] = {
        other: {
            index: numbered[other][number]
            for index, number in own.items()
            if number in numbered[other]
        }
        for other in wanted
    }
    return places | {data_set: {index: index for index in own}}


def labels_of(task: Task, data_set: int) -> list[tuple[Label | None, Question]]:
    """The label of each question, with what else the metrics read."""
    rows = Example.objects.filter(data_set=data_set).order_by("index")
    found: list[tuple[Label | None, Question]] = []
    for label, options, answer_type in rows.values_list("label", "options", "answer_type"):
        question = Question(tuple(options), answer_type=answer_type)
        try:
            found.append((canonical_label(task, label, options), question))
        except LabelError:  # imports refuse such labels
            found.append((None, question))
    return found
