"""Single examples with their predictions, and windows of their contexts.

Every client is treated as anonymous: hidden releases show neither labels nor predictions.
"""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request

from leaderboard.api.answers import rendered
from leaderboard.examples.context.places import LONGEST_QUERY
from leaderboard.examples.context.views import (
    MOST_HITS,
    MOST_TOKENS,
    find_context,
    search_document,
    window_document,
)
from leaderboard.examples.documents import MOST_ANSWERS, example_document
from leaderboard.examples.example_filter import SORTS, STATES
from leaderboard.examples.json_answers import QueryError
from leaderboard.examples.listing.rows import PAGE_ROWS
from leaderboard.examples.listing.views import list_document
from leaderboard.examples.queries import QuestionSet, find_example, find_question_set
from portal.web.problems import problems
from portal.web.public_api import PublicView, conditional
from portal.web.throttle import count_expensive
from scoring.metrics import METRIC_SETS

_TAGS = ["Examples"]
_STRANGER = AnonymousUser()
_PLACE = {"type": "integer", "minimum": 0}
_PERCENT = {"type": "number", "minimum": 0, "maximum": 100}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_ENTRIES = "Ids of entries or titles of models, with commas between them."
_TOKENS = "In tokens, such as 131072 or 128K (K is 1,000)."


def _one_of(names: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [*names]}


_FILTERS = [
    OpenApiParameter(
        "words",
        description="Words, and phrases in quotation marks: all in one text, the question with its "
        "gold answer or one prediction.",
    ),
    OpenApiParameter("entry", description=f"Whose answers other filters are about. {_ENTRIES}"),
    OpenApiParameter("solved", description=f"All of them score 50 % or more. {_ENTRIES}"),
    OpenApiParameter("failed", description=f"All of them score less. {_ENTRIES}"),
    OpenApiParameter("higher", description="Two entries: the first has the higher score."),
    OpenApiParameter("equal", description="Two entries with the same score."),
    OpenApiParameter("set", _one_of(METRIC_SETS), description="The metric set that scores."),
    OpenApiParameter("score_from", _PERCENT, description="Score of an answer, in percent."),
    OpenApiParameter("score_to", _PERCENT, description="Likewise."),
    OpenApiParameter("tokens_from", description=f"Length of the input. {_TOKENS}"),
    OpenApiParameter("tokens_to", description=_TOKENS),
    OpenApiParameter("depth_from", _SHARE, description="Position of the evidence."),
    OpenApiParameter("depth_to", _SHARE, description="Not included, unless it is 1."),
    OpenApiParameter("hops", _PLACE, description="Steps to the answer."),
    OpenApiParameter("kind", many=True, description="Kind of question; any of several."),
    OpenApiParameter(
        "is",
        {
            "type": "array",
            "items": _one_of(name for name, one in STATES.items() if not one.for_reviewers),
        },
        description="What an answer, or a question, is; all of several.",
    ),
    OpenApiParameter("sort", _one_of(SORTS), description="The order."),
]


class ListedExampleSerializer(serializers.Serializer[Any]):
    """An example in a list. Unknown and secret values are null."""

    key = serializers.CharField(help_text="Its key in the release. It may hold slashes.")
    tokens = serializers.IntegerField(
        allow_null=True, help_text="Length of context and question, in tokens."
    )
    depth = serializers.FloatField(
        allow_null=True, help_text="Where the evidence lies: 0 is the start, 1 the end."
    )
    kind = serializers.CharField(
        allow_null=True, help_text="The kind of question, in tasks that have several."
    )
    difficulty = serializers.FloatField(
        allow_null=True,
        help_text="One minus the mean score of the published entries, from 0 to 1.",
    )
    url = serializers.URLField(help_text="Its address here.")


class ExamplePageSerializer(serializers.Serializer[Any]):
    """A page of the examples of a task."""

    count = serializers.IntegerField(help_text="Number of all examples that the filter finds.")
    count_is_exact = serializers.BooleanField(
        help_text="False where common words are searched: then `count` is that of this page."
    )
    next = serializers.URLField(
        allow_null=True,
        help_text="Address of the next page, or null. A page may be empty although there is one.",
    )
    examples = ListedExampleSerializer(many=True, help_text="In the order of the filter.")


class ExampleContextSerializer(serializers.Serializer[Any]):
    """The long text that the question is about."""

    tokens = serializers.IntegerField(help_text="Its length.")
    estimated = serializers.BooleanField(help_text="Whether that was estimated, not counted.")
    characters = serializers.IntegerField(help_text="Its length in characters.")
    sha256 = serializers.CharField(help_text="Its hash, hexadecimal.")
    url = serializers.URLField(help_text="Address of its windows.")


