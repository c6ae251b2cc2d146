"""Malformed replies in place of a browser's answer about a passkey are refused without an error."""

import json

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from portal.models import User
from tests.support.clients import PASSWORD, sign_in, with_password

pytestmark = pytest.mark.django_db

ADD, SIGN_IN = "/accounts/2fa/webauthn/add/", "/accounts/2fa/webauthn/login/"
CONFIRM = "/accounts/2fa/webauthn/reauthenticate/"
RESPONSE = {"clientDataJSON": "e30", "attestationObject": "oA", "userHandle": "MQ"}
WHOLE = {"id": "YQ", "rawId": "YQ", "type": "public-key", "response": RESPONSE}
SIGNED = {**RESPONSE, "authenticatorData": "AAAA", "signature": "AA"}
ANSWERS = [
    "", "x", "null", "0", '""', "[]", "{}", '{"id": 1}', "[" * 15_000, "9" * 15_000, "NaN",
    json.dumps({**WHOLE, "response": None}),
    json.dumps({**WHOLE, "response": []}),
    json.dumps({**WHOLE, "response": {}}),
    json.dumps(WHOLE),
    json.dumps({**WHOLE, "response": SIGNED}),
    json.dumps({**WHOLE, "id": "\ud800", "rawId": "é"}),
    json.dumps({**WHOLE, "response": {**SIGNED, "userHandle": "\u0000"}}),
    json.dumps({**WHOLE, "response": {**SIGNED, "userHandle": 7}}),
    json.dumps({**WHOLE, "response": {**SIGNED, "userHandle": "_____w"}}),
    json.dumps({**WHOLE, "response": {**SIGNED, "authenticatorData": "A" * 200}}),
    json.dumps({**WHOLE, "response": {**SIGNED, "clientDataJSON": "W10", "signature": {}}}),
    json.dumps({**WHOLE, "response": {**RESPONSE, "attestationObject": "ow" * 50}}),
    json.dumps(WHOLE) + " " * 30_000,
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_of_a_stranger(answer: str) -> None:
    client = Client()
    client.get(SIGN_IN, headers={"Accept": "application/json"})  # for a challenge
    assert client.post(SIGN_IN, {"credential": answer}).status_code == 302
    assert client.get("/profile/").status_code == 302


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_of_who_adds_one_and_confirms_by_one(alice: User, answer: str) -> None:
    client = sign_in(with_password(alice))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.get(ADD)
    refused = client.post(ADD, {"credential": answer, "name": "x", "passwordless": "on"})
    assert refused.context["form"].errors
    client.get(CONFIRM)
    assert client.post(CONFIRM, {"credential": answer}).status_code in (200, 302)
    assert not Authenticator.objects.exists()
