"""An entry for Every Eval Ever: what is known about it, and its examples one by one.

Contexts are referred to by hash and address, never copied: a thousand entries share them. Only
public entries of releases with public labels are exported. A run that ended early has only the
questions that were asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import repeat
from typing import NamedTuple
from urllib.parse import quote

from django.urls import reverse
from django.utils.text import slugify

from leaderboard.example_links import pages_with_keys
from portal.hub.sources import model_repository
from portal.models import SCORE_COLUMNS, Evaluation, Example, Submission
from portal.releases.titles import task_title
from portal.scores.attempts import scored_attempts
from portal.scores.makers import MakerClaim, maker_claim
from portal.scores.questions.gold import gold_answers, label_of
from portal.scores.samples import asked_flags
from portal.scores.scores import BySet, Score, mean_of, scores_by_set
from scoring.catalog import TASKS, Kind, Task
from scoring.keys import Key, canonical_key
from scoring.metrics import METRIC_SETS

_COLUMNS = [SCORE_COLUMNS[name] for name in METRIC_SETS]
_CHUNK = (
    16  # rows in memory: each may hold a prediction of a megabyte, or a label with 15,000 values
)


class ExportedRow(NamedTuple):
    key: Key
    question: str  # without the context; empty: only the label is known
    options: Sequence[str]
    answers: Sequence[str]  # any of which is right
    context: str  # SHA-256 of the text; empty: unknown
    address: str  # of the example's page, which has the context; empty: there is none
    prediction: str | None  # None: missing
    scores: Mapping[str, float]  # 0 to 1, by metric set


class ExportedTask(NamedTuple):
    task: Task
    title: str  # in English
    scores: Mapping[str, Score]  # by metric set
    size: int  # examples
    labels_sha256: str
    questions_sha256: str
    pages: str  # path of the list of its examples, to which keys are appended; empty: there is none
    number: int  # primary key of the data set


Rows = Callable[[ExportedTask], Iterable[ExportedRow]]


class ExportedEntry(NamedTuple):
    id: str  # a UUID, as the format needs
    address: str
    title: str  # model and method
    model: str  # as on the Hub: organisation/model
    organisation: str
    weights: str  # open, closed; empty: not stated
    release: str  # its title
    data: str  # address of the release; for historical entries, whose data have no page, their own
    settings: Mapping[str, str]  # those that are stated
    output_limit: int | None
    is_run_by_us: bool
    maker_claim: MakerClaim | None
    is_historical: bool
    scorer: str
    finished: datetime
    tasks: Sequence[ExportedTask]
    attempts: int | None  # scored submissions of its model that it was chosen from
    overall: Mapping[str, Score]  # by metric set; empty: some task of the data has no score


def exported_entry(evaluation: Evaluation, site: str) -> ExportedEntry:
    """``site`` is the address of the home page."""
    submission = evaluation.submission
    model, release = submission.language_model, submission.release
    address = f"{site}{reverse('entry', args=[submission.entry_id])}"
    is_historical = submission.origin == Submission.Origin.HISTORICAL
    by_set = scores_by_set(evaluation, exact=not release.hidden)
    tasks = _tasks(evaluation, by_set)
    of_release = set(release.data_sets.values_list("task", flat=True))
    has_all = of_release == {one.task.id for one in tasks}
    means = {name: mean_of(sorted(of_release), by_set[name]) for name in METRIC_SETS}
    assert evaluation.finished is not None  # noqa: S101 - a constraint of scored evaluations
    return ExportedEntry(
        str(submission.pk),
        address,
        submission.title,
        _model_id(model.slug, model.organisation, model.link),
        model.organisation,
        model.weights,
        release.title,
        address if is_historical else f"{site}{reverse('release', args=[release.slug])}",
        _settings(submission),
        submission.output_limit,
        hasattr(submission, "endpoint_run"),
        maker_claim(by_maker=submission.by_maker, confirmed=submission.maker_confirmed),
        is_historical,
        evaluation.scorer,
        evaluation.finished,
        tasks,
        scored_attempts([submission.pk]).get(submission.pk),
        {name: mean for name, mean in means.items() if mean and has_all},
    )


def attempts_of(entry: ExportedEntry) -> dict[str, str]:
    """For formats whose details are texts."""
    return {} if entry.attempts is None else {"attempts_scored": str(entry.attempts)}


def _tasks(evaluation: Evaluation, by_set: BySet) -> list[ExportedTask]:
    """In the order of the catalogue."""
    release = evaluation.submission.release
    pages = pages_with_keys(evaluation)
    rows = {row.task: row for row in evaluation.task_scores.select_related("data_set")}
    return [
        ExportedTask(
            TASKS[task],
            task_title(task, release),
            {name: scores[task] for name, scores in by_set.items() if task in scores},
            row.size,
            row.data_set.labels_hash,
            row.data_set.questions_hash,
            pages.get(task, ""),
            row.data_set.pk,
        )
        for task in TASKS
        if (row := rows.get(task))
    ]


def _model_id(slug: str, organisation: str, link: str) -> str:
    """The name of its repository if its link leads to one, otherwise composed from what is
    known."""
    made_of = f"{slugify(organisation, allow_unicode=True) or 'unstated'}/{slug}"
    return model_repository(link) or made_of


def _settings(submission: Submission) -> dict[str, str]:
    stated = {
        "method": submission.method,
        "prompt_strategy": submission.prompt_strategy,
        "truncation": submission.truncation,
        "input_limit": submission.input_limit,
        "output_limit": submission.output_limit,
        "link": submission.link,
        "note": submission.note,
    }
    unknown = ("", None, Submission.Truncation.UNKNOWN)
    return {name: str(value) for name, value in stated.items() if value not in unknown}


def exported_rows(evaluation: Evaluation, site: str, one: ExportedTask) -> Iterator[ExportedRow]:
    """In the order of the data set; only a few are in memory."""
    task = one.task
    examples = (
        Example.objects.filter(data_set=one.number)
        .order_by("index")
        .values_list("key", "label", "options", "question", "context__sha256")
    )
    results = evaluation.example_results.filter(task=task.id).order_by("index")
    flags = asked_flags(evaluation).get(task.id) or repeat(True, one.size)
    in_chunks = (found.iterator(chunk_size=_CHUNK) for found in (examples, results))
    for is_asked, example, result in zip(flags, *in_chunks, strict=True):
        name, stored, options, question, context = example
        key = canonical_key(name)
        if not is_asked or key is None:
            continue
        label = label_of(task, Example(label=stored, options=options))
        answers = gold_answers(task, label)
        if task.kind is Kind.CHOICE and isinstance(label, tuple):
            answers = [str(label[0])]
        yield ExportedRow(
            key,
            question,
            options,
            answers,
            context or "",
            f"{site}{one.pages}{quote(name, safe='')}/" if one.pages else "",
            result.prediction,
            # Questions asked but not answered count as 0, so that the mean is the task's score.
            {
                metric_set: getattr(result, column) or 0.0
                for metric_set, column in zip(METRIC_SETS, _COLUMNS, strict=True)
            },
        )


def share(percent: float) -> float:
    """From 0 to 1. Rounded, since 100 × 0.57 / 100 is not 0.57."""
    return round(percent / 100, 10)
