"""What the API tells reviewers about a submission, and the fields of a decision."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.conf import settings as site
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.api.submissions.serializers import StepOfHistorySerializer, SubmissionSerializer
from portal.audit.history import history_of
from portal.models import Action, LanguageModel, Submission, SubmissionState, User
from portal.permissions.access import may_see_verdicts, owns, with_predictions_of
from portal.permissions.actions import PUBLICATION_ACTIONS, allowed_actions
from portal.review.answers.checks import NearCopy, TaskCopies
from portal.review.answers.shares import AnswerShares, Flag, answer_shares, flag_counts, flags_of
from portal.review.facts.summary import OtherEntry, ReviewSummary
from portal.review.facts.task_scores import TaskStanding, task_standings
from portal.review.facts.warnings import copy_warnings, critical_warnings, review_warnings
from portal.review.forms import REASON_CAP, REASON_MIN
from portal.scores.documents.table import Scores
from scoring.metrics import METRIC_SETS

ENDS = {  # the last part of the address of each action of reviewers and admins
    Action.CLAIM: "claim",
    Action.ASK_AUTHOR: "ask",
    Action.PUBLISH: "publish",
    Action.REJECT: "reject",
    Action.UNDO_DECISION: "undo",
    Action.HIDE: "hide",
    Action.RESTORE: "restore",
    Action.WITHDRAW: "withdraw",
}
_BY_SET = serializers.DictField(child=serializers.FloatField(allow_null=True))


def _by_set(scores: Scores) -> dict[str, float | None]:
    """Null for a score that is shown as a band, which has no single number."""
    found = scores or [None] * len(METRIC_SETS)
    return {
        name: None if score is None or score.width else score.percent
        for name, score in zip(METRIC_SETS, found, strict=True)
    }


class WarningSerializer(serializers.Serializer[Any]):
    """What differs from what is usual. It forbids nothing."""

    sentence = serializers.CharField(help_text="What it is.")
    is_critical = serializers.BooleanField(
        help_text="Whether the scores themselves may mean nothing, or are somebody else's."
    )


class FlagSerializer(WarningSerializer):
    """What stands out in the answers."""

    code = serializers.CharField(help_text="What it is, in a word.")


class ReviewedModelSerializer(serializers.Serializer[LanguageModel]):
    """As its author describes it."""

    id = serializers.CharField(source="slug", help_text="Its ID, as in its URL.")
    slug = serializers.CharField(help_text="The same.")
    name = serializers.CharField(help_text="Its name.")
    organisation = serializers.CharField(help_text="Who made it; empty: not stated.")
    weights = serializers.CharField(help_text="open, closed, or empty.")
    parameters = serializers.CharField(help_text="For example 8B; or empty.")
    context_window = serializers.IntegerField(
        allow_null=True, help_text="Claimed, in tokens; or null."
    )
    link = serializers.CharField(help_text="Its page; or empty.")


class ReviewSerializer(serializers.Serializer[ReviewSummary]):
    """A submission as a reviewer sees it."""

    id = serializers.UUIDField(source="submission.pk", help_text="Its id.")
    url = serializers.SerializerMethodField(help_text="Its page for reviewers.")
    state = serializers.ChoiceField(
        source="submission.state",
        choices=SubmissionState.values,
        help_text="As of any submission.",
    )
    release = serializers.CharField(source="submission.release.slug", help_text="The data.")
    language_model = ReviewedModelSerializer(
        source="submission.language_model", help_text="What was scored."
    )
    owner = serializers.SerializerMethodField(help_text="Who has submitted it; null: the site.")
    requested = serializers.DateTimeField(
        allow_null=True, help_text="When publication was requested last; or null."
    )
    claimed_by = serializers.SerializerMethodField(help_text="Who is reviewing it; or null.")
    overall = serializers.SerializerMethodField(
        help_text="By metric set: the mean over all tasks, in percent; null where one is missing "
        "or withheld."
    )
    answered = serializers.IntegerField(help_text="Examples that are answered.")
    missing = serializers.IntegerField(help_text="Examples of submitted tasks that are not.")
    warnings = serializers.SerializerMethodField(
        help_text="What is unusual about it, the most severe first: also whose predictions it "
        "repeats."
    )

    def get_url(self, summary: ReviewSummary) -> str:
        return f"{site.SITE_URL}{reverse('review-submission', args=[summary.submission.pk])}"

    def get_owner(self, summary: ReviewSummary) -> str | None:
        owner = summary.submission.owner
        return owner.username if owner else None

    def get_claimed_by(self, summary: ReviewSummary) -> str | None:
        claimed_by = summary.submission.claimed_by
        return claimed_by.username if claimed_by else None

    @extend_schema_field(_BY_SET)
    def get_overall(self, summary: ReviewSummary) -> dict[str, float | None]:
        return _by_set(summary.table.overall if summary.table else [])

    @extend_schema_field(WarningSerializer(many=True))
    def get_warnings(self, summary: ReviewSummary) -> list[dict[str, object]]:
        critical = critical_warnings(summary)
        return [
            *({"sentence": one, "is_critical": True} for one in copy_warnings(summary)),
            *(
                {"sentence": one, "is_critical": one in critical}
                for one in review_warnings(summary)
            ),
        ]


class ReviewPageSerializer(serializers.Serializer[Any]):
    """Some of the submissions, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of later ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of earlier ones, or null.")
    reviews = ReviewSerializer(many=True, help_text="In the order of their requests.")


