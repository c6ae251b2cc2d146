"""Language models: what is known about them, and their entries."""

from collections.abc import Mapping
from typing import Any, Literal

from django.db.models import Count
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.answers import CURSOR, LIMIT, PageSerializer, answer, page_of, rows_of, sent
from leaderboard.api.entry import EntrySummarySerializer
from leaderboard.api.errors import Gone
from leaderboard.pages.models import public_model
from leaderboard.pages.tombstones import model_tombstones
from portal.models import FormerModel, LanguageModel, is_public, matches_words
from portal.web.problems import problems
from portal.web.public_api import PublicView

_TAGS = ["Language models"]
_LONGEST_SEARCH = 100  # characters


class ModelSerializer(serializers.Serializer[LanguageModel]):
    """What is ranked."""

    id = serializers.CharField(source="slug", help_text="Its ID, as in its URL.")
    name = serializers.CharField(help_text="Its name.")
    organisation = serializers.SerializerMethodField(help_text="Its maker, or null.")
    weights = serializers.SerializerMethodField(
        help_text="Whether its weights can be downloaded; null: not stated."
    )
    parameters = serializers.SerializerMethodField(
        help_text="Number of parameters as stated, such as “8B”, or null."
    )
    licence = serializers.SerializerMethodField(help_text="Its licence, or null.")
    context_window = serializers.IntegerField(
        allow_null=True, help_text="Claimed, in tokens, or null."
    )
    released = serializers.SerializerMethodField(
        help_text="A day, a month or a year, such as “2024-07”, or null."
    )
    link = serializers.SerializerMethodField(help_text="Where more is said of it, or null.")
    page = serializers.SerializerMethodField(help_text="Path of its page.")

    def get_organisation(self, model: LanguageModel) -> str | None:
        return model.organisation or None

    def get_weights(self, model: LanguageModel) -> Literal["open", "closed"] | None:
        weights: Any = model.weights
        return weights or None

    def get_parameters(self, model: LanguageModel) -> str | None:
        return model.parameters or None

    def get_licence(self, model: LanguageModel) -> str | None:
        return model.licence or None

    def get_released(self, model: LanguageModel) -> str | None:
        return model.released or None

    def get_link(self, model: LanguageModel) -> str | None:
        return model.link or None

    def get_page(self, model: LanguageModel) -> str:
        return reverse("language-model", args=[model.slug])


class ListedModelSerializer(ModelSerializer):
    """A language model in a list."""

    entries = serializers.IntegerField(help_text="Number of its entries.")


class ModelDetailSerializer(ModelSerializer):
    """A language model with its entries."""

    sources = serializers.DictField(
        child=serializers.URLField(), help_text="By field: where its value can be read."
    )
    former = serializers.ListField(
        child=serializers.CharField(), help_text="Names that it had in addresses before."
    )
    entries = EntrySummarySerializer(many=True, help_text="The newest first, then reported ones.")


class ModelPageSerializer(PageSerializer):
    """A page of the language models."""

    models = ListedModelSerializer(many=True, help_text="By name.")


class ModelsView(PublicView):
    @extend_schema(
        operation_id="list_models",
        summary="Language models",
        description="All that have an entry, by name.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter(
                "search",
                {"type": "string", "maxLength": _LONGEST_SEARCH},
                description="Words that occur in its name, its maker or a former name, however "
                "they are spelled: `qwen 3` finds Qwen-3.",
            ),
            CURSOR,
            LIMIT,
        ],
        responses={200: ModelPageSerializer, **problems({400: ["bad_cursor", "bad_limit"]})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = sent(request, "search", "cursor", "limit")
        query["search"] = " ".join(query["search"].split())[:_LONGEST_SEARCH]
        address = request.build_absolute_uri(request.path)
        return answer(request, f"{address}?{query}", lambda: models_document(query, address))


def models_document(query: Mapping[str, str], address: str) -> dict[str, Any]:
    """Takes two queries. Raises ``ParseError``."""
    former: dict[int, list[str]] = {}
    for pk, slug, name in FormerModel.objects.values_list("language_model", "slug", "name"):
        former.setdefault(pk, []).extend((slug, name))
    found = [
        model
        for model in _public_models()
        if matches_words(
            query["search"], (model.name, model.organisation, *former.get(model.pk, ()))
        )
    ]
    page = page_of(found, lambda model: str(model.slug), query, address)
    return {**page.about, "models": rows_of(ListedModelSerializer, page.rows)}


def _public_models() -> list[Any]:
    published = is_public("submissions__")
    counted = LanguageModel.objects.annotate(
        entries=Count("submissions", filter=published, distinct=True)
        + Count("reported_entries", distinct=True)
    )
    return list(counted.filter(entries__gt=0).order_by("name", "slug"))


class ModelView(PublicView):
    @extend_schema(
        operation_id="get_model",
        summary="One language model",
        description="What is known of it, and all of its entries. A former name leads to it too.",
        tags=_TAGS,
        responses={
            200: ModelDetailSerializer,
            **problems({404: ["unknown_model"], 410: ["entry_gone"]}),
        },
    )
    def get(self, request: Request, model: str) -> HttpResponseBase:
        return answer(request, f"model/{model}", lambda: model_document(model))


def model_document(slug: str) -> dict[str, Any]:
    """Raises ``NotFound`` and ``Gone``."""
    former = FormerModel.objects.select_related("language_model").filter(slug=slug).first()
    found = public_model(former.language_model.slug if former else slug)
    if found is None:
        gone = LanguageModel.objects.filter(slug=slug).first()
        if gone and model_tombstones(gone):
            raise Gone("The entries of this model were withdrawn or hidden.")
        raise NotFound("There is no public model of this name.", "unknown_model")
    model, entries = found
    details = [one.details for one in entries]
    names = FormerModel.objects.filter(language_model=model).order_by("slug")
    return {
        **ModelSerializer(model).data,
        "sources": model.sources(),
        "former": list(names.values_list("slug", flat=True)),
        "entries": rows_of(EntrySummarySerializer, details),
    }
