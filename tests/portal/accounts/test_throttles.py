"""How often a visitor may try to sign in, sign up or have mail sent, and what that reveals."""

import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from pytest_django import Settings

from portal.accounts.adapter import AccountAdapter
from portal.accounts.usernames import VALIDATORS
from portal.models import User
from tests.support.clients import PASSWORD, Answer, sign_in, with_password
from tests.support.notices import sent_mail

pytestmark = pytest.mark.django_db

Headers = Mapping[str, str]
WRONG = str(AccountAdapter.error_messages["username_password_mismatch"])
LOCKED = str(AccountAdapter.error_messages["too_many_login_attempts"])
LOGIN, SIGNUP, RESET = "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"


@pytest.fixture
def alice(alice: User) -> User:
    return with_password(alice)


@pytest.fixture
def bob(bob: User) -> User:
    return with_password(bob)


def try_to_sign_in(
    name: str, password: str, address: str = "192.0.2.1", headers: Headers | None = None
) -> Answer:
    login = {"login": name, "password": password}
    return Client().post(LOGIN, login, headers=headers, REMOTE_ADDR=address)


def text_of(answer: Answer) -> str:
    """The text of a page, without what differs in every form."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def sign_up(
    name: str, email: str, client: Client | None = None, address: str = "192.0.2.1"
) -> Answer:
    form = {"username": name, "email": email, "password1": "neither short nor known"}
    return (client or Client()).post(SIGNUP, form, REMOTE_ADDR=address)


# Signing in


def test_after_ten_wrong_passwords_the_right_one_is_refused_too(alice: User) -> None:
    for number in range(10):
        assert LOCKED not in text_of(try_to_sign_in("alice", f"wrong {number}"))
    for name in ("alice", "ALICE"):
        text = text_of(try_to_sign_in(name, PASSWORD))
        assert LOCKED in text


def test_one_address_alone_cannot_lock_a_user_out(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for number in range(60):  # in one hour
        monkeypatch.setattr(time, "time", lambda: now + 59 * number)  # noqa: B023 - called at once
        try_to_sign_in("alice", f"wrong {number}")
    assert LOCKED in text_of(try_to_sign_in("alice", PASSWORD))
    assert try_to_sign_in("alice", PASSWORD, "198.51.100.1").status_code == 302


def test_password_attempts_for_one_name_are_limited_across_clients(alice: User) -> None:
    for number in range(50):
        try_to_sign_in("alice", f"wrong {number}", f"198.51.100.{number}")
    assert LOCKED in text_of(try_to_sign_in("ALICE", PASSWORD))


def test_a_successful_sign_in_does_not_reset_the_limit(alice: User, bob: User) -> None:
    for number in range(10):
        try_to_sign_in(f"guess{number}", "wrong")
        assert try_to_sign_in("bob", PASSWORD, "198.51.100.1").status_code == 302
    assert LOCKED in text_of(try_to_sign_in("alice", PASSWORD))


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-real-ip", "forwarded"])
def test_forwarding_headers_are_ignored_without_a_trusted_proxy(alice: User, header: str) -> None:
    for number in range(10):
        try_to_sign_in(f"guess{number}", "wrong", headers={header: f"203.0.113.{number}"})
    answer = try_to_sign_in("alice", PASSWORD, headers={header: "203.0.113.99"})
    assert LOCKED in text_of(answer)


def test_only_the_header_of_the_trusted_proxy_counts(alice: User, settings: Settings) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(10):
        said = f"203.0.113.{number}, 192.0.2.7"  # the proxy adds the last one
        try_to_sign_in(f"guess{number}", "wrong", "10.0.0.1", headers={"x-forwarded-for": said})
    same = try_to_sign_in("alice", PASSWORD, "10.0.0.1", headers={"x-forwarded-for": "192.0.2.7"})
    assert LOCKED in text_of(same)
    other = try_to_sign_in("alice", PASSWORD, "10.0.0.1", headers={"x-forwarded-for": "192.0.2.8"})
    assert other.status_code == 302


def test_addresses_of_one_ipv6_network_count_together(alice: User) -> None:
    for number in range(10):
        try_to_sign_in(f"guess{number}", "wrong", f"2001:db8::{number}")
    answer = try_to_sign_in("alice", PASSWORD, "2001:db8::ffff")
    assert LOCKED in text_of(answer)


def test_a_request_with_an_invalid_client_address_is_refused(
    alice: User, settings: Settings
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    answer = try_to_sign_in("alice", PASSWORD, headers={"x-forwarded-for": "nonsense"})
    assert answer.status_code == 403


def test_signing_in_starts_a_new_session_that_ends_with_a_password_change(alice: User) -> None:
    client, other = sign_in(alice), sign_in(alice)
    before = other.cookies["__Host-session"].value
    passwords = {
        "oldpassword": PASSWORD,
        "password1": "quite another one",
        "password2": "quite another one",
    }
    assert client.post("/accounts/password/change/", passwords).status_code == 302
    assert client.get("/profile/").status_code == 200
    assert other.get("/profile/").status_code == 302
    other.post(LOGIN, {"login": "alice", "password": "quite another one"})
    assert other.cookies["__Host-session"].value != before
    assert "password has been changed" in sent_mail()[-1].body


def test_closing_an_account_ends_its_sessions(alice: User) -> None:
    client = sign_in(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get("/profile/").status_code == 302
    assert try_to_sign_in("alice", PASSWORD).headers["Location"] == "/accounts/inactive/"


def test_a_password_is_stored_as_a_slow_hash(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    sign_up("carol", "carol@example.org")
    assert User.objects.get(username="carol").password.startswith("pbkdf2_sha256$1000000$")


@pytest.mark.django_db(transaction=True)
def test_concurrent_attempts_are_counted_individually() -> None:
    def guess(number: int) -> str:
        try:
            return text_of(try_to_sign_in(f"guess{number}", "wrong"))
        finally:
            connection.close()

    try:
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(guess, range(20)))
        assert 1 <= sum(WRONG in text for text in answers) <= 10
    finally:
        cache.clear()  # no model's table: the row would stay


# What an attacker can learn


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records an entry for each password hash that is computed."""
    made: list[str] = []
    encode = MD5PasswordHasher.encode

    def count(self: MD5PasswordHasher, password: str, salt: str) -> str:
        made.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", count)
    return made


