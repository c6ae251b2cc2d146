"""What all tests share: their lanes, one PostgreSQL for all their processes, real files if any.

The lanes are markers, put on by ``tests.lanes`` and by fixtures: ``database`` for every test that
uses one, ``real_data`` for those that need what is not on every machine.
"""

import base64
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
import tiktoken
from django.apps import apps
from django.conf import settings as site
from django.db import connection, connections, transaction
from django.test import TransactionTestCase
from psycopg.conninfo import conninfo_to_dict
from xdist.scheduler import LoadScopeScheduling

from portal.demo.postgres import DATABASE, PORT, ROLE, temporary
from scoring.text import tokens
from scoring.text.tokens import ENCODING
from tests.costs import Costs
from tests.lanes import LANES, is_exhaustive
from tests.support.clock import Clock
from tests.support.databases import STAYING, postmaster
from tests.support.official_rows import write_released
from tests.support.paths import DATA, ROOT

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

_COUNTED = "counted"
_SERVER = pytest.StashKey[dict[str, str]]()
_COSTS = pytest.StashKey[Costs]()

_CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # as tiktoken names it where it keeps it
_REAL_VOCABULARY = Path(os.environ.get("TIKTOKEN_CACHE_DIR") or DATA.parent / "tiktoken", _CL100K)

# Our processes find the small vocabulary too: see there.
os.environ["PYTHONPATH"] = str(ROOT / "tests" / "support" / "vocabulary")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_COSTS] = Costs()
    config.pluginmanager.register(config.stash[_COSTS])


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark its lanes, before ``-m`` chooses."""
    test = f"{item.path.relative_to(ROOT / 'tests').as_posix()}::{item.name}"
    for place, lane in LANES.items():
        if test.startswith(place):
            item.add_marker(lane)
    if is_exhaustive(test):
        item.add_marker("exhaustive")
    fixtures = getattr(item, "fixturenames", ())
    if "real_data" in fixtures or "real_vocabulary" in fixtures:
        item.add_marker("real_data")
    if "db" in fixtures or "transactional_db" in fixtures or item.get_closest_marker("django_db"):
        item.add_marker("database")


@pytest.hookimpl(trylast=True)  # after pytest-django has put tests of the database first
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several processes, begin with what takes longest."""
    if hasattr(config, "workerinput"):
        order = list(LANES.values())
        items.sort(
            key=lambda item: min(
                (order.index(mark.name) for mark in item.iter_markers() if mark.name in order),
                default=len(order),
            )
        )


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: the garbage collector need not go through them again.
    Nor need it look for cycles after every 700 objects, of which a page makes thousands.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> LoadScopeScheduling:
    """A file stays in one process, for what its tests share; so do those of the browser."""
    config.option.loadscopereorder = False
    return _ByFile(config, log)


class _ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    def _split_scope(self, nodeid: str) -> str:
        return "browser" if nodeid.startswith("tests/browser/") else nodeid.partition("::")[0]


# A busy machine is slow; that is no finding of a property.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")


# The database


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: "WorkerController") -> None:
    """Tell a worker of pytest-xdist where the one server of this run is."""
    stash = node.config.stash
    if _SERVER not in stash:
        running = ExitStack()
        stash[_SERVER] = _start_server(running, node.config)
        node.config.add_cleanup(running.close)
    node.workerinput["server"] = stash[_SERVER]


def _start_server(running: ExitStack, config: pytest.Config) -> dict[str, str]:
    """A new one, unless that of `make test-db` is running."""
    try:
        url = (STAYING / "database-url").read_text(encoding="ascii").strip()
        sockets = str(conninfo_to_dict(url)["host"])
    except FileNotFoundError:
        server = running.enter_context(temporary())
        config.stash[_COSTS].postmaster = postmaster(server.data)
        sockets = str(server.sockets)
    return {"HOST": sockets, "PORT": str(PORT), "USER": ROLE, "NAME": DATABASE}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest,
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """The real thing instead of the address in tests/settings.py, and a folder for the state."""
    _use_state(tmp_path_factory.mktemp("state"))
    with ExitStack() as running:
        workerinput = getattr(request.config, "workerinput", None)
        server = workerinput["server"] if workerinput else _start_server(running, request.config)
        connections.settings["default"].update(server)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Tests with transactions of their own are followed by ``_delete_rows``, not by a flush."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", _delete_rows)
        yield


def _delete_rows(_: TransactionTestCase) -> None:
    """Leaves what Django's flush leaves, in a tenth of the time: that truncates all tables, most of
    which are empty, each with new files, and then makes content types and permissions again.
    """
    # By name: programs that import this module have not loaded Django's models yet.
    log = "portal_auditentry"  # whose rows cannot be deleted
    kept = {"django_content_type", "auth_permission", log}
    # With the cache, in which requests are counted: the next test may send as many.
    tables = {*connection.introspection.django_table_names(), "portal_cache"} - kept
    filled = [f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in sorted(tables)]
    with transaction.atomic(), connection.cursor() as cursor:  # foreign keys are checked at its end
        if apps.get_model(log.replace("_", "."))._default_manager.exists():
            cursor.execute(f"TRUNCATE {log} CASCADE")
        cursor.execute(" UNION ALL ".join(filled))
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")


def _use_state(folder: Path) -> None:
    """Move the state and the broker there. Celery reads its options when it is first used."""
    site.CELERY_BROKER_TRANSPORT_OPTIONS["folder"] = str(folder / "broker")
    site.STATE_DIR = folder


# What one test may not leave to the next


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """No limit's minute ends while a test counts requests, no kept page expires, and no old rows
    are culled by chance. Tests of these set ``clock.seconds`` and ``throttle.is_culling_due``.
    """
    still = Clock()
    monkeypatch.setattr("portal.clock.seconds_since_epoch", still.seconds_since_epoch)
    monkeypatch.setattr("portal.web.throttle.is_culling_due", lambda: False)
    return still


# What is not on every machine


@pytest.fixture(scope="session")
def real_encoding() -> tiktoken.Encoding | None:
    """The real vocabulary, if this machine has it."""
    if not _REAL_VOCABULARY.is_file():
        return None
    lines = map(bytes.split, _REAL_VOCABULARY.read_bytes().splitlines())
    return tiktoken.Encoding(
        "real",
        pat_str=tiktoken.get_encoding(ENCODING)._pat_str,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens={"<|endoftext|>": 100_257},
    )


@pytest.fixture
def real_vocabulary(
    real_encoding: tiktoken.Encoding | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process tokens are those of the real vocabulary; skips where it is absent."""
    if real_encoding is None:
        pytest.skip(f"NO VOCABULARY: {_REAL_VOCABULARY} is absent; exact counts are not tested")
    monkeypatch.setattr(tokens, "_vocabulary", lambda _name: real_encoding)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real prediction files, labels and official scores."""
    if not DATA.is_dir():
        pytest.skip(f"NO REAL DATA: {DATA} is absent; set INFINITEBENCH_DATA to run this test")
    return DATA


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder, or where it is absent labels and prediction files in their likeness."""
    return DATA if DATA.is_dir() else write_released(tmp_path_factory.mktemp("released"))


# What was counted


@pytest.fixture
def summary_line(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Keep a line for the end of the test output: how many of how many."""
    return lambda line: record_property(_COUNTED, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for kind in terminalreporter.stats.values() for one in kind]
    properties = [pair for one in reports for pair in getattr(one, "user_properties", ())]
    lines = [str(line) for name, line in properties if name == _COUNTED]
    if lines:
        terminalreporter.section("counted")
        for line in dict.fromkeys(lines):
            terminalreporter.write_line(line)
