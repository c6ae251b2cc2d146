"""What becomes visible by itself: before its day no public address reveals that an entry exists;
afterwards all do, even though everything is cached and no worker runs."""

from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.models import LanguageModel, Submission, SubmissionState, User
from portal.review.services import publish_submission, request_publication
from portal.web import throttle
from tests.leaderboard.comparison.conftest import STRONG, WEAK, answered, imported
from tests.support import html
from tests.support.clients import signed_in
from tests.support.factories import endpoint_run
from tests.support.openings import WEEK, let_pass
from tests.support.public_addresses import public_addresses

CANARIES = {  # by where they are written; no text of the site has these
    "model": "Canarymodel",
    "maker": "Canarymaker",
    "link of the model": "canarycard.example",
    "method": "Canarymethod",
    "note": "Canarynote",
    "link": "canarypaper.example",
    "username": "canaryalice",
    "name": "Canaryname",
    "organisation": "Canaryhouse",
    "link of the author": "canaryhome.example",
    "reviewer's note": "Canaryreason",
    "endpoint": "canaryhost.example",
    "model at the endpoint": "canaryserved",
}
OF_ACCOUNT = ("username", "name", "organisation", "link of the author")
MUST_SHOW = {
    *("/", "/board/data/", "/board/data/board.csv", "/board/data/board.json"),
    *("/board/data/board.tex", "/board/data/board.md", "/board/data/feed.atom"),
    *("/entries/ENTRY/", "/entries/ENTRY/badge.svg"),
    *(
        "/tasks/passkey/?release=data",
        "/api/v1/entries/?release=data&entries=all",
        "/api/v1/models/",
    ),
    *("/api/v1/entries/ENTRY/", "/entries/ENTRY/every-eval-ever.zip"),
}


class Found(NamedTuple):
    status: int
    headers: str
    content: str
    etag: str


@pytest.fixture
def entries(
    db: None, tmp_path: Path, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> tuple[Submission, Submission]:
    """A private entry that names its owner wherever it can, and a public one."""
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 10**6)
    about = {"username": "canaryalice", "first_name": "Canaryname", "organisation": "Canaryhouse"}
    User.objects.filter(pk=alice.pk).update(**about, link="https://canaryhome.example/")
    release = imported(tmp_path, "data")
    mine = answered(alice, release, "Canarymodel", STRONG, SubmissionState.PRIVATE)
    LanguageModel.objects.filter(slug="canarymodel").update(
        organisation="Canarymaker", link="https://canarycard.example/x/y"
    )
    Submission.objects.filter(pk=mine.pk).update(
        method="Canarymethod", note="Canarynote", link="https://canarypaper.example/"
    )
    run = endpoint_run(alice, release, submission=mine)
    run.settings |= {"url": "https://canaryhost.example/v1", "model": "canaryserved"}
    run.save()
    return mine, answered(bob, release, "Weak", WEAK)


def publish(
    submission: Submission,
    rita: User,
    *,
    publish_on: datetime | None = None,
    show_account: bool = True,
) -> None:
    assert submission.owner
    request_publication(
        submission,
        by=submission.owner,
        unknown_confirmed=True,
        by_maker=True,
        publish_on=publish_on,
        show_account=show_account,
    )
    publish_submission(submission, by=rita, reason="Canaryreason: looks fine.")


def crawl(entry: str, other: str, model: str, client: Client | None = None) -> dict[str, Found]:
    """All public addresses and their responses, including what earlier requests left in caches. The
    entry's number is replaced by ``ENTRY``."""
    client, found, seen = client or Client(), {}, set[str]()
    about = {"entry_id": entry, "other": other, "release": "data", "model": model}
    for address in public_addresses(**about):
        path = address.partition("?")[0]
        if path in seen:
            continue  # other queries show no further names
        seen.add(path)
        response = client.get(address)
        assert response.status_code in (200, 301, 302, 304, 400, 403, 404), address
        page = html.page(response) if response["Content-Type"].startswith("text/html") else None
        for token in page.select("[name=csrfmiddlewaretoken]") if page else ():
            token.decompose()
        content = str(page).encode() if page else b"".join(response)
        content = unpacked(content).replace(response["X-Request-ID"].encode(), b"REQUEST")
        found[address.replace(entry, "ENTRY")] = Found(
            response.status_code,
            "\n".join(f"{name}: {value}" for name, value in response.items()),
            content.decode(errors="replace").replace(entry, "ENTRY"),
            response.headers.get("ETag", ""),
        )
    return found


def unpacked(content: bytes) -> bytes:
    if not content.startswith(b"PK\3\4"):
        return content
    with ZipFile(BytesIO(content)) as archive:
        return b"".join(one.encode() + unpacked(archive.read(one)) for one in archive.namelist())


def telling(found: dict[str, Found], words: list[str]) -> set[tuple[str, str]]:
    """The addresses whose responses contain a word, other than by repeating the address."""
    return {
        (word, address)
        for address, one in found.items()
        for word in words
        if word.casefold()
        in (one.headers + one.content).replace(address.partition("?")[0], "").casefold()
    }


def test_a_scheduled_entry_leaves_no_trace_before_its_day_and_is_everywhere_after(
    entries: tuple[Submission, Submission], bob: User, rita: User
) -> None:
    mine, other, canaries = entries[0], entries[1].entry_id, [*CANARIES.values()]
    slug = "canarymodel-canarymethod"  # that it will have
    before = crawl("nobodys-entry", other, "canarymodel")  # of an entry that does not exist
    publish(mine, rita, publish_on=now() + WEEK, show_account=False)
    for entry_id in (str(mine.pk), slug):
        scheduled = crawl(entry_id, other, "canarymodel")
        assert {one for one in scheduled if scheduled[one].content != before[one].content} == set()
        assert telling(scheduled, canaries) == set()
        assert telling(crawl(entry_id, other, "canarymodel", signed_in(bob)), canaries) == set()

    let_pass(WEEK)
    opened = crawl(slug, other, "canarymodel")
    told = telling(opened, canaries)
    of_account = {CANARIES[name] for name in OF_ACCOUNT}
    assert {word for word, _address in told} == set(canaries) - of_account
    assert {address for word, address in told if word == "Canarymodel"} >= MUST_SHOW
    for address in MUST_SHOW:  # whoever has the previous page gets the current one
        etag, path = scheduled[address].etag, address.replace("ENTRY", slug)
        assert not etag or Client().get(path, headers={"If-None-Match": etag}).status_code != 304


def test_an_account_that_is_shown_is_on_the_page(
    entries: tuple[Submission, Submission], rita: User
) -> None:
    publish(entries[0], rita)
    page = Client().get("/entries/canarymodel-canarymethod/").text
    assert all(CANARIES[name] in page for name in OF_ACCOUNT)
