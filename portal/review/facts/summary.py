"""What a reviewer needs to know about submissions; the same few queries for any number of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from allauth.account.models import EmailAddress
from django.db.models import Count, Max, Q, QuerySet

from portal.audit.history import Step, step_of
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    Example,
    LanguageModel,
    ReportedEntry,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.access import with_verdicts_for
from portal.review.answers.checks import Checked, read_checks
from portal.review.facts.confusables import skeleton
from portal.review.facts.duplicates import models_by_name, same_model_name, same_predictions
from portal.review.facts.known_names import known_names, names_within
from portal.scores.documents.table import Scores, ScoreTable, TaskRow, overall_of, table_of
from portal.scores.scores import BySet, scores_by_set
from portal.scores.titles import SettingsLine, settings_line
from scoring.catalog import TASKS


class OtherEntry(NamedTuple):
    """Another submission of a language model of this name."""

    submission: Submission
    overall: Scores
    by_set: BySet  # empty without scores
    rejected: str  # the reason, if it was rejected last


class LongInputs(NamedTuple):
    """How many inputs are longer than the context window that the language model claims.

    Counts the examples of the submitted tasks whose length is known. On the official release, where
    none is known, it counts tasks by the average length of their inputs.
    """

    window: int  # tokens
    longer: int
    total: int
    of_tasks: bool = False  # tasks are counted, not examples


class Attempts(NamedTuple):
    """How many submissions the owner has."""

    published: int  # of any language model
    same: int  # of this language model on this release, this one included


class Address(NamedTuple):
    """Of an account, as far as it tells where its owner belongs."""

    domain: str  # empty: the account has no address
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    submission: Submission
    reader: User
    requested: datetime | None  # when publication was requested last
    rejections: int
    evaluation: Evaluation | None  # the newest with scores
    table: ScoreTable | None
    problems: Mapping[str, int]  # by severity
    same_predictions: list[Submission]  # the oldest first
    same_predictions_count: int  # including those not listed
    others: list[OtherEntry]  # the newest first
    others_count: int  # including those not listed
    reported: list[ReportedEntry]
    similar_models: list[LanguageModel]  # of other owners, with a name that looks the same
    # Names of makers and language models that readers know, in the names of a new model.
    known_makers: list[str]
    known_models: list[str]
    address: Address  # of the owner
    long_inputs: LongInputs | None
    attempts: Attempts
    being_scored_again: bool
    checked: Checked | None  # None: its answers have not been checked

    @property
    def settings(self) -> SettingsLine:
        return settings_line(self.submission)

    @property
    def tasks(self) -> list[TaskRow]:
        """The submitted tasks."""
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


def prefetch_for_review(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    related = ("language_model", "release", "owner", "claimed_by")
    found = submissions.select_related(*related)
    return found.prefetch_related("release__data_sets")


def review_summaries(submissions: Sequence[Submission], reader: User) -> list[ReviewSummary]:
    """In the order of the submissions, which come from ``prefetch_for_review``.

    ``reader``: the reviewer, who may be the owner of some.
    """
    loaded = _Loaded(submissions, reader)
    return [loaded.summary(submission) for submission in submissions]


class _Loaded:
    """Everything that the summaries need from the database."""

    def __init__(self, submissions: Sequence[Submission], reader: User) -> None:
        self.reader = reader
        self.evaluations = newest_scored(submissions)
        self.checks = read_checks(reader, self.evaluations.values())
        self.same_predictions = same_predictions(self.evaluations.values())
        self.models = models_by_name(skeleton(one.language_model.name) for one in submissions)
        self.others = same_model_name(self.models)
        listed = [other for of_name in self.others.first.values() for other in of_name]
        self.other_evaluations = newest_scored(listed)
        self.verdicts = with_verdicts_for(reader, [*submissions, *listed])  # ids of submissions

        entries = AuditEntry.objects.filter(submission__in=submissions).order_by()
        requested = entries.filter(action=Action.REQUEST_PUBLICATION).values_list("submission")
        self.requested: dict[UUID, datetime] = dict(requested.annotate(Max("at")))
        rejected = entries.filter(action=Action.REJECT).values_list("submission")
        self.rejections: dict[UUID, int] = dict(rejected.annotate(Count("pk")))
        others_rejected = [one for one in listed if one.state == SubmissionState.REJECTED]
        rejecting = AuditEntry.objects.filter(submission__in=others_rejected, action=Action.REJECT)
        reasons = rejecting.order_by("number").values_list("submission", "reason")
        self.reasons: dict[UUID | None, str] = dict(reasons)

        open_ = Evaluation.objects.open().filter(submission__in=submissions)
        self.being_scored = set(open_.values_list("submission", flat=True))
        self.reported = _reported_by_name(self.models)
        self.known = known_names()
        named = LanguageModel.objects.filter(submissions__in=submissions)
        self.public_models = set(named.known_to_all().values_list("pk", flat=True))
        confirmed = EmailAddress.objects.filter(user__submissions__in=submissions, verified=True)
        self.confirmed = {
            (user, email.lower()) for user, email in confirmed.values_list("user", "email")
        }
        self.long_inputs = _LongInputCounts(submissions)

        owners = {one.owner_id for one in submissions}
        owned = Submission.objects.order_by().filter(owner__in=owners)
        published = owned.published().values_list("owner").annotate(Count("pk"))
        self.published: dict[Any, int] = dict(published)
        same = owned.values_list("owner", "language_model", "release").annotate(Count("pk"))
        self.attempts: dict[Any, int] = {tuple(key): count for *key, count in same}

    def summary(self, submission: Submission) -> ReviewSummary:
        scored = self.evaluations.get(submission.pk)
        model, owner = submission.language_model, submission.owner_id
        name = skeleton(model.name)
        others = self.others.of(
            submission, name, is_counted=submission.state != SubmissionState.PRIVATE
        )
        digest = scored.predictions_hash if scored else ""
        same = self.same_predictions.of(submission, digest, is_counted=digest != "")
        verdicts = submission.pk in self.verdicts
        is_new = model.pk not in self.public_models
        names = f"{model.organisation} / {model.name}" if is_new else ""
        return ReviewSummary(
            submission=submission,
            reader=self.reader,
            requested=self.requested.get(submission.pk),
            rejections=self.rejections.get(submission.pk, 0),
            evaluation=scored,
            table=table_of(scored, verdicts=verdicts) if scored else None,
            problems=Counter(one["severity"] for one in (scored.problems if scored else [])),
            same_predictions=same.listed,
            same_predictions_count=same.total,
            others=[self._other_entry(other) for other in others.listed],
            others_count=others.total,
            reported=self.reported[name],
            similar_models=[
                one
                for one in self.models.get(name, [])
                if one != model and one.owner_id != model.owner_id
            ],
            known_makers=names_within(names, self.known.makers),
            known_models=names_within(model.name if is_new else "", self.known.models),
            address=self._address(submission.owner),
            long_inputs=self.long_inputs.of(submission, scored),
            attempts=Attempts(
                self.published.get(owner, 0),
                self.attempts.get((owner, model.pk, submission.release_id), 0),
            ),
            being_scored_again=submission.pk in self.being_scored,
            checked=self.checks.get(scored.pk) if scored else None,
        )

    def _address(self, owner: User | None) -> Address:
        email = owner.email if owner else ""
        is_confirmed = owner is not None and (owner.pk, email.lower()) in self.confirmed
        return Address(email.rpartition("@")[2], is_confirmed)

    def _other_entry(self, other: Submission) -> OtherEntry:
        scored, reason = self.other_evaluations.get(other.pk), self.reasons.get(other.pk, "")
        if scored is None:
            return OtherEntry(other, [], {}, reason)
        verdicts = other.pk in self.verdicts
        overall = overall_of(other, scored, verdicts=verdicts)
        by_set = scores_by_set(scored, exact=verdicts)
        return OtherEntry(other, overall, by_set, reason)


def newest_scored(submissions: Iterable[Submission]) -> dict[UUID, Evaluation]:
    known = {submission.pk: submission for submission in submissions}
    found = Evaluation.objects.scored().filter(submission__in=known).newest_of_each()
    scored = list(found.defer("question", "failure_details").prefetch_related("task_scores"))
    for evaluation in scored:
        evaluation.submission = known[evaluation.submission_id]
    return {evaluation.submission_id: evaluation for evaluation in scored}


def _reported_by_name(
    models: Mapping[str, Iterable[LanguageModel]],
) -> defaultdict[str, list[ReportedEntry]]:
    entries = ReportedEntry.objects.select_related("language_model").prefetch_related("scores")
    found: defaultdict[str, list[ReportedEntry]] = defaultdict(list)
    similar = [model for of_name in models.values() for model in of_name]
    for entry in entries.filter(language_model__in=similar):
        found[skeleton(entry.language_model.name)].append(entry)
    return found


class _LongInputCounts:
    """Counts for the context windows of any number of language models, in one query."""

    def __init__(self, submissions: Iterable[Submission]) -> None:
        pairs = [(one.release_id, one.language_model.context_window) for one in submissions]
        windows = {window for _, window in pairs if window}
        longer = {self._column(one): Count("pk", filter=Q(tokens__gt=one)) for one in windows}
        releases = {release for release, window in pairs if window}
        known = Example.objects.filter(data_set__releases__in=releases, tokens__isnull=False)
        groups = known.order_by().values("data_set__releases", "data_set__task")
        self.counts: dict[tuple[int, str], dict[str, int]] = {
            (group.pop("data_set__releases"), group.pop("data_set__task")): group
            for group in groups.annotate(known=Count("pk"), **longer)
        }

    def of(self, submission: Submission, scored: Evaluation | None) -> LongInputs | None:
        """None if no window is claimed, nothing was answered, or no length is known."""
        window = submission.language_model.context_window
        if not window or scored is None:
            return None
        tasks = {score.task for score in scored.task_scores.all()}
        keys = [(submission.release_id, task) for task in tasks]
        if found := [self.counts[key] for key in keys if key in self.counts]:
            longer = sum(one[self._column(window)] for one in found)
            return LongInputs(window, longer, sum(one["known"] for one in found))
        if submission.release.official and tasks:
            longer = sum(TASKS[task].input_tokens > window for task in tasks)
            return LongInputs(window, longer, len(tasks), of_tasks=True)
        return None

    @staticmethod
    def _column(window: int) -> str:
        return f"longer_than_{window}"


# Decisions

_DECISIONS = (
    *(Action.PUBLISH, Action.SCHEDULE, Action.REJECT, Action.HIDE, Action.RESTORE, Action.WITHDRAW),
)
_MAX_DECISIONS = 20


def recent_decisions(reader: User) -> list[tuple[Submission, Step]]:
    """The newest first, about submissions that still exist."""
    entries = AuditEntry.objects.filter(action__in=_DECISIONS, submission__state__isnull=False)
    related = ("actor", "submission__language_model", "submission__release")
    found = entries.select_related(*related)
    return [
        (entry.submission, step_of(entry, entry.submission, reader))
        for entry in found.order_by("-number")[:_MAX_DECISIONS]
        if entry.submission
    ]
