"""Error pages: each has its status, its reason and a next step."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import include, path
from pytest_django import Settings

from portal.models import User
from tests.support.html import page, templates_of


def forbidden(_request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def broken(_request: HttpRequest) -> HttpResponse:
    raise ValueError("a secret")


def cut_off(_request: HttpRequest) -> HttpResponse:
    raise OperationalError("the connection is gone: a secret")


urlpatterns = [
    path("forbidden/", forbidden),
    path("broken/", broken),
    path("cut-off/", cut_off),
    path("", include("portal.urls")),
]
handler400 = "portal.urls.handler400"
handler403 = "portal.urls.handler403"
handler404 = "portal.urls.handler404"
handler500 = "portal.urls.handler500"


@pytest.fixture
def visitor(settings: Settings) -> Client:
    """A browser at a site with the pages above."""
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/nothing", 404),
        ("/forbidden/", 403),
        ("/broken/", 500),
        ("/cut-off/", 503),
    ],
)
def test_a_failure_has_its_page(visitor: Client, address: str, status: int) -> None:
    answer = visitor.get(address)
    assert answer.status_code == status
    assert f"errors/{status}.html" in templates_of(answer)
    assert 'href="/"' in answer.text
    assert "a secret" not in answer.text


@pytest.mark.django_db
def test_an_unknown_host_gets_the_page_for_bad_requests(visitor: Client) -> None:
    answer = visitor.get("/", headers={"host": "example.org"})
    assert answer.status_code == 400
    assert "errors/400.html" in templates_of(answer)


@pytest.mark.django_db
def test_a_method_that_is_not_allowed_has_a_page(visitor: Client) -> None:
    answer = visitor.post("/about/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert "errors/405.html" in templates_of(answer)
    assert 'href="/about/"' in answer.text


@pytest.mark.django_db
def test_the_404_page_offers_to_sign_in_and_return(visitor: Client) -> None:
    page = visitor.get("/submissions/no-such-thing/?a=1&b=2").text
    assert 'href="/accounts/login/?next=/submissions/no-such-thing/%3Fa%3D1%26b%3D2"' in page


def test_the_403_page_names_the_current_user(visitor: Client, alice: User) -> None:
    visitor.force_login(alice)
    assert "<bdi>alice</bdi>" in page(visitor.get("/forbidden/")).decode()


@pytest.mark.django_db
def test_an_expired_form_explains_what_to_do(settings: Settings) -> None:
    visitor = Client(enforce_csrf_checks=True)
    answer = visitor.post("/theme/", {"theme": "dark"})
    assert answer.status_code == 403
    assert "errors/csrf.html" in templates_of(answer)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_database")
@pytest.mark.parametrize("address", ["/", "/profile/", "/accounts/login/"])
def test_without_a_database_every_page_says_so(
    visitor: Client, address: str, settings: Settings
) -> None:
    """Requested with a session cookie, as after signing in."""
    visitor.cookies[settings.SESSION_COOKIE_NAME] = "x" * 32
    answer = visitor.get(address)
    assert answer.status_code == 503
    assert "errors/503.html" in templates_of(answer)
    assert answer.headers["Retry-After"] == "30"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_database")
def test_without_a_database_the_process_is_healthy(visitor: Client) -> None:
    assert visitor.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_the_theme_holds_on_the_pages_for_failures(visitor: Client) -> None:
    visitor.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in visitor.get("/broken/").text


@pytest.mark.parametrize("page", ["400", "500", "503"])
def test_error_pages_need_no_database(page: str) -> None:
    """Without the marker that allows a database, any query would raise here."""
    request = RequestFactory().get("/")
    assert "<h1>" in render_to_string(f"errors/{page}.html", request=request)


@pytest.mark.django_db
def test_error_pages_of_other_apps_can_be_rendered() -> None:
    request = RequestFactory().get("/")
    refused = render_to_string("errors/no_sandbox.html", {"reason": "<nothing> holds"}, request)
    assert "&lt;nothing&gt; holds" in refused
    assert "<h1>" in render_to_string("429.html", {}, request)
