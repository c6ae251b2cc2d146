"""Text that cannot be stored, wherever text comes in: 400, never 500."""

from io import BytesIO
from itertools import cycle
from typing import Any

import pytest
from django.test import Client

from portal.models import User
from tests.support.addresses import API, WITH_TOKEN, Address, admin_addresses, site_addresses

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("error_pages_once")]

BROKEN = {
    "NUL": "%00",
    "half of a pair": "%ED%A0%80",
    "overlong": "%C0%AF",
    "no UTF-8": "%FF",
    "replaced before": "%EF%BF%BD",
}
ADDRESSES = [*site_addresses(), *admin_addresses()[:15]]  # one model stands for all
PLACES = ("/", "/nothing/", "/static/", "/submissions/", "/accounts/", "/admin/portal/")


@pytest.fixture
def client(adam: User) -> Client:
    """A user with access to everything."""
    client = Client(raise_request_exception=False)
    client.force_login(adam)
    return client


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_every_address_refuses_it_in_its_query(client: Client, address: Address) -> None:
    names = ("q", "next", "from", "page", "seen", "state", "_popup", "%00")
    for name, text in zip(names, cycle(BROKEN.values())):  # what refuses it knows no names
        assert client.get(f"{address.path()}?{name}=a{text}b").status_code == 400, (name, text)
        long = client.get(f"{address.path()}?{name}=" + "x" * 5_000)
        assert long.status_code != 500


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_every_address_refuses_it_in_a_form(client: Client, address: Address) -> None:
    if address.name == "submit":
        return  # parses its form itself
    if address.name in API:
        return
    for name in ("login", "username", "email", "next", "theme", "align", "name\0"):
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            answer = send(client, address.path(), {name: "a\0b"}, kind)
            assert answer == 400, (name, kind)


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("start", PLACES)
def test_a_path_with_it_leads_nowhere(client: Client, start: str, name: str) -> None:
    answer = client.get(f"{start}a{BROKEN[name]}b/")
    assert answer.status_code == (400 if name in ("NUL", "replaced before") else 404)
    assert client.get(f"{start}清华/").status_code == 404


@pytest.mark.parametrize("name", ["__Host-session", "__Host-csrf", "theme", "messages"])
@pytest.mark.parametrize("value", ['"abcdefgh\\000"', "abcdefgh\0", "abcdefgh\xff"])
def test_a_cookie_with_it_is_refused(name: str, value: str) -> None:
    client = Client(raise_request_exception=False)
    answer = client.get("/profile/", HTTP_COOKIE=f"{name}={value}")
    assert answer.status_code == 400


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_no_address_breaks_under_five_thousand_fields(client: Client, address: Address) -> None:
    fields = "&".join(f"f{number}=x" for number in range(5_000))
    assert client.get(f"{address.path()}?{fields}").status_code == 400
    kind = "application/x-www-form-urlencoded"
    status = client.post(address.path(), fields, content_type=kind).status_code
    if address.name in API:
        assert status == (401 if address.name in WITH_TOKEN else 405)
    else:
        assert status in (400, 411, 415)


def test_valid_text_is_unchanged(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/profile/", {"organisation": "∞ 清华大学 عربى 🔬", "link": ""})
    alice.refresh_from_db()
    assert alice.organisation == "∞ 清华大学 عربى 🔬"
    assert client.get("/?q=%E6%B8%85%E5%8D%8E+%F0%9F%91%A9").status_code == 200


class Cut(BytesIO):
    """A body whose sender has disconnected."""

    def read(self, _size: int | None = -1) -> bytes:
        raise OSError("connection reset by peer")


@pytest.mark.parametrize("path", ["/profile/", "/accounts/login/", "/theme/"])
@pytest.mark.parametrize("strict", [True, False])
def test_a_truncated_form_is_not_a_server_error(path: str, strict: bool) -> None:
    client = Client(raise_request_exception=False, enforce_csrf_checks=strict)
    kind = "application/x-www-form-urlencoded"
    cut: dict[str, Any] = {"wsgi.input": Cut()}
    assert client.post(path, "field=x", content_type=kind, **cut).status_code == 400


def send(client: Client, path: str, fields: dict[str, str], kind: str) -> int:
    if kind == "multipart/form-data":
        return client.post(path, fields).status_code
    body = "&".join(f"{name}={value}" for name, value in fields.items())
    return client.post(path, body.replace("\0", "%00"), content_type=kind).status_code
