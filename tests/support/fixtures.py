"""Fixtures of the site's tests: where files go, what is cached, and a small release."""

import shutil
from collections.abc import Iterator
from multiprocessing import get_context, set_forkserver_preload
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from pytest_django import Settings

from leaderboard.board.ranking import standings
from portal.models import Release, Role, User
from portal.releases.importer import import_release
from portal.web import error_pages
from scoring.text import counting
from tests.support.kept_pages import forget_kept_pages
from tests.support.sandbox import small_world


@pytest.fixture
def messages() -> Path:
    """The broker's folder of messages, empty."""
    folder = Path(str(site.CELERY_BROKER_TRANSPORT_OPTIONS["folder"]), "messages")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    return folder


@pytest.fixture(scope="module", autouse=True)  # other modules spawn processes as the site does
def counting_server() -> Iterator[None]:
    """Fork processes that count tokens from a server that has loaded what they need. It keeps the
    environment in which it started: a test that changes that patches ``get_context`` back."""
    set_forkserver_preload([counting.__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "get_context", lambda _: get_context("forkserver"))
        yield


@pytest.fixture(autouse=True)
def no_kept_regions() -> None:
    """Version numbers repeat in tests, since each test's changes are rolled back."""
    forget_kept_pages()
    standings.forget()


@pytest.fixture(autouse=True)
def storage(settings: Settings, tmp_path: Path) -> Path:
    """The folder of uploads, a new one for each test."""
    folder = tmp_path / "storage"
    entry = settings.STORAGES["default"]
    options = {**entry["OPTIONS"], "location": folder}
    settings.STORAGES = {**settings.STORAGES, "default": {**entry, "OPTIONS": options}}
    settings.CACHE_DIR = tmp_path / "cache"
    settings.INCOMING_DIR = tmp_path / "incoming"
    settings.MAIL_DIR = tmp_path / "mail"
    return folder


@pytest.fixture
def error_pages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render each error page only once per role, for tests that look at nothing but the status of
    thousands of requests. The text of these pages has tests of its own."""
    pages: dict[tuple[str, object], bytes] = {}

    def render_once(
        request: HttpRequest, template: str, _context: object = None, *, status: int
    ) -> HttpResponse:
        user = getattr(request, "user", None)  # some requests are refused before the user is known
        page = pages.get((template, user and user.pk))
        if page is None:
            page = render(request, template).content
            pages[template, user and user.pk] = page
        return HttpResponse(page, status=status)

    monkeypatch.setattr(error_pages, "render", render_once)


@pytest.fixture
def no_database(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """Point the site at a database address where nothing listens."""
    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        yield


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
    return User.objects.create_superuser("adam")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A release of three tasks in ``gold``, and predictions for two of them in ``preds``."""
    return small_world(tmp_path / "world")


@pytest.fixture
def release(db: None, world: Path) -> Release:
    return import_release(world / "gold", slug="small", title="Small")
