"""Ranges of stored files, as in RFC 9110, so that broken downloads can be resumed."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory
from pytest_django import Settings

from portal.models import ReleaseFile
from portal.web.file_responses import AT_ONCE, HANDED_OVER, Part, requested_part, send_file
from tests.support.s3_server import S3Server, s3_server

pytestmark = pytest.mark.django_db  # the end of a response closes connections

s3 = pytest.fixture(s3_server)
DATA = bytes(range(256)) * 4_096  # four chunks
HASH = "a" * 64
ETAG = f'"{HASH}"'


@pytest.fixture
def stored() -> FieldFile:
    name = default_storage.save("releases/some.jsonl", ContentFile(DATA))
    return named(name)


def named(name: str) -> FieldFile:
    file: FieldFile = ReleaseFile(file=name).file
    return file


def sent(stored: FieldFile, method: str = "GET", **headers: str) -> HttpResponseBase:
    request = RequestFactory().generic(method, "/", headers=headers)
    return send_file(request, stored, size=len(DATA), sha256=HASH, content_type="text/plain")


def body(response: HttpResponseBase) -> bytes:
    assert isinstance(response, StreamingHttpResponse)
    try:
        return b"".join(response)
    finally:
        response.close()


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", Part(0, 1)),
        ("bytes=10-19", Part(10, 20)),
        ("bytes=90-", Part(90, 100)),
        ("bytes=90-1000", Part(90, 100)),
        ("bytes=-10", Part(90, 100)),
        ("bytes=-1000", Part(0, 100)),
        ("Bytes = 0-0", Part(0, 1)),
        ("bytes=100-", Part(100, 100)),
        ("bytes=100-200", Part(100, 100)),
        ("bytes=5000-", Part(100, 100)),
        ("bytes=5000-6000", Part(100, 100)),
        ("bytes=-0", Part(100, 100)),
        ("", None),
        ("bytes=", None),
        ("bytes=-", None),
        ("bytes=9-5", None),
        ("bytes=a-b", None),
        ("bytes=0-1,5-6", None),
        ("bytes=--1", None),
        ("bytes=١-٢", None),
        ("rows=0-1", None),
        ("bytes=" + "9" * 5_000 + "-", None),
    ],
)
def test_range_headers_are_parsed(header: str, part: Part | None) -> None:
    assert requested_part(header, 100) == part


def test_the_whole_file_comes_with_its_length_and_hash(stored: FieldFile) -> None:
    response = sent(stored)
    assert response.status_code == HTTPStatus.OK
    assert response["Content-Length"] == str(len(DATA))
    assert (response["ETag"], response["Accept-Ranges"]) == (ETAG, "bytes")
    assert body(response) == DATA


@pytest.mark.parametrize(("start", "end"), [(0, 1), (5, 300_000), (1 << 18, (1 << 18) + 1)])
def test_a_part_comes_as_one(stored: FieldFile, start: int, end: int) -> None:
    response = sent(stored, Range=f"bytes={start}-{end - 1}")
    assert response.status_code == HTTPStatus.PARTIAL_CONTENT
    assert response["Content-Range"] == f"bytes {start}-{end - 1}/{len(DATA)}"
    assert response["Content-Length"] == str(end - start)
    assert body(response) == DATA[start:end]


def test_a_range_beyond_the_end_is_refused(stored: FieldFile) -> None:
    response = sent(stored, Range=f"bytes={len(DATA)}-")
    assert response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    assert response["Content-Range"] == f"bytes */{len(DATA)}"


def test_if_range_with_another_etag_gets_the_whole_file(stored: FieldFile) -> None:
    for wrong in ('"another"', f"W/{ETAG}", "Wed, 21 Oct 2015 07:28:00 GMT"):
        response = sent(stored, Range="bytes=5-", If_Range=wrong)
        assert (response.status_code, body(response)) == (HTTPStatus.OK, DATA)
    response = sent(stored, Range="bytes=5-", If_Range=ETAG)
    assert (response.status_code, body(response)) == (HTTPStatus.PARTIAL_CONTENT, DATA[5:])


def test_several_ranges_are_answered_with_the_whole(stored: FieldFile) -> None:
    response = sent(stored, Range="bytes=0-1,5-6")
    assert (response.status_code, body(response)) == (HTTPStatus.OK, DATA)


def test_a_head_request_has_the_headers_but_no_body(stored: FieldFile) -> None:
    response = sent(stored, "HEAD", Range="bytes=0-9")
    assert response.status_code == HTTPStatus.OK
    assert response["Content-Length"] == str(len(DATA))
    assert body(response) == b""


def test_a_matching_etag_gets_304(stored: FieldFile) -> None:
    response = sent(stored, If_None_Match=ETAG)
    assert (response.status_code, response["ETag"]) == (HTTPStatus.NOT_MODIFIED, ETAG)
    assert sent(stored, If_Match='"another"').status_code == HTTPStatus.PRECONDITION_FAILED


@pytest.fixture
def all_taken(stored: FieldFile) -> Iterator[list[HttpResponseBase]]:
    taken = [sent(stored) for _ in range(AT_ONCE)]
    yield taken
    for response in taken:
        response.close()


def test_more_than_a_few_at_once_are_asked_to_come_again(
    stored: FieldFile, all_taken: list[HttpResponseBase]
) -> None:
    response = sent(stored)
    assert response.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert int(response["Retry-After"]) > 0
    assert sent(stored, "HEAD").status_code == HTTPStatus.OK
    all_taken[0].close()
    assert body(sent(stored)) == DATA


def test_a_place_is_free_again_after_any_end(stored: FieldFile) -> None:
    for _ in range(3 * AT_ONCE):
        response = sent(stored)
        assert isinstance(response, StreamingHttpResponse)
        next(iter(response))
        response.close()
        response.close()
    for _ in range(3 * AT_ONCE):
        with pytest.raises(FileNotFoundError):
            sent(named("releases/lost.jsonl"))
    assert body(sent(stored)) == DATA


@pytest.fixture
def handing_over(settings: Settings) -> None:
    settings.PROXY_DOWNLOADS = True


@pytest.mark.usefixtures("handing_over")
def test_the_proxy_is_told_which_file_to_send(stored: FieldFile) -> None:
    response = sent(stored, Range="bytes=5-9")
    assert (response.status_code, response["ETag"]) == (HTTPStatus.OK, ETAG)
    assert response[HANDED_OVER] == f"/stored-files/{stored.name}"
    assert not response.streaming
    assert response["Content-Type"] == "text/plain"


@pytest.mark.usefixtures("all_taken")
def test_what_the_proxy_sends_takes_no_place(stored: FieldFile, settings: Settings) -> None:
    settings.PROXY_DOWNLOADS = True
    assert sent(stored).status_code == HTTPStatus.OK


@pytest.mark.usefixtures("handing_over")
def test_what_has_no_body_or_conditions_is_answered_by_the_site(stored: FieldFile) -> None:
    assert HANDED_OVER not in sent(stored, "HEAD")
    assert sent(stored, If_None_Match=ETAG).status_code == HTTPStatus.NOT_MODIFIED
    beyond = sent(stored, Range=f"bytes={len(DATA)}-")
    assert beyond.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    assert body(sent(stored, If_Match=ETAG)) == DATA
    for response in (beyond, sent(stored, If_None_Match=ETAG), sent(stored, If_Match=ETAG)):
        response.close()
        assert HANDED_OVER not in response


@pytest.mark.usefixtures("handing_over")
def test_files_in_a_bucket_are_sent_by_the_site(s3: S3Server) -> None:
    response = sent(named(default_storage.save("releases/some.jsonl", ContentFile(DATA))))
    assert HANDED_OVER not in response
    assert body(response) == DATA
    assert s3.requests
