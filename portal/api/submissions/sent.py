"""What clients send of a submission. The documentation lists these fields with their help texts."""

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.models import HubKind, LanguageModel, Submission
from scoring.catalog import TASKS


@extend_schema_field(OpenApiTypes.BINARY)
class SentFile(serializers.FileField):
    """A part of a multipart body."""


class SentSettingsSerializer(serializers.Serializer[Any]):
    """How the predictions were made. Nothing of it changes a score."""

    method = serializers.CharField(
        max_length=80,
        required=False,
        help_text="What you built around the model, if anything: InfLLM, MInference, RAG.",
    )
    prompt_strategy = serializers.CharField(
        max_length=200,
        required=False,
        help_text="In a few words, for example: official templates, zero-shot.",
    )
    input_limit = serializers.CharField(
        required=False, help_text="Tokens, for example 131072, 128,000 or 128K."
    )
    output_limit = serializers.CharField(required=False, help_text="In tokens.")
    truncation = serializers.ChoiceField(
        choices=Submission.Truncation.values,
        required=False,
        help_text="How texts longer than the input limit were cut.",
    )
    link = serializers.CharField(
        max_length=200, required=False, help_text="Paper, code or model card."
    )
    note = serializers.CharField(
        max_length=300, required=False, help_text="What is special about this run."
    )


class SentModelSerializer(SentSettingsSerializer):
    """What the predictions are of."""

    first: ClassVar[tuple[str, ...]]  # in the order of the documentation

    release = serializers.CharField(
        required=False,
        help_text="The release's ID, as in its URL, such as `infinitebench`. Needed if more "
        "than one takes submissions.",
    )
    language_model = serializers.CharField(
        help_text="The ID of a model, as in its URL; or `new`, and then `model-name` and what "
        "else is known of it."
    )
    task = serializers.ChoiceField(
        choices=list(TASKS),
        required=False,
        help_text="Of a single file whose name does not tell its task.",
    )
    drop_first = serializers.BooleanField(
        required=False,
        help_text="Whether every Math.Calc answer starts with the first number of the expression. "
        "Scores depend on it.",
    )
    previous = serializers.UUIDField(
        required=False, help_text="Your submission that this is a new version of."
    )
    keep = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Tasks that are taken from the previous one, where no file answers them.",
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The fields in ``first`` come first."""
        fields = super().get_fields()
        needed = {name: fields.pop(name) for name in self.first}
        return {**needed, **sent_model_fields(), **fields}


class SentSubmissionSerializer(SentModelSerializer):
    """Prediction files, and what they are of."""

    first = ("release", "language_model", "predictions", "task", "drop_first")

    predictions = serializers.ListField(
        child=SentFile(),
        help_text="One file or more: `.jsonl`, `.json`, `.csv` or archives of these: "
        "see the page `/formats/`. The file name says which task it answers.",
    )


class SentSourceSerializer(SentModelSerializer):
    """Where prediction files are on the Hub, and what they are of."""

    first = (
        "release", "language_model", "repository", "kind", "revision", "path", "token", "task",
        "drop_first",
    )  # fmt: skip

    repository = serializers.CharField(
        max_length=1_500,
        help_text="`OWNER/NAME`, `OWNER/NAME@REVISION:PATH`, with `datasets/` or `spaces/` before "
        "it where it is no model; or an address of the Hub.",
    )
    kind = serializers.ChoiceField(
        choices=HubKind.values, required=False, help_text="Of the repository. Default: `model`."
    )
    revision = serializers.CharField(
        max_length=200,
        required=False,
        help_text="A branch, a tag or a commit; what is stored is the commit. Default: `main`.",
    )
    path = serializers.CharField(
        max_length=1_000,
        required=False,
        help_text="A file, or a folder, of which the files that are named for a task are fetched. "
        "Default: the whole repository.",
    )
    token = serializers.CharField(
        max_length=200,
        required=False,
        help_text="An access token of the Hub, for a private or gated repository. It is kept "
        "encrypted until the files have arrived, sent to the Hub alone, and then deleted.",
    )


def sent_model_fields() -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """Fields of a language model; their names have a hyphen, as on the page."""
    texts = {
        "name": "Name of the new model.",
        "organisation": "Of a model: who made it.",
        "parameters": "Of a model: for example 8B, 47B (13B active).",
        "context_window": "Of a model: what it claims, in tokens, for example 128K.",
        "licence": "Of a model: its licence.",
        "released": "Of a model: 2024-07-23, 2024-07 or 2024.",
        "link": "Of a model: its page.",
    }
    fields: dict[str, serializers.Field[Any, Any, Any, Any]] = {
        f"model-{name}": serializers.CharField(required=False, help_text=text)
        for name, text in texts.items()
    }
    fields["model-weights"] = serializers.ChoiceField(
        choices=[LanguageModel.Weights.OPEN, LanguageModel.Weights.CLOSED],
        required=False,
        help_text="Of a model: whether its weights can be downloaded.",
    )
    return fields


class SentScheduleSerializer(serializers.Serializer[Any]):
    """When it becomes public. A time without an offset is in UTC."""

    publish_on = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Within a year; null: once it is approved, or now if it is.",
    )


class SentRequestSerializer(SentSettingsSerializer):
    """Settings to correct, and how it is published: what is not sent stays as it is."""

    publish_on = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Not before this time, within a year; null: once it is approved. Without an "
        "offset it is in UTC.",
    )
    show_account = serializers.BooleanField(
        required=False, help_text="Whether the entry shows the name of the account."
    )

    unknown_confirmed = serializers.BooleanField(
        required=False, help_text="Whether what is still empty is not known."
    )
    by_maker = serializers.BooleanField(
        required=False,
        help_text="Whether the submission is by the maker of the model. Never sent: no.",
    )


class SentReplySerializer(serializers.Serializer[Any]):
    reply = serializers.CharField(max_length=2_000, help_text="To the reviewer's question.")


class SentReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=2_000, required=False, help_text="Reviewers can see it."
    )
