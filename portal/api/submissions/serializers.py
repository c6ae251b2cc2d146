"""What the API says about a submission. The documentation lists these fields with their help
texts."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.api.submissions.questions import QuestionSerializer
from portal.audit.history import Step, history_of, reasons_of_states
from portal.hub.failures import sentence_of
from portal.models import (
    Action,
    Evaluation,
    EvaluationState,
    HubFetch,
    HubJobState,
    HubKind,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.access import may_see_verdicts
from portal.permissions.actions import allowed_actions
from portal.scores.documents.findings import Finding, findings_of, message_and_fix
from portal.submissions.pages.progress import Progress, Reason, progress_of
from portal.submissions.pages.questions import question_of

ENDS = {  # the last part of the address of each action of authors
    Action.ANSWER: "answer",
    Action.TRY_AGAIN: "try-again",
    Action.SCORE_AGAIN: "score-again",
    Action.EDIT_SETTINGS: "edit",
    Action.REQUEST_PUBLICATION: "request",
    Action.RESCHEDULE: "schedule",
    Action.CANCEL_REQUEST: "cancel-request",
    Action.REPLY: "reply",
    Action.WITHDRAW: "withdraw",
    Action.DELETE: "delete",
}


class ReasonSerializer(serializers.Serializer[Reason]):
    """Why something waits."""

    code = serializers.CharField(help_text="In a word.")
    text = serializers.CharField(help_text="As a sentence.")


class WaitSerializer(serializers.Serializer[Progress]):
    """What happens while it is not scored yet."""

    sentence = serializers.CharField(help_text="As on its page.")
    reasons = ReasonSerializer(many=True, help_text="Why it waits, if it does.")
    ahead = serializers.IntegerField(
        allow_null=True, help_text="While it is queued: evaluations that will be scored before it."
    )
    seconds = serializers.IntegerField(
        allow_null=True,
        help_text="While it is queued: roughly, until it is scored, as long as the latest files of "
        "this size took with the workers that are at work now; null: nothing is known.",
    )


class FindingSerializer(serializers.Serializer[Finding]):
    """Something that was found in the files: the same as on the page, with the same code."""

    code = serializers.CharField(help_text="What was found, in a word.")
    severity = serializers.ChoiceField(
        choices=["error", "warning", "note"], help_text="Of an error something was not scored."
    )
    task = serializers.CharField(allow_null=True, help_text="The task; null: of no single one.")
    file = serializers.CharField(allow_null=True, help_text="The file, as it was sent.")
    line = serializers.IntegerField(allow_null=True, help_text="Its line, from 1.")
    message = serializers.CharField(help_text="What was found.")
    fix = serializers.CharField(help_text="What to do about it.")
    params = serializers.DictField(help_text="The values in the sentences.")


def worded(finding: Finding) -> Finding:
    """With the words of the page: the scorer's own give advice for the command line."""
    message, fix = message_and_fix(finding)
    return {**finding, "message": message, "fix": fix}


class EvaluationSerializer(serializers.Serializer[Evaluation]):
    """One scoring of a submission."""

    id = serializers.IntegerField(source="pk", help_text="Its number.")
    state = serializers.ChoiceField(
        choices=EvaluationState.values,
        help_text="“needs answer”: it waits for an answer to its question. “scored” and “failed” "
        "are ends.",
    )
    failure = serializers.SerializerMethodField(help_text="Why it failed, as a code; or null.")
    waits = serializers.SerializerMethodField(
        help_text="While it is queued or running: a sentence, and the reasons why it waits."
    )
    question = serializers.SerializerMethodField(
        help_text="What has to be answered before it can be scored; or null."
    )
    problems = serializers.SerializerMethodField(
        help_text="What was found in the files: the same as on the page, with the same codes."
    )
    created = serializers.DateTimeField(help_text="When it was queued.")
    finished = serializers.DateTimeField(
        allow_null=True, help_text="When it was scored or failed; or null."
    )

    def get_failure(self, evaluation: Evaluation) -> str | None:
        return evaluation.failure or None

    @extend_schema_field(WaitSerializer(allow_null=True))
    def get_waits(self, evaluation: Evaluation) -> dict[str, Any] | None:
        progress = progress_of(evaluation)
        if progress is None:
            return None
        return dict(WaitSerializer(progress).data)

    @extend_schema_field(QuestionSerializer(allow_null=True))
    def get_question(self, evaluation: Evaluation) -> dict[str, Any] | None:
        question = question_of(evaluation, with_agreement=self.context["verdicts"])
        return dict(QuestionSerializer(question, context=self.context).data) if question else None

    @extend_schema_field(FindingSerializer(many=True))
    def get_problems(self, evaluation: Evaluation) -> list[dict[str, Any]]:
        found = findings_of(evaluation, with_agreement=self.context["verdicts"])
        return [worded(one) for one in found]


