"""Long bodies are refused on every page but one, without being read."""

import pytest
from django.test import Client

from portal.web.middleware import MAX_FORM_BYTES
from tests.support.addresses import Address, admin_addresses, site_addresses
from tests.support.request_bodies import TYPE, Body

KINDS = ("application/x-www-form-urlencoded", TYPE, "text/plain")
ADDRESSES = [*site_addresses(), *admin_addresses()[:15]]  # one model stands for all others
FOR_FILES = ("submit", "api-submissions")
FORMS = [address for address in ADDRESSES if address.name not in FOR_FILES]

pytestmark = pytest.mark.django_db


def sent(client: Client, path: str, length: object, kind: str, **more: str) -> tuple[int, int]:
    """The status of the answer, and how much of the body was read."""
    body = Body(b"a=" + b"x" * MAX_FORM_BYTES)
    environ = {"wsgi.input": body, "CONTENT_TYPE": kind, "CONTENT_LENGTH": str(length), **more}
    answer = client.generic("POST", path, **environ)  # type: ignore[arg-type]
    return answer.status_code, body.taken


@pytest.mark.parametrize("address", FORMS, ids=lambda address: address.name)
@pytest.mark.parametrize("kind", KINDS)
def test_no_form_reads_a_long_body(client: Client, address: Address, kind: str) -> None:
    assert sent(client, address.path(), MAX_FORM_BYTES + 1, kind) == (413, 0)


@pytest.mark.parametrize("length", ["-1", "many", "9" * 5_000])
def test_an_invalid_content_length_is_refused(client: Client, length: str) -> None:
    assert sent(client, "/theme/", length, KINDS[0]) == (413, 0)


def test_a_body_in_chunks_is_not_read(client: Client) -> None:
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked"}
    assert sent(client, "/theme/", "", KINDS[0], **chunked) == (413, 0)


def test_a_body_that_is_just_short_enough_is_read(client: Client) -> None:
    assert sent(client, "/theme/", MAX_FORM_BYTES, KINDS[0]) == (302, MAX_FORM_BYTES)


def test_the_page_says_how_much_is_taken_and_where_files_are(client: Client) -> None:
    page = client.post("/theme/", "x" * (MAX_FORM_BYTES + 1), content_type=KINDS[0])
    assert page.context["most"] == MAX_FORM_BYTES // 1000
    assert 'href="/submit/"' in page.content.decode()
