"""The content of a submission's page for one user."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404

from portal.audit.history import Step, history_of, reasons_of_states
from portal.evaluations.failures import FAILURES
from portal.models import (
    Action,
    Evaluation,
    EvaluationState,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.access import may_see_verdicts, owns, scored_evaluation
from portal.permissions.actions import allowed_actions
from portal.scores.documents.findings import FindingGroup, findings_of, group_findings
from portal.scores.documents.reports import DataRow, command_line, scored_data
from portal.scores.documents.table import Scores, ScoreTable, overall_of, table_of
from portal.scores.titles import (
    METRIC_SET_TITLES,
    SANDBOX_TITLES,
    MetricSetTitle,
)
from portal.submissions.files.held_tasks import FileRow, file_rows
from portal.submissions.pages.next_steps import NextSteps, next_steps
from portal.submissions.pages.outlook import Outlook, outlook_of
from portal.submissions.pages.progress import Progress, progress_of
from portal.submissions.pages.questions import Question, question_of
from portal.submissions.versions import Version, version_for
from scoring.catalog import TASKS
from scoring.sandbox.exit_codes import Ending

_KEPT = ("evaluation", "problems")  # parameters that the page's polls repeat


class Result(NamedTuple):
    """An evaluation with scores."""

    evaluation: Evaluation
    table: ScoreTable
    verdicts: bool  # whether this user may see which predictions are correct
    command: str
    newest: bool

    @property
    def seconds(self) -> float:
        """Duration of the attempt that produced the scores."""
        started, finished = self.evaluation.started, self.evaluation.finished
        return (finished - started).total_seconds() if started and finished else 0.0

    @property
    def sandbox(self) -> str:
        return SANDBOX_TITLES[self.evaluation.sandbox_level]

    @property
    def data(self) -> list[DataRow]:
        return scored_data(self.evaluation, with_labels=self.verdicts)


class Findings(NamedTuple):
    groups: list[FindingGroup]
    total: int

    @property
    def similar(self) -> int:
        """How many are only counted, since a similar one is shown."""
        kinds = [kind for group in self.groups for kind in group.kinds]
        return sum(row.similar for kind in kinds for row in kind.rows)


class EvaluationRow(NamedTuple):
    evaluation: Evaluation
    overall: Scores
    tasks: int


class SubmissionPage(NamedTuple):
    submission: Submission
    is_own: bool  # whether this user acts for it
    edits_model: bool
    version: Version
    current: Evaluation  # the newest, in any state
    progress: Progress | None
    question: Question | None
    failure: Ending | None
    failure_details: str  # for admins only
    result: Result | None
    findings: Findings
    evaluations: list[EvaluationRow]  # all that have scores, if there are several
    outlook: Outlook | None  # None: no scores, or a hidden release
    actions: frozenset[Action]
    steps: NextSteps
    partial: list[str]  # titles of tasks with fewer answers than publication needs
    reason: str  # why it is rejected, hidden or withdrawn; or a reviewer's question
    history: list[Step]
    files: list[FileRow]
    query: str  # of the page's URL, for its polls

    @property
    def metric_sets(self) -> list[MetricSetTitle]:
        return list(METRIC_SET_TITLES.values())

    @property
    def keeps_tasks(self) -> bool:
        return any(not row.file.is_new for row in self.files)

    @property
    def shows_reason_of_failure(self) -> bool:
        """Whether the list of problems says why it failed."""
        return self.current.failure == "nothing_to_score" and bool(self.findings.total)


def current_evaluation(submission: Submission) -> Evaluation:
    """The newest evaluation. Raises ``Http404`` if there is none yet."""
    evaluation = submission.evaluations.first()
    if evaluation is None:
        raise Http404
    return evaluation


def submission_page(
    user: User, submission: Submission, current: Evaluation, query: Mapping[str, str]
) -> SubmissionPage:
    """Raises ``Http404`` if the query names an evaluation that this submission does not have."""
    verdicts = may_see_verdicts(user, submission)
    wanted = query.get("evaluation", "")
    scored = scored_evaluation(submission, wanted)
    if wanted and scored is None:
        raise Http404
    failed = current.state == EvaluationState.FAILED
    needs_attention = failed or current.state == EvaluationState.NEEDS_ANSWER
    with_problems = current if needs_attention and not wanted else scored
    findings = findings_of(with_problems, with_agreement=verdicts) if with_problems else []
    result = None
    if scored:
        result = Result(
            evaluation=scored,
            table=table_of(scored, verdicts=verdicts),
            verdicts=verdicts,
            command=command_line(scored),
            newest=scored == submission.evaluations.scored().first(),
        )
    version = version_for(user, submission)
    progress, question = progress_of(current), question_of(current, with_agreement=verdicts)
    actions = _offered_actions(user, submission, current)
    partial = [TASKS[task].title for task in scored.partial_tasks()] if scored else []
    rejected = submission.state == SubmissionState.REJECTED
    steps = next_steps(
        actions,
        submission.state,
        is_busy=bool(progress or question),
        needs_new_version=bool(rejected or partial or (result and result.table.caveats)),
    )
    return SubmissionPage(
        submission=submission,
        is_own=owns(user, submission),
        edits_model=owns(user, submission.language_model),
        version=version,
        current=current,
        progress=progress,
        question=question,
        failure=FAILURES[current.failure] if failed else None,
        failure_details=current.failure_details if user.is_admin else "",
        result=result,
        findings=Findings(
            group_findings(findings, each=query.get("problems") == "all"), len(findings)
        ),
        evaluations=_scored_evaluations(submission, verdicts=verdicts),
        outlook=outlook_of(user, submission, scored, version) if scored else None,
        actions=actions,
        steps=steps,
        partial=partial,
        reason=reasons_of_states([submission]).get(submission.pk, ""),
        history=history_of(submission, user),
        files=file_rows(submission),
        query=urlencode({name: query[name] for name in _KEPT if name in query}),
    )


def _scored_evaluations(submission: Submission, *, verdicts: bool) -> list[EvaluationRow]:
    scored = submission.evaluations.scored().defer("problems").prefetch_related("task_scores")
    rows = [
        EvaluationRow(
            evaluation,
            overall_of(submission, evaluation, verdicts=verdicts),
            len((evaluation.signature or {})["gold"]),
        )
        for evaluation in scored
    ]
    return rows if len(rows) > 1 else []


def _offered_actions(user: User, submission: Submission, current: Evaluation) -> frozenset[Action]:
    """The allowed actions, without those that would fail again in the same way."""
    allowed = allowed_actions(user, submission, current)
    if current.state != EvaluationState.FAILED:
        return allowed
    if FAILURES[current.failure].again:
        return allowed - {Action.SCORE_AGAIN}
    return allowed - {Action.SCORE_AGAIN, Action.TRY_AGAIN}
