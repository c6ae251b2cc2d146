"""What the API says of a submission. The documentation lists these fields with their help texts."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from portal.models import Evaluation, Submission, User
from portal.permissions import allowed_actions, may_see_verdicts
from portal.scores.findings import findings_of
from portal.submissions.progress import progress_of
from portal.submissions.questions import (
    AlignmentQuestion,
    Question,
    ReleaseQuestion,
    VersionQuestion,
    question_of,
)


class QuestionSerializer(serializers.Serializer[Question]):
    """What has to be answered before the files can be scored."""

    kind = serializers.SerializerMethodField(help_text="alignment, release or version.")
    answers = serializers.SerializerMethodField(
        help_text="The answers to choose from, each as it is sent to “answer”."
    )
    advice = serializers.SerializerMethodField(
        help_text="The answer that fits the files best; null where none does."
    )

    def get_kind(self, question: Question) -> str:
        match question:
            case AlignmentQuestion():
                return "alignment"
            case ReleaseQuestion():
                return "release"
            case VersionQuestion():
                return "version"

    def get_answers(self, question: Question) -> list[dict[str, str]]:
        match question:
            case AlignmentQuestion():
                methods = ("order",) if question.only_by_order else ("id", "order")
                return [{"align": method} for method in methods]
            case ReleaseQuestion():
                chosen: str = self.context["submission"].release.slug
                slugs = (chosen, *(one.release.slug for one in question.others))
                return [{"release": slug} for slug in slugs]
            case VersionQuestion():
                return [{"version": release.slug} for release, _title in question.versions]

    def get_advice(self, question: Question) -> dict[str, str] | None:
        match question:
            case AlignmentQuestion() if question.advice:
                return {"align": question.advice}
            case ReleaseQuestion(others=[only]):
                return {"release": only.release.slug}
        return None


class EvaluationSerializer(serializers.Serializer[Evaluation]):
    id = serializers.IntegerField(source="pk", help_text="Its number.")
    state = serializers.CharField(help_text="queued, running, needs answer, scored or failed.")
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
    finished = serializers.DateTimeField(help_text="When it was scored or failed; or null.")

    def get_failure(self, evaluation: Evaluation) -> str | None:
        return evaluation.failure or None

    def get_waits(self, evaluation: Evaluation) -> dict[str, Any] | None:
        progress = progress_of(evaluation)
        if progress is None:
            return None
        reasons = [reason._asdict() for reason in progress.reasons]
        return {"sentence": progress.sentence, "reasons": reasons}

    def get_question(self, evaluation: Evaluation) -> dict[str, Any] | None:
        question = question_of(evaluation, with_agreement=self.context["verdicts"])
        return dict(QuestionSerializer(question, context=self.context).data) if question else None

    def get_problems(self, evaluation: Evaluation) -> list[dict[str, Any]]:
        return findings_of(evaluation, with_agreement=self.context["verdicts"])


class SubmissionSerializer(serializers.Serializer[Submission]):
    """As its owner sees it, or a reviewer."""

    id = serializers.UUIDField(source="pk", help_text="Its id, for the other addresses.")
    url = serializers.SerializerMethodField(help_text="Its page.")
    state = serializers.CharField(
        help_text="private, in review, question, published, hidden, rejected or withdrawn."
    )
    release = serializers.CharField(source="release.slug", help_text="The data.")
    language_model = serializers.CharField(
        source="language_model.slug", help_text="The name of the model in addresses."
    )
    method = serializers.CharField(help_text="What is built around the model; empty: nothing.")
    prompt_strategy = serializers.CharField(help_text="In a few words.")
    truncation = serializers.CharField(help_text="How texts that are too long were cut.")
    input_limit = serializers.IntegerField(help_text="Tokens; null: not stated.")
    output_limit = serializers.IntegerField(help_text="Tokens; null: not stated.")
    drop_first = serializers.BooleanField(
        help_text="Whether the first number of Math.Calc answers is dropped."
    )
    link = serializers.CharField(help_text="Paper, code or model card.")
    note = serializers.CharField(help_text="What is special about it.")
    created = serializers.DateTimeField(help_text="When it was submitted.")

    def get_url(self, submission: Submission) -> str:
        return f"{settings.SITE_URL}{reverse('submission', args=[submission.pk])}"


class SubmissionDetailSerializer(SubmissionSerializer):
    evaluation = serializers.SerializerMethodField(help_text="The newest scoring of it.")
    actions = serializers.SerializerMethodField(help_text="What you may do with it now.")

    def get_evaluation(self, submission: Submission) -> dict[str, Any] | None:
        newest = submission.evaluations.first()
        if newest is None:
            return None
        verdicts = may_see_verdicts(self.context["user"], submission)
        context = {"verdicts": verdicts, "submission": submission}
        return dict(EvaluationSerializer(newest, context=context).data)

    def get_actions(self, submission: Submission) -> list[str]:
        user: User = self.context["user"]
        return sorted(allowed_actions(user, submission))
