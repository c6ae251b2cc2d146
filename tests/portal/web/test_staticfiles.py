"""The one stylesheet of every page, as it is kept and as it is served."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from portal.settings import STORAGES
from portal.web.staticfiles import joined
from tests.conftest import ROOT

SHEETS = ROOT / "static" / "css"
OF_THE_ADMIN = "admin.css"


def test_every_topic_is_in_it_once() -> None:
    named = re.findall(r'@import "(.+)";', (SHEETS / "site.css").read_text(encoding="utf-8"))
    kept = {file.name for file in SHEETS.glob("*.css")} - {"site.css", OF_THE_ADMIN}
    assert sorted(named) == sorted(kept)


def test_topics_are_joined_in_their_order_without_what_nobody_reads() -> None:
    files = {
        "css/site.css": '/* All. */\n@import "b.css";\n@import "a.css";\n',
        "css/a.css": "/* A\n */\na {\n  color: red;\n}\n",
        "css/b.css": 'b::after {\n  content: "  b";\n}\n',
    }
    sheet = 'b::after {\ncontent: "  b";\n}\na {\ncolor: red;\n}\n'
    assert joined("css/site.css", files.__getitem__) == sheet


@pytest.fixture
def collected(tmp_path: Path, settings: Settings) -> Path:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = STORAGES
    for _ in range(2):  # the second time everything is there already
        call_command("collectstatic", verbosity=0, interactive=False)
    return tmp_path


def test_what_is_collected_asks_for_nothing_more_and_is_compressed(collected: Path) -> None:
    file = collected / staticfiles_storage.url("css/site.css").removeprefix("/static/")
    sheet = file.read_text(encoding="utf-8")
    assert "@import" not in sheet
    assert "--paper:" in sheet
    assert ".board-table" in sheet
    assert Path(f"{file}.br").stat().st_size < file.stat().st_size / 4


@pytest.mark.django_db
def test_a_page_asks_for_one_stylesheet(client: Client) -> None:
    assert client.get("/tasks/").content.decode().count('rel="stylesheet"') == 1
