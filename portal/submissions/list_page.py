"""The list of a person's submissions: what is chosen of it, and what each line says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.utils.functional import Promise

from portal.models import Evaluation, EvaluationState, LanguageModel, Submission, SubmissionState
from portal.scores.scores import Score
from portal.scores.table import Scores, overall_of
from portal.submissions.versions import Version, versions_of
from scoring.metrics import METRIC_SETS

# Both what a submission is and how its newest evaluation stands; no word is in both.
STATES: dict[str, str | Promise] = {
    **dict(EvaluationState.choices),
    **dict(SubmissionState.choices),
}


@dataclass(frozen=True, slots=True)
class ListFilter:
    """What the address chooses; whatever it names wrongly is left out."""

    state: str
    model: str  # the slug of a language model
    models: tuple[LanguageModel, ...]  # to choose from

    @classmethod
    def of(cls, query: Mapping[str, str], submissions: "QuerySet[Submission]") -> Self:
        used = LanguageModel.objects.filter(submissions__in=submissions).distinct()
        models = tuple(used)
        state, model = query.get("state", ""), query.get("model", "")
        slugs = {one.slug for one in models}
        return cls(state if state in STATES else "", model if model in slugs else "", models)

    def applied_to(self, submissions: "QuerySet[Submission]") -> "QuerySet[Submission]":
        chosen = submissions.select_related("language_model", "release")
        chosen = chosen.prefetch_related("release__data_sets")
        if self.model:
            chosen = chosen.filter(language_model__slug=self.model)
        if self.state in SubmissionState.values:
            return chosen.filter(state=self.state)
        if self.state:
            newest = Evaluation.objects.filter(submission__in=submissions).newest_of_each()
            such = Evaluation.objects.filter(pk__in=newest.values("pk"), state=self.state)
            return chosen.filter(pk__in=such.values("submission"))
        return chosen

    @property
    def states(self) -> dict[str, str | Promise]:
        return STATES

    @property
    def query(self) -> str:
        """Itself as it stands in an address, to be followed by the page's number."""
        chosen = {"state": self.state, "model": self.model}
        return urlencode({name: value for name, value in chosen.items() if value})


class SubmissionRow(NamedTuple):
    submission: Submission
    evaluation: Evaluation | None  # the newest
    overall: Scores  # of the newest that has scores
    scored: int  # tasks
    tasks: int  # of the release
    version: Version

    @property
    def scores(self) -> dict[str, Score | None]:
        """By metric set."""
        return dict(zip(METRIC_SETS, self.overall, strict=False))

    @property
    def complete(self) -> bool:
        return any(self.overall)

    @property
    def evaluation_tells(self) -> bool:
        """Whether it says anything that the state of the submission does not: that it is scored
        goes without saying of what was handed on."""
        is_private = self.submission.state == SubmissionState.PRIVATE
        state = self.evaluation.state if self.evaluation else ""
        return is_private or state != EvaluationState.SCORED

    @property
    def may_be_deleted(self) -> bool:
        """A table of states without a way back to private: what is private was never reviewed."""
        return self.submission.state == SubmissionState.PRIVATE


def rows_of(page: Sequence[Submission]) -> list[SubmissionRow]:
    """The lines for some submissions, however many, with the same few queries."""
    evaluations = Evaluation.objects.filter(submission__in=page).without_details()
    newest = {evaluation.submission_id: evaluation for evaluation in evaluations.newest_of_each()}
    with_scores = evaluations.scored().newest_of_each().prefetch_related("task_scores")
    scored = {evaluation.submission_id: evaluation for evaluation in with_scores}
    versions = versions_of(page)
    return [_row(one, newest.get(one.pk), scored.get(one.pk), versions[one.pk]) for one in page]


def _row(
    submission: Submission,
    newest: Evaluation | None,
    scored: Evaluation | None,
    version: Version,
) -> SubmissionRow:
    tasks = len({score.task for score in scored.task_scores.all()}) if scored else 0
    verdicts = not submission.release.hidden  # for its owner
    return SubmissionRow(
        submission,
        newest,
        overall_of(submission, scored, verdicts=verdicts) if scored else [],
        tasks,
        len(submission.release.data_sets.all()),
        version,
    )
