"""What clients send of an endpoint run: its settings, as in a settings file, and what goes with
them."""

from typing import Any

from rest_framework import serializers

from portal.api.submissions.sent import sent_model_fields
from portal.endpoint_runs.configuration.base_forms import LONGEST_KEY
from portal.endpoint_runs.configuration.forms import STRATEGY_TITLES
from scoring.catalog import TASKS


class PricesSerializer(serializers.Serializer[Any]):
    """For a million tokens, in any currency."""

    input = serializers.FloatField(required=False, help_text="Of a prompt. Default: 0.")
    cached_input = serializers.FloatField(
        required=False,
        allow_null=True,
        help_text="Of what is cached; null: as input.",
    )
    output = serializers.FloatField(required=False, help_text="Of an answer. Default: 0.")


class CapsSerializer(serializers.Serializer[Any]):
    """Where a run ends, whatever is left. Null, or left out: no cap."""

    requests = serializers.IntegerField(required=False, allow_null=True, help_text="Requests.")
    tokens = serializers.IntegerField(
        required=False, allow_null=True, help_text="Tokens of input and output together."
    )
    money = serializers.FloatField(
        required=False, allow_null=True, help_text="In the currency of the prices."
    )
    seconds = serializers.IntegerField(required=False, allow_null=True, help_text="Seconds.")


class RunSettingsChangeSerializer(serializers.Serializer[Any]):
    """Settings of a run, all of which have defaults."""

    url = serializers.CharField(
        required=False, help_text="As for OpenAI's clients: `https://…/v1`."
    )
    model = serializers.CharField(required=False, help_text="Its name at the endpoint.")
    api = serializers.ChoiceField(
        choices=["chat", "completions"],
        required=False,
        help_text="`completions` is for base models. Default: `chat`.",
    )
    window = serializers.IntegerField(
        required=False, help_text="Tokens of prompt and answer together. Default: 128000."
    )
    claimed_window = serializers.IntegerField(
        required=False, allow_null=True, help_text="For the record: what the model claims."
    )
    output_tokens = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="By task, what an answer may have. Default: 256; En.Sum 1200, Math.Calc 30000; "
        "at most half of the window.",
    )
    output_field = serializers.ChoiceField(
        choices=["max_tokens", "max_completion_tokens"],
        required=False,
        help_text="What the endpoint calls this limit. Default: `max_tokens`.",
    )
    reasoning_tokens = serializers.IntegerField(
        required=False, help_text="That a model may use besides its answer. Default: 0."
    )
    temperature = serializers.FloatField(
        required=False, allow_null=True, help_text="Null: it is not sent. Default: 0."
    )
    seed = serializers.IntegerField(
        required=False, allow_null=True, help_text="Null: it is not sent."
    )
    stream = serializers.BooleanField(
        required=False, help_text="Needed for the time to the first token. Default: true."
    )
    provider = serializers.CharField(
        required=False, allow_blank=True, help_text="For the record: who serves the model."
    )
    quantization = serializers.CharField(
        required=False, allow_blank=True, help_text="For the record: fp8, for example."
    )
    concurrency = serializers.IntegerField(
        required=False, help_text="Requests at once. Default: 8."
    )
    requests_per_minute = serializers.IntegerField(
        required=False, allow_null=True, help_text="At most; null: as many as there are."
    )
    timeout = serializers.IntegerField(
        required=False, help_text="Seconds for a whole answer. Default: 600."
    )
    attempts = serializers.IntegerField(
        required=False, help_text="Of one question, at most. Default: 6."
    )
    tokenizer = serializers.CharField(
        required=False,
        help_text="For counting and cutting: `cl100k_base` (the default) or `o200k_base`.",
    )
    truncation = serializers.ChoiceField(
        choices=["middle", "skip"],
        required=False,
        help_text="Of prompts that do not fit: both ends are kept, as in the paper, or they are "
        "not asked. Default: `middle`.",
    )
    strategy = serializers.ChoiceField(
        choices=[one.value for one in STRATEGY_TITLES],
        required=False,
        help_text="How questions are put. Default: `direct`.",
    )
    templates = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="One's own, by task: texts with `{context}` and `{question}`, each once, and "
        "`{options}` for En.MC and Code.Debug.",
    )
    tasks = serializers.ListField(
        child=serializers.ChoiceField(choices=list(TASKS)),
        required=False,
        help_text="What is asked. Default: all tasks.",
    )
    subset = serializers.JSONField(
        required=False,
        help_text="Of the questions: `all` (the default), `smoke` (a fixed handful), or a number: "
        "a sample of so many.",
    )
    limit = serializers.IntegerField(
        required=False, allow_null=True, help_text="Questions of the subset; null: all."
    )
    order = serializers.IntegerField(
        required=False, help_text="The seed of the order and of the sample. Default: 1."
    )
    prices = PricesSerializer(required=False, help_text="For the estimate and the cap of money.")
    caps = CapsSerializer(required=False, help_text="Where the run ends.")


class RunSettingsSerializer(RunSettingsChangeSerializer):
    """The settings of a run. What is left out has its default."""

    url = serializers.CharField(help_text="As for OpenAI's clients: `https://…/v1`.")
    model = serializers.CharField(help_text="Its name at the endpoint.")


class SentRunChangeSerializer(serializers.Serializer[Any]):
    """What is not sent stays as it is."""

    settings = RunSettingsChangeSerializer(
        required=False, help_text="Those to be changed, by their names; of a draft only."
    )
    release = serializers.CharField(
        required=False, help_text="The name of the release in addresses."
    )
    language_model = serializers.CharField(
        required=False,
        help_text="The name of a model in addresses; or `new`, and then `model-name` and what "
        "else is known of it.",
    )
    method = serializers.CharField(
        max_length=80,
        required=False,
        allow_blank=True,
        help_text="What you built around the model, if anything: InfLLM, MInference, RAG.",
    )
    note = serializers.CharField(
        max_length=300, required=False, allow_blank=True, help_text="What is special about it."
    )
    same_questions_as = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="The id of an earlier run on the same release, with the same tasks and subset, "
        "whose questions are asked again, in the same order. Null: they are drawn when it starts.",
    )
    key = serializers.CharField(
        max_length=LONGEST_KEY,
        required=False,
        allow_blank=True,
        help_text="Of the endpoint. It is kept encrypted for this run and this host, deleted when "
        "the run ends, and in no answer. Empty: the stored one stays.",
    )
    forget_key = serializers.BooleanField(
        required=False, help_text="Whether the stored key is deleted."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), **sent_model_fields()}


class SentRunSerializer(SentRunChangeSerializer):
    """A run to be configured."""

    settings = RunSettingsSerializer(
        help_text="The document of the file of settings, `settings.yaml` of a run."
    )
    release = serializers.CharField(
        required=False,
        help_text="The name of the release in addresses. Needed if more than one can be asked.",
    )
    language_model = serializers.CharField(
        help_text="The name of a model in addresses; or `new`, and then `model-name` and what "
        "else is known of it."
    )


class SentResumeSerializer(serializers.Serializer[Any]):
    """What may change while a run is paused."""

    key = serializers.CharField(
        max_length=LONGEST_KEY,
        required=False,
        allow_blank=True,
        help_text="Another key. Needed where the stored one was deleted.",
    )
    concurrency = serializers.IntegerField(
        required=False, min_value=1, help_text="Requests at once."
    )
