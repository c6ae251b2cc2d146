"""No reader is ever shown a board from before a committed change."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError
from django.test import Client

from leaderboard import kept_pages
from leaderboard.board import views
from portal.board_version import board_version, raise_board_version
from portal.models import Action, Release, Submission, SubmissionState, User
from portal.states import change_submission
from tests.support.factories import ALL, published

DEADLINE = 30.0  # seconds; only a failing test waits this long

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(alice: User, official: Release) -> Submission:
    """A submission in review, while another one is on the board."""
    published(alice, official, "Always there", ALL)
    return published(alice, official, "Comes and goes", ALL, state=SubmissionState.IN_REVIEW)


@pytest.fixture
def on_the_board(waiting: Submission, rita: User) -> Submission:
    return change_submission(waiting, Action.PUBLISH, by=rita, reason="Complete.")


def shown() -> bool:
    page = Client().get("/board/hf/").content.decode()
    assert "Always there" in page
    return "Comes and goes" in page


def elsewhere(action: Callable[[], object]) -> None:
    """Do it and commit, on a separate connection."""

    def act() -> None:
        try:
            action()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(act).result(DEADLINE)


def test_a_published_entry_is_shown_at_once(waiting: Submission, rita: User) -> None:
    assert not shown()
    waiting = change_submission(waiting, Action.PUBLISH, by=rita, reason="Complete.")
    assert shown()


def test_a_withdrawn_entry_disappears_at_once(on_the_board: Submission, alice: User) -> None:
    assert shown()
    change_submission(on_the_board, Action.WITHDRAW, by=alice)
    assert not shown()


@pytest.mark.parametrize(
    "address", ["/board/hf/board.csv", "/board/hf/board.json", "/tasks/passkey/"]
)
def test_a_withdrawn_entry_disappears_from_all_caches_at_once(
    on_the_board: Submission, alice: User, address: str
) -> None:
    assert "Comes and goes" in Client().get(address).content.decode()
    change_submission(on_the_board, Action.WITHDRAW, by=alice)
    assert "Comes and goes" not in Client().get(address).content.decode()


def test_an_entry_says_at_once_how_many_others_have_a_rank(
    on_the_board: Submission, alice: User
) -> None:
    first = Submission.objects.exclude(pk=on_the_board.pk).get()
    assert "1 of 2" in Client().get(f"/entries/{first.entry_id}/").content.decode()
    change_submission(on_the_board, Action.WITHDRAW, by=alice)
    assert "1 of 1" in Client().get(f"/entries/{first.entry_id}/").content.decode()


def test_a_slow_transaction_leaves_no_old_page_behind(waiting: Submission, rita: User) -> None:
    """A reader comes between the change and its commit; another change was committed earlier."""
    changed, may_commit = threading.Event(), threading.Event()

    def publish_slowly() -> None:
        with transaction.atomic():
            Submission.objects.filter(pk=waiting.pk).update(state=SubmissionState.PUBLISHED)
            changed.set()
            assert may_commit.wait(DEADLINE)
            raise_board_version()

    def raise_in_between() -> None:
        with transaction.atomic():
            raise_board_version()

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(elsewhere, publish_slowly)
        assert changed.wait(DEADLINE)
        elsewhere(raise_in_between)
        assert not shown()  # and is cached under the current version
        may_commit.set()
        slow.result(DEADLINE)
    assert shown()


@pytest.mark.parametrize(("module", "name"), [(kept_pages, "board_version"), (views, "read_board")])
def test_a_change_while_a_page_is_made_leaves_no_old_page_behind(
    on_the_board: Submission,
    adam: User,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
) -> None:
    """The worst moments: just after the reader has read the version, or the data."""
    look = getattr(module, name)

    def look_just_before_the_change(*asked: object) -> object:
        monkeypatch.setattr(module, name, look)
        found = look(*asked)
        elsewhere(lambda: change_submission(on_the_board, Action.HIDE, by=adam, reason="Wrong."))
        return found

    monkeypatch.setattr(module, name, look_just_before_the_change)
    shown()
    assert not shown()


def test_versions_follow_the_order_of_commits() -> None:
    """The second transaction to raise it waits for the first, and so never gets the same number."""
    raised, may_commit, numbers = threading.Event(), threading.Event(), []

    def first() -> None:
        with transaction.atomic():
            raise_board_version()
            raised.set()
            assert may_commit.wait(DEADLINE)
            numbers.append(board_version())

    def second() -> None:
        with transaction.atomic():
            raise_board_version()
            numbers.append(board_version())

    with transaction.atomic():
        raise_board_version()
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(elsewhere, first)]
        assert raised.wait(DEADLINE)
        runs.append(pool.submit(elsewhere, second))
        may_commit.set()
        for run in runs:
            run.result(DEADLINE)
    assert numbers == [2, 3]


def test_a_rollback_does_not_raise_the_version() -> None:
    before = board_version()
    with transaction.atomic():
        raise_board_version()
        transaction.set_rollback(True)
    assert board_version() == before


def test_raising_it_needs_a_transaction() -> None:
    with pytest.raises(TransactionManagementError):
        raise_board_version()
