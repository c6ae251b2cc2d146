"""Scores by length: which entries have a curve, what is said about them, and what stays hidden."""

import csv
import io
import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from leaderboard.board.ranking.ladders import LadderChoice
from portal.board_version import raise_board_version
from portal.models import Example, LanguageModel, Release, Submission, SubmissionState, User
from tests.support import html
from tests.support.factories import published, release_of_all_tasks
from tests.support.ladders import LENGTHS, QUESTIONS, ladder_release, reader

pytestmark = pytest.mark.django_db

PAGE = "/releases/steps/lengths/"


@pytest.fixture
def steps(db: None) -> Release:
    return ladder_release()


@pytest.fixture
def readers(alice: User, steps: Release) -> list[Submission]:
    """Readers, the best first."""
    return [reader(alice, steps, f"Reader {window}", window) for window in reversed(LENGTHS)]


def page(client: Client, query: str = "") -> BeautifulSoup:
    return html.page(client.get(f"{PAGE}{query}"))


def drawn(client: Client, query: str = "") -> list[str]:
    """The ids of the entries that have a curve."""
    return [
        str(row["data-entry"]) for row in page(client, query).select(".effective tr[data-entry]")
    ]


def document(client: Client, query: str = "") -> Any:
    return json.loads(client.get(f"{PAGE}curves.json{query}").content)


def test_the_best_entries_have_a_curve(
    client: Client, alice: User, steps: Release, readers: list[Submission]
) -> None:
    assert drawn(client) == [one.entry_id for one in readers]
    for number in range(5):
        reader(alice, steps, f"Other {number}", 0)
    raise_board_version()
    assert len(drawn(client)) == 6
    assert drawn(client)[:3] == [one.entry_id for one in readers]
    assert document(client)["others"]["entries"] == 2


def test_any_entry_of_the_board_can_be_chosen(client: Client, readers: list[Submission]) -> None:
    last = readers[-1]
    assert drawn(client, f"?entry={last.entry_id}") == [last.entry_id]
    found = document(client, f"?entry={last.entry_id}")
    assert found["others"]["entries"] == 2
    assert [one["low"] for one in found["others"]["points"]] == pytest.approx([100, 100, 19])
    assert len(drawn(client, f"?entry={last.entry_id}&entry={readers[0].entry_id}")) == 2


def test_an_entry_that_is_not_there_is_missed(client: Client, readers: list[Submission]) -> None:
    query = f"?entry={readers[0].entry_id}&entry=other"
    assert drawn(client, query) == [readers[0].entry_id]
    assert page(client, query).select("[data-code='entries without a curve']")
    assert not page(client).select("[data-code='entries without a curve']")


def test_curves_are_of_a_task_or_of_a_mean(
    client: Client, alice: User, steps: Release, readers: list[Submission]
) -> None:
    half = reader(alice, steps, "Half", 64_000, ["passkey"])
    assert half.entry_id not in drawn(client)
    assert half.entry_id in drawn(client, "?task=passkey")
    assert document(client)["n"] == 2 * QUESTIONS
    assert document(client, "?task=passkey")["n"] == QUESTIONS
    assert client.get(f"{PAGE}?task=code_run").status_code == 404


def test_the_page_says_what_the_files_say(client: Client, readers: list[Submission]) -> None:
    LanguageModel.objects.filter(slug="reader-16000").update(context_window=1_000_000)
    limited = Submission.objects.filter(pk=readers[1].pk)
    limited.update(input_limit=32_000, truncation="middle")
    raise_board_version()
    [cut] = page(client).select("svg .cut")
    assert float(str(cut["x"])) > 450  # below the last length
    found = document(client)["entries"][1]
    assert (found["claimed"], found["input_limit"]) == (1_000_000, 32_000)
    assert [point["mean"] for point in found["points"]] == [100, 100, 10]
    assert [point["difference"] for point in found["points"]] == [None, 0, -90]
    low, high = (found["points"][2][f"difference_{end}"] for end in ("low", "high"))
    assert -100 < low < -90 < high < -70
    context = found["effective_context"]
    assert (context["low"], context["high"]) == (16_000, 64_000)
    [row] = page(client).select(f"tr[data-entry='{readers[1].entry_id}']")
    assert row.select("[data-effective]")[0]["data-effective"] == str(context["tokens"])
    assert "1M" in html.text(row)
    rows = csv.DictReader(io.StringIO(client.get(f"{PAGE}curves.csv").content.decode("utf-8-sig")))
    of_entry = [one for one in rows if one["entry"] == readers[1].entry_id]
    assert [float(one["mean"]) for one in of_entry] == [100, 100, 10]
    assert {one["effective_tokens"] for one in of_entry} == {str(context["tokens"])}