class SubmissionSerializer(serializers.Serializer[Submission]):
    """As its owner sees it, or a reviewer."""

    id = serializers.UUIDField(source="pk", help_text="Its id, for the other addresses.")
    url = serializers.SerializerMethodField(help_text="Its page.")
    state = serializers.ChoiceField(
        choices=SubmissionState.values,
        help_text="“in review”: publication was requested. “question”: a reviewer waits for your "
        "reply. “scheduled”: approved, and public on `publish_on`.",
    )
    release = serializers.CharField(source="release.slug", help_text="The data.")
    language_model = serializers.CharField(
        source="language_model.slug", help_text="The name of the model in addresses."
    )
    method = serializers.CharField(help_text="What is built around the model; empty: nothing.")
    prompt_strategy = serializers.CharField(help_text="In a few words.")
    truncation = serializers.ChoiceField(
        choices=Submission.Truncation.values, help_text="How texts that are too long were cut."
    )
    input_limit = serializers.IntegerField(allow_null=True, help_text="Tokens; null: not stated.")
    output_limit = serializers.IntegerField(allow_null=True, help_text="Tokens; null: not stated.")
    drop_first = serializers.BooleanField(
        help_text="Whether the first number of Math.Calc answers is dropped."
    )
    link = serializers.CharField(help_text="Paper, code or model card.")
    note = serializers.CharField(help_text="What is special about it.")
    publish_on = serializers.DateTimeField(
        allow_null=True, help_text="When it was asked to become public; null: once it is approved."
    )
    show_account = serializers.BooleanField(
        help_text="Whether the entry shows the name of the account."
    )
    created = serializers.DateTimeField(help_text="When it was submitted.")

    def get_url(self, submission: Submission) -> str:
        return f"{settings.SITE_URL}{reverse('submission', args=[submission.pk])}"


class FetchSerializer(serializers.Serializer[HubFetch]):
    """Where the files come from, and how far they are. The token is in no answer."""

    state = serializers.ChoiceField(
        choices=HubJobState.values,
        help_text="“waiting” for a worker, or for another attempt. “done”: the files have arrived. "
        "“failed” and “cancelled”: there will be no submission.",
    )
    kind = serializers.ChoiceField(choices=HubKind.values, help_text="Of repository.")
    repository = serializers.CharField(help_text="OWNER/NAME.")
    revision = serializers.CharField(help_text="As it was given.")
    commit = serializers.SerializerMethodField(
        help_text="That the revision was when it was fetched; null: not asked yet."
    )
    path = serializers.CharField(help_text="A file or a folder; empty: the whole repository.")
    url = serializers.CharField(help_text="Of the files on the Hub.")
    files = serializers.IntegerField(
        allow_null=True, help_text="How many are fetched; null: not known yet."
    )
    left_out = serializers.IntegerField(
        allow_null=True, help_text="How many files of the folder are not named for a task."
    )
    size = serializers.IntegerField(allow_null=True, help_text="Of all files, in bytes.")
    received = serializers.IntegerField(help_text="Bytes that have arrived.")
    attempts = serializers.IntegerField(help_text="How often it was begun; at most five times.")
    code = serializers.SerializerMethodField(
        help_text="Why it failed, or waits for another attempt; or null."
    )
    detail = serializers.SerializerMethodField(help_text="As a sentence; or null.")
    due = serializers.DateTimeField(help_text="When the next attempt begins, if it waits.")

    def get_commit(self, fetch: HubFetch) -> str | None:
        return fetch.commit or None

    def get_code(self, fetch: HubFetch) -> str | None:
        return fetch.reason or None

    def get_detail(self, fetch: HubFetch) -> str | None:
        return sentence_of(fetch.reason, fetch.reason_details) if fetch.reason else None


