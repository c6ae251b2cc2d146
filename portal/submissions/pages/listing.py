"""The list of a user's submissions: its filter and its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import urlencode

from django.db.models import QuerySet

from portal.audit.history import reasons_of_states
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    EvaluationState,
    LanguageModel,
    Submission,
    SubmissionState,
)
from portal.scores.documents.table import Scores, overall_of
from portal.scores.scores import Score
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from portal.submissions.versions import Version, versions_of

# One filter for the states of submissions and of their newest evaluations, which share no value.
STATES: dict[str, str] = {
    **dict(EvaluationState.choices),
    **dict(SubmissionState.choices),
}


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The filter in a query string; values that do not exist are ignored."""

    state: str
    model: str  # the slug of a language model
    models: tuple[LanguageModel, ...]  # to choose from

    @classmethod
    def from_query(cls, query: Mapping[str, str], submissions: "QuerySet[Submission]") -> Self:
        models = tuple(LanguageModel.objects.filter(submissions__in=submissions).distinct())
        state, model = query.get("state", ""), query.get("model", "")
        slugs = {one.slug for one in models}
        return cls(state if state in STATES else "", model if model in slugs else "", models)

    def apply(self, submissions: "QuerySet[Submission]") -> "QuerySet[Submission]":
        chosen = submissions.select_related("language_model", "release")
        chosen = chosen.prefetch_related("release__data_sets")
        if self.model:
            chosen = chosen.filter(language_model__slug=self.model)
        if self.state in SubmissionState.values:
            return chosen.filter(state=self.state)
        if self.state:
            newest = Evaluation.objects.filter(submission__in=submissions).newest_of_each()
            matching = Evaluation.objects.filter(pk__in=newest.values("pk"), state=self.state)
            return chosen.filter(pk__in=matching.values("submission"))
        return chosen

    @property
    def states(self) -> dict[str, str]:
        return STATES

    @property
    def query(self) -> str:
        """The filter as a query string, for the links to other pages."""
        chosen = {"state": self.state, "model": self.model}
        return urlencode({name: value for name, value in chosen.items() if value})


class SubmissionRow(NamedTuple):
    submission: Submission
    evaluation: Evaluation | None  # the newest
    overall: Scores  # of the newest evaluation that has scores
    scored: int  # tasks
    disclosed: int  # scores of tasks on a hidden release
    tasks: int  # of the release
    version: Version
    reason: str  # why it is rejected, hidden or withdrawn; or a reviewer's question
    was_in_review: bool
    is_sample: bool  # a run that has not asked everything; hidden releases disclose nothing of it

    @property
    def scores(self) -> list[tuple[MetricSetTitle, Score | None]]:
        return list(zip(METRIC_SET_TITLES.values(), self.overall, strict=False))

    @property
    def complete(self) -> bool:
        return any(self.overall)

    @property
    def awaits_review(self) -> bool:
        """Whether no score is disclosed until it is published."""
        on_board = self.submission.state in (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)
        hidden = self.submission.release.hidden
        is_due = self.scored > 0 and self.disclosed == 0 and not self.is_sample
        return hidden and is_due and not on_board

    @property
    def shows_evaluation_state(self) -> bool:
        """Whether it adds anything to the state of the submission: what is in review or published
        is scored anyway."""
        is_private = self.submission.state == SubmissionState.PRIVATE
        state = self.evaluation.state if self.evaluation else ""
        return is_private or state != EvaluationState.SCORED

    @property
    def may_be_deleted(self) -> bool:
        is_private = self.submission.state == SubmissionState.PRIVATE
        return is_private and not self.was_in_review


def submission_rows(submissions: Sequence[Submission]) -> list[SubmissionRow]:
    """A fixed number of queries."""
    evaluations = Evaluation.objects.filter(submission__in=submissions).without_details()
    newest = {one.submission_id: one for one in evaluations.newest_of_each()}
    with_scores = evaluations.scored().newest_of_each().prefetch_related("task_scores")
    scored = {one.submission_id: one for one in with_scores}
    versions = versions_of(submissions)
    reasons = reasons_of_states(submissions)
    requests = AuditEntry.objects.filter(
        submission__in=submissions, action=Action.REQUEST_PUBLICATION
    )
    requested = set(requests.values_list("submission", flat=True))
    rows = []
    for submission in submissions:
        evaluation = scored.get(submission.pk)
        verdicts = not submission.release.hidden  # the reader is its owner
        scores = list(evaluation.task_scores.all()) if evaluation else []
        row = SubmissionRow(
            submission,
            newest.get(submission.pk),
            overall_of(submission, evaluation, verdicts=verdicts) if evaluation else [],
            len({score.task for score in scores}),
            sum(score.public_percent is not None for score in scores),
            len(submission.release.data_sets.all()),
            versions[submission.pk],
            reasons.get(submission.pk, ""),
            submission.pk in requested,
            any(score.asked is not None for score in scores),
        )
        rows.append(row)
    return rows
