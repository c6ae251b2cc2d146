"""The headers of responses from all kinds of places; those of every address are looked at with its
permissions (``tests/portal/test_permission_matrix.py``)."""

import pytest
from django.test import Client
from pytest_django import Settings

from portal.models import Release, User
from tests.support.addresses import addresses
from tests.support.clients import Answer
from tests.support.factories import as_if_scored, make_submission
from tests.support.failing_urls import FAULTS
from tests.support.headers import ALWAYS, POLICY, header_problems, policy

DOWNLOADS = (
    "submission-original", "submission-report", "submission-examples-csv",
    "submission-examples-jsonl",
)  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    """A browser on https that gets error pages instead of exceptions."""
    return Client(raise_request_exception=False, headers={"x-forwarded-proto": "https"})


@pytest.fixture(autouse=True)
def behind_a_proxy(settings: Settings) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True


def check(response: Answer) -> None:
    response.getvalue()  # a file ends when it has been read
    assert header_problems(response, over_https=True) == []


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_download_runs_nothing(client: Client, alice: User, release: Release, name: str) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    client.force_login(alice)
    (address,) = (address for address in addresses() if address.name == name)
    response = client.get(address.path(submission_id=submission.pk))
    assert response.status_code == 200
    assert "sandbox" in policy(response)
    assert response.headers["Content-Disposition"].startswith("attachment; ")
    assert response.headers["Cache-Control"] == "private, no-store"
    assert {name: response.headers[name] for name in ALWAYS} == ALWAYS
    response.getvalue()


@pytest.mark.urls("tests.support.failing_urls")
@pytest.mark.parametrize("how", FAULTS)
def test_errors_have_them_too(client: Client, how: str) -> None:
    response = client.get(f"/fails/{how}/")
    assert response.status_code == FAULTS[how][1]
    check(response)


@pytest.mark.parametrize("path", ["/static/css/base.css", "/static/css/none.css", "/nothing/"])
def test_static_files_and_error_pages_have_the_headers_too(client: Client, path: str) -> None:
    check(client.get(path))


def test_a_stylesheet_may_be_cached_but_not_used_by_other_sites(client: Client) -> None:
    response = client.get("/static/css/base.css")
    response.getvalue()
    assert "public" in response.headers["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("proto", ["http", "https"])
def test_an_unknown_host_is_refused(client: Client, proto: str) -> None:
    response = client.get("/", headers={"host": "evil.example", "x-forwarded-proto": proto})
    assert response.status_code == 400
    found = {name: response.headers.get(name) for name in ALWAYS}
    # nothing about https over http: browsers would ignore it
    assert found == ALWAYS | ({"Strict-Transport-Security": None} if proto == "http" else {})
    assert policy(response) == POLICY


def test_plain_http_redirects_to_https_except_for_health_checks() -> None:
    client = Client()
    response = client.get("/profile/?next=/x")
    assert response.status_code == 301
    assert response.headers["Location"] == "https://testserver/profile/?next=/x"
    assert policy(response) == POLICY
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200


def test_a_forged_form_is_refused_with_the_headers() -> None:
    strict = Client(enforce_csrf_checks=True, headers={"x-forwarded-proto": "https"})
    response = strict.post("/theme/", {"theme": "dark"})
    assert response.status_code == 403
    check(response)


def test_cookies_are_for_this_host_by_https_and_for_no_script(client: Client, alice: User) -> None:
    alice.set_password("long enough to be one")
    alice.save()
    login = {"login": "alice", "password": "long enough to be one"}
    before = client.get("/accounts/login/").cookies
    after = client.post("/accounts/login/", login).cookies
    cookies = {**before, **after}
    assert {name for name in cookies if "essa" not in name} == {"__Host-csrf", "__Host-session"}
    for cookie in cookies.values():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")
        assert (cookie["path"], cookie["domain"]) == ("/", "")