class SubmissionToComeSerializer(SubmissionSerializer):
    """As it will be once its files have arrived. ``fetches`` of the context are by id."""

    fetch = serializers.SerializerMethodField(help_text="Where its files come from.")

    @extend_schema_field(FetchSerializer)
    def get_fetch(self, submission: Submission) -> dict[str, Any]:
        return dict(FetchSerializer(self.context["fetches"][submission.pk]).data)


class SubmissionsToComeSerializer(serializers.Serializer[Any]):
    """All at once: there are never many."""

    submissions = SubmissionToComeSerializer(many=True, help_text="The newest first.")


class StepOfHistorySerializer(serializers.Serializer[Step]):
    """What was done to it."""

    at = serializers.DateTimeField(help_text="When.")
    who = serializers.CharField(help_text="By whom.")
    sentence = serializers.SerializerMethodField(help_text="What.")
    reason = serializers.CharField(
        help_text="The reason, the question or the reply that was given; or empty."
    )

    def get_sentence(self, step: Step) -> str:
        return f"{step.who} {step.did}"


class SubmissionDetailSerializer(SubmissionSerializer):
    """With its newest scoring, and what may be done with it."""

    reason = serializers.SerializerMethodField(
        help_text="What a reviewer asks, in the state “question”; why it is rejected, hidden or "
        "withdrawn. Otherwise empty."
    )
    history = serializers.SerializerMethodField(help_text="As on its page, the oldest first.")
    fetch = serializers.SerializerMethodField(
        help_text="Where on the Hub its files come from; null: they were sent. Until they have "
        "arrived there is no evaluation."
    )
    evaluation = serializers.SerializerMethodField(help_text="The newest scoring of it.")
    actions = serializers.SerializerMethodField(
        help_text="What you may do with it now: each is the end of an address, except for "
        "`delete`, which is the method."
    )

    def get_reason(self, submission: Submission) -> str:
        return reasons_of_states([submission]).get(submission.pk, "")

    @extend_schema_field(StepOfHistorySerializer(many=True))
    def get_history(self, submission: Submission) -> Any:  # noqa: ANN401 - as in the framework
        has_come = not submission._state.adding
        steps: Any = history_of(submission, self.context["user"]) if has_come else []
        return StepOfHistorySerializer(steps, many=True).data

    @extend_schema_field(FetchSerializer(allow_null=True))
    def get_fetch(self, submission: Submission) -> dict[str, Any] | None:
        fetch = HubFetch.objects.filter(pk=submission.pk).first()
        return dict(FetchSerializer(fetch).data) if fetch else None

    @extend_schema_field(EvaluationSerializer(allow_null=True))
    def get_evaluation(self, submission: Submission) -> dict[str, Any] | None:
        newest = submission.evaluations.first()
        if newest is None:
            return None
        verdicts = may_see_verdicts(self.context["user"], submission)
        context = {"verdicts": verdicts, "submission": submission}
        return dict(EvaluationSerializer(newest, context=context).data)

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField([*ENDS.values()])))
    def get_actions(self, submission: Submission) -> list[str]:
        user: User = self.context["user"]
        if submission._state.adding:  # its files have not arrived
            return []
        return sorted(ENDS[one] for one in allowed_actions(user, submission) if one in ENDS)


class SubmissionPageSerializer(serializers.Serializer[Any]):
    """Some of the submissions, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of older ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of newer ones, or null.")
    submissions = SubmissionSerializer(many=True, help_text="The newest first.")