def test_the_share_to_keep_is_a_choice(client: Client, readers: list[Submission]) -> None:
    usual, low = (document(client, query)["entries"][1] for query in ("", "?share=50"))
    assert usual["effective_context"]["tokens"] < low["effective_context"]["tokens"]
    assert low["effective_context"]["share"] == 0.5


def test_there_is_one_address_for_each_choice(client: Client, readers: list[Submission]) -> None:
    sent = client.get(f"{PAGE}?task=overall&metric_set=official-2024-06&share=85&q=&share=85")
    assert (sent.status_code, sent["Location"]) == (302, PAGE)
    many = "&".join(f"entry={number}" for number in range(9))
    assert len(LadderChoice.from_query({"entry": list(map(str, range(9)))}).ids) == 6
    assert client.get(f"{PAGE}?{many}").status_code == 302


def test_a_search_offers_other_entries_and_keeps_the_curves(
    client: Client, readers: list[Submission]
) -> None:
    found = page(client, f"?entry={readers[0].entry_id}&q=16000").select("input[name=entry]")
    assert [(str(one["value"]), one.has_attr("checked")) for one in found] == [
        (readers[0].entry_id, True),
        (readers[1].entry_id, False),
    ]


def test_repeated_runs_have_one_curve_of_their_means(
    client: Client, alice: User, steps: Release
) -> None:
    setup: dict[str, Any] = {
        "prompt_strategy": "one prompt",
        "truncation": Submission.Truncation.MIDDLE,
        "input_limit": 64_000,
        "output_limit": 100,
    }
    for window in (4_000, 64_000):
        reader(alice, steps, "Twice", window, **setup)
    [found] = document(client)["entries"]
    assert [point["mean"] for point in found["points"]] == pytest.approx([100, 55, 55])


def test_nothing_is_shown_of_a_hidden_release(client: Client, readers: list[Submission]) -> None:
    Release.objects.update(hidden=True)
    raise_board_version()
    for address in (PAGE, f"{PAGE}curves.csv", f"{PAGE}curves.json", f"{PAGE}?task=passkey"):
        assert client.get(address).status_code == 404
    for address in ("/", "/board/steps/", "/releases/steps/"):
        assert PAGE not in client.get(address).content.decode()


def test_only_what_is_published_has_a_curve(
    client: Client, alice: User, steps: Release, readers: list[Submission]
) -> None:
    hidden = reader(alice, steps, "Secret", 64_000, state=SubmissionState.IN_REVIEW)
    query = f"?entry={hidden.entry_id}"
    assert hidden.entry_id not in drawn(client, query)
    assert "Secret" not in client.get(f"{PAGE}{query}").content.decode()
    assert "Secret" not in client.get(f"{PAGE}curves.json{query}").content.decode()


def test_without_a_ladder_there_is_no_such_page(client: Client, alice: User) -> None:
    published(alice, release_of_all_tasks("flat"), "Model", {"passkey": 50.0})
    assert client.get("/releases/flat/lengths/").status_code == 404
    assert client.get("/releases/unknown/lengths/").status_code == 404
    assert not html.page(client.get("/")).select("[data-signature]")


