"""What becomes visible by itself: before its time no public address reveals that an entry exists,
or later whose it is; afterwards all do, even though everything is cached and no worker runs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4
from zipfile import ZipFile

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.utils.timezone import now

from portal.ledger.records import record_attempt
from portal.models import BoardVersion, LanguageModel, Submission, SubmissionState, User
from portal.review.schedule import Schedule
from portal.review.services import publish_submission, request_publication
from portal.web import throttle
from tests.leaderboard.comparison.conftest import STRONG, WEAK, answered, imported
from tests.support import html
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
MUST_SHOW = {
    *("/", "/board/data/", "/board/data/board.csv", "/board/data/board.json"),
    *("/board/data/board.tex", "/board/data/board.md", "/board/data/feed.atom"),
    *("/entries/ENTRY/", "/entries/ENTRY/receipt.json", "/entries/ENTRY/badge.svg"),
    *(
        "/tasks/passkey/?release=data",
        "/api/v1/entries/?release=data&entries=all",
        "/api/v1/models/",
    ),
    *("/api/v1/entries/ENTRY/", "/entries/ENTRY/inspect.zip"),
}


SCORED = datetime(2026, 5, 3, 10, 20, 30, 400_000, UTC)


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


def publish(submission: Submission, rita: User, **schedule: timedelta) -> None:
    dates = {name: now() + time for name, time in schedule.items()}
    assert submission.owner
    request_publication(
        submission, by=submission.owner, unknown_confirmed=True, schedule=Schedule(**dates)
    )
    publish_submission(submission, by=rita, reason="Canaryreason: looks fine.")


def crawl(
    entry: UUID, other: UUID, model: str, below: str = "/", *, without: tuple[str, ...] = ()
) -> dict[str, Found]:
    """All public addresses and their responses, including what earlier requests left in caches. The
    entry's number is replaced by ``ENTRY``."""
    client, found, seen = Client(), {}, set[str]()
    about = {"entry_id": str(entry), "other": str(other), "release": "data", "model": model}
    for address in public_addresses(**about):
        path = address.partition("?")[0]
        if path in seen or not path.startswith(below) or any(one in path for one in without):
            continue  # other queries show no further names
        seen.add(path)
        response = client.get(address)
        assert response.status_code in (200, 301, 302, 304, 400, 403, 404), address
        page = html.page(response) if response["Content-Type"].startswith("text/html") else None
        for token in page.select("[name=csrfmiddlewaretoken]") if page else ():
            token.decompose()
        content = str(page).encode() if page else b"".join(response)
        content = unpacked(content).replace(response["X-Request-ID"].encode(), b"REQUEST")
        found[address.replace(str(entry), "ENTRY")] = Found(
            response.status_code,
            "\n".join(f"{name}: {value}" for name, value in response.items()),
            content.decode(errors="replace").replace(str(entry), "ENTRY"),
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


def test_what_opens_by_itself_tells_nothing_before_and_everything_after(
    entries: tuple[Submission, Submission], rita: User
) -> None:
    mine, other, canaries = entries[0], entries[1].pk, [*CANARIES.values()]
    before = crawl(uuid4(), other, "canarymodel")  # of an entry that does not exist
    publish(mine, rita, publish_on=WEEK, anonymous_until=2 * WEEK)
    sealed = crawl(mine.pk, other, "canarymodel")
    changed = {one for one in sealed if sealed[one].content != before[one].content}
    about = ("commitments", "ledger", "feed.atom")  # its hash, and a decision that is closed
    assert {one for one in changed if not any(name in one for name in about)} == set()
    assert telling(sealed, canaries) == set()

    let_pass(WEEK)
    anonymous = crawl(mine.pk, other, "canarymodel")
    assert telling(anonymous, canaries) == set()
    mine.refresh_from_db()
    stand_in = mine.language_model
    for below in ("/models/", "/api/v1/models/"):
        assert telling(crawl(mine.pk, other, stand_in.slug, below), canaries) == set()
    shown = {address for _word, address in telling(anonymous, [stand_in.name])}
    assert shown >= MUST_SHOW
    assert {anonymous[one].status for one in anonymous if "canarymodel" in one} == {404}
    for address in MUST_SHOW:  # whoever has the previous page gets the current one
        etag, path = sealed[address].etag, address.replace("ENTRY", str(mine.pk))
        assert not etag or Client().get(path, headers={"If-None-Match": etag}).status_code != 304

    let_pass(WEEK)
    named = crawl(mine.pk, other, "canarymodel")
    told = telling(named, canaries)
    assert {word for word, _address in told} == set(canaries)
    assert {address for word, address in told if word == "Canarymodel"} >= MUST_SHOW
    assert telling(named, [stand_in.name]) == set()
    moved = Client().get(f"/models/{stand_in.slug}/")
    assert (moved.status_code, moved["Location"]) == (301, "/models/canarymodel/")


def as_random(text: str, names: dict[str, str]) -> str:
    """The text without what is different each time."""
    for name, replaced in names.items():
        text = text.replace(name, replaced)
    for random in (
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}",
        r"[\w+/-]{60,}=*",  # signatures
        r"[0-9a-f]{8,}",  # hashes, and what is shown of them
        r"\d\d[:-]\d\d([:-]\d\d)?([.,]\d+)?(Z|\+00:00)?",  # days and times
    ):
        text = re.sub(random, "…", text)
    return text


