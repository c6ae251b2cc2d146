"""A frozen site works without this one: all links lead to files, and it contains only what
everybody may read."""

import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection

from portal.frozen_site import freeze
from portal.frozen_site.addresses import KEPT, LEFT_OUT, Page, reason_for
from portal.models import SubmissionState, TaskScore, User
from portal.releases.importer import import_release
from portal.snapshot import one_moment, reads_snapshot
from tests.leaderboard.comparison.conftest import (
    QUESTIONS,
    STRONG,
    WEAK,
    answered,
    canary,
    imported,
)
from tests.support.addresses import addresses
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

SITE = "https://frozen.example"
_LINK = re.compile(r'<[a-z]+\b[^>]*?\s(?:href|src)="([^"]*)"')
_IN_SHEET = re.compile(r"url\(['\"]?(?!data:)([^)'\"]+)")
_ID = re.compile(r'\sid="([^"]+)"')


@pytest.fixture
def frozen(settings: LazySettings, tmp_path: Path, alice: User, bob: User) -> Path:
    """A frozen site: a public release with two entries and a private one, and a hidden release."""
    settings.SITE_URL, settings.ALLOWED_HOSTS = SITE, [urlsplit(SITE).hostname]
    for task, size in QUESTIONS.items():
        text = {"context": "A long story. " * 50, "input": "Who?"} if task == "passkey" else {}
        rows = [{"id": number, "answer": [f"known {number}"], **text} for number in range(size)]
        write_rows(tmp_path / "public" / f"{task}.jsonl", rows)
    public = import_release(tmp_path / "public", slug="public", title="Public")
    answered(alice, public, "Strong", STRONG)
    answered(bob, public, "Weak", WEAK)
    answered(bob, public, "Unpublished", WEAK, SubmissionState.PRIVATE)
    hidden = answered(alice, imported(tmp_path, "hidden", hidden=True), "Strong", STRONG)
    TaskScore.objects.filter(evaluation__submission=hidden).update(public_percent=50)
    out = tmp_path / "frozen"
    call_command("freeze", str(out), "--processes", "1", "--examples", "2", verbosity=0)
    return out


def pages(frozen: Path) -> Iterator[tuple[Path, str]]:
    for path in frozen.rglob("*.html"):
        yield path, path.read_text(encoding="utf-8")


def check_links(frozen: Path) -> None:
    """Each link leads to a file, and to an existing anchor in it."""
    known = {path: set(_ID.findall(text)) for path, text in pages(frozen)}
    broken, followed = [], 0
    sheets = [(path, path.read_text(encoding="utf-8")) for path in frozen.rglob("*.css")]
    for found, texts in ((_LINK, pages(frozen)), (_IN_SHEET, iter(sheets))):
        for path, text in texts:
            for link in map(unescape, found.findall(text)):
                parts = urlsplit(link)
                if parts.scheme:
                    continue
                followed += 1
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                ids = known.get(target)
                if (
                    parts.query
                    or not target.is_file()
                    or not target.is_relative_to(frozen)
                    or (ids is not None and parts.fragment and parts.fragment not in ids)
                ):
                    broken.append(f"{path.relative_to(frozen)}: {link}")
    assert broken == []
    assert followed > 500


def check_contents(frozen: Path) -> None:
    """Check that it has what everybody may read, and nothing else."""
    files = {str(path.relative_to(frozen)): path for path in frozen.rglob("*") if path.is_file()}
    everything = {name: path.read_bytes() for name, path in files.items()}
    expected = (
        *("index.html", "frozen/index.html", "frozen.json", "SHA256SUMS", "about/index.html"),
        *("board/public/index.html", "board/public/board.csv", "board/public/feed.atom"),
        *("models/strong/index.html", "tasks/passkey/index.html", "releases/public/index.html"),
        *("releases/hidden/index.html", "board/hidden/index.html"),
        *("api/v1/entries/index.release-public.json", "api/v1/schema/index.json"),
        *("examples/public/passkey/0/index.html", "receipts/keys.json", "compare/index.html"),
    )
    assert [name for name in expected if name not in files] == []
    ends = ("predictions.zip", "report.json", "examples.jsonl", "receipt.json", "index.html")
    assert all(
        sum(name.startswith("entries/") and name.endswith(f"/{end}") for name in files) >= 2
        for end in ends
    )
    hidden = [
        canary(task, number).encode() for task, size in QUESTIONS.items() for number in range(size)
    ]
    words = (*hidden, b"Unpublished", b"csrfmiddlewaretoken", b"<form", b'method="post"')
    for name, content in everything.items():
        assert not [word for word in words if word in content], name
    sums = {
        name: digest
        for digest, _, name in (
            line.partition("  ") for line in everything["SHA256SUMS"].decode().splitlines()
        )
    }
    assert sums == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in everything.items()
        if name != "SHA256SUMS"
    }
    facts = json.loads(everything["frozen.json"])
    assert facts["of"] == SITE
    assert facts["ledger"].keys() == {"entries", "hash"}


