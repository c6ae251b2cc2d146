"""The home page and the account pages, as people walk through them."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from portal import context_processors
from portal.models import Release, User
from scoring import __version__
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.run import Level
from tests.support import html
from tests.support.notices import sent_mail

PASSWORD = "of-twelve-tasks"
INLINE = re.compile(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=|javascript:", re.IGNORECASE)
# Address → where it redirects a signed-in user and a visitor; None: it is shown.
SIGN_IN = "/accounts/login/"
ACCOUNT_PAGES: dict[str, tuple[str | None, str | None]] = {
    "/accounts/login/": ("/submissions/", None),
    "/accounts/signup/": ("/submissions/", None),
    "/accounts/logout/": (None, "/"),
    "/accounts/inactive/": (None, None),
    "/accounts/confirm-email/": (None, None),
    "/accounts/confirm-email/x/": (None, None),
    "/accounts/password/reset/": (None, None),
    "/accounts/password/reset/done/": (None, None),
    "/accounts/password/reset/key/1-x/": (None, None),
    "/accounts/password/reset/key/done/": (None, None),
    "/accounts/password/change/": (None, SIGN_IN),
    "/accounts/password/set/": ("/accounts/password/change/", SIGN_IN),
    "/accounts/reauthenticate/": (None, SIGN_IN),
    "/accounts/email/": (None, SIGN_IN),
}


@pytest.fixture(params=["demo", "in public"])
def _demo_or_not(request: pytest.FixtureRequest, settings: Settings) -> None:
    settings.DEMO = request.param == "demo"
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional" if settings.DEMO else "mandatory"


@pytest.fixture
def carol(db: None) -> User:
    """Signs in by herself, with her password."""
    return User.objects.create_user("carol", "carol@example.org", PASSWORD)


def link_in(message: EmailMessage) -> str:
    found = re.search(rf"{re.escape(site.SITE_URL)}(/\S+)", str(message.body))
    assert found, message.body
    return found[1]


# The first page


def test_the_first_page_lists_open_releases(client: Client, release: Release) -> None:
    response = client.get("/")
    assert "Small" in html.text_of(response)
    assert html.one(response, ".domain-retrieval").text == "Retrieval"
    rows = [html.text(row) for row in html.page(response).select("tbody tr:has(td)")]
    assert {f"{one.get_task_display()} {one.size}" for one in release.data_sets.all()} == {*rows}


def test_a_task_missing_from_a_release_is_a_dot(client: Client, release: Release) -> None:
    other = Release.objects.create(slug="other", title="Other")
    other.data_sets.add(*release.data_sets.all()[:1])
    assert client.get("/").text.count('class="missing"') == release.data_sets.count() - 1


def test_a_release_that_is_closed_is_not_shown(client: Client, release: Release) -> None:
    Release.objects.update(accepts_submissions=False)
    page = client.get("/").text
    assert "Small" not in page


def test_an_admin_reads_how_to_begin(client: Client, adam: User) -> None:
    client.force_login(adam)
    assert "manage.py import_release" in client.get("/").text


def test_the_demo_is_marked_as_one(client: Client, release: Release, settings: Settings) -> None:
    assert '<a href="/demo/mail/">' not in client.get("/").text
    settings.DEMO = True
    assert '<a href="/demo/mail/">' in client.get("/").text


@pytest.mark.parametrize(("level", "warned"), [(Level.NONE, True), (Level.LOCKDOWN, False)])
@pytest.mark.django_db
def test_every_page_says_where_scoring_has_no_walls(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch, level: Level, warned: bool
) -> None:
    settings.SCORE_WITHOUT_SANDBOX = True
    monkeypatch.setattr(context_processors, "sandbox", lambda: Preflight(level, "", ()))
    for address in ("/", SIGN_IN, "/nothing"):
        assert ("without a sandbox" in client.get(address).text) is warned


# The pages of accounts


@pytest.mark.usefixtures("_demo_or_not")
@pytest.mark.parametrize("address", ACCOUNT_PAGES)
def test_each_page_works_for_signed_in_users(client: Client, carol: User, address: str) -> None:
    client.force_login(carol)
    check(client, address, ACCOUNT_PAGES[address][0])


@pytest.mark.django_db
@pytest.mark.usefixtures("_demo_or_not")
@pytest.mark.parametrize("address", ACCOUNT_PAGES)
def test_each_page_works_for_visitors(client: Client, address: str) -> None:
    check(client, address, ACCOUNT_PAGES[address][1])


def check(client: Client, address: str, leads_to: str | None) -> None:
    answer = client.get(address)
    if leads_to:
        assert answer.status_code == 302
        assert answer.headers["Location"].partition("?")[0] == leads_to
    else:
        assert answer.status_code == 200
        assert 'class="skip"' in answer.text  # the template of this site, not of allauth
        assert not INLINE.search(answer.text)


@pytest.mark.django_db
def test_in_the_demo_signing_up_signs_in(client: Client, settings: Settings) -> None:
    settings.DEMO, settings.ACCOUNT_EMAIL_VERIFICATION = True, "optional"
    answer = sign_up(client, next="/?from=here")
    assert answer == "/?from=here"
    assert "<bdi>dora</bdi>" in client.get("/").text
    assert "is not confirmed yet" in client.get("/accounts/email/").text
    assert "dora@example.org" in client.get(link_in(sent_mail()[0])).text  # as the page says


@pytest.mark.django_db
def test_in_public_the_address_is_confirmed_first(client: Client) -> None:
    assert sign_up(client) == reverse("account_email_verification_sent")
    assert sign_in(client, "dora") == reverse("account_email_verification_sent")
    (message, *_) = sent_mail()
    assert message.subject == "∞Bench: Please Confirm Your Email Address"
    confirm = link_in(message)
    assert "dora@example.org" in client.get(confirm).text
    client.post(confirm)
    assert sign_in(client, "dora") == "/submissions/"


@pytest.mark.django_db
def test_a_taken_address_is_disclosed_to_its_owner_only(client: Client, carol: User) -> None:
    assert sign_up(client, email=carol.email) == reverse("account_email_verification_sent")
    (message,) = sent_mail()
    assert message.to == [carol.email]
    assert "an account using that email address already exists" in message.body


@pytest.mark.django_db
def test_reviewers_start_with_pending_reviews(client: Client, rita: User) -> None:
    rita.set_password(PASSWORD)
    rita.save()
    EmailAddress.objects.create(user=rita, email="rita@example.org", verified=True, primary=True)
    assert sign_in(client, "rita") == "/review/"


@pytest.mark.django_db
def test_the_form_shows_the_rules_for_usernames(client: Client) -> None:
    page = client.get(reverse("account_signup")).text
    assert 'id="id_username_helptext">Use 3 to 30 letters a–z and digits' in page
    assert 'aria-describedby="id_username_helptext"' in page
    [name] = re.findall(r'<input[^>]*name="username"[^>]*>', page)
    assert 'maxlength="30"' in name


def sign_up(client: Client, email: str = "dora@example.org", **more: str) -> str:
    form = {"username": "dora", "email": email, "password1": PASSWORD, **more}
    answer = client.post(reverse("account_signup"), form)
    assert answer.status_code == 302, answer.text
    return str(answer.headers["Location"])


def sign_in(client: Client, login: str, password: str = PASSWORD) -> str:
    answer = client.post(SIGN_IN, {"login": login, "password": password})
    assert answer.status_code == 302, answer.text
    return str(answer.headers["Location"])


@pytest.mark.usefixtures("_demo_or_not")
def test_a_wrong_password_says_so_and_keeps_the_way(client: Client, carol: User) -> None:
    form = {"login": "carol", "password": "x", "next": "/profile/?a=1"}
    page = client.post(SIGN_IN, form).text
    assert 'role="alert"' in page
    assert 'name="next" value="/profile/?a=1"' in page


def test_a_forgotten_password_is_replaced_by_mail(
    client: Client, carol: User, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    client.post(reverse("account_reset_password"), {"email": carol.email})
    (message,) = sent_mail()
    assert "your username is carol." in message.body
    form = client.get(link_in(message), follow=True)
    new = {"password1": "another-of-twelve", "password2": "another-of-twelve"}
    page = client.post(form.request["PATH_INFO"], new, follow=True)
    assert page.redirect_chain == [("/submissions/", 302)]  # signed in at once
    assert page.text.count("Password successfully changed.") == 1
    assert sent_mail()[-1].subject == "∞Bench: Password Reset"
    assert re.search(r"at \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", str(sent_mail()[-1].body))
    assert sign_in(Client(), "carol", "another-of-twelve") == "/submissions/"
    assert "This link is no longer valid" in client.get(link_in(message), follow=True).text


def test_a_reset_link_unlocks_a_locked_account(
    client: Client, carol: User, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    for number in range(11):
        said = client.post(SIGN_IN, {"login": "carol", "password": f"wrong {number}"}).text
    assert "Wait five minutes" in said
    client.post(reverse("account_reset_password"), {"email": carol.email})
    form = client.get(link_in(sent_mail()[-1]), follow=True)
    new = {"password1": "another-of-twelve", "password2": "another-of-twelve"}
    client.post(form.request["PATH_INFO"], new)
    assert client.get("/profile/").status_code == 200


@pytest.mark.parametrize("address", [SIGN_IN, "/accounts/signup/"])
@pytest.mark.django_db
def test_the_menu_keeps_where_a_visitor_wanted_to_go(client: Client, address: str) -> None:
    wanted = {"next": "/submit/?from=a&b=1"}
    for page in (client.get(address, wanted).text, client.post(address, wanted).text):
        for link in (SIGN_IN, "/accounts/signup/"):
            assert f'<a href="{link}?next=/submit/%3Ffrom%3Da%26b%3D1">' in page


@pytest.mark.django_db
def test_a_form_says_each_thing_once(client: Client) -> None:
    form = {"username": "dora", "email": "none", "password1": "12345"}
    page = client.post(reverse("account_signup"), form).text
    assert page.count("Enter a valid email address.") == 1
    assert page.count("This password is too short.") == 1


def test_a_session_left_open_is_not_enough_to_change_the_address(
    client: Client, carol: User
) -> None:
    client.force_login(carol)
    form = {"email": "carol@example.com", "action_add": ""}
    answer = client.post(reverse("account_email"), form)
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not sent_mail()


def test_an_address_changes_when_the_new_one_is_confirmed(client: Client, carol: User) -> None:
    client.force_login(carol)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    form = {"email": "carol@example.com", "action_add": ""}
    client.post(reverse("account_email"), form)
    assert "is not confirmed yet" in client.get(reverse("account_email")).text
    (message,) = (sent for sent in sent_mail() if sent.to == ["carol@example.com"])
    client.post(link_in(message))
    carol.refresh_from_db()
    assert carol.email == "carol@example.com"


def test_signed_in_users_can_sign_out(client: Client, carol: User) -> None:
    client.force_login(carol)
    assert 'action="/accounts/logout/"' in client.get("/").text
    client.post("/accounts/logout/")
    assert "Sign in" in client.get("/").text


@pytest.mark.django_db
def test_too_many_attempts_have_their_page(client: Client, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    answers = [client.post(reverse("account_signup"), {}) for _ in range(2)]
    assert answers[-1].status_code == 429
    assert "<h1>Too many attempts</h1>" in answers[-1].text


# Around every page


@pytest.mark.django_db
def test_who_is_led_to_the_sign_in_by_submitting_is_told_why(client: Client) -> None:
    page = client.get("/submit/", follow=True).content.decode()
    assert 'data-code="account needed"' in page
    assert 'href="/accounts/signup/?next=%2Fsubmit%2F" data-link="sign-up"' in page
    assert "account needed" not in client.get(SIGN_IN).content.decode()


@pytest.mark.django_db
def test_the_foot_links_what_the_operator_has_set(client: Client, settings: Settings) -> None:
    assert not re.search('data-link="(source|issues|contact)"', _page(client, "/terms/"))
    settings.SOURCE_URL = "https://code.example/board"
    settings.ISSUES_URL = "https://code.example/board/issues"
    settings.CONTACT_URL = "mailto:board@example.org"
    page = _page(client, "/about/")
    links = dict(re.findall(r'href="([^"]+)" data-link="(\w+)"', page))
    assert links == {
        settings.SOURCE_URL: "source", settings.ISSUES_URL: "issues",
        settings.CONTACT_URL: "contact",
    }  # fmt: skip
    assert f"data-version>Version {__version__}<" in page
    assert settings.CONTACT_URL in _page(client, "/privacy/").partition("<footer")[0]


@pytest.mark.django_db
def test_the_navigation_leads_to_data_and_formats(client: Client) -> None:
    bar = _page(client, "/formats/").partition("</nav>")[0]
    assert re.findall(r'<a href="(/[a-z]*/?)"', bar.partition("<nav")[2]) == [
        "/", "/compare/", "/tasks/", "/examples/", "/releases/", "/formats/", "/submit/", "/about/"
    ]  # fmt: skip
    assert 'href="/formats/" aria-current="page"' in bar


def _page(client: Client, address: str) -> str:
    return client.get(address).content.decode()
