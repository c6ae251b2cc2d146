"""Incoming files: stored unchanged, capped while they arrive, and deleted on failure."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from portal.models import CountedUpload, LanguageModel, Release, Submission, User
from portal.submissions.files.uploads import FORM_ROOM, safe_path
from scoring.limits import LIMITS, MIB
from scoring.predictions.reader import read_predictions
from tests.support.clients import (
    FILE,
    PASSKEY,
    fields_of,
    signed_in,
    submit,
    submitted,
    texts_of,
)
from tests.support.disks import small_disk_at
from tests.support.factories import original_of
from tests.support.request_bodies import (
    BOUNDARY,
    TYPE,
    a_field,
    a_file,
    form,
    form_of,
    part,
    post_raw,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(alice: User, release: Release) -> Client:
    return signed_in(alice)


@pytest.fixture
def nothing_is_left(storage: Path) -> Iterator[None]:
    """Checks after the test that no trace of what was sent is left."""
    yield
    assert [file for file in storage.rglob("*") if file.is_file()] == []
    assert list(Path(site.INCOMING_DIR).glob("*")) == []
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()
    assert not CountedUpload.objects.exists()


def stored(submission: Submission) -> bytes:
    with original_of(submission).file.open("rb") as file:
        data: bytes = file.read()
    return data


def member_names(submission: Submission) -> list[str]:
    with zipfile.ZipFile(BytesIO(stored(submission))) as archive:
        assert archive.testzip() is None
        return archive.namelist()


# What is stored


@pytest.mark.parametrize("data", [PASSKEY, b"", bytes(range(256)) * 5_000], ids=len)
def test_one_file_is_stored_as_it_is(browser: Client, release: Release, data: bytes) -> None:
    submission = submitted(submit(browser, release, [("my preds.jsonl", data)]))
    assert stored(submission) == data
    original = original_of(submission)
    assert (original.name, original.size) == ("my preds.jsonl", len(data))


def test_several_files_are_packed_unchanged(browser: Client, release: Release) -> None:
    files = {"preds_passkey.jsonl": PASSKEY, "preds_code_run.jsonl": b"\0\xff" * 400_000}
    submission = submitted(submit(browser, release, files.items()))
    assert original_of(submission).name == "predictions.zip"
    with zipfile.ZipFile(BytesIO(stored(submission))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


def test_the_order_of_files_does_not_change_the_bytes(browser: Client, release: Release) -> None:
    files = [("a.jsonl", b"1"), ("b.jsonl", b"2"), ("c/d.jsonl", b"3")]
    bodies = [form_of(fields_of(release), order) for order in (files, files[::-1])]
    first = submitted(post_raw(browser, bodies[0]))
    second = submitted(post_raw(browser, bodies[1].replace(b"Longreader 8B", b"Longreader 9B")))
    assert original_of(first).hash == original_of(second).hash


def test_folders_are_kept(browser: Client, release: Release) -> None:
    files = [("run1/preds_passkey.jsonl", PASSKEY), ("run2/preds_passkey.jsonl", PASSKEY)]
    submission = submitted(post_raw(browser, form_of(fields_of(release), files)))
    assert member_names(submission) == [name for name, _ in files]


def test_two_files_with_the_same_name_are_both_stored_and_reported(
    browser: Client, release: Release, tmp_path: Path
) -> None:
    first, second = (PASSKEY.replace(b"00000", digit * 5) for digit in (b"1", b"2"))
    files = [FILE, ("preds_passkey.jsonl", first), ("preds_PASSKEY.jsonl", second)]
    submission = submitted(submit(browser, release, files))
    names = ["preds_PASSKEY.jsonl", "2/preds_passkey.jsonl", "3/preds_passkey.jsonl"]
    assert member_names(submission) == names
    (tmp_path / "p.zip").write_bytes(stored(submission))
    problems = read_predictions(tmp_path / "p.zip").problems
    clash = next(problem for problem in problems if problem.code == "two_files_for_task")
    assert [clash.params["first"], clash.params["second"]] == names[:2]


def test_a_thousand_files_are_taken_and_can_be_read(browser: Client, release: Release) -> None:
    body = form_of(fields_of(release), [(f"{'名' * 90}/{n}.jsonl", b"") for n in range(1_000)])
    assert len(member_names(submitted(post_raw(browser, body)))) == 1_000


PATHS = {
    "preds.jsonl": "preds.jsonl",
    "run/preds.jsonl": "run/preds.jsonl",
    "C:\\Users\\me\\preds.jsonl": "C_/Users/me/preds.jsonl",
    "/etc/passwd": "etc/passwd",
    "../../x/./y": "x/y",
    "a\0b\u202ec": "abc",
    "..": "upload",
    "/": "upload",
    "a/" + "b" * 300: "b" * 200,
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_made_harmless(path: str) -> None:
    assert safe_path(path) == PATHS[path]


# What is refused


@contextmanager
def cap_of(size: int) -> Iterator[None]:
    with patch("portal.submissions.files.uploads.LIMITS", replace(LIMITS, bytes_in=size)):
        yield


def test_files_up_to_the_cap_are_taken(browser: Client, release: Release) -> None:
    with cap_of(1_000):
        submission = submitted(submit(browser, release, [("a.jsonl", b"x" * 1_000)]))
    assert original_of(submission).size == 1_000


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("sizes", [[1_001], [500, 501], [400] * 4], ids=str)
def test_a_byte_above_the_cap_is_refused(
    browser: Client, release: Release, sizes: list[int]
) -> None:
    with cap_of(1_000):
        answer = submit(browser, release, [(f"{n}.jsonl", b"x" * n) for n in sizes])
    assert answer.status_code == 413
    assert "too large" in texts_of(answer)
    assert "Uploads can have at most 100 MB" in texts_of(answer)


@pytest.mark.usefixtures("nothing_is_left")
def test_the_size_limit_includes_the_archive_made_of_them(
    browser: Client, release: Release
) -> None:
    with cap_of(1_000):
        answer = submit(browser, release, [("a.jsonl", b"x" * 499), ("b.jsonl", b"x" * 500)])
    assert answer.status_code == 413


@pytest.mark.usefixtures("nothing_is_left")
def test_a_body_announced_as_too_large_is_not_read(browser: Client) -> None:
    answer = post_raw(browser, b"x" * 1_000, length=10**12)
    assert (answer.status_code, answer.taken) == (413, 0)


@pytest.mark.usefixtures("nothing_is_left")
def test_not_more_is_read_than_was_announced(browser: Client, release: Release) -> None:
    body = form_of(fields_of(release), [("a.jsonl", b"x" * 5 * MIB)])
    answer = post_raw(browser, body, length=MIB)
    assert answer.status_code == 400
    assert answer.taken <= MIB


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("length", ["", "-1", "ten", "1_0"])
def test_a_missing_length_is_asked_for(browser: Client, length: str) -> None:
    environ = {"CONTENT_LENGTH": length, "CONTENT_TYPE": TYPE}
    assert browser.generic("POST", "/submit/", **environ).status_code == 411  # type: ignore[arg-type]


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_cut_upload_leaves_nothing(browser: Client, release: Release, share: float) -> None:
    """Even if the cut is between two files, so that each one received is complete."""
    body = form_of(fields_of(release), [(f"{n}.jsonl", b"x" * 100_000) for n in range(5)])
    answer = post_raw(browser, body[: int(share * len(body))], length=len(body))
    assert answer.status_code == 400
    assert "was interrupted" in texts_of(answer)


@pytest.mark.usefixtures("nothing_is_left")
def test_an_upload_cut_between_two_files_leaves_nothing(browser: Client, release: Release) -> None:
    body = form_of(fields_of(release), [("a.jsonl", b"x"), ("b.jsonl", b"x")])
    whole = body.rindex(b"--" + BOUNDARY.encode(), 0, body.index(b'"b.jsonl"'))
    answer = post_raw(browser, body[:whole] + form(), length=len(body))
    assert answer.status_code == 400


@pytest.mark.usefixtures("nothing_is_left")
def test_more_than_a_thousand_files_are_refused(browser: Client, release: Release) -> None:
    body = form_of(fields_of(release), [(f"{n}.jsonl", b"") for n in range(1_001)])
    answer = post_raw(browser, body)
    assert answer.status_code == 413
    assert "Too many files" in texts_of(answer)
    assert "An upload can have at most 1,000 files" in texts_of(answer)


FIELD = 'Content-Disposition: form-data; name="a"'
ODD_BODIES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "nothing at all": (TYPE, lambda: b""),
    "no boundary": ("multipart/form-data", lambda: form(a_field("a", "b"))),
    "another boundary": ("multipart/form-data; boundary=other", lambda: form(a_file("a.jsonl"))),
    "a boundary of 300 signs": (f"multipart/form-data; boundary={'b' * 300}", lambda: b"x"),
    "noise": (TYPE, lambda: bytes(range(256)) * 1_000),
    "no end": (TYPE, lambda: a_file("a.jsonl", b"x" * 100_000)),
    "20,000 fields": (TYPE, lambda: form(*(a_field(f"f{n}", n) for n in range(20_000)))),
    "parts that are nothing": (TYPE, lambda: f"--{BOUNDARY}\r\n\r\n".encode() * 100_000),
    "boundaries only": (TYPE, lambda: f"--{BOUNDARY}".encode() * 100_000),
    "files without names": (TYPE, lambda: form(*[a_file("/")] * 1_001)),
    "a field of 5 MiB": (TYPE, lambda: form(a_field("link", "x" * (5 * MIB)))),
    "a name of 5 MiB": (TYPE, lambda: form(a_field("x" * (5 * MIB), "x"))),
    "a file name of 2 MiB": (TYPE, lambda: form(a_file("x" * (2 * MIB)))),
    "a head without an end": (TYPE, lambda: part(FIELD + "\r\nX: " + "y" * (2 * MIB))),
    "broken base64": (
        TYPE,
        lambda: form(part(f"{FIELD}; filename=x\r\nContent-Transfer-Encoding: base64", b"A")),
    ),
    "a strange charset of a name": (
        TYPE,
        lambda: form(part("Content-Disposition: form-data; name*=hex''%41; filename*=zip''%00")),
    ),
    "a form that is no multipart": ("application/x-www-form-urlencoded", lambda: b"a=b&" * 100_000),
    "JSON": ("application/json", lambda: b"[" * 100_000),
    "no type": ("", lambda: b"x"),
}


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("name", ODD_BODIES)
def test_an_odd_body_is_answered_and_leaves_nothing(browser: Client, name: str) -> None:
    content_type, make = ODD_BODIES[name]
    assert post_raw(browser, make(), content_type).status_code in (400, 411, 413, 422)


@pytest.mark.usefixtures("nothing_is_left")
def test_a_form_that_takes_too_long_to_parse_is_refused(
    browser: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.thread_time", count(step=5.0).__next__)  # seconds
    assert submit(browser, release).status_code == 400


def test_fields_may_be_a_little_more_than_the_cap() -> None:
    names = sum(len(a_file("x" * 200, b"")) for _ in range(LIMITS.entries))
    assert names + 2_500_000 / 2 < FORM_ROOM  # names of files, and as much text as people type


# Full disks


@pytest.mark.usefixtures("nothing_is_left")
def test_a_disk_that_is_full_while_receiving_is_reported(
    browser: Client, release: Release, settings: Settings
) -> None:
    with small_disk_at(Path(settings.INCOMING_DIR)):
        answer = submit(browser, release, [("a.jsonl", b"x" * (2 * MIB))])
    assert answer.status_code == 507
    assert "Nothing was stored" in texts_of(answer)


@pytest.mark.usefixtures("nothing_is_left")
def test_a_disk_that_is_full_while_packing_is_reported(
    browser: Client, release: Release, settings: Settings
) -> None:
    with small_disk_at(Path(settings.INCOMING_DIR)):
        answer = submit(browser, release, [(f"{n}.jsonl", b"x" * 300_000) for n in range(2)])
    assert answer.status_code == 507


@pytest.mark.usefixtures("nothing_is_left")
def test_a_disk_that_is_full_while_storing_is_reported(
    browser: Client, release: Release, storage: Path
) -> None:
    with small_disk_at(storage):
        answer = submit(browser, release, [("a.jsonl", b"x" * (2 * MIB))])
        assert answer.status_code == 507
        assert [file for file in storage.rglob("*") if file.is_file()] == []
        assert submitted(submit(browser, release))  # there is room for less
        Submission.objects.all().delete()
    CountedUpload.objects.all().delete()
    LanguageModel.objects.all().delete()
