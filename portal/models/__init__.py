"""All models of the site, a file for each noun."""

from portal.models.account import REVIEWERS, Role, User
from portal.models.action import Action, LabelAction, RecordAction, RunAction
from portal.models.answer_check import AnswerCheck
from portal.models.api_token import ApiToken, Scope
from portal.models.audit import AuditEntry, AuditHead
from portal.models.board import BoardVersion, KeptRegion, Separation
from portal.models.context import Context, ReleaseFile
from portal.models.disclosed_score import BestDisclosedScore, ReleaseAdmission, ReleaseLadder
from portal.models.endpoint_run import (
    SETTINGS_DIGEST,
    WITHOUT_EFFECT,
    EndpointRun,
    QuestionState,
    RunEnding,
    RunFailure,
    RunQuestion,
    RunSlice,
    RunState,
)
from portal.models.evaluation import (
    ATTEMPTS,
    BLOCK_SIZE,
    SCORE_COLUMNS,
    Evaluation,
    EvaluationState,
    ExampleResult,
    OwnerTurn,
    ResultBlock,
    ScoreVector,
    Stage,
    TaskScore,
    at_places,
)
from portal.models.former_entry import FormerEntry
from portal.models.heartbeat import Heartbeat, HeartbeatKind, Tally
from portal.models.hub import (
    PUBLIC_HUB,
    HubFetch,
    HubJobState,
    HubKind,
    hub_site,
    repository_url,
)
from portal.models.label_report import LabelReport, LabelVerdict
from portal.models.language_model import (
    FormerModel,
    LanguageModel,
    ModelFact,
    RenameRequest,
    matches_words,
    spelled_alike,
    with_method,
)
from portal.models.note import NOTE_CAP, Note
from portal.models.notice import Notice, NoticeKind, NoticeState
from portal.models.original import (
    FILE_NAME_CAP,
    Original,
    SubmissionFile,
    validate_file_tasks,
)
from portal.models.quota import CountedUpload
from portal.models.release import KEY_CAP, TASK_CHOICES, Example, Release, TaskDataSet
from portal.models.reported import ReportedEntry, ReportedScore
from portal.models.request_key import RequestKey
from portal.models.scored_attempt import ScoredAttempt
from portal.models.submission import Submission
from portal.models.visibility import SubmissionState, is_public

__all__ = [
    "ATTEMPTS",
    "BLOCK_SIZE",
    "FILE_NAME_CAP",
    "KEY_CAP",
    "NOTE_CAP",
    "PUBLIC_HUB",
    "REVIEWERS",
    "SCORE_COLUMNS",
    "SETTINGS_DIGEST",
    "TASK_CHOICES",
    "WITHOUT_EFFECT",
    "Action",
    "AnswerCheck",
    "ApiToken",
    "AuditEntry",
    "AuditHead",
    "BestDisclosedScore",
    "BoardVersion",
    "Context",
    "CountedUpload",
    "EndpointRun",
    "Evaluation",
    "EvaluationState",
    "Example",
    "ExampleResult",
    "FormerEntry",
    "FormerModel",
    "Heartbeat",
    "HeartbeatKind",
    "HubFetch",
    "HubJobState",
    "HubKind",
    "KeptRegion",
    "LabelAction",
    "LabelReport",
    "LabelVerdict",
    "LanguageModel",
    "ModelFact",
    "Note",
    "Notice",
    "NoticeKind",
    "NoticeState",
    "Original",
    "OwnerTurn",
    "QuestionState",
    "RecordAction",
    "Release",
    "ReleaseAdmission",
    "ReleaseFile",
    "ReleaseLadder",
    "RenameRequest",
    "ReportedEntry",
    "ReportedScore",
    "RequestKey",
    "ResultBlock",
    "Role",
    "RunAction",
    "RunEnding",
    "RunFailure",
    "RunQuestion",
    "RunSlice",
    "RunState",
    "Scope",
    "ScoreVector",
    "ScoredAttempt",
    "Separation",
    "Stage",
    "Submission",
    "SubmissionFile",
    "SubmissionState",
    "Tally",
    "TaskDataSet",
    "TaskScore",
    "User",
    "at_places",
    "hub_site",
    "is_public",
    "matches_words",
    "repository_url",
    "spelled_alike",
    "validate_file_tasks",
    "with_method",
]
