"""What a reviewer needs to know of submissions: of however many, with the same few queries."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Max, QuerySet

from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    LanguageModel,
    ReportedEntry,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions import with_verdicts_for
from portal.review.confusables import folded
from portal.review.duplicates import Kin, models_named, name_of, namesakes_of, twins_of
from portal.review.windows import Counts, Window, counts_of, window_of
from portal.scores.runs import Run, run_of
from portal.scores.scores import BySet, scores_by_set
from portal.scores.table import Scores, ScoreTable, TaskRow, overall_of, table_of


class Other(NamedTuple):
    """Another submission of a language model of this name."""

    submission: Submission
    overall: Scores
    by_set: BySet  # empty where it has no scores
    rejected: str  # why, where it was, the last time


class Attempts(NamedTuple):
    """What its owner has handed in."""

    published: int  # of whatever language model
    same: int  # of this language model on this release; this submission is one of them


@dataclass(frozen=True, slots=True)
class Facts:
    submission: Submission
    reader: User
    asked: datetime | None  # when publication was asked for, the last time
    rejections: int
    evaluation: Evaluation | None  # the newest that has scores
    table: ScoreTable | None
    problems: Mapping[str, int]  # by severity
    twins: list[Submission]  # with the very same predictions, the oldest first
    twins_count: int  # also those that are not among them
    others: list[Other]  # the newest first
    others_count: int  # also those that are not among them
    reported: list[ReportedEntry]
    alike: list[LanguageModel]  # of others, with a name that looks the same; the site's first
    window: Window | None
    attempts: Attempts
    scored_again: bool  # newer scores are on their way

    @property
    def run(self) -> Run:
        return run_of(self.submission)

    @property
    def tasks(self) -> list[TaskRow]:
        """Those that were handed in."""
        domains = self.table.domains if self.table else []
        return [row for domain in domains for row in domain.rows if row.answered is not None]

    @property
    def answered(self) -> int:
        return sum(row.answered or 0 for row in self.tasks)

    @property
    def missing(self) -> int:
        return sum(row.missing for row in self.tasks)

    @property
    def unknown(self) -> int:
        return sum(row.unknown for row in self.tasks)


def with_what_facts_read(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    found = submissions.select_related("language_model", "release", "owner")
    return found.prefetch_related("release__data_sets")


def facts_of(submissions: Sequence[Submission], reader: User) -> list[Facts]:
    """In their order; they come ``with_what_facts_read``. A reviewer may have handed in some."""
    found = _found(submissions, reader)
    return [_facts(submission, found, reader) for submission in submissions]


class _Found(NamedTuple):
    """Everything that was asked of the database."""

    asked: dict[UUID, datetime]
    rejections: dict[UUID, int]
    evaluations: dict[UUID, Evaluation]
    models: dict[str, list[LanguageModel]]  # by folded name
    twins: Kin
    others: Kin
    scored: dict[UUID, Evaluation]  # of the others
    reasons: dict[UUID, str]  # why others were rejected
    reported: Mapping[str, list[ReportedEntry]]  # by folded name
    attempts: "_Attempts"
    under_way: set[UUID]
    windows: Counts
    verdicts: set[UUID]  # of these and the others, which may be shown


def _found(submissions: Sequence[Submission], reader: User) -> _Found:
    evaluations = _newest_scored(submissions)
    models = models_named(map(name_of, submissions))
    others = namesakes_of(models)
    beside = [other for of_name in others.first.values() for other in of_name]
    verdicts = with_verdicts_for(reader, [*submissions, *beside])
    entries = AuditEntry.objects.filter(submission__in=submissions).order_by()
    asked = entries.filter(action=Action.REQUEST_PUBLICATION).values_list("submission")
    rejected = entries.filter(action=Action.REJECT).values_list("submission")
    return _Found(
        asked=dict(asked.annotate(Max("at"))),
        rejections=dict(rejected.annotate(Count("pk"))),
        evaluations=evaluations,
        models=models,
        twins=twins_of(evaluations.values()),
        others=others,
        scored=_newest_scored(beside),
        reasons=_reasons(beside),
        reported=_reported(models),
        attempts=_Attempts.of(submissions),
        under_way=set(_open(submissions)),
        windows=counts_of(submissions),
        verdicts=verdicts,
    )


def _facts(submission: Submission, found: _Found, reader: User) -> Facts:
    scored = found.evaluations.get(submission.pk)
    name = name_of(submission)
    is_seen = submission.state != SubmissionState.PRIVATE
    others = found.others.beside(submission, name, is_one=is_seen)
    digest = scored.predictions_hash if scored else ""
    twins = found.twins.beside(submission, digest, is_one=digest != "")
    verdicts = submission.pk in found.verdicts
    return Facts(
        submission=submission,
        reader=reader,
        asked=found.asked.get(submission.pk),
        rejections=found.rejections.get(submission.pk, 0),
        evaluation=scored,
        table=table_of(scored, verdicts=verdicts) if scored else None,
        problems=Counter(problem["severity"] for problem in (scored.problems if scored else [])),
        twins=twins.shown,
        twins_count=twins.total,
        others=[_other(other, found) for other in others.shown],
        others_count=others.total,
        reported=found.reported[name],
        alike=_alike(submission, found.models.get(name, [])),
        window=window_of(submission, scored, found.windows),
        attempts=found.attempts.by(submission),
        scored_again=submission.pk in found.under_way,
    )


def _alike(submission: Submission, named: Iterable[LanguageModel]) -> list[LanguageModel]:
    mine = submission.language_model
    return [one for one in named if one != mine and one.owner_id != mine.owner_id]


def _other(submission: Submission, found: _Found) -> Other:
    scored, reason = found.scored.get(submission.pk), found.reasons.get(submission.pk, "")
    if scored is None:
        return Other(submission, [], {}, reason)
    verdicts = submission.pk in found.verdicts
    overall = overall_of(submission, scored, verdicts=verdicts)
    by_set = scores_by_set(scored.task_scores.all(), exact=verdicts)
    return Other(submission, overall, by_set, reason)


def _reasons(submissions: Iterable[Submission]) -> dict[UUID, str]:
    """Of those that are rejected."""
    rejected = [one for one in submissions if one.state == SubmissionState.REJECTED]
    entries = AuditEntry.objects.filter(submission__in=rejected, action=Action.REJECT)
    return dict(entries.order_by("number").values_list("submission", "reason"))


def _newest_scored(submissions: Iterable[Submission]) -> dict[UUID, Evaluation]:
    known = {submission.pk: submission for submission in submissions}
    found = Evaluation.objects.scored().filter(submission__in=known).newest_of_each()
    scored = list(found.defer("question", "failure_details").prefetch_related("task_scores"))
    for evaluation in scored:
        evaluation.submission = known[evaluation.submission_id]
    return {evaluation.submission_id: evaluation for evaluation in scored}


def _open(submissions: Iterable[Submission]) -> QuerySet[Evaluation, UUID]:
    of_these = Evaluation.objects.open().filter(submission__in=submissions)
    return of_these.values_list("submission", flat=True)


def _reported(
    models: Mapping[str, Iterable[LanguageModel]],
) -> defaultdict[str, list[ReportedEntry]]:
    entries = ReportedEntry.objects.select_related("language_model").prefetch_related("scores")
    found: defaultdict[str, list[ReportedEntry]] = defaultdict(list)
    alike = [model for of_name in models.values() for model in of_name]
    for entry in entries.filter(language_model__in=alike):
        found[folded(entry.language_model.name)].append(entry)
    return found


@dataclass(frozen=True, slots=True)
class _Attempts:
    published: dict[Any, int]  # by owner
    same: dict[Any, int]  # by owner, language model and release

    @classmethod
    def of(cls, submissions: Iterable[Submission]) -> "_Attempts":
        owners = {submission.owner_id for submission in submissions}
        theirs = Submission.objects.filter(owner__in=owners).order_by()
        published = theirs.published().values_list("owner").annotate(Count("pk"))
        same = theirs.values_list("owner", "language_model", "release").annotate(Count("pk"))
        return cls(dict(published), {tuple(key): count for *key, count in same})

    def by(self, submission: Submission) -> Attempts:
        owner = submission.owner_id
        same = (owner, submission.language_model_id, submission.release_id)
        return Attempts(self.published.get(owner, 0), self.same.get(same, 0))
