"""Read the public data as plain values, in a fixed number of queries.

Aggregates only: never the row of an example.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, Max, OuterRef, Q, Subquery, Value
from django.db.models.functions import Concat, JSONObject

from leaderboard.cache import cached_forever, cached_region
from leaderboard.caveats import Caveats
from leaderboard.entries import Entry, Mark, Model
from portal import board_version
from portal.models import (
    SETTINGS_DIGEST,
    Action,
    AuditEntry,
    Evaluation,
    FormerModel,
    LanguageModel,
    Release,
    ReportedEntry,
    Submission,
    TaskDataSet,
    TaskScore,
    is_public,
)
from portal.models.submission import SubmissionQuerySet
from portal.releases.titles import unique_titles
from portal.scores.comparison.runs import SETUP, Run, Runs, repeated_among
from portal.scores.controls import Control, control_of, submissions_of
from portal.scores.makers import maker_claim
from portal.scores.samples import Sample, samples_among
from portal.scores.scores import REPORTED_UNDER, ByTask, Score, disclosed, reported_score
from portal.scores.titles import SettingsLine, settings_line

_MODEL = (  # the columns of a language model, in the order of ``Model``'s fields
    *("slug", "name", "organisation", "weights", "parameters", "context_window", "released"),
    "baseline",
)
_PUBLISHING = (Action.PUBLISH, Action.OPEN)
_SUBMISSION = (  # the columns of an entry
    *("current_evaluation", "release__hidden", "pk", "slug", "origin", "created", "method"),
    *("prompt_strategy", "truncation", "input_limit", "output_limit", "aliases"),
    *("owner", "drop_first", "settings_digest", "endpoint_run__ending"),
    *("by_maker", "maker_confirmed", "endpoint_run__settings__strategy"),
    *(f"language_model__{name}" for name in _MODEL),
)


@dataclass(frozen=True, slots=True)
class BoardRelease:
    slug: str
    title: str  # unique, in the reader's language
    hidden: bool
    official: bool
    is_open: bool  # accepts submissions
    sizes: Mapping[str, int]  # number of examples of each task
    versions: Mapping[str, str] = field(default_factory=dict)  # label versions: slug → title
    minimum_answered: int = 0  # percentage of a task; with less, the score is partial
    labels: Mapping[str, str] = field(default_factory=dict)  # by task, their hash
    data_sets: frozenset[int] = frozenset()  # primary keys
    description: str = ""  # in the reader's language
    board_version: int = 0  # at the time of reading
    generator: int | None = None  # its version; None: it was not generated


def releases_with_boards() -> list[BoardRelease]:
    """By title, official ones first."""
    boards = Release.objects.with_boards().values("pk")
    with_versions = Release.objects.filter(Q(pk__in=boards) | ~Q(part_of=None))
    sets = TaskDataSet.objects.filter(releases=OuterRef("pk")).values(
        about=JSONObject(task="task", size="size", labels="labels_hash", number="pk")
    )
    annotated = with_versions.annotate(
        sets=ArraySubquery(sets), board_version=board_version.as_subquery()
    )
    rows: list[Any] = list(annotated.order_by("-official", "title", "slug"))
    found = [release for release in rows if release.part_of_id is None]
    newest_first = sorted(rows, key=lambda one: (one.created, one.pk), reverse=True)
    versions: dict[int | None, list[Release]] = {}
    for one in newest_first:
        versions.setdefault(one.part_of_id, []).append(one)
    titles = unique_titles(found)
    return [
        BoardRelease(
            release.slug,
            titles[release.slug],
            release.hidden,
            release.official,
            release.accepts_submissions,
            {one["task"]: one["size"] for one in release.sets},
            unique_titles(versions.get(release.pk, [])),
            release.minimum_answered,
            {one["task"]: one["labels"] for one in release.sets},
            frozenset(one["number"] for one in release.sets),
            release.description,
            release.board_version,
            release.generator,
        )
        for release in found
    ]


def find_release(releases: Iterable[BoardRelease], slug: str | None) -> BoardRelease | None:
    return next((one for one in releases if one.slug == slug), None)


def boards_of_versions() -> dict[str, str]:
    """By the slug of each label version, the slug of the release whose board it is on."""
    return dict(Release.objects.exclude(part_of=None).values_list("slug", "part_of__slug"))


def front_release() -> str | None:
    """The slug of the release whose board is the home page; None if nothing is published.

    The official release with the most entries of its own, otherwise the newest other one with any.
    """
    own = is_public("submissions__")
    boards = Release.objects.with_boards().annotate(own=Count("submissions", filter=own))
    official = boards.filter(official=True).order_by("-own", "slug")
    historical = Submission.objects.published().filter(origin=Submission.Origin.HISTORICAL)
    if not (historical.exists() or ReportedEntry.objects.exists()):  # on every official board
        official = official.filter(own__gt=0)
    others = boards.filter(official=False, own__gt=0).order_by("-created", "slug")
    chosen = official.first() or others.first()
    return chosen.slug if chosen else None


def entries_of(release: BoardRelease, metric_set: str, known: Iterable[Entry] = ()) -> list[Entry]:
    """The entries of a board under one metric set, in no particular order.

    Scores contain only the percentage, which ranking needs: ``leaderboard.details`` adds the rest
    for entries that are shown. Historical and reported entries belong to the boards of the official
    data. Reported numbers are only known to follow the rules of ``REPORTED_UNDER``.

    ``known`` are entries of the same board under the same metric set that were read before: the
    scores of an evaluation never change, except for what is disclosed of a hidden release.
    """
    rows = _rows_on_board(release)
    before = {} if release.hidden else {entry.evaluation: entry for entry in known}
    scores, data_sets = _percents(
        [row.current_evaluation for row in rows if row.current_evaluation not in before],
        hidden={row.current_evaluation for row in rows if row.release__hidden},
        metric_set=metric_set,
    )
    for evaluation in {row.current_evaluation for row in rows}.intersection(before):
        scores[evaluation] = before[evaluation].scores
        data_sets[evaluation] = before[evaluation].data_sets
    versions = _versions_of_data_sets(release.slug) if release.versions else {}
    samples = samples_among([row.current_evaluation for row in rows])
    repeated = _repeated([row for row in rows if row.current_evaluation not in samples], data_sets)
    entries = [
        _entry_of(
            row,
            scores.get(row.current_evaluation, {}),
            data_sets=frozenset(data_sets.get(row.current_evaluation, ())),
            label_versions=[
                slug
                for slug in release.versions
                if all(
                    slug in versions.get(data_set, ())
                    for data_set in data_sets.get(row.current_evaluation, ())
                )
            ],
            runs=repeated.get(row.current_evaluation, ()),
            sample=samples.get(row.current_evaluation),
        )
        for row in rows
    ]
    if release.official and metric_set == REPORTED_UNDER:
        entries += _reported_entries()
    return entries


def _rows_on_board(release: BoardRelease) -> list[Any]:
    """The scored submissions, with the columns of ``_SUBMISSION`` by name."""
    on_board = Submission.objects.on_board_of(release.slug, official=release.official)
    found = on_board.order_by().annotate(
        current_evaluation=Evaluation.objects.current_of(OuterRef("pk")),
        settings_digest=SETTINGS_DIGEST,
        aliases=_aliases(),
    )
    rows = found.values_list(*_SUBMISSION, named=True)
    return [row for row in rows if row.current_evaluation is not None]


def _entry_of(
    row: Any,  # noqa: ANN401 - one of ``_rows_on_board``, which has a type of its own
    scores: ByTask,
    *,
    data_sets: frozenset[int],
    label_versions: list[str],
    runs: Runs,
    sample: Sample | None,
) -> Entry:
    limits = row.truncation, row.input_limit, row.output_limit
    return Entry(
        id=row.slug or str(row.pk),
        mark=_mark(row.origin),
        model=Model(*(*row[-len(_MODEL) :], tuple(row.aliases))),
        scores=scores,
        created=row.created,
        method=row.method,
        run=SettingsLine(row.prompt_strategy, *limits),
        prompt=row.prompt_strategy,
        label_versions=label_versions,
        submission=row.pk,
        evaluation=row.current_evaluation,
        data_sets=data_sets,
        runs=runs,
        is_run_by_us=bool(row.endpoint_run__ending),
        sample=sample,
        maker_claim=maker_claim(by_maker=row.by_maker, confirmed=row.maker_confirmed),
        control=control_of(row.endpoint_run__settings__strategy, row.prompt_strategy),
    )


_setup = attrgetter(*SETUP)


def _repeated(rows: Iterable[Any], data_sets: Mapping[int, Collection[int]]) -> dict[int, Runs]:
    """By evaluation, the repeated runs that it belongs to."""
    comparable = (
        Run(
            row.pk,
            row.current_evaluation,
            _setup(row),
            frozenset(data_sets.get(row.current_evaluation, ())),
        )
        for row in rows
        if row.origin == Submission.Origin.UPLOADED and not row.release__hidden
    )
    return {one: runs for runs in repeated_among(comparable) for one in runs}


def newest_change(release: BoardRelease) -> datetime | None:
    """When an entry of the board was last published, restored, scored again or imported.

    Kept for each version of the boards: it looks at all entries, while a page shows a few of them.
    """
    name = f"newest change/{release.slug}/{release.board_version}"
    return cached_forever(name, lambda: _read_newest_change(release))


def _read_newest_change(release: BoardRelease) -> datetime | None:
    decided = Q(audit_entries__action__in=(*_PUBLISHING, Action.RESTORE))
    found = Submission.objects.on_board_of(release.slug, official=release.official)
    reported = ReportedEntry.objects.order_by("-created").values("created")[:1]
    times: dict[str, datetime | None] = found.aggregate(
        imported=Max("created"),
        scored=Max("evaluations__finished"),
        decided=Max("audit_entries__at", filter=decided),
        **({"reported": Max(Subquery(reported))} if release.official else {}),
    )
    if release.official and times["imported"] is None:  # there are only reported entries
        times = ReportedEntry.objects.aggregate(reported=Max("created"))
    return max(filter(None, times.values()), default=None)


class Scoring(NamedTuple):
    """Which version of the scorer scored an entry, and when."""

    scorer: str = ""
    finished: datetime | None = None


class Edition(NamedTuple):
    """What the scores of a board are based on, so that they can be cited."""

    updated: datetime | None  # when an entry was last added or scored
    scorings: Mapping[int, Scoring]  # by evaluation

    @property
    def scorers(self) -> list[str]:
        """The versions that scored the entries here."""
        return sorted({one.scorer for one in self.scorings.values() if one.scorer})

    def scoring_of(self, entry: Entry) -> Scoring:
        return self.scorings.get(entry.evaluation or 0, Scoring())


def edition_of(release: BoardRelease, entries: Iterable[Entry]) -> Edition:
    scored = Evaluation.objects.filter(pk__in={entry.evaluation for entry in entries} - {None})
    rows = scored.order_by().values_list("pk", "signature__scorer", "finished")
    scorings = {pk: Scoring(scorer or "", finished) for pk, scorer, finished in rows}
    return Edition(newest_change(release), scorings)


def publication_times(entries: Collection[Entry]) -> dict[str, datetime]:
    """By id, when each was last published or imported."""
    submitted = {entry.submission: entry.id for entry in entries if entry.submission}
    published = AuditEntry.objects.filter(action__in=_PUBLISHING, submission__in=submitted)
    rows = published.order_by().values_list("submission").annotate(Max("at"))
    times = {submitted[submission]: at for submission, at in rows}
    return {entry.id: times.get(entry.id, entry.created) for entry in entries}


def _percents(
    evaluations: Collection[int], *, hidden: Collection[int], metric_set: str
) -> tuple[dict[int, ByTask], dict[int, Collection[int]]]:
    """By evaluation, the scores by task, and the primary keys of their data sets.

    One index covers all columns: a board of 1,000 entries has 12,000 of these rows.
    """
    rows = TaskScore.objects.filter(evaluation__in=evaluations, metric_set=metric_set).order_by()
    scores: dict[int, dict[str, Score]] = {}
    data_sets: dict[int, set[int]] = {}
    values = rows.values_list("evaluation", "task", "data_set", "mean", "public_percent")
    for evaluation, task, data_set, mean, percent in values:
        data_sets.setdefault(evaluation, set()).add(data_set)
        score: Score | None = Score(mean)
        if score and evaluation in hidden:
            score = disclosed(score, percent, width=0, is_previous_best=False, exact=False)
        if score:
            scores.setdefault(evaluation, {})[task] = score
    return dict(scores), dict(data_sets)


def _versions_of_data_sets(slug: str) -> dict[int, set[str]]:
    """By the primary key of a data set, the label versions of a release that have its labels."""
    of_versions = TaskDataSet.objects.filter(releases__part_of__slug=slug)
    with_labels: dict[str, set[str]] = {}
    for labels, version in of_versions.values_list("labels_hash", "releases__slug"):
        with_labels.setdefault(labels, set()).add(version)
    same = TaskDataSet.objects.filter(labels_hash__in=with_labels)
    return {pk: with_labels[labels] for pk, labels in same.values_list("pk", "labels_hash")}


def public_submissions() -> SubmissionQuerySet:
    """Published submissions. They are annotated with the primary key of the evaluation whose scores
    count (``current_evaluation``), with the ending (``run_ending``) and the strategy
    (``run_strategy``) of the run that produced the answers."""
    with_models = Submission.objects.published().select_related("language_model")
    annotated = with_models.annotate(
        current_evaluation=Evaluation.objects.current_of(OuterRef("pk")),
        run_ending=F("endpoint_run__ending"),
        run_strategy=F("endpoint_run__settings__strategy"),
    )
    return annotated.filter(current_evaluation__isnull=False)


def has_controls(submission: Submission) -> bool:
    """Whether any control of the same model on the same release is published. Most models have
    none, and then nothing more has to be read."""

    def read() -> frozenset[tuple[int, int]]:
        found = Submission.objects.published().filter(submissions_of(*Control)).order_by()
        return frozenset(found.values_list("language_model", "release").distinct())

    known = cached_region("controls", read)
    return (submission.language_model_id, submission.release_id) in known


def submitted_entry(
    submission: Submission,
    scores: ByTask,
    caveats: Caveats,
    sample: Sample | None = None,
) -> Entry:
    """From a row of ``public_submissions``."""
    return Entry(
        id=submission.entry_id,
        mark=_mark(submission.origin),
        model=model_of(submission.language_model),
        scores=scores,
        created=submission.created,
        method=submission.method,
        run=settings_line(submission),
        prompt=submission.prompt_strategy,
        caveats=caveats,
        submission=submission.pk,
        is_run_by_us=bool(vars(submission).get("run_ending")),
        sample=sample,
        maker_claim=maker_claim(by_maker=submission.by_maker, confirmed=submission.maker_confirmed),
        control=control_of(vars(submission).get("run_strategy"), submission.prompt_strategy),
    )


def _mark(origin: str) -> Mark:
    return Mark.HISTORICAL if origin == Submission.Origin.HISTORICAL else Mark.SCORED


def _reported_entries() -> list[Entry]:
    scores: dict[int, dict[str, Score]] = {}
    entries: dict[int, Any] = {}
    # A row for each score, with its entry; entries without scores have one without a task.
    with_scores = ReportedEntry.objects.select_related("language_model").order_by()
    for row in with_scores.annotate(
        task=F("scores__task"), percent=F("scores__percent"), aliases=_aliases()
    ):
        entries[row.pk] = row
        if row.task is not None:
            scores.setdefault(row.pk, {})[row.task] = reported_score(row.task, row.percent)
    return [reported_entry(one, scores.get(pk, {}), one.aliases) for pk, one in entries.items()]


def reported_entry(entry: ReportedEntry, scores: ByTask, aliases: Iterable[str] = ()) -> Entry:
    return Entry(
        id=entry.entry_id,
        mark=Mark.REPORTED,
        model=model_of(entry.language_model, aliases),
        scores=scores,
        created=entry.created,
        method=entry.method,
        source=entry.source,
    )


def model_of(model: LanguageModel, aliases: Iterable[str] = ()) -> Model:
    return Model(*(*(getattr(model, name) for name in _MODEL), tuple(aliases)))


def _aliases() -> ArraySubquery:
    """The addresses and names of models that were merged into the row's, as searchable texts."""
    former = FormerModel.objects.filter(language_model=OuterRef("language_model"))
    return ArraySubquery(former.order_by("slug").values(text=Concat("slug", Value(" "), "name")))
