"""Light, dark, or the setting of the reader's system."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db  # every request looks for due mail


def choose(client: Client, theme: str, page: str = "/profile/") -> str:
    """Press the button. Returns where it leads."""
    answer = client.post("/theme/", {"theme": theme, "next": page})
    assert answer.status_code == 302
    return answer.headers["Location"]


def test_the_choice_is_kept_and_redirects_back(client: Client) -> None:
    assert choose(client, "dark", "/?page=2") == "/?page=2"
    assert '<html lang="en" data-theme="dark">' in client.get("/").text
    cookie = client.cookies["theme"]
    assert (cookie["max-age"], cookie["samesite"]) == (365 * 24 * 3600, "Lax")
    assert cookie["httponly"]


@pytest.mark.parametrize("theme", ["system", "", 'dark" onload=alert(1) x="'])
def test_an_unknown_theme_means_the_system_s(client: Client, theme: str) -> None:
    choose(client, "dark")
    choose(client, theme)
    assert "data-theme" not in client.get("/").text


def test_an_invalid_cookie_is_ignored(client: Client) -> None:
    client.cookies["theme"] = "x"
    assert "data-theme" not in client.get("/").text


@pytest.mark.parametrize(
    "page",
    [
        "https://example.org/",
        "//example.org/",
        "/\\example.org/",
        "///example.org",
        "javascript:alert(1)",
        "http:///example.org",
        "home",
        "",
    ],
)
def test_it_does_not_redirect_to_other_sites(client: Client, page: str) -> None:
    assert choose(client, "dark", page) == "/"


def test_a_link_cannot_change_it(client: Client) -> None:
    answer = client.get("/theme/?theme=dark")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert not answer.cookies