class TextWindowSerializer(serializers.Serializer[Any]):
    """Part of a context."""

    to = serializers.IntegerField(help_text="The token that it ends before.")
    text = serializers.CharField(trim_whitespace=False, help_text="Whole characters.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        start = serializers.IntegerField(help_text="The token that it starts with.")
        return {"from": start, **super().get_fields()}


class PredictionSerializer(serializers.Serializer[Any]):
    """The prediction of one entry."""

    entry = serializers.CharField(help_text="Id of the entry.")
    model = serializers.CharField(help_text="Its title.")
    prediction = serializers.CharField(
        allow_null=True, help_text="The answer as it was sent; null: it is missing."
    )
    scores = serializers.DictField(
        child=serializers.FloatField(), help_text="By metric set: percent."
    )
    extracted = serializers.DictField(
        child=serializers.CharField(allow_null=True),
        help_text="By metric set: what was read from the answer.",
    )
    reason = serializers.DictField(
        child=serializers.CharField(), help_text="By metric set: why it has that score."
    )
    label = serializers.ListField(  # type: ignore[assignment]  # a field all the same
        child=serializers.CharField(),
        required=False,
        help_text="Of an entry that was scored with other labels: that label.",
    )


class ExampleSerializer(serializers.Serializer[Any]):
    """One example, and the predictions of the entries."""

    key = serializers.CharField(help_text="Its key in the release.")
    release = serializers.CharField(help_text="The release.")
    task = serializers.CharField(help_text="The task.")
    number = serializers.IntegerField(help_text="Its place in the data, from 1.")
    question = serializers.CharField(help_text="The question; empty: only labels are known.")
    options = serializers.ListField(
        child=serializers.CharField(), help_text="The answers to choose from, or empty."
    )
    gold = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The gold answers, of which each is right; null: they are secret.",
    )
    facets = serializers.DictField(help_text="What is known of it: tokens, depth, hops, kind, …")
    context = ExampleContextSerializer(  # type: ignore[assignment]  # likewise
        allow_null=True, help_text="The text it is about; null: it is not stored."
    )
    window = TextWindowSerializer(
        required=False, help_text="The part of the context that was asked for."
    )
    count = serializers.IntegerField(help_text="Number of all answers.")
    next = serializers.URLField(allow_null=True, help_text="Address of further answers, or null.")
    predictions = PredictionSerializer(
        many=True, help_text="Those of the best entries first; none of hidden releases."
    )


class HitSerializer(serializers.Serializer[Any]):
    """One occurrence of a string."""

    number = serializers.IntegerField(help_text="Among all of the text, from 1.")
    token = serializers.IntegerField(help_text="The token where it begins.")
    characters = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        help_text="From which character of the text to before which.",
    )
    before = serializers.CharField(trim_whitespace=False, help_text="The text before it.")
    match = serializers.CharField(trim_whitespace=False, help_text="As it stands there.")
    after = serializers.CharField(trim_whitespace=False, help_text="The text after it.")


class HitsSerializer(serializers.Serializer[Any]):
    """The occurrences of a string."""

    total = serializers.IntegerField(help_text="In all of the text.")
    next = serializers.IntegerField(
        allow_null=True, help_text="The `from` of those that follow, or null."
    )
    hits = HitSerializer(many=True, help_text="In the order of the text.")


class WindowSerializer(TextWindowSerializer):
    """Part of a context. Adjacent windows neither lose nor repeat a character."""

    total = serializers.IntegerField(help_text="Tokens of the whole text.")
    estimated = serializers.BooleanField(
        help_text="Whether tokens were estimated: then all have the same length."
    )
    characters = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        help_text="From which character of the text to before which.",
    )
    line = serializers.IntegerField(help_text="The line in which it begins, from 1.")
    begins_line = serializers.BooleanField(help_text="Whether it begins with that line.")
    hits = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="With `q`: the characters where that string occurs in it.",
    )


