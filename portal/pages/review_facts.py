"""What a reviewer needs to know of submissions: of however many, with the same few queries."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Lower

from portal.access import may_see_verdicts
from portal.models import (
    AuditEntry,
    Evaluation,
    ReportedEntry,
    Submission,
    SubmissionState,
    User,
)
from portal.pages.scores import Score, ScoreTable, TaskRow, overall_of, table_of

BESIDE = 8  # other entries of a language model whose scores are shown


class Other(NamedTuple):
    """Another submission of a language model of this name."""

    submission: Submission
    overall: list[Score]


class Attempts(NamedTuple):
    """What its owner has handed in."""

    published: int  # of whatever language model
    same: int  # of this language model on this release; this submission is one of them


@dataclass(frozen=True, slots=True)
class Facts:
    submission: Submission
    asked: datetime | None  # when publication was asked for, the last time
    rejections: int
    evaluation: Evaluation | None  # the newest that has scores
    table: ScoreTable | None
    problems: Mapping[str, int]  # by severity
    twins: list[Submission]  # with the very same predictions
    others: list[Other]  # the newest first
    others_count: int  # also those that are not among them
    reported: list[ReportedEntry]
    attempts: Attempts
    scored_again: bool  # newer scores are on their way

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
    twins: Mapping[str, list[Submission]]
    others: Mapping[str, list[Submission]]
    overall: dict[UUID, list[Score]]  # of the others
    reported: Mapping[str, list[ReportedEntry]]
    attempts: "_Attempts"
    under_way: set[UUID]


def _found(submissions: Sequence[Submission], reader: User) -> _Found:
    evaluations = _newest_scored(submissions)
    others = _others(submissions)
    beside = [other for of_name in others.values() for other in of_name[: BESIDE + 1]]
    entries = AuditEntry.objects.filter(submission__in=submissions).order_by()
    asked = entries.filter(action="ask for publication").values_list("submission")
    rejected = entries.filter(action="reject").values_list("submission")
    return _Found(
        asked=dict(asked.annotate(Max("at"))),
        rejections=dict(rejected.annotate(Count("pk"))),
        evaluations=evaluations,
        twins=_twins(evaluations.values()),
        others=others,
        overall={pk: _overall(one, reader) for pk, one in _newest_scored(beside).items()},
        reported=_reported(submissions),
        attempts=_Attempts.of(submissions),
        under_way=set(_open(submissions)),
    )


def _facts(submission: Submission, found: _Found, reader: User) -> Facts:
    scored, name = found.evaluations.get(submission.pk), _name(submission)
    others = [other for other in found.others[name] if other != submission]
    shown = [Other(other, found.overall.get(other.pk, [])) for other in others[:BESIDE]]
    verdicts = may_see_verdicts(reader, submission)
    same = found.twins[scored.predictions_hash] if scored else []
    return Facts(
        submission=submission,
        asked=found.asked.get(submission.pk),
        rejections=found.rejections.get(submission.pk, 0),
        evaluation=scored,
        table=table_of(scored, verdicts=verdicts) if scored else None,
        problems=Counter(problem["severity"] for problem in (scored.problems if scored else [])),
        twins=[twin for twin in same if twin != submission],
        others=shown,
        others_count=len(others),
        reported=found.reported[name],
        attempts=found.attempts.by(submission),
        scored_again=submission.pk in found.under_way,
    )


def _overall(evaluation: Evaluation, reader: User) -> list[Score]:
    verdicts = may_see_verdicts(reader, evaluation.submission)
    return overall_of(evaluation.submission, evaluation, verdicts=verdicts)


def _name(submission: Submission) -> str:
    """Authors enter language models for themselves, so it is by name that they are the same."""
    return submission.language_model.name.lower()


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


def _twins(evaluations: Iterable[Evaluation]) -> defaultdict[str, list[Submission]]:
    """By the hash of predictions, the oldest first."""
    hashes = {evaluation.predictions_hash for evaluation in evaluations}
    same = Evaluation.objects.scored().filter(predictions_hash__in=hashes - {""})
    pairs = same.order_by().values_list("predictions_hash", "submission").distinct()
    by_id = _with_names().in_bulk({pk for _, pk in pairs})
    found = defaultdict(list)
    for digest, pk in sorted(pairs, key=lambda pair: by_id[pair[1]].created):
        found[digest].append(by_id[pk])
    return found


def _with_names() -> QuerySet[Submission]:
    named = Submission.objects.select_related("language_model", "release", "owner")
    return named.prefetch_related("release__data_sets")


def _others(submissions: Iterable[Submission]) -> defaultdict[str, list[Submission]]:
    """By the name of the language model: all that anybody but its owner may have seen."""
    names = {_name(submission) for submission in submissions}
    same = _with_names().alias(lower=Lower("language_model__name")).filter(lower__in=names)
    found: defaultdict[str, list[Submission]] = defaultdict(list)
    for submission in same.exclude(state=SubmissionState.PRIVATE):
        found[_name(submission)].append(submission)
    return found


def _reported(submissions: Iterable[Submission]) -> defaultdict[str, list[ReportedEntry]]:
    names = {_name(submission) for submission in submissions}
    entries = ReportedEntry.objects.select_related("language_model")
    found: defaultdict[str, list[ReportedEntry]] = defaultdict(list)
    for entry in entries.alias(lower=Lower("language_model__name")).filter(lower__in=names):
        found[entry.language_model.name.lower()].append(entry)
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