@pytest.mark.parametrize("login", ["alice", "alice@example.org", "nobody", "no@example.org"])
def test_signing_in_takes_as_long_for_an_unknown_user(
    alice: User, hashes: list[str], login: str
) -> None:
    try_to_sign_in(login, "wrong")
    assert len(hashes) == 1


@pytest.mark.parametrize("login", ["alice", "alice@example.org", "ALICE@example.org"])
def test_the_name_and_the_address_both_sign_in(alice: User, login: str) -> None:
    assert try_to_sign_in(login, PASSWORD).status_code == 302


@pytest.mark.parametrize("email", ["alice@example.org", "no@example.org"])
def test_signing_up_takes_as_long_for_an_address_that_is_known(
    alice: User, hashes: list[str], email: str
) -> None:
    assert sign_up("carol", email).status_code == 302
    assert len(hashes) == 1


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(alice: User) -> None:
    known = text_of(try_to_sign_in("alice", "wrong"))
    unknown = text_of(try_to_sign_in("nobodyhere", "wrong"))
    assert known.replace("alice", "…") == unknown.replace("nobodyhere", "…")


def test_asking_for_a_new_password_does_not_disclose_accounts(alice: User) -> None:
    answers = [Client().post(RESET, {"email": who}) for who in (alice.email, "no@example.org")]
    assert len({(answer.status_code, answer.headers["Location"]) for answer in answers}) == 1
    known, unknown = sent_mail()
    assert "/accounts/password/reset/key/" in known.body
    assert "/accounts/password/reset/key/" not in unknown.body


def test_signing_up_with_a_known_address_does_not_disclose_it(alice: User) -> None:
    new, known = sign_up("carol", "carol@example.org"), sign_up("dave", alice.email)
    assert new.headers["Location"] == known.headers["Location"]
    assert (new.status_code, known.status_code) == (302, 302)
    assert not User.objects.filter(username="dave").exists()
    assert sent_mail()[-1].to == [alice.email]


