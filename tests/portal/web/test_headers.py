"""The headers of every response, wherever it comes from."""

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from portal.models import Release, User
from tests.support.addresses import METHODS, READ_ONLY, WITH_TOKEN, Address, addresses
from tests.support.clients import Answer
from tests.support.factories import as_if_scored, make_submission
from tests.support.failing_urls import FAULTS

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'",
    "img-src 'self' data:", "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'none'",
}  # fmt: skip
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains; preload",
}
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


# The same for everybody, whoever is signed in.
PUBLIC = frozenset({"healthz", "readyz"}) | READ_ONLY


def check(response: Answer, *openers: str, resource: str = "same-origin") -> None:
    """``openers``: another policy for windows that opened it. ``resource``: who may read it."""
    response.getvalue()  # a file ends when it has been read
    assert response.headers["Cross-Origin-Opener-Policy"] in ("same-origin", *openers)
    found = {name: response.headers.get(name) for name in ALWAYS}
    assert found == ALWAYS | {"Cross-Origin-Resource-Policy": resource}
    is_file = response.headers.get("Content-Disposition", "").startswith("attachment")
    assert policy(response) == ({"sandbox"} if is_file else POLICY)
    assert "Cache-Control" in response.headers


def policy(response: Answer) -> set[str]:
    return set(response.headers.get("Content-Security-Policy", "").split("; "))


@pytest.mark.usefixtures("error_pages_once")
@pytest.mark.parametrize("address", addresses(), ids=lambda address: address.name)
def test_every_address_has_the_headers_for_every_method(
    client: Client, adam: User, address: Address
) -> None:
    resource = "cross-origin" if address.name in READ_ONLY else "same-origin"
    for method in METHODS:
        check(client.generic(method, address.path()), "unsafe-none", resource=resource)
    client.force_login(adam)
    for method in METHODS:
        if not client.cookies[site.SESSION_COOKIE_NAME].value:  # the previous one has signed out
            client.force_login(adam)
        response = client.generic(method, address.path())
        check(response, resource=resource)
        if address.name not in PUBLIC:
            assert "no-store" in response.headers["Cache-Control"]
            assert address.name in WITH_TOKEN or "Cookie" in response.headers["Vary"]


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
