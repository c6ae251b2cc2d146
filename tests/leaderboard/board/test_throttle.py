"""The number of boards rendered per address and minute is limited; cached ones are free."""

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client

from portal.models import Release, Submission, User
from portal.web import throttle
from tests.support.clients import Answer, signed_in
from tests.support.clock import Clock
from tests.support.factories import ALL, published
from tests.support.kept_pages import forget_kept_pages

SEARCHES = ("/board/hf/?q=%s", "/board/hf/board.csv?q=%s", "/board/hf/board.json?q=%s")


@pytest.fixture(autouse=True)
def three_each_minute(monkeypatch: pytest.MonkeyPatch, alice: User, official: Release) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 3)
    cache.clear()
    forget_kept_pages()
    published(alice, official, "First", ALL)


def get(path: str, address: str = "192.0.2.1", client: Client | None = None) -> Answer:
    return (client or Client()).get(path, REMOTE_ADDR=address)


@pytest.mark.parametrize("path", SEARCHES)
def test_searches_are_limited_by_address(path: str) -> None:
    assert [get(path % number).status_code for number in range(5)] == [200, 200, 200, 429, 429]
    assert get(path % 0, address="192.0.2.2").status_code == 200


def test_the_answer_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 0)
    answer = get("/board/hf/?q=x")
    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert 'data-error-page="429"' in answer.content.decode()


def test_the_next_minute_is_free_again(clock: Clock) -> None:
    assert [get(f"/board/hf/?q={number}").status_code for number in range(4)][-1] == 429
    clock.seconds += 60
    assert get("/board/hf/?q=x").status_code == 200


def test_old_counts_are_deleted_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches["default"], "_max_entries", 1)
    monkeypatch.setattr(throttle, "is_culling_due", lambda: True)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO portal_cache VALUES ('old', '1', now() - interval '1 hour')")
        get("/board/hf/?q=x")
        cursor.execute("SELECT FROM portal_cache WHERE cache_key = 'old'")
        assert cursor.fetchall() == []


def test_boards_in_the_cache_cost_nothing() -> None:
    assert [get("/board/hf/").status_code for _ in range(10)] == [200] * 10
    assert get("/board/hf/?sort=passkey").status_code == 200


PAGES = (
    "/entries/{entry}/",
    "/models/first/",
    "/tasks/passkey/",
    "/releases/hf/",
    "/releases/hf/manifest.json",
    "/releases/hf/composition.csv",
    "/releases/hf/coverage.csv",
    "/releases/hf/composition.svg",
    "/reproduction/",
    "/reproduction/tables.csv",
    "/reproduction/tables.json",
)


@pytest.mark.parametrize("path", PAGES)
def test_pages_with_pictures_and_tests_are_limited(path: str) -> None:
    address = path.format(entry=Submission.objects.get().entry_id)
    statuses = []
    for _ in range(5):
        forget_kept_pages()  # as after a change of a board
        statuses.append(get(address).status_code)
    assert statuses == [200, 200, 200, 429, 429]


def test_whoever_is_signed_in_has_no_limit(bob: User) -> None:
    browser = signed_in(bob)
    found = [get(f"/board/hf/?q={number}", client=browser) for number in range(5)]
    assert [answer.status_code for answer in found] == [200] * 5


def test_no_client_chooses_its_address() -> None:
    def visit(number: int) -> int:
        forwarded = {"x-forwarded-for": f"198.51.100.{number}"}
        return Client().get(f"/board/hf/?q={number}", headers=forwarded).status_code

    assert [visit(number) for number in range(4)][-1] == 429
