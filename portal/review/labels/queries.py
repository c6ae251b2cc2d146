"""Reports about labels, and the examples that they are about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Count, OuterRef, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from portal.models import (
    Evaluation,
    Example,
    ExampleResult,
    LabelReport,
    Release,
    Submission,
    at_places,
)
from portal.permissions.access import Reader, sees_labels
from portal.scores.questions.gold import gold_answers, label_of
from scoring.catalog import TASKS, Task
from scoring.metrics import PAPER_SET
from scoring.problems import visible

MOST_LISTED = 100
_SHOWN_QUESTION = 600  # characters, from both ends
_SHOWN_LABEL = 400


class LabelledExample(NamedTuple):
    """An example whose label the reader may see."""

    release: Release
    task: Task
    example: Example

    @property
    def url(self) -> str:
        start = reverse("examples", args=[self.release.slug, self.task.id])
        return f"{start}{quote(self.example.key, safe='')}/"

    @property
    def question(self) -> str:
        return visible(" ".join(self.example.question.split()), _SHOWN_QUESTION)

    @property
    def label(self) -> list[str]:
        """Its right answers."""
        answers = gold_answers(self.task, label_of(self.task, self.example))
        return [visible(answer, _SHOWN_LABEL) for answer in answers]


class ListedReport(NamedTuple):
    report: LabelReport
    about: LabelledExample
    answers: int  # published ones that were scored with the label


def find_labelled(reader: Reader, named: Mapping[str, Any]) -> LabelledExample:
    """The example that ``release``, ``task`` and ``key`` name. Raises ``Http404`` also if the
    reader may not see its label."""
    slug, task_id, key = (str(named.get(part, "")) for part in ("release", "task", "key"))
    release = get_object_or_404(Release.objects.public(), slug=slug)
    if task_id not in TASKS or not sees_labels(reader, release):
        raise Http404
    examples = Example.objects.select_related("data_set")
    in_task = examples.filter(
        data_set__releases=release, data_set__task=task_id, data_set__figures_only=False
    )
    return LabelledExample(release, TASKS[task_id], get_object_or_404(in_task, key=key))


def open_reports() -> list[ListedReport]:
    """Those that have waited longest first, for reviewers; no more than fit on a page."""
    return _listed(LabelReport.objects.open().order_by("reported_at", "pk"))


def decided_reports() -> list[ListedReport]:
    """The latest decisions first, for reviewers; no more than fit on a page."""
    return _listed(LabelReport.objects.exclude(verdict="").order_by("-decided_at", "-pk"))


def _listed(reports: QuerySet[LabelReport]) -> list[ListedReport]:
    related = ("release", "example__data_set", "reported_by", "decided_by")
    found = list(reports.select_related(*related).defer("example__evidence")[:MOST_LISTED])
    answers = published_answers([report.example for report in found])
    return [
        ListedReport(
            report,
            LabelledExample(report.release, TASKS[report.example.data_set.task], report.example),
            answers[report.example_id],
        )
        for report in found
    ]


def published_answers(examples: Sequence[Example]) -> Mapping[int, int]:
    """By example, how many published answers were scored with its label, in whatever data set. A
    query for each data set."""
    published = Submission.objects.published().annotate(
        current=Evaluation.objects.current_of(OuterRef("pk"))
    )
    by_set: dict[int, list[Example]] = defaultdict(list)
    for same in Example.objects.same_as(*examples).select_related("data_set").defer("question"):
        by_set[same.data_set_id].append(same)
    counts: dict[object, int] = defaultdict(int)
    for data_set, questions in by_set.items():
        numbers = dict(
            ExampleResult.objects.filter(
                at_places(question.index for question in questions),
                evaluation__in=published.values("current"),
                evaluation__task_scores__data_set=data_set,
                evaluation__task_scores__metric_set=PAPER_SET,
                task=questions[0].data_set.task,
                prediction__isnull=False,
            )
            .order_by()
            .values_list("index")
            .annotate(number=Count("evaluation"))
        )
        for question in questions:
            counts[_question(question)] += numbers.get(question.index, 0)
    return {example.pk: counts[_question(example)] for example in examples}


def _question(example: Example) -> object:
    """Equal for the same question with the same label."""
    if example.question_number is None:
        return example.pk
    return example.data_set.task, example.question_number, repr(example.label)
