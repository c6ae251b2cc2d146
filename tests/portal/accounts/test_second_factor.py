"""Second factors: adding them, using them, and what requires one."""

import re
from collections.abc import Iterator
from unittest import mock

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from portal.accounts import second_factor
from portal.accounts.second_factor import remove_second_factors
from portal.models import AuditEntry, Notice, Release, User
from tests.support.clients import PASSWORD, Answer, sign_in, with_password
from tests.support.factories import make_submission

pytestmark = pytest.mark.django_db

INDEX, ACTIVATE = "/accounts/2fa/", "/accounts/2fa/totp/activate/"
PERIOD = 30
GUARDED = ("/review/", "/review/examples/", "/review/labels/", "/review/runs/", "/admin/login/")


class Clock:
    """The clock by which codes are made and checked: it stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_800_000_000

    def time(self) -> int:
        return self.now

    def code(self, secret: str) -> str:
        """The next code: each can be used once."""
        self.now += PERIOD
        return str(format_hotp_value(hotp_value(secret, self.now // PERIOD)))


@pytest.fixture
def clock() -> Iterator[Clock]:
    clock = Clock()
    with mock.patch("allauth.mfa.totp.internal.auth.time", clock):
        yield clock


@pytest.fixture(autouse=True)
def no_counts() -> None:
    cache.clear()  # of attempts


@pytest.fixture
def rita(rita: User) -> User:
    return with_password(rita)


@pytest.fixture
def needed(settings: Settings) -> None:
    settings.SECOND_FACTOR = True


def place(answer: Answer) -> str:
    """The target of its redirect."""
    return answer.headers.get("Location", "")


def confirm(client: Client) -> None:
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def add_app(client: Client, clock: Clock) -> str:
    """Add an app. Returns the secret that it shares with the site."""
    confirm(client)
    page = client.get(ACTIVATE)
    (secret,) = re.findall(r"data-totp-secret>(\w+)<", page.content.decode())
    answer = client.post(ACTIVATE, {"code": clock.code(secret)})
    assert place(answer) == "/accounts/2fa/recovery-codes/", answer.context["form"].errors
    return str(secret)


def test_an_app_is_added_only_after_the_password(rita: User, clock: Clock) -> None:
    client = sign_in(rita)
    assert place(client.get(ACTIVATE)).startswith("/accounts/reauthenticate/")
    add_app(client, clock)
    types = Authenticator.objects.filter(user=rita).values_list("type", flat=True)
    assert sorted(types) == ["recovery_codes", "totp"]


def test_the_page_has_the_key_as_a_picture_and_as_text(rita: User) -> None:
    client = sign_in(rita)
    confirm(client)
    page = client.get(ACTIVATE).content.decode()
    assert 'src="data:image/svg+xml;base64,' in page
    assert re.search(r"data-totp-secret>[A-Z2-7]{32}<", page)
    assert "<script>" not in page


def test_sign_in_asks_for_a_code_that_is_good_once(rita: User, clock: Clock) -> None:
    secret = add_app(sign_in(rita), clock)
    client = sign_in(rita)
    assert client.get("/profile/").status_code == 302
    code = clock.code(secret)
    wrong = str((int(code) + 1) % 1_000_000).zfill(6)
    assert client.post("/accounts/2fa/authenticate/", {"code": wrong}).status_code == 200
    assert place(client.post("/accounts/2fa/authenticate/", {"code": code})) == "/review/"
    assert client.get("/profile/").status_code == 200
    again = sign_in(rita)
    assert again.post("/accounts/2fa/authenticate/", {"code": code}).status_code == 200


def test_a_recovery_code_is_good_once(rita: User, clock: Clock) -> None:
    first = sign_in(rita)
    add_app(first, clock)
    codes = first.get("/accounts/2fa/recovery-codes/").context["unused_codes"]
    assert len(codes) == len(set(codes)) == 10
    for leads_to in ("/review/", ""):
        answer = sign_in(rita).post("/accounts/2fa/authenticate/", {"code": codes[0]})
        assert place(answer) == leads_to


def test_other_sessions_end_when_a_factor_is_added(rita: User, clock: Clock) -> None:
    """An attacker who knows the password may be waiting there for the rights that come with it."""
    thief, owner = sign_in(rita), sign_in(rita)
    add_app(owner, clock)
    assert owner.get("/profile/").status_code == 200
    assert thief.get("/profile/").status_code == 302


def test_resetting_the_password_does_not_go_around_it(rita: User, clock: Clock) -> None:
    add_app(sign_in(rita), clock)
    client = Client()
    client.post("/accounts/password/reset/", {"email": rita.email})
    body = Notice.objects.filter(recipient=rita).latest("pk").body
    (path,) = re.findall(r"https?://[^/]+(/accounts/password/reset/key/\S+)", body)
    form = place(client.get(path))
    words = {"password1": "another long one", "password2": "another long one"}
    assert place(client.post(form, words)).startswith("/accounts/2fa/authenticate/")
    assert client.get("/profile/").status_code == 302


def test_secrets_are_encrypted_and_readable_after_a_change_of_keys(
    rita: User, clock: Clock, settings: Settings
) -> None:
    secret = add_app(sign_in(rita), clock)
    stored = Authenticator.objects.get(user=rita, type="totp").data["secret"]
    assert secret not in stored
    settings.SECOND_FACTOR_SECRETS = ["n" * 40]
    adapter = second_factor.SecondFactorAdapter()
    assert adapter.decrypt(stored) == secret
    renewed = second_factor.renew_ciphertext(stored)
    settings.SECRET_KEY = "another"
    assert adapter.decrypt(renewed) == secret


@pytest.mark.usefixtures("needed")
@pytest.mark.parametrize("page", GUARDED)
def test_those_who_need_one_are_led_to_add_it(adam: User, page: str) -> None:
    client = Client()
    client.force_login(adam)
    assert place(client.get(page)) == INDEX
    shown = client.get(INDEX).content.decode()
    assert 'data-code="second factor needed"' in shown


@pytest.mark.usefixtures("needed")
def test_without_one_a_reviewer_has_what_an_author_has(
    rita: User, alice: User, release: Release, clock: Clock
) -> None:
    submission, client = make_submission(alice, release, b"{}"), sign_in(rita)
    page = reverse("submission", args=[submission.pk])
    decide = reverse("review-publish", args=[submission.pk])
    assert client.get(page).status_code == 404
    assert place(client.post(decide, {"reason": "good"})) == INDEX
    assert client.get("/submissions/").status_code == 200
    add_app(client, clock)
    assert client.get(page).status_code == 200
    assert client.get("/review/").status_code == 200


@pytest.mark.usefixtures("needed")
def test_the_admin_waits_for_it(adam: User, clock: Clock) -> None:
    client = sign_in(with_password(adam))
    assert place(client.get("/admin/")).startswith("/admin/login/")
    assert place(client.get("/admin/portal/user/")).startswith("/admin/login/")
    add_app(client, clock)
    assert client.get("/admin/portal/user/").status_code == 200


@pytest.mark.usefixtures("needed")
def test_authors_need_none(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert client.get("/submissions/").status_code == 200
    assert client.get("/review/").status_code == 403


@pytest.mark.usefixtures("needed")
def test_removing_the_last_one_takes_the_rights_away(rita: User, clock: Clock) -> None:
    client = sign_in(rita)
    add_app(client, clock)
    confirm(client)
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.filter(user=rita).exists()
    assert place(client.get("/review/")) == INDEX


def test_an_admin_removes_those_of_who_has_lost_them(adam: User, rita: User, clock: Clock) -> None:
    hers, his = sign_in(rita), Client()
    add_app(hers, clock)
    his.force_login(adam)
    chosen = {"action": "remove_second_factors", "_selected_action": rita.pk}
    his.post("/admin/portal/user/", chosen)
    assert not Authenticator.objects.filter(user=rita).exists()
    assert hers.get("/profile/").status_code == 302
    entry = AuditEntry.objects.latest("number")
    assert (entry.subject, entry.actor) == ("user:rita", adam)
    assert Notice.objects.filter(recipient=rita, address=rita.email).exists()


def test_who_runs_the_site_removes_that_of_the_only_admin(rita: User, clock: Clock) -> None:
    add_app(sign_in(rita), clock)
    call_command("remove_second_factor", "rita")
    assert AuditEntry.objects.latest("number").actor is None
    with pytest.raises(CommandError):
        call_command("remove_second_factor", "rita")


def test_secrets_are_renewed_with_the_keys_of_endpoints(
    rita: User, clock: Clock, settings: Settings
) -> None:
    client = sign_in(rita)
    secret = add_app(client, clock)
    codes = client.get("/accounts/2fa/recovery-codes/").context["unused_codes"]
    settings.SECOND_FACTOR_SECRETS = ["n" * 40]
    call_command("renew_endpoint_keys")
    settings.SECRET_KEY = "another"
    client = sign_in(rita)
    assert place(client.post("/accounts/2fa/authenticate/", {"code": clock.code(secret)}))
    assert Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes() == codes


def test_who_is_halfway_in_when_it_is_removed_can_sign_in(rita: User, clock: Clock) -> None:
    add_app(sign_in(rita), clock)
    halfway = sign_in(rita)
    remove_second_factors(rita, by=None)
    answer = halfway.get("/accounts/2fa/authenticate/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain[-1][0] == "/accounts/login/"
