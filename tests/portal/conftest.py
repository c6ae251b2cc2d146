"""One PostgreSQL, one broker and one place for files for all tests of the site; and its cast."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connections
from pytest_django import Settings

from portal.celery import make_broker_folders
from portal.embedded import temporary
from portal.models import Release, Role, User
from portal.releases import import_release
from tests.portal.databases import quiet
from tests.scoring.boxes import small_world


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The real thing instead of the address in tests/settings.py."""
    _use_broker(tmp_path_factory.mktemp("state"))
    with temporary(tell=quiet) as server:
        where = server.connection
        connections.settings["default"].update(
            HOST=where.host, PORT=str(where.port), USER=where.user, NAME=where.dbname
        )
        yield


def _use_broker(state: Path) -> None:
    """Move the broker's folders there. Celery reads its options when it is first used."""
    options = site.CELERY_BROKER_TRANSPORT_OPTIONS
    for name in ("data_folder_in", "data_folder_out", "control_folder", "processed_folder"):
        options[name] = str(state / Path(str(options[name])).relative_to(site.STATE_DIR))
    site.STATE_DIR = state
    make_broker_folders()


@pytest.fixture
def messages() -> Path:
    """The broker's folder of messages, empty."""
    folder = Path(str(site.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"]))
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def storage(settings: Settings, tmp_path: Path) -> Path:
    """The folder of what people hand in, a new one for each test."""
    folder = tmp_path / "storage"
    entry = settings.STORAGES["default"]
    options = {**entry["OPTIONS"], "location": folder}
    settings.STORAGES = {**settings.STORAGES, "default": {**entry, "OPTIONS": options}}
    settings.CACHE_DIR = tmp_path / "cache"
    settings.INCOMING_DIR = tmp_path / "incoming"
    settings.MAIL_DIR = tmp_path / "mail"
    return folder


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def rita(db: None) -> User:
    return User.objects.create_user("rita", role=Role.REVIEWER)


@pytest.fixture
def adam(db: None) -> User:
    return User.objects.create_user("adam", role=Role.ADMIN)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A release of three tasks in ``gold``, and predictions for two of them in ``preds``."""
    return small_world(tmp_path / "world")


@pytest.fixture
def release(db: None, world: Path) -> Release:
    return import_release(world / "gold", slug="small", title="Small")
