"""Each board is made once for all readers, and their pages are cached as sent."""

import dataclasses
import gzip
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard import cache, queries
from leaderboard.board import views
from leaderboard.board.board import Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranking import standings
from leaderboard.cache import kept_in
from leaderboard.entries import Entry
from leaderboard.pages import views as pages
from leaderboard.pages.entries import entry as entries
from leaderboard.pages.entries.entry import EntryDetails
from leaderboard.queries import BoardRelease
from portal import kept_regions
from portal.board_version import raise_board_version
from portal.kept_regions import FOREVER, kept_region
from portal.models import (
    Action,
    KeptRegion,
    Release,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.states import change_submission
from tests.support.factories import ALL, add_scores, published

DEADLINE = 30.0  # seconds; only a failing test waits this long
READERS = 8
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
T = TypeVar("T")
pytestmark = pytest.mark.django_db(transaction=True)


def at_once(action: Callable[[], T]) -> list[T]:
    """Run it in several threads, each with its own connection."""
    start = threading.Barrier(READERS)

    def act(_number: int) -> T:
        start.wait(DEADLINE)
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(READERS) as pool:
        return list(pool.map(act, range(READERS), timeout=DEADLINE))


def test_readers_who_come_at_once_have_a_board_made_once(
    alice: User, official: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(alice, official, "Model", ALL)
    made: list[BoardRelease] = []

    def read(release: BoardRelease, filters: Filters) -> Board:
        made.append(release)
        return read_board(release, filters)

    monkeypatch.setattr(views, "read_board", read)
    answers = at_once(lambda: Client().get("/board/hf/"))
    assert all("Model" in answer.content.decode() for answer in answers)
    assert len(made) == 1


@pytest.fixture
def database_for_reading() -> Iterator[None]:
    """A read-only database, as on a replica or a full disk."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        yield
        cursor.execute("SET default_transaction_read_only = off")


def test_readers_without_an_account_have_a_page_made_once(
    alice: User, official: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = published(alice, official, "Model", ALL)
    made: list[str] = []
    read = entries.entry_details

    def read_and_count(entry_id: str) -> EntryDetails | None:
        made.append(entry_id)
        return read(entry_id)

    monkeypatch.setattr(pages, "entry_details", read_and_count)
    readers, address = [Client(), Client()], f"/entries/{entry.entry_id}/"
    first, second = (reader.get(address).content.decode() for reader in readers)
    assert TOKEN.sub("", first) == TOKEN.sub("", second)
    assert made == [entry.entry_id]
    for reader in readers:
        reader.force_login(alice)
        assert alice.username in reader.get(address).content.decode()
    assert len(made) == 3
    with transaction.atomic():
        raise_board_version()
    Client().get(address)
    assert len(made) == 4


def test_what_is_not_found_is_looked_for_again(alice: User, official: Release) -> None:
    entry = published(alice, official, "Model", ALL, state=SubmissionState.HIDDEN)
    address = f"/models/{entry.language_model.slug}/"
    assert Client().get(address).status_code == 404
    Submission.objects.update(state=SubmissionState.PUBLISHED)
    assert Client().get(address).status_code == 200
    assert Client().get(f"{address}?metric_set=strict").status_code == 200


def test_no_token_of_a_reader_is_stored(alice: User, official: Release) -> None:
    published(alice, official, "Model", ALL)
    token = TOKEN.findall(Client().get("/about/").content.decode())[0]
    [content] = KeptRegion.objects.values_list("content", flat=True)
    assert content is not None
    assert "csrfmiddlewaretoken" in content
    assert token not in content


def test_no_page_that_is_being_made_holds_up_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """With shared locks, two threads waited for what the other was making."""
    monkeypatch.setattr(cache, "PATIENCE", 2 * DEADLINE)
    pages = 70
    all_at_once = threading.Barrier(pages)

    def keep(number: int) -> int:
        return kept_in(caches["regions"], str(number), lambda: 1 + all_at_once.wait(DEADLINE))

    with ThreadPoolExecutor(pages) as pool:
        assert set(pool.map(keep, range(pages), timeout=DEADLINE)) == {*range(1, 1 + pages)}


def test_processes_make_a_region_once() -> None:
    made: list[int] = []

    def make() -> dict[str, str]:
        made.append(1)
        return {"html": "region"}

    assert at_once(lambda: kept_region("board", 1, make)) == [{"html": "region"}] * READERS
    assert len(made) == 1


def test_a_process_that_was_killed_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed() -> Mapping[str, str]:
        KeptRegion.objects.get(content=None)  # the claim
        monkeypatch.setattr(kept_regions, "PATIENCE", 0.05)
        return kept_region("board", 1, lambda: {"html": "of another process"})

    assert kept_region("board", 1, killed) == {"html": "of another process"}


def test_a_region_that_could_not_be_made_is_tried_again() -> None:
    def fail() -> dict[str, str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept_region("board", 1, fail)
    assert kept_region("board", 1, lambda: {"html": "region"}) == {"html": "region"}


def test_regions_of_older_boards_are_cleared_away() -> None:
    for version in (1, 2):
        kept_region("board", version, lambda: {"html": "region"})
    assert [row.version for row in KeptRegion.objects.all()] == [2]


def test_where_the_database_cannot_write_regions_are_made_each_time(
    database_for_reading: None,
) -> None:
    assert kept_region("board", 1, lambda: {"html": "region"}) == {"html": "region"}


def test_after_another_start_only_what_depends_on_nothing_else_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Settings and styles may differ, and the boards may have changed."""
    for version in (1, FOREVER):
        kept_region("board", version, lambda: {"html": "before"})
    monkeypatch.setattr(kept_regions, "_START", "another")
    found = [
        kept_region("board", version, lambda: {"html": "after"}) for version in (1, 2, FOREVER)
    ]
    assert [one["html"] for one in found] == ["after", "after", "before"]


def test_a_compressed_page_is_the_same_page(alice: User, official: Release) -> None:
    published(alice, official, "Model", ALL)
    plain = Client().get("/board/hf/").content.decode()
    answer = Client().get("/board/hf/", headers={"Accept-Encoding": "br, gzip"})
    assert answer["Content-Encoding"] == "gzip"
    unpacked = gzip.decompress(answer.content).decode()
    assert TOKEN.sub("", unpacked) == TOKEN.sub("", plain)
    assert len(set(TOKEN.findall(unpacked))) == 1


def test_the_forms_of_a_kept_page_work_for_every_reader(alice: User, official: Release) -> None:
    published(alice, official, "Model", ALL)
    readers = [Client(enforce_csrf_checks=True) for _ in range(2)]
    for reader in readers:
        token = TOKEN.findall(reader.get("/board/hf/").content.decode())[0]
        sent = {"theme": "dark", "csrfmiddlewaretoken": token}
        assert reader.post("/theme/", sent).status_code == 302
    assert 'data-theme="dark"' in readers[0].get("/board/hf/").content.decode()


def test_a_reader_who_has_the_page_already_is_sent_nothing(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Model", ALL)
    client.get("/board/hf/")
    tag = client.get("/board/hf/")["ETag"]
    assert client.get("/board/hf/", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("entries", [1, 30])
def test_a_board_takes_thirteen_queries_however_many_entries_it_has(
    alice: User,
    official: Release,
    client: Client,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    entries: int,
) -> None:
    for number in range(entries):
        published(alice, official, f"Model {number}", ALL)
    with django_assert_max_num_queries(13):
        assert client.get("/board/hf/").status_code == 200


def test_scores_that_are_known_are_not_read_again(
    alice: User, official: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = next(one for one in queries.releases_with_boards() if one.slug == "hf")
    first = published(alice, official, "First", ALL)
    known = queries.entries_of(release, "strict")
    second = published(alice, official, "Second", {"passkey": 10.0})
    asked: list[int] = []

    def percents(evaluations: Collection[int], **more: Any) -> Any:
        asked.extend(evaluations)
        return of_evaluations(evaluations, **more)

    of_evaluations = queries._percents
    monkeypatch.setattr(queries, "_percents", percents)
    found = queries.entries_of(release, "strict", known)
    assert asked == [second.evaluations.get().pk]
    monkeypatch.undo()
    assert sorted(found, key=_id) == sorted(queries.entries_of(release, "strict"), key=_id)
    add_scores(first, {"passkey": 20.0})  # another evaluation
    again = queries.entries_of(release, "strict", found)
    assert sorted(again, key=_id) == sorted(queries.entries_of(release, "strict"), key=_id)


def _id(entry: Entry) -> str:
    return entry.id


def test_a_release_that_was_hidden_shows_its_exact_scores(
    alice: User, official: Release, client: Client
) -> None:
    official.hidden = True
    official.save()
    entry = published(alice, official, "Model", dict.fromkeys(ALL, 33.33))
    TaskScore.objects.filter(evaluation__submission=entry).update(public_percent=33)
    raise_version()
    assert "33.00" not in client.get("/board/hf/").content.decode()
    official.hidden = False
    official.save()
    raise_version()
    assert "33.33" in client.get("/board/hf/").content.decode()


def raise_version() -> None:
    with transaction.atomic():
        raise_board_version()


def entries_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collects the metric set whenever the entries of a board are read."""
    read: list[str] = []

    def entries_of(
        release: BoardRelease, metric_set: str, known: Iterable[Entry] = ()
    ) -> list[Entry]:
        read.append(metric_set)
        return queries.entries_of(release, metric_set, known)

    monkeypatch.setattr(standings, "entries_of", entries_of)
    return read


def test_searches_pins_and_own_weights_read_no_entry_again(
    alice: User, official: Release, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = published(alice, official, "Model", ALL)
    read = entries_read(monkeypatch)
    filters = (
        "",
        "?q=model",
        f"?pin={entry.entry_id}",
        "?tasks=passkey:2,kv_retrieval",
        "?sort=passkey",
    )
    for one in filters:
        assert "Model" in client.get(f"/board/hf/{one}").content.decode()
    assert read == ["official-2024-06"]


def test_searchers_who_come_at_once_read_the_entries_once(
    alice: User, official: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(alice, official, "Model", ALL)
    read = entries_read(monkeypatch)
    answers = at_once(lambda: Client().get("/board/hf/?q=model"))
    assert all("Model" in answer.content.decode() for answer in answers)
    assert len(read) == 1


def test_a_change_of_one_entry_shows_in_the_next_search(
    alice: User, adam: User, official: Release, client: Client
) -> None:
    first, second = (published(alice, official, f"Model {number}", ALL) for number in (1, 2))
    assert shown_ids(client) == {first.entry_id, second.entry_id}
    change_submission(second, Action.HIDE, by=adam, reason="Wrong.")
    assert shown_ids(client) == {first.entry_id}
    change_submission(second, Action.RESTORE, by=adam, reason="Right.")
    with transaction.atomic():
        add_scores(first, {"passkey": 50.0})
        raise_board_version()
    assert shown_ids(client, "&complete=yes") == {second.entry_id}


def shown_ids(client: Client, more: str = "") -> set[str]:
    page = client.get(f"/board/hf/?q=model{more}").content.decode()
    return set(re.findall(r'name="pin" value="([-0-9a-z]+)"', page))


def test_few_standings_are_kept(official: Release) -> None:
    (release,) = queries.releases_with_boards()
    for number in range(20):
        standings.kept_standings(dataclasses.replace(release, slug=f"{number}"), "strict")
    assert len(standings._kept) == standings._MOST


def test_a_transaction_that_is_rolled_back_leaves_no_standings(
    alice: User, official: Release
) -> None:
    with transaction.atomic():
        published(alice, official, "Model", ALL)
        (release,) = queries.releases_with_boards()
        assert standings.kept_standings(release, "strict").candidates
        transaction.set_rollback(True)
    (release,) = queries.releases_with_boards()
    assert not standings.kept_standings(release, "strict").candidates
