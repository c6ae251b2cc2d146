"""The public ledger as a page, a feed and files, and what an entry was chosen from."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from portal.ledger.chain import ledger_head
from portal.models import LanguageModel, LedgerEntry, Release, Submission, User
from portal.review.services import hide_entry, restore_entry
from scoring.__main__ import main
from tests.support import html
from tests.support.factories import whole_release
from tests.support.ledger import published, scored

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def entry(alice: User, bob: User, rita: User, adam: User) -> Submission:
    """The second of three attempts, hidden and restored since; one by somebody else follows."""
    whole = whole_release()
    for predictions in ("a", "b", "c"):
        found = scored(alice, whole, predictions)
    entry = published(Submission.objects.order_by("created")[1], by=rita)
    scored(bob, whole_release("another"), "a")
    hide_entry(entry, by=adam, reason="=Asked by the maker.")
    restore_entry(entry, by=adam, reason="Settled now.")
    assert found.language_model == entry.language_model
    return entry


def numbers(client: Client, query: str = "") -> list[int]:
    rows = html.all_of(client.get(f"/ledger/{query}"), "[data-number]")
    return [int(str(row["data-number"])) for row in rows]


def listed(client: Client, query: str = "") -> list[int]:
    return [one["number"] for one in client.get(f"/api/v1/ledger/{query}").json()["entries"]]


def test_page_and_api_list_the_same_entries(client: Client, entry: Submission) -> None:
    private = Submission.objects.exclude(pk=entry.pk).first()
    assert private
    for query, found in {
        "": [7, 6, 5, 4, 3, 2, 1],
        "?kind=attempt": [5, 3, 2, 1],
        "?kind=decision": [7, 6, 4],
        "?kind=hidden": [6],
        "?release=another": [5],
        f"?entry={entry.pk}": [7, 6, 4, 3, 2, 1],
        f"?entry={private.pk}": [],  # nothing is found that is not public
    }.items():
        assert numbers(client, query) == found, query
        assert listed(client, query) == found, query
    assert numbers(client, "?before=4") == [3, 2, 1]
    assert numbers(client, "?after=5") == [7, 6]
    for query in ("?kind=x", "?entry=x", "?before=x", "?after=9999999999999999999"):
        assert client.get(f"/ledger/{query}").status_code == 302
    for query, code in {
        "?kind=x": "bad_kind", "?entry=x": "bad_entry", "?limit=0": "bad_limit",
        "?limit=²": "bad_limit", "?cursor=x": "bad_cursor", "?cursor=before-": "bad_cursor",
    }.items():  # fmt: skip
        answer = client.get(f"/api/v1/ledger/{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_pages_of_the_api_lead_to_each_other(client: Client, entry: Submission) -> None:
    seen, address = [], "/api/v1/ledger/?limit=3"
    while address:
        page = client.get(address).json()
        seen.append([one["number"] for one in page["entries"]])
        address = page["next"]
    assert seen == [[7, 6, 5], [4, 3, 2], [1]]
    back = client.get(page["previous"]).json()
    assert [one["number"] for one in back["entries"]] == [4, 3, 2]


def test_the_page_shows_decisions_with_role_and_reason_and_nothing_of_what_is_closed(
    client: Client, entry: Submission
) -> None:
    page = client.get("/ledger/")
    rows = {int(str(row["data-number"])): row for row in html.all_of(page, "[data-number]")}
    assert {row.get("data-closed") for row in rows.values()} == {None, ""}
    assert [number for number, row in rows.items() if row.has_attr("data-closed")] == [5]
    assert "not public yet" in rows[5].text
    for number, decision, role, reason in (
        (4, "published", "reviewer", "It fits the paper."),
        (6, "hidden", "admin", "=Asked by the maker."),
        (7, "restored", "admin", "Settled now."),
    ):
        [shown_decision] = rows[number].select("[data-decision]")
        [shown_role] = rows[number].select("[data-role]")
        [shown_reason] = rows[number].select("[data-reason]")
        assert (shown_decision["data-decision"], shown_role["data-role"]) == (decision, role)
        assert shown_reason.text == reason
    text = html.text_of(page)
    for name in ("alice", "bob", "rita", "adam"):
        assert name not in text


def test_files_feed_and_api_have_the_same_head(
    client: Client, entry: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, head = "1:" + LedgerEntry.objects.get(number=1).hash, ledger_head()
    for address in ("/ledger/head.json", "/api/v1/ledger/head/"):
        document = client.get(address).json()
        assert f"{document['number']}:{document['hash']}" == str(head)
        assert document["day"] == f"{LedgerEntry.objects.get(number=7).at:%Y-%m-%d}"
    assert f"{head}" in html.text_of(client.get("/ledger/"))
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(client.get("/ledger/ledger.jsonl").getvalue())
    assert main(["verify-ledger", str(file), "--known", before]) == 0
    assert str(head) in capsys.readouterr().out
    later = tmp_path / "later.jsonl"
    later.write_bytes(client.get("/ledger/ledger.jsonl?after=1").getvalue())
    assert main(["verify-ledger", str(later), "--known", before]) == 0
    assert main(["verify-ledger", str(later), "--json", "-"]) == 1
    shown = json.loads(capsys.readouterr().out.partition("{")[2].join(["{", ""]))
    assert shown == {"head": None, "opened": None, "wrong": "Entry 1 is missing."}
    assert main(["verify-ledger", str(file), "--known", f"7:{'0' * 64}"]) == 1
    assert main(["verify-ledger", str(tmp_path)]) == 2
    later.write_bytes(b"\xff")
    assert main(["verify-ledger", str(later)]) == 2
    half_a_character = json.loads(file.read_text().partition("\n")[0]) | {"day": "\ud800"}
    later.write_text(json.dumps(half_a_character))
    assert main(["verify-ledger", str(later)]) == 1
    root = ET.fromstring(client.get("/ledger/feed.atom").content)
    items = [one.findtext(f"{ATOM}summary") or "" for one in root.iter(f"{ATOM}entry")]
    assert [f"{one.number}:{one.hash}" in item for one, item in zip(
        LedgerEntry.objects.filter(number__in=(7, 6, 4)).order_by("-number"), items, strict=True
    )] == [True] * 3  # fmt: skip
    assert head.hash in (root.findtext(f"{ATOM}subtitle") or "")


def test_the_address_of_a_site_is_no_ledger(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify-ledger", "https://board.example"]) == 2
    assert "/ledger/ledger.jsonl" in capsys.readouterr().err


def test_the_table_holds_what_the_filters_accept_and_no_formula(
    client: Client, entry: Submission
) -> None:
    text = client.get("/ledger/ledger.csv?kind=decision").getvalue().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["number"], row["decision"], row["role"]) for row in rows] == [
        ("4", "published", "reviewer"), ("6", "hidden", "admin"), ("7", "restored", "admin"),
    ]  # fmt: skip
    assert rows[1]["reason"] == "'=Asked by the maker."
    assert {row["entry"] for row in rows} == {str(entry.pk)}
    every = client.get("/ledger/ledger.csv").getvalue().decode("utf-8-sig")
    closed = list(csv.DictReader(io.StringIO(every)))[4]
    assert {name for name, cell in closed.items() if cell} == {
        "number", "day", "kind", "release", "commitment", "reconstructed", "hash",
    }  # fmt: skip


def test_an_entry_says_what_it_was_chosen_from_and_what_luck_gains(
    client: Client, entry: Submission
) -> None:
    page = client.get(f"/entries/{entry.pk}/")
    section = html.one(page, "[data-attempts]")
    assert (section["data-attempts"], "Published 1 of 3 scored on" in section.text) == ("3", True)
    found = client.get(f"/api/v1/entries/{entry.pk}/").json()
    attempts, overall = found["attempts"], found["overall"]["official-2024-06"]
    assert (attempts["published"], attempts["scored"], attempts["of_authors"]) == (1, 3, 3)
    assert attempts["ledger"] == 2
    assert overall["mean"] == 50.0
    assert (overall["low"], attempts["luck"]) == (None, None)  # a single question has no error


def test_boards_comparisons_and_exports_say_what_an_entry_was_chosen_from(
    client: Client, entry: Submission, bob: User, rita: User
) -> None:
    other = published(scored(bob, entry.release, "z", "Other model"), by=rita)
    [row, only] = csv.DictReader(
        io.StringIO(client.get("/board/whole/board.csv").text.removeprefix("\ufeff"))
    )
    both = {one["entry"]: one for one in (row, only)}
    names = ("attempts_scored", "attempts_published", "attempts_from")
    day = f"{entry.attempts.get().entry.at:%Y-%m-%d}"
    assert [both[str(entry.pk)][name] for name in names] == ["3", "1", day]
    lines = {one["entry"]: one for one in client.get("/board/whole/board.json").json()["entries"]}
    said = client.get(f"/api/v1/entries/{entry.pk}/").json()["attempts"]
    assert lines[str(entry.pk)]["attempts"] == {
        **{name: said[name] for name in ("scored", "published")},
        "from": said["first"],
        "until": said["last"],
    }
    for name in ("board.tex", "board.md"):
        assert "Chosen from variants scored here: Model from 3." in client.get(
            f"/board/whole/{name}"
        ).text.replace("\\", "")
    compared = f"a={entry.pk}&b={other.pk}"
    answer = client.get(f"/api/v1/compare/?{compared}").json()
    assert (answer["attempts_a"]["scored"], answer["attempts_b"]["scored"]) == (3, 1)
    [shown] = html.all_of(client.get(f"/compare/?{compared}"), "[data-attempts]")
    assert shown["data-attempts"] == "3"
    newest = LedgerEntry.objects.filter(kind="decision").order_by("-number")[0]
    root = ET.fromstring(client.get("/board/whole/feed.atom").content)
    assert f"{newest.number}:{newest.hash}" in (root.findtext(f"{ATOM}subtitle") or "")


@pytest.mark.usefixtures("entry")
def test_a_page_costs_the_same_for_any_length(
    client: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/ledger/")
    whole = Release.objects.get(slug="whole")
    with django_assert_num_queries(5):
        client.get("/ledger/")
    for number in range(60):
        scored(alice, whole, f"more {number}")
    LanguageModel.objects.update(name="Renamed")
    with django_assert_num_queries(4):  # nothing of it is public
        assert len(numbers(client)) == 50