def check_banners(frozen: Path) -> None:
    """Check that every page says that it is frozen, and where the live one is."""
    for path, text in pages(frozen):
        assert text.count('data-banner="frozen"') == 1, path
        assert f'href="{SITE}' in text, path
        notes = text.partition("data-no-form")[2].partition("</p>")[0]
        assert not notes or f'href="{SITE}' in notes, path


def check_viewers(frozen: Path) -> None:
    """Of contexts there is what the page shows: nothing asks for more of them, and of two forms
    that stood together there is one note; another is where a range was copied."""
    text = frozen.joinpath("examples/public/passkey/0/index.html").read_text(encoding="utf-8")
    assert "data-context " in text
    assert "/js/context" not in text
    assert text.count("data-no-form") == 2
    [strict] = re.findall(r"<a([^>]*)>Strict<", text)  # which leads to this file
    assert "data-left-out" in strict
    assert "href" not in strict
    assert strict.count("title=") == 1


def test_a_frozen_site_has_all_that_everybody_may_read_and_its_links_lead_there(
    frozen: Path,
) -> None:
    """A single test, since freezing a site takes seconds."""
    check_links(frozen)
    check_contents(frozen)
    check_banners(frozen)
    check_viewers(frozen)


def test_a_copy_takes_the_place_of_an_earlier_one_but_of_nothing_else(
    frozen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = frozen.joinpath("SHA256SUMS").read_bytes()
    call_command("freeze", str(frozen), "--processes", "1", "--without-answers", verbosity=0)
    assert frozen.joinpath("SHA256SUMS").read_bytes() != before
    assert not list(frozen.rglob("predictions.zip"))
    now = frozen.joinpath("SHA256SUMS").read_bytes()

    def failing(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(freeze, "_facts", failing)
    with pytest.raises(CommandError, match="the disk is full"):
        call_command("freeze", str(frozen), "--processes", "1", verbosity=0)
    assert frozen.joinpath("SHA256SUMS").read_bytes() == now
    assert not list(frozen.parent.glob(".freezing-*"))
    frozen.joinpath(".git").mkdir()
    frozen.joinpath(".git", "HEAD").write_text("of somebody else")
    with pytest.raises(CommandError, match="something else"):
        call_command("freeze", str(frozen), "--processes", "1", verbosity=0)
    assert frozen.joinpath(".git", "HEAD").exists()


def test_every_address_is_frozen_or_left_out_for_a_reason() -> None:
    """A new address must be added to one of the two tables, and a removed one deleted."""
    known = list(addresses())
    missing = []
    for address in known:
        try:
            reason_for(address.name, address.path())
        except KeyError:
            missing.append(address.name)
    assert missing == []
    names, paths = {one.name for one in known}, [one.path() for one in known]
    starts = {name for name in LEFT_OUT if name.startswith("/")}
    assert {*KEPT, *LEFT_OUT} - starts - names == set()
    assert [one for one in starts if not any(path.startswith(one) for path in paths)] == []


@pytest.mark.parametrize(
    ("path", "query", "file"),
    [
        ("/", "", "index.html"),
        ("/board/hf/", "set=strict", "board/hf/index.set-strict.html"),
        ("/board/hf/board.csv", "", "board/hf/board.csv"),
        ("/board/hf/board.csv", "set=strict", "board/hf/board.set-strict.csv"),
        ("/releases/hf/SHA256SUMS", "", "releases/hf/SHA256SUMS"),
    ],
)
def test_a_page_has_a_file_that_says_what_it_is(path: str, query: str, file: str) -> None:
    assert Page(path, query).file("html") == file


@pytest.mark.django_db(transaction=True)
def test_nothing_can_be_written_while_a_moment_is_read() -> None:
    with one_moment() as name, connection.cursor() as cursor:
        assert name
        assert reads_snapshot()
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("on",)
    assert not reads_snapshot()
