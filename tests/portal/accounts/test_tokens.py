"""Tokens for programs: how they are created, shown once, looked up and revoked."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from portal.accounts.tokens import (
    LIFETIMES,
    MOST_TOKENS,
    PREFIX,
    create_token,
    find_token,
    tokens_of,
)
from portal.errors import NotAllowedError, StateError
from portal.models import ApiToken, Scope, User
from tests.support.clients import PASSWORD, Answer, sign_in, signed_in, with_password

pytestmark = pytest.mark.django_db

FORM = {"name": "cluster", "scopes": ["read", "submit"], "days": "90"}


def shown_token(answer: Answer) -> str:
    new = BeautifulSoup(answer.content, "html.parser").select_one("[data-new-token] pre")
    return new.get_text() if new else ""


def confirmed(user: User) -> Client:
    """Signed in, and the password confirmed."""
    client = sign_in(with_password(user))
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def test_a_token_is_shown_once_and_only_its_hash_is_kept(alice: User) -> None:
    browser = confirmed(alice)
    text = shown_token(browser.post(reverse("tokens"), FORM))
    assert text.startswith(PREFIX)
    token = ApiToken.objects.get()
    assert find_token(text) == token
    assert (token.owner, token.scopes) == (alice, ["read", "submit"])
    assert text not in str(list(ApiToken.objects.values()))
    page = browser.get(reverse("tokens"))
    assert text not in page.content.decode()
    assert token.beginning in page.content.decode()
    assert page.headers["Cache-Control"] == "private, no-store"


def test_a_form_that_is_sent_again_makes_no_second_token(alice: User) -> None:
    browser = confirmed(alice)
    browser.post(reverse("tokens"), FORM)
    again = browser.post(reverse("tokens"), FORM)
    assert again.status_code == 422
    assert b'data-error="name_in_use"' in again.content
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    "changed",
    [{"name": ""}, {"scopes": []}, {"scopes": ["admin"]}, {"days": "7"}],
    ids=str,
)
def test_what_no_token_may_be(alice: User, changed: dict[str, object]) -> None:
    browser = confirmed(alice)
    assert browser.post(reverse("tokens"), FORM | changed).status_code == 422
    assert not ApiToken.objects.exists()


def test_a_revoked_token_is_none_and_others_cannot_revoke_it(alice: User, bob: User) -> None:
    new = create_token(alice, "cluster", [Scope.READ], LIFETIMES[0])
    address = reverse("token-revoke", args=[new.token.pk])
    assert signed_in(bob).post(address).status_code == 404
    assert find_token(new.text)
    assert signed_in(alice).post(address).status_code == 302
    assert find_token(new.text) is None
    assert create_token(alice, "cluster", [Scope.READ], LIFETIMES[0])  # its name is free


def test_only_reviewers_have_tokens_that_review(alice: User, rita: User) -> None:
    for user, offered in ((alice, "read submit run"), (rita, "read submit run review")):
        browser = confirmed(user)
        page = BeautifulSoup(browser.get(reverse("tokens")).content, "html.parser")
        boxes = page.select("main input[name=scopes]")
        assert " ".join(str(box["value"]) for box in boxes) == offered
        answer = browser.post(reverse("tokens"), FORM | {"scopes": ["review"]})
        assert answer.status_code == (200 if user == rita else 422)
    with pytest.raises(NotAllowedError):
        create_token(alice, "reviews", [Scope.REVIEW], LIFETIMES[0])


def test_a_session_that_was_left_open_is_asked_for_the_password_first(alice: User) -> None:
    browser = sign_in(with_password(alice))
    page = BeautifulSoup(browser.get(reverse("tokens")).content, "html.parser")
    assert page.select("main a[href^='/accounts/reauthenticate/']")
    assert not page.select("main input[name=scopes]")
    answer = browser.post(reverse("tokens"), FORM)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("why", ["expired", "inactive", "other", "new password"])
def test_a_token_that_is_not_in_force_is_none(alice: User, why: str) -> None:
    new = create_token(alice, "cluster", [Scope.READ], LIFETIMES[0])
    if why == "expired":
        ApiToken.objects.update(expires=now() - timedelta(seconds=1))
        assert create_token(alice, "cluster", [Scope.READ], LIFETIMES[0])  # its name is free
    elif why == "inactive":
        User.objects.filter(pk=alice.pk).update(is_active=False)
    elif why == "new password":
        alice.set_password("quite another one")
        alice.save()
        assert tokens_of(alice) == []
    text = new.text if why != "other" else f"{new.text[:-1]}{'A' if new.text[-1] != 'A' else 'B'}"
    assert find_token(text) is None


def test_nobody_has_more_tokens_than_anybody_needs(alice: User) -> None:
    for number in range(MOST_TOKENS):
        create_token(alice, f"token {number}", [Scope.READ], LIFETIMES[0])
    with pytest.raises(StateError) as refused:
        create_token(alice, "one more", [Scope.READ], LIFETIMES[0])
    assert refused.value.code == "too_many_tokens"


def test_that_a_token_is_used_is_noted_once_a_minute(alice: User) -> None:
    new = create_token(alice, "cluster", [Scope.READ], LIFETIMES[0])
    find_token(new.text)
    first = ApiToken.objects.get().used
    assert first is not None
    find_token(new.text)
    assert ApiToken.objects.get().used == first
    ApiToken.objects.update(used=first - timedelta(minutes=2))
    find_token(new.text)
    noted = ApiToken.objects.get().used
    assert noted is not None
    assert noted >= first
