"""A person's data export: everything about them, nothing about others, and no secret."""

import json

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps

from portal.accounts.tokens import create_token
from portal.models import Release, Scope, User
from portal.personal_data.export import export_account
from tests.support.clients import PASSWORD, sign_in, with_password
from tests.support.factories import endpoint_run, make_submission

pytestmark = pytest.mark.django_db

EXPORT = "/profile/export/"
# Relations to an account that have no table of their own in the export, and why.
ELSEWHERE = {
    "submissions": "with their files",
    "claimed_submissions": "of others: a reviewer's marker while they look",
    "request_keys": "ids of what a program has made, which is in the export",
    "audit_entries": "log",
    "label_reports": "label_reports",
    "decided_label_reports": "label_reports",
    "counted_uploads": "uploads_counted",
    "release_admissions": "admitted_to",
    "best_disclosed_scores": "best_scores_seen",
    "api_tokens": "tokens",
    "hub_fetches": "fetched_from_the_hub",
    "notices": "emails_to_you",
    "emailaddress": "email_addresses",
    "socialaccount": "other_sites",
    "authenticator": "second_factors",
    "usersession": "sessions",
    "logentry": "what Django's admin writes besides the log",
    "User_groups+": "not used",
    "User_user_permissions+": "not used",
    "groups": "not used",
}


def test_every_table_about_accounts_is_thought_of(alice: User) -> None:
    known = set(ELSEWHERE) | set(export_account(alice))
    user = apps.get_model("portal", "User")
    related = {relation.name for relation in user._meta.related_objects}
    assert related <= known


def test_it_is_a_download_that_asks_for_the_password(alice: User) -> None:
    client = sign_in(with_password(alice))
    assert client.get(EXPORT).headers["Location"].startswith("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    answer = client.get(EXPORT)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.json()["account"]["username"] == "alice"


def test_what_they_did_is_in_it_and_nothing_of_others(
    alice: User, bob: User, release: Release
) -> None:
    own, other = (make_submission(user, release, b"{}") for user in (alice, bob))
    run = endpoint_run(alice, release)
    text = json.dumps(export_account(alice), default=str)
    assert all(str(one) in text for one in (own.pk, run.pk))
    assert not any(str(one) in text for one in (other.pk, "bob"))


def test_no_secret_is_in_it(alice: User) -> None:
    token = create_token(alice, "script", [Scope.READ], 30)
    Authenticator.objects.create(user=alice, type="totp", data={"secret": "canary"})
    alice.set_password(PASSWORD)
    alice.save()
    text = json.dumps(export_account(alice), default=str)
    secrets = (token.text, token.token.digest, "canary", alice.password)
    assert not any(secret in text for secret in secrets)
