"""Stylesheets: how they are linked and served."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from portal.settings import STORAGES
from tests.support.paths import ROOT

SHEETS = ROOT / "static" / "css"
OF_ALL_PAGES = ("base.css", "components.css", "board.css")
OF_SOME_PAGES = {
    "admin.css", "api.css", "charts.css", "comparison.css", "context.css", "example.css",
    "examples.css", "interactive.css", "ladder.css", "review.css",
    "run.css", "run_setup.css",
}  # fmt: skip


@pytest.mark.django_db
def test_a_page_links_every_stylesheet_once_without_imports(client: Client) -> None:
    page = client.get("/tasks/").content.decode()
    linked = re.findall(r'rel="stylesheet" href="/static/css/([^"]+)"', page)
    assert sorted(linked) == sorted({file.name for file in SHEETS.glob("*.css")} - OF_SOME_PAGES)
    for file in SHEETS.glob("*.css"):
        assert "@import" not in file.read_text(encoding="utf-8")


@pytest.fixture
def collected(tmp_path: Path, settings: Settings) -> Path:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = STORAGES
    # Only our own: those of the admin would take ten times as long.
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    for _ in range(2):  # the second time everything is already there
        call_command("collectstatic", verbosity=0, interactive=False)
    return tmp_path


@pytest.mark.django_db
def test_a_page_links_the_joined_stylesheet_once_files_are_collected(
    collected: Path, client: Client
) -> None:
    page = client.get("/tasks/").content.decode()
    (linked,) = re.findall(r'rel="stylesheet" href="/static/([^"]+)"', page)
    joined = (collected / linked).read_text(encoding="utf-8")
    parts = [(SHEETS / name).read_text(encoding="utf-8") for name in OF_ALL_PAGES]
    assert joined == "".join(parts)


def test_collected_files_are_named_by_their_hash_and_compressed(collected: Path) -> None:
    url = staticfiles_storage.url("css/base.css")
    assert re.fullmatch(r"/static/css/base\.[0-9a-f]{12}\.css", url)
    file = collected / url.removeprefix("/static/")
    assert "--paper:" in file.read_text(encoding="utf-8")
    assert Path(f"{file}.br").stat().st_size < file.stat().st_size / 3
