"""The site behind a real pgbouncer in transaction mode: each query may have another connection."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from portal.env import database
from portal.models import AuditEntry, Evaluation, Release, Scope, Submission, User
from portal.snapshot import one_moment
from portal.web.concurrency import ConcurrencyLimit
from tests.support.pgbouncer import PgBouncer, running_pgbouncer
from tests.support.programs import hand_in, program
from tests.support.workers import Workers, quick_submission, scored_once, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)


@pytest.fixture
def pgbouncer(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[PgBouncer]:
    """This process is behind it too."""
    with running_pgbouncer() as server:
        monkeypatch.setenv("DATABASE_URL", server.url)
        own: dict[str, Any] = {**connection.settings_dict, **database(tmp_path / "none")}
        connection.close()
        with pytest.MonkeyPatch.context() as patch:
            for name in ("HOST", "PORT", "DISABLE_SERVER_SIDE_CURSORS"):
                patch.setitem(connection.settings_dict, name, own[name])
            yield server
            connection.close()


def transactions(pgbouncer: PgBouncer) -> int:
    name = connection.settings_dict["NAME"]
    rows = [row for row in pgbouncer.ask("SHOW STATS") if row["database"] == name]
    return sum(int(str(row["total_xact_count"])) for row in rows)


def test_a_submission_goes_its_way(
    alice: User, tmp_path: Path, workers: Workers, pgbouncer: PgBouncer
) -> None:
    workers.start(variables={"DATABASE_URL": pgbouncer.url})
    before = transactions(pgbouncer)
    scored_once(quick_submission(alice, tmp_path), attempt=1)
    assert transactions(pgbouncer) > before + 20
    assert "error" not in pgbouncer.log().lower()


def test_requests_with_one_key_at_once_make_one_submission(
    alice: User, release: Release, pgbouncer: PgBouncer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more threads than it has connections, none waits for ever for one, and no lock is left."""
    monkeypatch.setattr("portal.submissions.files.uploads._limit", ConcurrencyLimit(8))
    client = program(alice, Scope.SUBMIT)

    def send(_: int) -> int:
        try:
            return hand_in(client, release, key="the same").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(send, range(8)))
    assert sorted(statuses) == [200] * 7 + [201]
    assert Submission.objects.count() == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert cursor.fetchone() == (0,)


def test_long_lists_are_read_while_others_use_the_connections(
    alice: User, tmp_path: Path, pgbouncer: PgBouncer
) -> None:
    quick_submission(alice, tmp_path)
    entries = AuditEntry.objects.order_by("pk").iterator(chunk_size=1)
    for _ in entries:
        assert Evaluation.objects.count() == 1


def test_one_moment_stays_one(alice: User, bob: User, pgbouncer: PgBouncer) -> None:
    with one_moment() as name:
        assert name
        seen = User.objects.count()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(_add_user).result()
        assert User.objects.count() == seen
    assert User.objects.count() == seen + 1


def _add_user() -> None:
    User.objects.create_user("carol")
    connection.close()
