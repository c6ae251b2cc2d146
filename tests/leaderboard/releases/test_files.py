"""What can be downloaded of a release, verified and resumed, and what never can."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse

from portal.models import Example, Release, TaskDataSet, User
from portal.releases.importer import import_release
from scoring.releases.gold import read_gold
from tests.portal.submissions.test_download_views import Answer, content
from tests.support.addresses import site_addresses
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

# Of a hidden release neither the answers nor what reveals them may be public.
ROWS: dict[str, list[dict[str, Any]]] = {
    "code_debug": [
        {"id": key, "context": "def f(): ...\n" * 90, "input": "Which?", "answer": ["f"],
         "options": ["f", "g", "h", "i"]}
        for key in range(2)
    ],
    "longbook_qa_eng": [
        {"id": key, "context": f"A long story, {key}. " * 50, "input": "Who?",
         "answer": ["canary-label"], "options": []}
        for key in range(3)
    ],
}  # fmt: skip
FACETS = {
    "target_tokens": 4000, "ladder": 31337, "depth": 0.424242, "hops": 271828,
    "kind": "canary-kind", "evidence": [[7, 77]],
}  # fmt: skip
POINTERS = ("canary", "31337", "0.424242", "271828", "[7, 77]", "[7,77]")


_HEADERS: tuple[dict[str, str], ...] = ({}, {"Range": "bytes=0-"}, {"Range": "bytes=-200"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for task, rows in ROWS.items():
        write_rows(tmp_path / "made" / f"{task}.jsonl", rows)
        facets = [{"id": row["id"], **FACETS} for row in rows]
        write_rows(tmp_path / "made" / "facets" / f"{task}.jsonl", facets)
    return tmp_path / "made"


@pytest.fixture
def public(folder: Path) -> Release:
    return import_release(folder, slug="made", title="Made")


@pytest.fixture
def hidden(folder: Path) -> Release:
    return import_release(folder, slug="made", title="Made", hidden=True)


def got(client: Client, name: str, *more: str, **headers: str) -> Answer:
    return taken(client, reverse(name, args=["made", *more]), **headers)


def taken(client: Client, path: str, **headers: str) -> Answer:
    answer = client.get(path, headers=headers)
    assert isinstance(answer, Answer)
    return answer


def lines(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content(answer).splitlines()]


@pytest.mark.usefixtures("public")
def test_a_task_comes_in_the_official_format(client: Client, tmp_path: Path, folder: Path) -> None:
    for task, rows in ROWS.items():
        answer = got(client, "release-rows", task)
        data = content(answer)
        assert [json.loads(line) for line in data.splitlines()] == rows
        assert answer["Content-Length"] == str(len(data))
        assert answer["Content-Disposition"] == f'attachment; filename="{task}.jsonl"'
        (tmp_path / "back").mkdir(exist_ok=True)
        (tmp_path / "back" / f"{task}.jsonl").write_bytes(data)
    assert read_gold(tmp_path / "back") == read_gold(folder)


@pytest.mark.usefixtures("hidden")
def test_files_of_a_hidden_release_have_no_answers(client: Client) -> None:
    for task, rows in ROWS.items():
        answers = lines(got(client, "release-rows", task))
        assert answers == [{**row, "answer": []} for row in rows]


@pytest.mark.usefixtures("public")
def test_facets_come_as_they_were_made(client: Client) -> None:
    answer = got(client, "release-facets", "code_debug")
    assert answer["Content-Disposition"] == 'attachment; filename="facets-code_debug.jsonl"'
    assert lines(answer) == [{"id": key, **FACETS} for key in range(2)]


@pytest.mark.parametrize("name", ["release-rows", "release-facets"])
@pytest.mark.usefixtures("public")
def test_a_download_can_be_resumed(client: Client, name: str) -> None:
    whole = got(client, name, "code_debug")
    data = content(whole)
    rest = got(client, name, "code_debug", Range="bytes=100-", If_Range=whole["ETag"])
    assert rest.status_code == 206
    assert data[:100] + content(rest) == data
    assert whole["ETag"] == f'"{hashlib.sha256(data).hexdigest()}"'


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("release-rows", ["code_debug"]),
        ("release-facets", ["code_debug"]),
        ("release-checksums", []),
        ("release-manifest", []),
        ("release-eval", []),
    ],
)
@pytest.mark.usefixtures("public")
def test_a_browser_saves_the_file_and_executes_nothing(
    client: Client, name: str, parts: list[str]
) -> None:
    answer = got(client, name, *parts)
    content(answer)
    assert answer["Content-Security-Policy"] == "sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; ")
    again = got(client, name, *parts, If_None_Match=answer["ETag"])
    assert (again.status_code, content(again)) == (304, b"")


@pytest.mark.usefixtures("public")
def test_checksums_are_those_of_the_files(client: Client) -> None:
    written = content(got(client, "release-checksums")).decode()
    sums = [line.split("  ") for line in written.splitlines()]
    assert [name for _, name in sums] == [
        f"{folder}{task}.jsonl" for task in ROWS for folder in ("", "facets/")
    ]
    for sha256, name in sums:
        data = content(taken(client, f"/releases/made/{name}"))
        assert hashlib.sha256(data).hexdigest() == sha256


@pytest.mark.usefixtures("public")
def test_the_manifest_has_every_file_and_length(client: Client) -> None:
    document = json.loads(content(got(client, "release-manifest")))
    assert (document["release"], document["hidden"]) == ("made", False)
    _, novels = document["tasks"]
    assert (novels["task"], novels["examples"]) == ("longbook_qa_eng", 3)
    rows, facets = novels["files"]
    data = content(taken(client, rows["url"]))
    assert (rows["bytes"], rows["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert facets["name"] == "facets/longbook_qa_eng.jsonl"
    tokens = list(Example.objects.filter(data_set__task="longbook_qa_eng").values_list("tokens"))
    assert [(novels["tokens"][key],) for key in ("shortest", "longest")] == [
        min(tokens), max(tokens),
    ]  # fmt: skip
    assert [at["target_tokens"] for at in novels["lengths"]] == [4000]


@pytest.mark.usefixtures("public")
def test_a_refused_download_is_not_an_attachment(client: Client) -> None:
    answer = got(client, "release-rows", "code_debug", Range="bytes=99999999-")
    assert answer.status_code == 416
    assert "Content-Disposition" not in answer


@pytest.mark.usefixtures("public")
def test_an_unknown_address_is_not_found(client: Client) -> None:
    for path in ("made/passkey.jsonl", "made/nothing.jsonl", "other/code_debug.jsonl"):
        assert client.get(f"/releases/{path}").status_code == 404
    data_set = TaskDataSet.objects.get(task="code_debug")
    assert data_set.whole_file
    default_storage.delete(data_set.whole_file.file.name)
    assert got(client, "release-rows", "code_debug").status_code == 404


def test_a_release_of_labels_only_links_to_the_hub(client: Client, tmp_path: Path) -> None:
    write_rows(tmp_path / "gold" / "passkey.jsonl", [{"id": 0, "answer": ["12345"]}])
    release = import_release(tmp_path / "gold", slug="made", title="Made")
    assert got(client, "release-rows", "passkey").status_code == 404
    assert got(client, "release-checksums").status_code == 404
    assert json.loads(content(got(client, "release-manifest")))["tasks"][0]["files"] == []
    assert b"Only the labels" in content(got(client, "release"))
    release.official = True
    release.save()
    page = content(got(client, "release")).decode()
    assert "xinrongzhang2022/InfiniteBench" in page
    assert "Lengths" not in page


@pytest.mark.usefixtures("public")
def test_the_page_shows_lengths_sizes_and_commands(client: Client) -> None:
    page = content(got(client, "release")).decode()
    assert "here=http://testserver/releases/made/\n" in page
    assert ">4K<" in page
    assert "SHA256SUMS" in page
    assert "≈" not in page
    Example.objects.filter(index=0).update(tokens_estimated=True)
    assert "≈" in content(got(client, "release")).decode()


@pytest.mark.usefixtures("hidden")
def test_no_file_of_a_hidden_release_reveals_an_answer(
    client: Client, alice: User, rita: User, adam: User
) -> None:
    """Not even for reviewers, who see answers on the pages of examples: downloads are the same for
    every user."""
    hashes = [data_set.labels_hash[:16] for data_set in TaskDataSet.objects.all()]
    downloads = [path for path in paths() if path.startswith("/releases/")]
    for user in (None, alice, rita, adam):
        if user:
            client.force_login(user)
        for path in downloads if user else paths():
            for headers in _HEADERS if path.startswith("/releases/") else _HEADERS[:1]:
                answer = taken(client, path, **headers)
                text = content(answer).decode(errors="replace") + str(answer.headers)
                assert [canary for canary in (*POINTERS, *hashes) if canary in text] == [], path


@pytest.mark.usefixtures("public")
def test_all_files_of_a_public_release_are_found(client: Client) -> None:
    """Otherwise the test above would prove nothing."""
    texts = [content(taken(client, path)).decode() for path in paths()]
    for canary in POINTERS[:-2]:
        assert any(canary in text for text in texts), canary


def paths() -> list[str]:
    """Every address of the site, and locations where a file could be."""
    found = {
        address.path(slug="made", task_id=task) for address in site_addresses() for task in ROWS
    }
    guessed = ("release.json", "facets/", "tokens/code_debug.jsonl", "made.json")
    return sorted(found) + [f"/releases/made/{name}" for name in guessed]


def test_a_set_that_is_public_elsewhere_is_still_hidden_here(client: Client, folder: Path) -> None:
    """Imports refuse this, but it may have been imported before they did."""
    opened = import_release(folder, slug="open", title="Open")
    Release.objects.update(hidden=True)
    import_release(folder, slug="made", title="Made", hidden=True)
    Release.objects.filter(pk=opened.pk).update(hidden=False)
    assert TaskDataSet.objects.count() == 2
    rows = lines(got(client, "release-rows", "code_debug"))
    assert {tuple(row["answer"]) for row in rows} == {()}
    assert got(client, "release-facets", "code_debug").status_code == 404
    answers = lines(taken(client, "/releases/open/code_debug.jsonl"))
    assert [row["answer"] for row in answers] == [["f"], ["f"]]