class TaskFactsSerializer(serializers.Serializer[TaskStanding]):
    """A task that was submitted."""

    task = serializers.CharField(source="row.id", help_text="The task.")
    size = serializers.IntegerField(source="row.size", help_text="Examples of the release.")
    answered = serializers.IntegerField(source="row.answered", help_text="Of these answered.")
    unknown = serializers.IntegerField(
        source="row.unknown", help_text="Rows for which there is no example."
    )
    scores = serializers.SerializerMethodField(
        help_text="By metric set, in percent; null where withheld."
    )
    caveat = serializers.CharField(
        source="row.caveat", help_text="Why the score is unreliable; or empty."
    )
    guess = serializers.FloatField(
        allow_null=True, help_text="What guessing scores, in percent; or null."
    )
    rank = serializers.IntegerField(
        source="rank.rank",
        default=None,
        allow_null=True,
        help_text="That it has, or would have; or null.",
    )

    @extend_schema_field(_BY_SET)
    def get_scores(self, standing: TaskStanding) -> dict[str, float | None]:
        return _by_set(standing.row.scores)


class AnswerSharesSerializer(serializers.Serializer[AnswerShares]):
    """What the answers to a task have in common, as counts."""

    task = serializers.CharField(source="task.id", help_text="The task.")
    given = serializers.IntegerField(help_text="Rows with a prediction.")
    empty = serializers.IntegerField(help_text="Nothing but spaces.")
    alike = serializers.IntegerField(help_text="Those that give the most frequent answer …")
    most_frequent = serializers.CharField(help_text="… which is this, in short.")
    gold = serializers.IntegerField(
        allow_null=True, help_text="Those that are the gold answer word for word; or null."
    )
    other_gold = serializers.IntegerField(
        allow_null=True, help_text="Those that are that of another example; or null."
    )


class OtherSubmissionSerializer(serializers.Serializer[Submission]):
    """Another submission."""

    id = serializers.UUIDField(source="pk", help_text="Its id.")
    title = serializers.CharField(help_text="Its model and method.")
    state = serializers.ChoiceField(choices=SubmissionState.values, help_text="Its state.")


class OtherEntrySerializer(serializers.Serializer[OtherEntry]):
    """Another submission of a language model of this name."""

    submission = OtherSubmissionSerializer(help_text="Which one.")
    overall = serializers.SerializerMethodField(help_text="By metric set, in percent; or null.")
    rejected = serializers.CharField(help_text="The reason, if it was rejected last; or empty.")

    @extend_schema_field(_BY_SET)
    def get_overall(self, other: OtherEntry) -> dict[str, float | None]:
        return _by_set(other.overall)


class TaskCopiesSerializer(serializers.Serializer[TaskCopies]):
    """Of the questions of a task that both miss."""

    task = serializers.CharField(help_text="The task.")
    same = serializers.IntegerField(help_text="Answers that are nearly the same.")
    both = serializers.IntegerField(help_text="Of so many.")


class NearCopySerializer(serializers.Serializer[NearCopy]):
    """Another submission with nearly the same wrong answers."""

    submission = OtherSubmissionSerializer(help_text="Which one.")
    tasks = TaskCopiesSerializer(many=True, help_text="In which they are.")


class ReviewDetail(NamedTuple):
    """What a reviewer is shown of one submission."""

    summary: ReviewSummary
    reader: User
    seen: str  # computed before everything else, so that a change in between counts as unseen
    shares: Sequence[AnswerShares]
    flags: Sequence[Flag]


def review_detail(summary: ReviewSummary, reader: User, seen: str) -> ReviewDetail:
    verdicts = may_see_verdicts(reader, summary.submission)
    shares = answer_shares(summary.evaluation, verdicts=verdicts) if summary.evaluation else []
    flags = flags_of(flag_counts(shares), verdicts=verdicts)
    return ReviewDetail(summary, reader, seen, shares, flags)


