"""More than 4 KiB of cookies: 400 before anything parses them (CVE-2024-7592)."""

from collections.abc import Callable
from http import cookies

import pytest
from django.core.handlers import wsgi
from django.http import parse_cookie
from django.test import Client

from portal.web.middleware import MAX_COOKIE_BYTES
from tests.support.addresses import Address, site_addresses

pytestmark = pytest.mark.django_db

ATTACK = 'a="' + r"\101" * 14_000 + '"'  # 56 kB: six seconds in Python 3.11.7


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all texts that were parsed as cookies."""
    lengths: list[int] = []

    def counted(parse: Callable[[str], object]) -> Callable[[str], object]:
        def parse_and_count(text: str) -> object:
            lengths.append(len(text))
            return parse(text)

        return parse_and_count

    monkeypatch.setattr(wsgi, "parse_cookie", counted(parse_cookie))
    monkeypatch.setattr(cookies, "_unquote", counted(cookies._unquote))
    return lengths


def get(path: str, cookie: str) -> int:
    """The status of the response; the cookies are sent unchanged."""
    return Client(raise_request_exception=False).get(path, headers={"cookie": cookie}).status_code


@pytest.mark.parametrize("address", site_addresses(), ids=lambda address: address.name)
def test_no_address_parses_long_cookies(address: Address, parsed: list[int]) -> None:
    assert get(address.path(), ATTACK) == 400
    assert max(parsed, default=0) == 0


@pytest.mark.parametrize("path", ["/static/nothing.css", "/nothing/", "/admin/", "/healthz"])
def test_no_other_path_does(path: str, parsed: list[int]) -> None:
    assert get(path, ATTACK) == 400
    assert max(parsed, default=0) == 0


def test_many_short_cookies_are_as_long_together(parsed: list[int]) -> None:
    many = "; ".join(f'c{number}="{"x" * 90}"' for number in range(60))
    assert get("/", many) == 400
    assert max(parsed, default=0) == 0


def test_cookies_up_to_the_limit_are_read(parsed: list[int]) -> None:
    cookie = "theme=dark; a=" + "x" * (MAX_COOKIE_BYTES - 14)
    assert len(cookie) == MAX_COOKIE_BYTES
    assert get("/", cookie) == 200
    assert MAX_COOKIE_BYTES in parsed


def test_the_answer_is_a_page_with_all_headers() -> None:
    answer = Client(raise_request_exception=False).get("/", headers={"cookie": ATTACK})
    assert b'data-error-page="400"' in answer.content
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
