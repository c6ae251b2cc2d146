"""Read the public data as plain values, in a fixed number of queries.

Aggregates only: never the row of an example.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Concat

from leaderboard.caveats import Caveats, unreliable_scores
from leaderboard.entries import Entry, Mark, Model, OtherData
from portal.models import (
    Evaluation,
    Example,
    FormerModel,
    LanguageModel,
    Release,
    ReportedEntry,
    ReportedScore,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
)
from portal.releases.titles import unique_titles
from portal.scores.scores import ByTask, Score, disclosed
from portal.scores.titles import settings_line

REPORTED_UNDER = "official-2024-06"  # the rules behind the reported numbers
_REPORTED = "reported-"  # prefix of their ids in addresses


@dataclass(frozen=True, slots=True)
class BoardRelease:
    slug: str
    title: str  # unique, in the reader's language
    hidden: bool
    official: bool
    is_open: bool  # for submissions
    sizes: Mapping[str, int]  # examples of each task
    versions: Mapping[str, str] = field(default_factory=dict)  # of labels: slug → title
    minimum_answered: int = 0  # of a task, in percent: with less it is partial


def releases_with_boards() -> list[BoardRelease]:
    """By title, the official ones first."""
    newest = Prefetch("label_versions", Release.objects.order_by("-created", "-pk"))
    with_boards = Release.objects.with_boards().prefetch_related("data_sets", newest)
    found = list(with_boards.order_by("-official", "title", "slug"))
    titles = unique_titles(found)
    return [
        BoardRelease(
            release.slug,
            titles[release.slug],
            release.hidden,
            release.official,
            release.accepts_submissions,
            {data_set.task: data_set.size for data_set in release.data_sets.all()},
            unique_titles(list(release.label_versions.all())),
            release.minimum_answered,
        )
        for release in found
    ]


def boards_of_versions() -> dict[str, str]:
    """By the slug of each label version, that of the release whose board it is on."""
    return dict(Release.objects.exclude(part_of=None).values_list("slug", "part_of__slug"))


def front_release() -> str | None:
    """The slug of the release whose board is the first page; None if nothing is published.

    The official release with the most entries of its own, or else the newest other one that has
    any.
    """
    own = Q(submissions__state=SubmissionState.PUBLISHED)
    boards = Release.objects.with_boards().annotate(own=Count("submissions", filter=own))
    official = boards.filter(official=True).order_by("-own", "slug")
    historical = Submission.objects.published().filter(origin=Submission.Origin.HISTORICAL)
    if not (historical.exists() or ReportedEntry.objects.exists()):  # on every official board
        official = official.filter(own__gt=0)
    others = boards.filter(official=False, own__gt=0).order_by("-created", "slug")
    chosen = official.first() or others.first()
    return chosen.slug if chosen else None


def entries_of(release: BoardRelease, metric_set: str) -> list[Entry]:
    """The entries of a board under one metric set, in no particular order.

    Historical and reported entries belong to the boards of the official data. Reported numbers are
    only known to follow the rules of ``REPORTED_UNDER``.
    """
    shown = Q(release__slug=release.slug, origin=Submission.Origin.UPLOADED)
    if release.official:
        shown |= Q(origin=Submission.Origin.HISTORICAL)
    submissions: list[Any] = list(public_submissions().filter(shown).annotate(aliases=_aliases()))
    evaluations = [one.current_evaluation for one in submissions]
    scores, used = _task_scores(evaluations, metric_set)
    caveats = unreliable_scores(evaluations)
    versions = _labels_of_versions(release.slug) if release.versions else {}
    all_used = set().union(*used.values())
    other_data = _other_data(release.slug, all_used) if release.official else {}
    entries = [
        dataclasses.replace(
            submitted_entry(one, scores.get(evaluation, {}), caveats.get(evaluation, {})),
            label_versions=[
                slug for slug, known in versions.items() if known >= used.get(evaluation, set())
            ],
            other_data={
                task: about
                for labels, (task, about) in other_data.items()
                if labels in used.get(evaluation, set())
            },
        )
        for one, evaluation in zip(submissions, evaluations, strict=True)
    ]
    if release.official and metric_set == REPORTED_UNDER:
        entries += _reported_entries()
    return entries


def public_submissions() -> QuerySet[Submission, Submission]:
    """Published submissions, with the id of the newest scored evaluation, whose scores count, as
    ``current_evaluation``."""
    scored = Evaluation.objects.scored().filter(submission=OuterRef("pk"))
    newest = scored.order_by("-created", "-pk").values("pk")[:1]
    with_models = Submission.objects.published().select_related("language_model")
    annotated = with_models.annotate(current_evaluation=Subquery(newest))
    return annotated.filter(current_evaluation__isnull=False)


def submitted_entry(submission: Submission, scores: ByTask, caveats: Caveats) -> Entry:
    historical = submission.origin == Submission.Origin.HISTORICAL
    return Entry(
        id=str(submission.pk),
        mark=Mark.HISTORICAL if historical else Mark.SCORED,
        model=model_of(submission.language_model, getattr(submission, "aliases", ())),
        scores=scores,
        created=submission.created,
        method=submission.method,
        run=settings_line(submission),
        prompt=submission.prompt_strategy,
        caveats=caveats,
    )


def _task_scores(
    evaluations: Iterable[int], metric_set: str
) -> tuple[dict[int, dict[str, Score]], dict[int, set[str]]]:
    """By evaluation: the scores by task, and the hashes of the labels they were scored with."""
    rows = TaskScore.objects.filter(evaluation__in=evaluations, metric_set=metric_set)
    found: dict[int, dict[str, Score]] = {}
    hashes: dict[int, set[str]] = {}
    values = rows.order_by().values_list(
        "evaluation", "task", "data_set__labels_hash", "evaluation__submission__release__hidden",
        "mean", "stderr", "size", "answered", "public_percent", "public_width", "is_previous_best",
    )  # fmt: skip
    for (
        evaluation, task, labels, hidden, mean, stderr, size, answered, percent, width, again,
    ) in values:  # fmt: skip
        hashes.setdefault(evaluation, set()).add(labels)
        true = Score(mean, stderr, size, answered)
        score = disclosed(true, percent, width=width, is_previous_best=again, exact=not hidden)
        if score:
            found.setdefault(evaluation, {})[task] = score
    return found, hashes


def _labels_of_versions(slug: str) -> dict[str, set[str]]:
    """The hashes of all labels of each label version of a release."""
    rows = TaskDataSet.objects.filter(releases__part_of__slug=slug)
    found: dict[str, set[str]] = {}
    for version, labels in rows.values_list("releases__slug", "labels_hash"):
        found.setdefault(version, set()).add(labels)
    return found


def _other_data(slug: str, used: Iterable[str]) -> dict[str, tuple[str, OtherData]]:
    """Of labels that are not the board's, by their hash: the task, and how the data differ.

    A question is known by its number, whatever its id; on the board it is the index.
    """
    own = {one.task: one for one in TaskDataSet.objects.filter(releases__slug=slug)}
    seen = TaskDataSet.objects.filter(labels_hash__in=used, task__in=own)
    others = list(seen.exclude(labels_hash__in=[one.labels_hash for one in own.values()]))
    if not others:
        return {}
    on_board = Example.objects.filter(
        data_set__releases__slug=slug,
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
        about = OtherData(one.size, own[one.task].size, differing.get(one.pk, 0))
        if about.differing or about.size != about.board_size:
            found[one.labels_hash] = one.task, about
    return found


def _reported_entries() -> list[Entry]:
    scores: dict[int, dict[str, Score]] = {}
    rows = ReportedScore.objects.order_by().values_list("entry", "task", "percent")
    for entry, task, percent in rows:
        scores.setdefault(entry, {})[task] = Score(percent)
    entries: list[Any] = list(
        ReportedEntry.objects.select_related("language_model").annotate(aliases=_aliases())
    )
    return [reported_entry(one, scores.get(one.pk, {})) for one in entries]


def reported_entry(entry: ReportedEntry, scores: ByTask) -> Entry:
    return Entry(
        id=f"{_REPORTED}{entry.pk}",
        mark=Mark.REPORTED,
        model=model_of(entry.language_model, getattr(entry, "aliases", ())),
        scores=scores,
        created=entry.created,
        method=entry.method,
        source=entry.source,
    )


def reported_id(entry_id: str) -> int | None:
    """The number in the id of a reported entry; None for any other id."""
    number = entry_id.removeprefix(_REPORTED)
    is_reported = entry_id.startswith(_REPORTED) and number.isdecimal() and len(number) < 10
    return int(number) if is_reported else None


def model_of(model: LanguageModel, aliases: Iterable[str] = ()) -> Model:
    return Model(
        slug=model.slug,
        name=model.name,
        organisation=model.organisation,
        weights=model.weights,
        parameters=model.parameters,
        context_window=model.context_window,
        released=model.released,
        aliases=tuple(aliases),
    )


def _aliases() -> ArraySubquery:
    """The addresses and names of models that were merged into that of a row, as texts to search."""
    former = FormerModel.objects.filter(language_model=OuterRef("language_model"))
    return ArraySubquery(former.order_by("slug").values(text=Concat("slug", Value(" "), "name")))