def _checked(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Turns the errors of the pages' functions into ``ParseError`` and ``NotFound``."""
    try:
        return make()
    except QueryError as error:
        raise ParseError(str(error), error.code) from error
    except Http404 as error:
        raise NotFound("There is no such example.", "not_found") from error


def _as_stranger(request: Request) -> HttpRequest:
    """An anonymous request, as the pages' functions take it."""
    within: HttpRequest = request._request
    within.user = _STRANGER
    return within


def _questions(release: str, task: str) -> QuestionSet:
    return find_question_set(_STRANGER, release, task)


class ExamplesView(PublicView):
    @extend_schema(
        operation_id="list_examples",
        summary="The examples of a task",
        description=f"{PAGE_ROWS} at a time. The filters are those of the form on the page "
        "`/examples/{release}/{task}/`: all of them must hold, those on answers for the same "
        "answer. Where labels are secret, filters that would disclose some are refused.",
        tags=_TAGS,
        parameters=[
            *_FILTERS,
            OpenApiParameter(
                "from", _PLACE, description="Where the page starts: from `next` of an answer."
            ),
        ],
        responses={
            200: ExamplePageSerializer,
            **problems(
                {400: ["concealed", "unknown_entry", "too_many_entries", "no_pair", "no_word"]}
            ),
        },
    )
    def get(self, request: Request, release: str, task: str) -> HttpResponseBase:
        plain = _as_stranger(request)
        document = _checked(lambda: list_document(plain, _questions(release, task)))
        for row in document["examples"]:
            path = reverse("api-example", args=[release, task, row["key"]])
            row["url"] = request.build_absolute_uri(path)
        return conditional(request, rendered(document))


class ExampleView(PublicView):
    @extend_schema(
        operation_id="get_example",
        summary="One example",
        description=f"Its question, gold answers and facets, and {MOST_ANSWERS} answers at a time. "
        "With `tokens` also part of its context.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter(
                "entry",
                {"type": "array", "items": {"type": "string"}, "maxItems": 4},
                description="Only the answers of these entries.",
            ),
            OpenApiParameter(
                "start", _PLACE, description="Which answer is the first: from `next` of an answer."
            ),
            OpenApiParameter(
                "from",
                _PLACE,
                description="Where the window starts, in tokens; only with `tokens`.",
            ),
            OpenApiParameter(
                "tokens",
                {"type": "integer", "minimum": 1, "maximum": MOST_TOKENS},
                description="How long the window is.",
            ),
        ],
        responses={
            200: ExampleSerializer,
            **problems({400: ["bad_start", "bad_from", "bad_tokens", "no_context"]}),
        },
    )
    def get(self, request: Request, release: str, task: str, key: str) -> HttpResponseBase:
        count_expensive(request)
        sent = _as_stranger(request).GET

        def make() -> dict[str, Any]:
            questions = _questions(release, task)
            return example_document(_STRANGER, questions, find_example(questions, key), sent)

        document = _checked(make)
        path = reverse("api-example", args=[release, task, key])
        address = request.build_absolute_uri(path)
        if document["context"]:
            document["context"]["url"] = f"{address}context/"
        if document["next"]:
            _, _, start = document["next"].rpartition("=")
            document["next"] = f"{address}?{urlencode({'start': start})}"
        return conditional(request, rendered(document))


class ContextView(PublicView):
    @extend_schema(
        operation_id="get_context_window",
        summary="A window of a context",
        description="Texts of up to two million tokens, a part at a time. They are public in "
        "every release, also where labels are secret.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter(
                "from", {**_PLACE, "default": 0}, description="The token that it starts with."
            ),
            OpenApiParameter(
                "line",
                {"type": "integer", "minimum": 1},
                description="Instead of `from`: the line that it starts with.",
            ),
            OpenApiParameter(
                "tokens",
                {"type": "integer", "minimum": 1, "maximum": MOST_TOKENS, "default": 2000},
                description="How long it is.",
            ),
            OpenApiParameter(
                "q",
                {"type": "string", "maxLength": LONGEST_QUERY},
                description="A string to find in it.",
            ),
        ],
        responses={
            200: WindowSerializer,
            **problems({400: ["bad_from", "bad_line", "bad_tokens", "bad_q"]}),
        },
    )
    def get(self, request: Request, release: str, task: str, key: str) -> HttpResponseBase:
        sent = _as_stranger(request).GET
        document = _checked(
            lambda: window_document(find_context(_STRANGER, release, task, key), sent)
        )
        return conditional(request, rendered(document))


class ContextSearchView(PublicView):
    @extend_schema(
        operation_id="search_context",
        summary="Search a context",
        description="All places where a string occurs, in the order of the text, in upper or "
        "lower case.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter(
                "q",
                {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY},
                required=True,
                description="The string.",
            ),
            OpenApiParameter(
                "from", {**_PLACE, "default": 0}, description="The token to search from."
            ),
            OpenApiParameter(
                "before", _PLACE, description="Instead of `from`: the last places before a token."
            ),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 20},
                description="How many places.",
            ),
        ],
        responses={
            200: HitsSerializer,
            **problems({400: ["bad_q", "bad_from", "bad_before", "bad_limit"]}),
        },
    )
    def get(self, request: Request, release: str, task: str, key: str) -> HttpResponseBase:
        plain = _as_stranger(request)
        document = _checked(
            lambda: search_document(plain, find_context(_STRANGER, release, task, key))
        )
        return conditional(request, rendered(document))