def test_whose_an_anonymous_entry_is_makes_no_difference_to_any_address(
    entries: tuple[Submission, Submission], alice: User, rita: User
) -> None:
    """What a rival can find out: two worlds that differ only in whose entry it is. Its people
    already have a named entry of the same model, and later name one of another model."""
    release, other = entries[0].release, entries[1].pk
    carol = User.objects.create_user("carol")
    unchanging = ("/examples/", ".png", ".svg")  # images are as wide as a random name

    def tried(owner: User, name: str) -> Submission:
        found = answered(owner, release, name, STRONG, SubmissionState.PRIVATE)
        predictions = sha256(found.pk.bytes).hexdigest()
        found.evaluations.update(predictions_hash=predictions, finished=SCORED)
        record_attempt(found, predictions, in_part=False)
        return found

    def world(people: User) -> dict[str, str]:
        tried(alice, "Family")
        before, private = tried(alice, "Family"), tried(alice, "Second")
        publish(before, rita)
        nameless = tried(people, "Family" if people == alice else "Of somebody else")
        publish(nameless, rita, anonymous_until=2 * WEEK)
        last = tried(alice, "Second")
        publish(last, rita)
        tried(carol, "Private")
        nameless.refresh_from_db()
        stand_in = nameless.language_model
        names = {stand_in.slug: "stand-in", stand_in.name: "Stand-in", str(private.pk): "PRIVATE"}
        names |= {str(before.pk): "BEFORE", str(last.pk): "LAST"}
        found = crawl(nameless.pk, before.pk, stand_in.slug, without=unchanging)
        of_entry = {address: one for address, one in found.items() if "ENTRY" in address}
        assert telling(of_entry, ["10:20", "10-20-30", f"{SCORED.timestamp():.0f}"]) == set()
        for about, model in ((before, "family"), (last, "second")):
            for below in ("/entries/", "/api/v1/entries/", "/models/", "/api/v1/models/"):
                own = crawl(about.pk, other, model, below, without=unchanging)
                found |= {f"{about.pk} {address}": one for address, one in own.items()}
        pages = {address: one.content for address, one in found.items()}
        return {as_random(one, names): as_random(text, names) for one, text in pages.items()}

    worlds: list[dict[str, str]] = []
    for people in (alice, carol):
        with sequences_put_back(), transaction.atomic():
            BoardVersion.objects.update(number=F("number") + 1000 * len(worlds))
            worlds.append(world(people))
            transaction.set_rollback(True)
        cache.clear()
    mine, of_carol = worlds
    differing = {
        address: [*unified_diff(mine[address].split("\n"), of_carol[address].split("\n"), n=0)]
        for address in mine
        if mine[address] != of_carol[address]
    }
    assert (mine.keys(), differing) == (of_carol.keys(), {})


@contextmanager
def sequences_put_back() -> Iterator[None]:
    """Reset the sequences, since row numbers are not rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT schemaname, sequencename, last_value FROM pg_sequences")
        before = [(f"{one[0]}.{one[1]}", one[2] or 1, bool(one[2])) for one in cursor.fetchall()]
        yield
        cursor.executemany("SELECT setval(%s::regclass, %s, %s)", before)