def test_an_address_has_to_be_confirmed_before_it_opens_anything() -> None:
    client = Client()
    sign_up("carol", "carol@example.org", client)
    assert not Session.objects.filter(session_data__contains="_auth_user_id").exists()
    assert client.get("/profile/").status_code == 302
    home = re.escape(site.SITE_URL)
    (link,) = re.findall(rf"{home}(/accounts/confirm-email/\S+)", str(sent_mail()[0].body))
    assert not EmailAddress.objects.get().verified
    client.get(link)  # mail programs open links too
    assert not EmailAddress.objects.get().verified
    client.post(link)
    assert EmailAddress.objects.get().verified
    again = client.get(link)  # has done its work: that is no failure
    assert again.context["already_confirmed"]
    assert not client.get(f"{link[:-2]}x/").context["already_confirmed"]


# Mail and accounts


def test_links_in_mails_ignore_the_host_header(alice: User, settings: Settings) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://board.example", ["localhost"]
    client = Client(HTTP_HOST="localhost:31337")
    for address in (alice.email, "nobody@example.org"):
        client.post(RESET, {"email": address})
    sign_up("carol", "carol@example.org", client)
    sign_up("dave", alice.email, client)
    assert len(sent_mail()) == 4
    for message in sent_mail():
        assert "https://board.example/accounts/" in message.body
        assert "∞Bench, at board.example" in message.body
        assert "localhost" not in message.body


def test_mailboxes_are_not_flooded(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    for minute in range(8):
        monkeypatch.setattr(time, "time", lambda: now + 60 * minute)  # noqa: B023 - called at once
        Client().post(RESET, {"email": alice.email}, REMOTE_ADDR=f"198.51.100.{minute}")
    assert len(sent_mail()) == 5


def test_sign_ups_from_one_address_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # however long this takes
    answers = [sign_up(f"user{number}", f"user{number}@example.org") for number in range(12)]
    assert [answer.status_code for answer in answers] == [302] * 10 + [429] * 2
    assert sign_up("other", "other@example.org", address="192.0.2.9").status_code == 302


def test_wrong_old_passwords_are_rate_limited(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    client = sign_in(alice)
    wrong = {
        "oldpassword": "wrong",
        "password1": "quite another one",
        "password2": "quite another one",
    }
    answers = [client.post("/accounts/password/change/", wrong).status_code for _ in range(7)]
    assert answers[-1] == 429


# Names


@pytest.mark.parametrize(
    "name", ["ada", "ada-lovelace", "a.b_c-9", "Ada", "x" * 30, "42b", "openai-evals"]
)
def test_a_name_of_letters_and_digits_is_accepted(name: str) -> None:
    for validator in VALIDATORS:
        validator(name)


@pytest.mark.parametrize(
    "name",
    [
        "", "ab", "x" * 31, "admin", "Admin", "ad-min", "admin1", "a_d_m_i_n", "REVIEWER",
        "infinitebench", "../ada", "清华大学", " ada", "ada ", "a da", "ada\n", "ada\u200b",
        "\u202eada", "аdа", "ａｄａ", "ada\u212a", "ſupport", "ada@example.org", "-ada", "ada.",
        "a--b", "<b>ada", "ada\0",
    ],
)  # fmt: skip
def test_a_confusable_or_reserved_name_is_refused(name: str) -> None:
    def check() -> None:
        for validator in VALIDATORS:
            validator(name)

    with pytest.raises(ValidationError):
        check()


def test_a_name_differs_by_more_than_capitals(alice: User) -> None:
    answer = sign_up("Alice", "other@example.org")
    assert answer.status_code == 200
    assert "This user name is taken." in text_of(answer)


def test_the_form_shows_why_a_name_is_refused() -> None:
    assert "reserved for the people who run the site" in text_of(sign_up("Admin", "a@example.org"))
    assert "single dots" in text_of(sign_up("清华大学", "a@example.org"))