def test_a_release_whose_lengths_are_imported_later_becomes_a_ladder(
    client: Client, steps: Release, readers: list[Submission]
) -> None:
    examples = Example.objects.filter(data_set__releases=steps)
    lengths = dict(examples.values_list("pk", "target_tokens"))
    examples.update(target_tokens=None)
    assert client.get(PAGE).status_code == 404
    for pk, length in lengths.items():
        examples.filter(pk=pk).update(target_tokens=length)
    assert client.get(PAGE).status_code == 200


def test_without_entries_the_page_says_how_to_begin(client: Client, steps: Release) -> None:
    assert page(client).select("[data-empty=entries]")
    assert document(client)["entries"] == []


def test_a_curve_is_read_once_for_each_evaluation(
    client: Client,
    alice: User,
    steps: Release,
    readers: list[Submission],
    django_assert_max_num_queries: Any,
) -> None:
    client.get(PAGE)
    for number in range(4):
        reader(alice, steps, f"Other {number}", 0)
    raise_board_version()
    with django_assert_max_num_queries(14) as few:
        client.get(PAGE)
    for number in range(4):
        reader(alice, steps, f"Another {number}", 0)
    raise_board_version()
    with django_assert_max_num_queries(14) as many:
        client.get(PAGE)
    assert len(many) <= len(few)
    vectors = [one for one in many if "portal_scorevector" in one["sql"]]
    assert all(readers[0].entry_id not in one["sql"] for one in vectors)


def test_the_newest_ladder_with_entries_is_on_the_first_page(
    client: Client, alice: User, readers: list[Submission]
) -> None:
    ladder_release("empty")
    published(alice, release_of_all_tasks(), "Model", {"passkey": 50.0})
    [found] = html.page(client.get("/")).select("[data-signature]")
    assert (found["data-signature"], found["href"]) == ("steps", PAGE)
    assert len(found.select("path")) == len(readers)
    assert not html.page(client.get("/board/hf/")).select("[data-signature]")
    reader(alice, ladder_release("newer"), "Reader", 4_000)
    raise_board_version()
    [found] = html.page(client.get("/")).select("[data-signature]")
    assert found["data-signature"] == "newer"


def test_readers_that_go_by_rules_are_never_in_the_headline(
    client: Client, alice: User, readers: list[Submission]
) -> None:
    published(alice, release_of_all_tasks(), "Model", {"passkey": 50.0})
    LanguageModel.objects.filter(submissions__in=readers).update(baseline=True)
    raise_board_version()
    assert not html.page(client.get("/")).select("[data-signature]")


def test_the_share_is_that_of_the_evidence_only_entry_where_there_is_one(
    client: Client, alice: User, steps: Release
) -> None:
    own = reader(alice, steps, "Reader", 16_000)
    query = f"?entry={own.entry_id}"
    [before] = document(client, query)["entries"]
    assert before["effective_context"]["of_evidence"] is False
    control = reader(alice, steps, "Reader", 4_000, prompt_strategy="Evidence only")
    raise_board_version()
    [after] = document(client, query)["entries"]
    assert after["effective_context"]["of_evidence"] is True
    # The control is right in 4 of 10 questions, so that more is kept of its score.
    assert after["effective_context"]["tokens"] > before["effective_context"]["tokens"]
    assert len(page(client, query).select("[data-of-evidence]")) == 1
    assert not page(client, f"?entry={control.entry_id}").select("[data-of-evidence]")
    by_length = f"/api/v1/entries/{own.entry_id}/breakdowns/?task=passkey&by=length"
    assert client.get(by_length).json()["effective_context"]["of_evidence"] is True


def test_a_control_has_a_curve_only_where_it_is_asked_for(
    client: Client, alice: User, steps: Release
) -> None:
    own = reader(alice, steps, "Reader", 16_000)
    control = reader(alice, steps, "Reader", 4_000, prompt_strategy="Evidence only")
    raise_board_version()
    assert [one["entry"] for one in document(client, "")["entries"]] == [own.entry_id]
    asked = document(client, f"?entry={control.entry_id}")["entries"]
    assert [one["entry"] for one in asked] == [control.entry_id]
