"""Signing in with another site, which is a real server on this machine."""

from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.test import Client
from pytest_django import Settings

from portal.models import Notice, User
from tests.support.clients import PASSWORD, Answer, sign_in, with_password
from tests.support.html import notices, page
from tests.support.identity_server import CLIENT, SECRET, IdentityServer, running

pytestmark = pytest.mark.django_db

GITHUB, HUGGINGFACE = "/accounts/github/login/", "/accounts/oidc/huggingface/login/"
BOTH = pytest.mark.parametrize("door", [GITHUB, HUGGINGFACE])
SIGN_UP = "/accounts/providers/signup/"


@pytest.fixture
def other(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[IdentityServer]:
    """A single server plays both providers."""
    with running(IdentityServer()) as site:
        app = {"client_id": CLIENT, "secret": SECRET}
        openid = {
            "provider_id": "huggingface",
            "name": "Hugging Face",
            "settings": {"server_url": site.url},
        }
        settings.SOCIALACCOUNT_PROVIDERS = {
            "github": {"APPS": [app], "OAUTH_PKCE_ENABLED": True},
            "openid_connect": {"APPS": [{**app, **openid}], "OAUTH_PKCE_ENABLED": True},
        }
        for name, path in {
            "access_token_url": "/token",
            "authorize_url": "/authorize",
            "profile_url": "/user",
            "emails_url": "/user/emails",
        }.items():
            monkeypatch.setattr(GitHubOAuth2Adapter, name, site.url + path)
        yield site


def visit(place: str) -> str:
    """Visit as a browser. Returns where the other site redirects it."""
    parts = urlsplit(place)
    connection = HTTPConnection(parts.netloc)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    connection.close()
    assert answer.status == 302
    return str(answer.headers["Location"])


def come_from(client: Client, door: str, process: str = "login") -> Answer:
    """The response to the visitor whom the other site has sent back."""
    there = client.post(f"{door}?process={process}").headers["Location"]
    back = urlsplit(visit(there))
    return client.get(f"{back.path}?{back.query}")


def place(answer: Answer) -> str:
    return answer.headers.get("Location", "")


def is_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


@BOTH
def test_a_new_person_chooses_a_name_and_is_in(other: IdentityServer, door: str) -> None:
    client = Client()
    assert place(come_from(client, door)) == SIGN_UP
    form = client.get(SIGN_UP).context["form"]
    assert form.initial == {"email": "octo@example.org", "username": "octo"}
    assert place(client.post(SIGN_UP, {"username": "octo"})) == "/submissions/"
    assert is_in(client)
    user = User.objects.get(username="octo")
    address = EmailAddress.objects.get(user=user)
    assert (address.email, address.verified) == ("octo@example.org", True)
    assert not user.has_usable_password()


@BOTH
def test_they_come_again(other: IdentityServer, door: str) -> None:
    client = Client()
    come_from(client, door)
    client.post(SIGN_UP, {"username": "octo"})
    other.person.email = "changed@example.org"
    again = Client()
    assert place(come_from(again, door)) == "/submissions/"
    assert is_in(again)
    assert User.objects.count() == 1


def test_names_follow_our_rules(other: IdentityServer, alice: User) -> None:
    other.person.name = "-admin@"
    client = Client()
    come_from(client, GITHUB)
    assert client.get(SIGN_UP).context["form"].initial["username"] == ""
    for name in ("admin", "alice", "Alice", "a b", "former-member-3", "ab"):
        client.post(SIGN_UP, {"username": name})
    assert not SocialAccount.objects.exists()


def test_the_address_cannot_be_another_one(other: IdentityServer) -> None:
    client = Client()
    come_from(client, GITHUB)
    client.post(SIGN_UP, {"username": "octo", "email": "victim@example.org"})
    assert User.objects.get().email == "octo@example.org"


@BOTH
def test_an_address_confirmed_on_both_sides_opens_the_account(
    other: IdentityServer, alice: User, door: str
) -> None:
    with_password(alice)
    other.person.email = alice.email.upper()
    client = Client()
    assert place(come_from(client, door)) == "/submissions/"
    assert SocialAccount.objects.get().user == alice
    assert Notice.objects.filter(address=alice.email).exists()  # she is told of it


@BOTH
@pytest.mark.parametrize("verified", [False, None, "true", "false", 1])
def test_an_address_that_is_not_confirmed_there_opens_nothing(
    other: IdentityServer, alice: User, door: str, verified: object
) -> None:
    with_password(alice)
    other.person.email, other.person.verified = alice.email, verified
    client = Client()
    assert place(come_from(client, door)) == "/accounts/login/"
    assert notices(client.get("/accounts/login/")) == ["unconfirmed"]
    assert not is_in(client)
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1


def test_an_account_prepared_with_the_address_of_another_is_not_theirs(
    other: IdentityServer,
) -> None:
    """An attacker signs up with her address and a password, and waits for her to come."""
    form = {"username": "thief", "email": "octo@example.org", "password1": PASSWORD}
    Client().post("/accounts/signup/", form)
    thief = User.objects.get(username="thief")
    client = Client()
    assert place(come_from(client, GITHUB)) == SIGN_UP
    client.post(SIGN_UP, {"username": "octo"})
    assert SocialAccount.objects.get().user.username == "octo"
    assert not EmailAddress.objects.filter(user=thief).exists()
    thief.refresh_from_db()
    assert thief.email == ""


def test_a_stranger_begins_no_account_with_an_address_that_is_not_theirs(
    other: IdentityServer,
) -> None:
    """They could still sign in after its owner has reset the password."""
    other.person.verified = False
    client = Client()
    come_from(client, GITHUB)
    assert client.get(SIGN_UP).status_code == 302
    assert not User.objects.exists()


def test_a_closed_account_stays_closed(other: IdentityServer, alice: User) -> None:
    with_password(alice)
    User.objects.update(is_active=False)
    other.person.email = alice.email
    client = Client()
    come_from(client, GITHUB)
    client.post(SIGN_UP, {"username": "octo"})
    assert not is_in(client)
    assert not SocialAccount.objects.filter(user=alice).exists()


def test_the_second_factor_is_asked_for_all_the_same(other: IdentityServer, alice: User) -> None:
    with_password(alice)
    Authenticator.objects.create(user=alice, type="totp", data={"secret": "x"})
    other.person.email = alice.email
    client = Client()
    assert place(come_from(client, GITHUB)) == "/accounts/2fa/authenticate/"
    assert not is_in(client)


def test_who_is_signed_in_connects_and_disconnects(other: IdentityServer, alice: User) -> None:
    client = sign_in(with_password(alice))
    assert place(come_from(client, HUGGINGFACE, "connect")) == "/accounts/reauthenticate/"
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    account = SocialAccount.objects.get()
    assert (account.user, account.provider) == (alice, "huggingface")
    assert EmailAddress.objects.get().email == alice.email
    client.post("/accounts/providers/", {"account": account.pk})
    assert not SocialAccount.objects.exists()


def test_what_is_connected_to_one_account_is_not_connected_to_another(
    other: IdentityServer, alice: User
) -> None:
    first = Client()
    come_from(first, GITHUB)
    first.post(SIGN_UP, {"username": "octo"})
    second = sign_in(with_password(alice))
    second.post("/accounts/reauthenticate/", {"password": PASSWORD})
    come_from(second, GITHUB, "connect")
    assert SocialAccount.objects.get().user.username == "octo"


def test_nothing_but_whose_account_it_is_there_is_kept(other: IdentityServer) -> None:
    other.person.claims = {"company": "canary", "blog": "canary"}
    for _ in range(2):
        client = Client()
        come_from(client, GITHUB)
        client.post(SIGN_UP, {"username": "octo"})
        assert SocialAccount.objects.get().extra_data == {"name": "octo"}
    assert not SocialToken.objects.exists()


@BOTH
def test_who_refuses_there_is_told_so(other: IdentityServer, door: str) -> None:
    other.refuses = True
    client = Client()
    answer = come_from(client, door)
    assert place(answer).endswith("/cancelled/")
    shown = page(client.get(place(answer)))
    assert shown.select("[data-code=cancelled]")


def test_an_answer_that_was_not_asked_for_is_refused(other: IdentityServer) -> None:
    """Otherwise a page could sign a visitor in to somebody else's account."""
    thief, victim = Client(), Client()
    there = thief.post(f"{GITHUB}?process=login").headers["Location"]
    back = urlsplit(visit(there))
    answer = victim.get(f"{back.path}?{back.query}")
    assert answer.status_code == 401
    assert not is_in(victim)
    assert "/token" not in other.asked


def test_a_visit_alone_begins_nothing(other: IdentityServer) -> None:
    answer = Client().get(GITHUB)
    assert answer.status_code == 200
    assert other.asked == []


def test_the_buttons_are_there_only_where_they_are_configured(
    other: IdentityServer, settings: Settings
) -> None:
    for path in ("/accounts/login/", "/accounts/signup/"):
        shown = page(Client().get(path)).select("[data-provider]")
        assert [one["data-provider"] for one in shown] == ["github", "huggingface"]
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": []}, "openid_connect": {"APPS": []}}
    assert not page(Client().get("/accounts/login/")).select("[data-provider]")
    assert Client().post(GITHUB).status_code == Client().post(HUGGINGFACE).status_code == 404
