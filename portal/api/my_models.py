"""The language models that a person has described."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.forms.models import model_to_dict
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import valid
from portal.api.pages import CURSOR, Pages
from portal.api.submissions.sent import sent_model_fields
from portal.language_models.forms import LanguageModelForm
from portal.language_models.services import (
    delete_language_model,
    edit_language_model,
    is_identity_locked,
)
from portal.models import LanguageModel, Scope, User
from portal.web.problems import problems

_TAGS = ["Submissions"]


class OwnModelSerializer(serializers.Serializer[LanguageModel]):
    """A language model as its author has described it."""

    id = serializers.CharField(source="slug", help_text="Its ID, as in its URL.")
    name = serializers.CharField(help_text="Its name.")
    organisation = serializers.CharField(help_text="Its maker, or empty.")
    parameters = serializers.CharField(help_text="As stated, such as “8B”, or empty.")
    context_window = serializers.IntegerField(
        allow_null=True, help_text="Claimed, in tokens, or null."
    )
    licence = serializers.CharField(help_text="Its licence, or empty.")
    weights = serializers.ChoiceField(
        choices=LanguageModel.Weights.values, help_text="Open or closed; empty: not stated."
    )
    released = serializers.CharField(help_text="A day, a month or a year, or empty.")
    link = serializers.CharField(help_text="Where more is said of it, or empty.")
    submissions = serializers.IntegerField(source="used", help_text="Number of your submissions.")
    is_known = serializers.SerializerMethodField(
        help_text="Whether others know it, so that its name and maker stay."
    )

    def get_is_known(self, model: LanguageModel) -> bool:
        return is_identity_locked(model)


class OwnModelPageSerializer(serializers.Serializer[Any]):
    """Some of the models, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of those before, or null.")
    models = OwnModelSerializer(many=True, help_text="By name.")


class SentModelSerializer(serializers.Serializer[Any]):
    """What is to be changed of a language model."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return sent_model_fields()


class MyModelsView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ}

    @extend_schema(
        operation_id="list_my_models",
        summary="Your language models",
        description="Those that you have described, 50 at a time.",
        tags=_TAGS,
        parameters=[CURSOR],
        responses={200: OwnModelPageSerializer, **problems({400: ["bad_cursor"]})},
    )
    def get(self, request: Request) -> Response:
        pages = Pages("models", ordering=("name", "pk"))
        found: Any = pages.paginate_queryset(_own(owner_of(request)), request)
        return pages.get_paginated_response(OwnModelSerializer(found, many=True).data)


class MyModelView(TokenView):
    """POST: what is sent is changed. DELETE: while nothing uses it."""

    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.SUBMIT, "DELETE": Scope.SUBMIT}

    @extend_schema(
        operation_id="edit_my_model",
        summary="Change a language model",
        description="What is not sent stays. Name and maker stay once others know the model.",
        tags=_TAGS,
        request=SentModelSerializer,
        responses={
            200: OwnModelSerializer,
            **problems({400: ["no_object"], 409: ["known"], 422: ["invalid_fields"]}),
        },
    )
    def post(self, request: Request, model: str) -> Response:
        user = owner_of(request)
        known = get_object_or_404(_own(user), slug=model)
        stored = model_to_dict(known, fields=LanguageModelForm.Meta.fields)
        sent = fields_of(request, SentModelSerializer)
        fields = {f"model-{name}": value for name, value in stored.items()} | sent
        edit_language_model(
            valid(LanguageModelForm(fields, user=user, known=known)).instance, by=user
        )
        return Response(OwnModelSerializer(_own(user).get(slug=model)).data)

    @extend_schema(
        operation_id="delete_my_model",
        summary="Delete a language model",
        description="While it has no submissions and no endpoint runs.",
        tags=_TAGS,
        responses={204: None, **problems({409: ["in_use"]})},
    )
    def delete(self, request: Request, model: str) -> Response:
        user = owner_of(request)
        delete_language_model(get_object_or_404(_own(user), slug=model), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


def _own(user: User) -> QuerySet[LanguageModel]:
    return LanguageModel.objects.owned_by(user).with_uses()
