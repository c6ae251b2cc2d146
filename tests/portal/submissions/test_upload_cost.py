"""The worst-case cost of an upload for the web process, measured on a real gunicorn."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as site

from portal.models import LanguageModel, Release, Submission, User
from scoring.limits import LIMITS, MIB
from tests.support.clients import fields_of, signed_in
from tests.support.databases import open_folder
from tests.support.request_bodies import BOUNDARY, TYPE, a_field, a_file, form, part
from tests.support.servers import Server

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS, MEMORY = 5.0, 300.0  # processor time; MiB
folder = pytest.fixture(open_folder)


@pytest.fixture
def server(adam: User, folder: Path) -> Iterator[Server]:
    session = signed_in(adam).cookies[site.SESSION_COOKIE_NAME].value
    with Server(folder, session) as server:
        yield server


def filled(rest: Callable[[], Iterable[bytes]]) -> Callable[[Release], bytes]:
    """The form as it should be filled in, plus these parts."""

    def make(release: Release) -> bytes:
        fields = (a_field(name, value) for name, value in fields_of(release).items())
        return form(*fields, *rest())

    return make


def many(part: bytes) -> Callable[[Release], bytes]:
    """As many of these parts as fit into an upload."""
    return lambda _release: part * (LIMITS.bytes_in // len(part))


START = f"--{BOUNDARY}".encode()
LINE = b'{"id": 0, "prediction": "x"}\n'
ROWS = LINE * (MIB // len(LINE))
BASE64 = b'Content-Disposition: form-data; name="predictions"; filename="a.jsonl"\r\n'
BASE64 += b"Content-Transfer-Encoding: base64"
# What is sent, and the statuses that are acceptable.
COSTLY: dict[str, tuple[Callable[[Release], bytes], set[int]]] = {
    "100 MiB in one file": (filled(lambda: [a_file("preds_passkey.jsonl", ROWS * 100)]), {302}),
    "almost boundaries": (filled(lambda: [a_file("a", (b"\r\n" + START[:-1]) * 9 * MIB)]), {302}),
    "1,000 files": (filled(lambda: [a_file(f"{n}", LINE * 3_500) for n in range(1_000)]), {302}),
    "1,000 files of one name": (filled(lambda: [a_file("a.jsonl", LINE)] * 1_000), {302}),
    "blanks in base64": (filled(lambda: [part(BASE64, b"Q " * (49 * MIB))]), {302, 400}),
    "1,000,000 fields": (many(a_field("name", "value")), {400}),
    "parts that are nothing": (many(START + b"\r\n\r\n"), {400}),
    "boundaries": (many(START), {400}),
    "a field of 99 MiB": (filled(lambda: [a_field("link", "x" * (99 * MIB))]), {400}),
    "the name of a field of 99 MiB": (filled(lambda: [a_field("x" * (99 * MIB), "")]), {400}),
    "the name of a file of 99 MiB": (filled(lambda: [a_file("x" * (99 * MIB))]), {400}),
    "marks to be put in order": (
        filled(lambda: [a_field("prompt_strategy", "\u0301\u0316" * 500_000), a_file("a", LINE)]),
        {422},
    ),
    "200 MiB": (lambda _release: b"x" * (200 * MIB), {413}),
}


@pytest.mark.slow
def test_no_upload_costs_much_memory_or_time(
    server: Server, release: Release, summary_line: Callable[[str], None]
) -> None:
    server.post(TYPE, filled(lambda: [a_file("a.jsonl", LINE)])(release))  # loads what it needs
    costs = {}
    for name, (make, statuses) in COSTLY.items():
        Submission.objects.all().delete()
        LanguageModel.objects.all().delete()
        body = make(release)
        begun, before = server.seconds(), server.forget_peak()
        assert server.post(TYPE, body) in statuses, name
        costs[name] = (server.seconds() - begun, server.peak() - before)
    dearest, largest = (max(costs.values(), key=lambda cost: cost[n]) for n in (0, 1))
    summary_line(
        f"uploads at their worst: {dearest[0]:.1f} s of the web process, {largest[1]:.0f} MiB"
    )
    assert dearest[0] < SECONDS, costs
    assert largest[1] < MEMORY, costs
