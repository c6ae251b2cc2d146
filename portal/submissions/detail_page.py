"""Everything that the page of one submission shows, for the person who looks."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404
from django.utils.functional import Promise

from portal.audit.history import Step, history_of
from portal.evaluations.failures import FAILURES
from portal.models import Action, Evaluation, EvaluationState, Role, Submission, User
from portal.permissions import allowed_actions, may_see_verdicts, scored_evaluation
from portal.scores.findings import FindingsOfGroup, findings_of, grouped
from portal.scores.reports import command_line
from portal.scores.scored_data import DataRow, scored_data
from portal.scores.table import Scores, ScoreTable, overall_of, table_of
from portal.scores.titles import METRIC_SET_MEANINGS, METRIC_SET_TITLES, SANDBOX_TITLES
from portal.submissions.progress import Progress, progress_of
from portal.submissions.questions import Question, question_of
from portal.submissions.versions import Version, version_for
from scoring.metrics import METRIC_SETS
from scoring.sandbox.exit_codes import Ending

_KEPT = ("evaluation", "problems")  # what of the address the page goes on with


class Result(NamedTuple):
    """One evaluation that came to scores."""

    evaluation: Evaluation
    table: ScoreTable
    verdicts: bool  # whether this person may see what is right and what is wrong
    command: str
    newest: bool

    @property
    def seconds(self) -> float:
        """How long the attempt took that brought the scores."""
        started, finished = self.evaluation.started, self.evaluation.finished
        return (finished - started).total_seconds() if started and finished else 0.0

    @property
    def sandbox(self) -> str | Promise:
        return SANDBOX_TITLES[self.evaluation.sandbox_level]

    @property
    def data(self) -> list[DataRow]:
        return scored_data(self.evaluation, with_labels=self.verdicts)


class Findings(NamedTuple):
    groups: list[FindingsOfGroup]
    total: int

    @property
    def alike(self) -> int:
        """How many are not shown in words of their own."""
        kinds = [kind for group in self.groups for kind in group.kinds]
        return sum(row.alike for kind in kinds for row in kind.rows)


class Earlier(NamedTuple):
    """A line of the list of evaluations."""

    evaluation: Evaluation
    overall: Scores
    tasks: int


class SubmissionPage(NamedTuple):
    submission: Submission
    version: Version
    current: Evaluation  # the newest, however it stands
    progress: Progress | None
    question: Question | None
    failure: Ending | None
    failure_details: str  # for admins only
    result: Result | None
    findings: Findings
    evaluations: list[Earlier]  # all that have scores, where there are several
    actions: frozenset[Action]
    history: list[Step]
    query: str  # what belongs to its address, and to that of its status

    @property
    def metric_sets(self) -> list[str]:
        return list(METRIC_SETS)

    @property
    def metric_set_meanings(self) -> dict[str, str | Promise]:
        return METRIC_SET_MEANINGS

    @property
    def metric_set_titles(self) -> dict[str, str | Promise]:
        return METRIC_SET_TITLES

    @property
    def sees_problems(self) -> bool:
        """Whether it failed for what is listed below: nothing more can be said of it."""
        return self.current.failure == "nothing_to_score" and bool(self.findings.total)


def current_evaluation(submission: Submission) -> Evaluation:
    """The newest. Raises ``Http404`` where there is none yet."""
    evaluation = submission.evaluations.first()
    if evaluation is None:
        raise Http404
    return evaluation


def submission_page(
    user: User, submission: Submission, current: Evaluation, query: Mapping[str, str]
) -> SubmissionPage:
    """Raises ``Http404`` where the address names an evaluation that is not one of these."""
    verdicts = may_see_verdicts(user, submission)
    wanted = query.get("evaluation", "")
    scored = scored_evaluation(submission, wanted)
    if wanted and scored is None:
        raise Http404
    failed = current.state == EvaluationState.FAILED
    ended_badly = failed or current.state == EvaluationState.NEEDS_ANSWER
    of = current if ended_badly and not wanted else scored
    return SubmissionPage(
        submission=submission,
        version=version_for(user, submission),
        current=current,
        progress=progress_of(current),
        question=question_of(current, with_agreement=verdicts),
        failure=FAILURES[current.failure] if failed else None,
        failure_details=current.failure_details if user.role == Role.ADMIN else "",
        result=_result(scored, verdicts=verdicts) if scored else None,
        findings=_findings(of, verdicts=verdicts, everything=query.get("problems") == "all"),
        evaluations=_earlier(submission, verdicts=verdicts),
        actions=_offered_actions(user, submission, current),
        history=history_of(submission, user),
        query=urlencode({name: query[name] for name in _KEPT if name in query}),
    )


def _result(evaluation: Evaluation, *, verdicts: bool) -> Result:
    newest = evaluation == evaluation.submission.evaluations.scored().first()
    table = table_of(evaluation, verdicts=verdicts)
    return Result(evaluation, table, verdicts, command_line(evaluation), newest)


def _findings(of: Evaluation | None, *, verdicts: bool, everything: bool) -> Findings:
    found = findings_of(of, with_agreement=verdicts) if of else []
    return Findings(grouped(found, each=everything), len(found))


def _earlier(submission: Submission, *, verdicts: bool) -> list[Earlier]:
    scored = submission.evaluations.scored().defer("problems").prefetch_related("task_scores")
    rows = [
        Earlier(
            evaluation,
            overall_of(submission, evaluation, verdicts=verdicts),
            len((evaluation.signature or {})["gold"]),
        )
        for evaluation in scored
    ]
    return rows if len(rows) > 1 else []


def _offered_actions(user: User, submission: Submission, current: Evaluation) -> frozenset[Action]:
    """Without those that are allowed, but would end in the same way."""
    allowed = allowed_actions(user, submission, current)
    if current.state != EvaluationState.FAILED:
        return allowed
    if FAILURES[current.failure].again:
        return allowed - {Action.SCORE_AGAIN}
    return allowed - {Action.SCORE_AGAIN, Action.TRY_AGAIN}
