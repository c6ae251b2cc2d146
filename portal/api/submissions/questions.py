"""What the API asks before files can be scored."""

from typing import Any, Literal

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.submissions.pages.questions import (
    AlignmentQuestion,
    Question,
    ReleaseQuestion,
    TaskAlignment,
    VersionQuestion,
)


class QuestionAnswerSerializer(serializers.Serializer[dict[str, str]]):
    """One of these."""

    align = serializers.ChoiceField(
        choices=["id", "order"],
        required=False,
        help_text="Which row answers which example: by its id, or by its place in the file.",
    )
    version = serializers.CharField(
        required=False, help_text="The label version that the files were made with."
    )
    release = serializers.CharField(
        required=False, help_text="The release that the files were made for."
    )


class AskedTaskSerializer(serializers.Serializer[TaskAlignment]):
    """How the rows of a task fit its examples."""

    task = serializers.CharField(help_text="The task.")
    files = serializers.ListField(
        child=serializers.CharField(), help_text="With its rows, as they were sent."
    )
    rows = serializers.IntegerField(help_text="Number of rows.")
    examples = serializers.IntegerField(help_text="Number of examples of the release.")
    has_ids = serializers.BooleanField(help_text="Whether the rows have ids.")
    unknown = serializers.IntegerField(help_text="Rows whose ids match no example.")
    unknown_ids = serializers.ListField(
        child=serializers.CharField(), help_text="The first three of these ids, as texts."
    )
    labels = serializers.IntegerField(
        source="labelled",
        allow_null=True,
        help_text="Rows with a label; null: labels are not compared.",
    )
    labels_matching_id = serializers.IntegerField(
        source="by_id",
        allow_null=True,
        help_text="Labels equal to those of the examples, matched by id; or null.",
    )
    labels_matching_order = serializers.IntegerField(
        source="by_order", allow_null=True, help_text="The same, matched by order; or null."
    )


def _asked_of(task: TaskAlignment) -> str:
    files = ", ".join(task.files)
    if not task.has_ids:
        return (
            f"The rows of {files} have no ids ({task.rows} for {task.examples} of the release). "
            "Match them by their order in the file?"
        )
    if task.unknown >= task.rows:
        found = f"The ids in {files} match no example."
    elif task.unknown:
        such = ", ".join(task.unknown_ids)
        found = f"{task.unknown} of {task.rows} ids in {files} match no example" + (
            f", such as {such}." if such else "."
        )
    else:
        found = f"The ids and the order of the rows in {files} lead to different examples."
    return f"{found} Match rows by id, or by their order in the file?"


class QuestionSerializer(serializers.Serializer[Question]):
    """What has to be answered before the files can be scored."""

    kind = serializers.SerializerMethodField(
        help_text="What is asked: which row answers which example (alignment), or for which data "
        "the files were made (release, version)."
    )
    sentence = serializers.SerializerMethodField(help_text="The question as a sentence.")
    tasks = serializers.SerializerMethodField(
        help_text="Of an alignment: each task that is asked about."
    )
    answers = serializers.SerializerMethodField(
        help_text="The answers to choose from, each as it is sent to “answer”."
    )
    advice = serializers.SerializerMethodField(
        help_text="The answer that fits the files best; null where none does."
    )

    def get_kind(self, question: Question) -> Literal["alignment", "release", "version"]:
        match question:
            case AlignmentQuestion():
                return "alignment"
            case ReleaseQuestion():
                return "release"
            case VersionQuestion():
                return "version"

    def get_sentence(self, question: Question) -> str:
        match question:
            case AlignmentQuestion():
                return " ".join(map(_asked_of, question.tasks))
            case ReleaseQuestion():
                names = " or ".join(one.release.slug for one in question.others)
                chosen = self.context["submission"].release.slug
                return f"The files fit {names} better than {chosen}. On which are they scored?"
            case VersionQuestion():
                titles = ", ".join(title for title, _differing in question.tasks)
                return f"The labels of {titles} differ between versions. Which had the files?"

    @extend_schema_field(AskedTaskSerializer(many=True))
    def get_tasks(self, question: Question) -> list[dict[str, Any]]:
        tasks: Any = question.tasks if isinstance(question, AlignmentQuestion) else []
        return list(AskedTaskSerializer(tasks, many=True).data)

    @extend_schema_field(QuestionAnswerSerializer(many=True))
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

    @extend_schema_field(QuestionAnswerSerializer(allow_null=True))
    def get_advice(self, question: Question) -> dict[str, str] | None:
        match question:
            case AlignmentQuestion() if question.advice:
                return {"align": question.advice}
            case ReleaseQuestion(others=[only]):
                return {"release": only.release.slug}
        return None