class ReviewDetailSerializer(serializers.Serializer[ReviewDetail]):
    """Everything that a decision is made on."""

    id = serializers.UUIDField(source="summary.submission.pk", help_text="Its id.")
    state = serializers.ChoiceField(
        source="summary.submission.state",
        choices=SubmissionState.values,
        help_text="As of any submission.",
    )
    seen = serializers.CharField(
        help_text="Names what you see here. Send it back with the decision: it is refused where "
        "something has changed meanwhile."
    )
    summary = ReviewSerializer(help_text="As in the queue.")
    submission = SubmissionSerializer(
        source="summary.submission", help_text="Its settings, as its owner states them."
    )
    flags = FlagSerializer(many=True, help_text="What stands out in the answers.")
    tasks = serializers.SerializerMethodField(help_text="Those that were submitted.")
    shares = AnswerSharesSerializer(many=True, help_text="What the answers have in common.")
    problems = serializers.DictField(
        source="summary.problems",
        child=serializers.IntegerField(),
        help_text="How many were found in the files, by severity.",
    )
    same_predictions = OtherSubmissionSerializer(
        source="summary.same_predictions",
        many=True,
        help_text="With the very same predictions, the oldest first.",
    )
    copies = serializers.SerializerMethodField(
        help_text="With nearly the same wrong answers; null: not compared yet."
    )
    others = OtherEntrySerializer(
        source="summary.others", many=True, help_text="Of models of this name, the newest first."
    )
    rejections = serializers.IntegerField(
        source="summary.rejections", help_text="How often it was rejected before."
    )
    published_before = serializers.IntegerField(
        source="summary.attempts.published", help_text="Published submissions of its owner."
    )
    attempts = serializers.IntegerField(
        source="summary.attempts.same",
        help_text="Submissions of its owner of this model on this release, this one included.",
    )
    asked_by_site = serializers.SerializerMethodField(
        help_text="Whether this site has asked the model itself, in an endpoint run."
    )
    history = serializers.SerializerMethodField(help_text="The oldest first.")
    has_same_predictions = serializers.SerializerMethodField(
        help_text="Whether you have submitted the same predictions: then another one decides."
    )
    actions = serializers.SerializerMethodField(
        help_text="What you may do with it now, by the ends of addresses."
    )

    @extend_schema_field(TaskFactsSerializer(many=True))
    def get_tasks(self, detail: ReviewDetail) -> Any:  # noqa: ANN401 - as in the framework
        standings: Any = task_standings(detail.summary)
        return TaskFactsSerializer(standings, many=True).data

    @extend_schema_field(NearCopySerializer(many=True, allow_null=True))
    def get_copies(self, detail: ReviewDetail) -> Any:  # noqa: ANN401 - as in the framework
        if detail.summary.checked is None:
            return None
        copies: Any = detail.summary.checked.copies
        return NearCopySerializer(copies, many=True).data

    def get_asked_by_site(self, detail: ReviewDetail) -> bool:
        return hasattr(detail.summary.submission, "endpoint_run")

    @extend_schema_field(StepOfHistorySerializer(many=True))
    def get_history(self, detail: ReviewDetail) -> Any:  # noqa: ANN401 - as in the framework
        steps: Any = history_of(detail.summary.submission, detail.reader)
        return StepOfHistorySerializer(steps, many=True).data

    def get_has_same_predictions(self, detail: ReviewDetail) -> bool:
        return bool(with_predictions_of(detail.reader, [detail.summary.submission]))

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField([*ENDS.values()])))
    def get_actions(self, detail: ReviewDetail) -> list[str]:
        submission = detail.summary.submission
        if owns(detail.reader, submission):
            return []
        among = PUBLICATION_ACTIONS | {Action.CLAIM}
        found = allowed_actions(detail.reader, submission, among=among)
        return sorted(ENDS[action] for action in found if action in ENDS)


class SentDecisionSerializer(serializers.Serializer[Any]):
    """Why."""

    reason = serializers.CharField(
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        help_text="The author sees it on the page and by email. Everybody can read why an entry "
        "was hidden or withdrawn.",
    )


class SentSeenDecisionSerializer(SentDecisionSerializer):
    """Why, and on what."""

    reason = serializers.CharField(
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        help_text="The author sees it on the page and by email, and everybody on the entry "
        "and in the ledger.",
    )
    seen = serializers.CharField(help_text="As it came with what you have looked at.")
