"""Where the tests find real files and vocabularies, and how they tell what they counted.

And one PostgreSQL and one broker for all tests of the site.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connections

from portal.demo.postgres import temporary
from scoring.text.tokens import ENCODING, count_tokens

ROOT = Path(__file__).resolve().parent.parent
_FINDINGS = pytest.StashKey[list[str]]()


DATA = (ROOT / os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")).resolve()
VOCABULARIES = DATA.parent / "tiktoken"
if VOCABULARIES.is_dir():  # so that no test needs the network for them, also in its own processes
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(VOCABULARIES))


@pytest.fixture
def vocabulary() -> None:
    """Skips where tokens can only be estimated."""
    if count_tokens("hello").estimated:
        pytest.skip(f"NO VOCABULARY of {ENCODING}: exact counts are not tested")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real prediction files, labels and official scores."""
    if not DATA.is_dir():
        pytest.skip(f"NO REAL DATA: {DATA} is absent; set INFINITEBENCH_DATA to run this test")
    return DATA


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a line for the end of the test output: how many of how many."""
    return request.config.stash.setdefault(_FINDINGS, []).append


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The real thing instead of the address in tests/settings.py."""
    _use_broker(tmp_path_factory.mktemp("state"))
    with temporary(tell=lambda _: None) as server:
        where = server.connection
        connections.settings["default"].update(
            HOST=where.host, PORT=str(where.port), USER=where.user, NAME=where.dbname
        )
        yield


def _use_broker(state: Path) -> None:
    """Move the broker's folder there. Celery reads its options when it is first used."""
    site.CELERY_BROKER_TRANSPORT_OPTIONS["folder"] = str(state / "broker")
    site.STATE_DIR = state


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    lines = config.stash.get(_FINDINGS, [])
    if lines:
        terminalreporter.section("counted")
        for line in lines:
            terminalreporter.write_line(line)
