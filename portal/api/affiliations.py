"""Addresses at the makers of language models. Only a link sent by mail confirms them, never a
client."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.accounts.affiliations import add_address, remove_address
from portal.accounts.forms import AffiliationForm
from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import valid
from portal.models import AffiliationAddress, Scope
from portal.models.affiliation import organisations_of
from portal.web.problems import problems

_TAGS = ["Affiliations"]


class AddressSerializer(serializers.Serializer[AffiliationAddress]):
    """An address of yours."""

    id = serializers.IntegerField(source="pk", help_text="Its number, to remove it.")
    email = serializers.EmailField(help_text="The address.")
    confirmed = serializers.DateTimeField(
        allow_null=True, help_text="When the link in the mail was followed; or null."
    )
    expires = serializers.DateTimeField(help_text="Until when that link works.")


class AffiliationsSerializer(serializers.Serializer[Any]):
    """Where you belong, and the addresses that show it."""

    organisations = serializers.ListField(
        child=serializers.CharField(), help_text="That you are known to belong to."
    )
    addresses = AddressSerializer(many=True, help_text="Yours, confirmed or not.")


class SentAddressSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(
        max_length=254, help_text="At the domain of an organisation that makes language models."
    )


class AffiliationsView(TokenView):
    """GET: your own. POST: another one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.TEAMS}

    @extend_schema(
        operation_id="list_affiliations",
        summary="Your affiliations",
        description="The organisations that you belong to, and your addresses there.",
        tags=_TAGS,
        responses=AffiliationsSerializer,
    )
    def get(self, request: Request) -> Response:
        user = owner_of(request)
        addresses: Any = user.affiliation_addresses.all()
        names = [name for name, _known in organisations_of(user)]
        found = AddressSerializer(addresses, many=True).data
        return Response({"organisations": names, "addresses": found})

    @extend_schema(
        operation_id="add_affiliation",
        summary="Add an address",
        description="A mail with a link goes there: open it signed in to your account.",
        tags=_TAGS,
        request=SentAddressSerializer,
        responses={
            202: AddressSerializer,
            **problems(
                {
                    400: ["no_object"],
                    409: ["not_ascii", "confirmed", "public_mail", "unknown_domain"],
                    422: ["invalid_fields"],
                    429: ["too_many_addresses", "too_many_mails"],
                }
            ),
        },
    )
    def post(self, request: Request) -> Response:
        form = valid(AffiliationForm(fields_of(request, SentAddressSerializer)))
        address = add_address(owner_of(request), form.cleaned_data["email"])
        return Response(AddressSerializer(address).data, HTTPStatus.ACCEPTED)


class AffiliationView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"DELETE": Scope.TEAMS}

    @extend_schema(
        operation_id="remove_affiliation",
        summary="Remove an address",
        description="It confirms nothing any more.",
        tags=_TAGS,
        responses={204: None},
    )
    def delete(self, request: Request, address_id: int) -> Response:
        if not remove_address(owner_of(request), address_id):
            raise Http404
        return Response(status=HTTPStatus.NO_CONTENT)
