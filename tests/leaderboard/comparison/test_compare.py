"""Entries side by side: differences, who is right where, and the options of the form."""

from pathlib import Path
from typing import Any

import pytest
from bs4 import Tag
from django.core.cache import cache
from django.test import Client

from leaderboard.comparison import choices
from portal.models import Action, Example, Release, Submission, SubmissionState, User
from portal.releases.importer import import_release
from portal.states import change_submission
from portal.web import throttle
from tests.leaderboard.comparison.conftest import QUESTIONS, STRONG, WEAK, answered, imported, right
from tests.support import html
from tests.support.clients import signed_in
from tests.support.factories import ALL, published, reported
from tests.support.worlds import write_rows


def compared(*entries: Submission | str, client: Client | None = None, **query: str) -> Any:
    ids = [one if isinstance(one, str) else one.entry_id for one in entries]
    response = (client or Client()).get(
        "/compare/", dict(zip("abcd", ids, strict=False)) | query, follow=True
    )
    assert response.status_code == 200
    return response


def rows_of(response: Any) -> dict[str, Tag]:
    return {str(row["data-column"]): row for row in html.page(response).select("tr[data-column]")}


def parts(row: Tag) -> dict[str, int]:
    return {
        str(part["data-part"]): int(part.text.split()[-1]) for part in row.select("[data-part]")
    }


def points(row: Tag) -> str:
    return row.select(".difference")[0].text


def test_the_task_in_which_the_first_is_furthest_ahead_comes_first(
    strong: Submission, weak: Submission
) -> None:
    found = rows_of(compared(strong, weak))
    assert list(found) == ["passkey", "longbook_qa_eng", "kv_retrieval", "overall"]
    verdicts = [row["data-verdict"] for row in found.values()]
    assert verdicts == ["better", "better", "open", "better"]
    assert points(found["passkey"]) == "+45.0"


def test_counts_of_each_task_add_up_to_its_questions(strong: Submission, weak: Submission) -> None:
    found = rows_of(compared(strong, weak))
    assert parts(found["passkey"]) == {"both": 20, "only_a": 18, "only_b": 0, "none": 2}
    assert parts(found["kv_retrieval"]) == {"both": 19, "only_a": 1, "only_b": 0, "none": 20}
    assert parts(found["longbook_qa_eng"]) == {"a_higher": 30, "b_higher": 0, "equal": 0}
    assert parts(found["overall"]) == {}


def test_exchanging_the_entries_mirrors_the_page(strong: Submission, weak: Submission) -> None:
    found, mirrored = rows_of(compared(strong, weak)), rows_of(compared(weak, strong))
    opposite = {"better": "worse", "worse": "better", "open": "open"}
    for name, row in found.items():
        assert mirrored[name]["data-verdict"] == opposite[str(row["data-verdict"])]
        ours, theirs = parts(row), parts(mirrored[name])
        assert (ours.get("only_a"), ours.get("both")) == (theirs.get("only_b"), theirs.get("both"))
        assert points(row).strip("+−") == points(mirrored[name]).strip("+−")


def test_up_to_four_entries_are_compared_with_the_first(
    alice: User, data: Release, strong: Submission, weak: Submission
) -> None:
    middle = answered(alice, data, "Middle", STRONG | {"passkey": right(30, 40)})
    found = rows_of(compared(strong, weak, middle))
    assert [one.text for one in found["passkey"].select(".difference")] == ["+45.0", "+20.0"]
    assert len(found["passkey"].select("path[class^=side-]")) == 3


def test_one_task_is_shown_alone(strong: Submission, weak: Submission) -> None:
    assert list(rows_of(compared(strong, weak, task="passkey"))) == ["passkey"]


def test_an_entry_and_its_copy_cannot_be_told_apart(
    bob: User, data: Release, strong: Submission
) -> None:
    copy = answered(bob, data, "Copy", STRONG)
    found = rows_of(compared(strong, copy))
    assert {row["data-verdict"] for row in found.values()} == {"open"}
    assert {points(row) for row in found.values()} == {"0.0"}


def test_what_it_would_take_is_said(strong: Submission, weak: Submission) -> None:
    needed = html.page(compared(strong, weak)).select("#power [data-needed]")
    by_task = {html.text(one.parent.th): int(str(one["data-needed"])) for one in needed}  # type: ignore[union-attr,arg-type]
    assert by_task["Retrieve.PassKey"] < 40 < by_task["Retrieve.KV"]


def test_the_cheapest_mix_takes_fewer_tokens_than_all_tasks_alike(
    bob: User, strong: Submission, data: Release
) -> None:
    close = {
        "passkey": right(35, 40),
        "kv_retrieval": right(22, 40, first=4),
        "longbook_qa_eng": [0.45 + 0.01 * (7 * number % 30) for number in range(30)],
    }
    other = answered(bob, data, "Close", close)
    for place, task in enumerate(sorted(QUESTIONS)):
        examples = Example.objects.filter(data_set__releases=data, data_set__task=task)
        examples.update(tokens=1_000 * 100**place)
    page = html.page(compared(strong, other, price="2.5"))
    rows = page.select("#power tbody tr")
    mixed = {
        row.select("th")[0].text: int(str(row.select("[data-mixed]")[0]["data-mixed"]))
        for row in rows[: len(QUESTIONS)]
    }
    assert mixed["Retrieve.KV"] > mixed["Retrieve.PassKey"]  # a hundredth of the tokens
    columns = [html.text(head) for head in page.select("#power thead th")]
    tokens, cost = columns.index("Tokens"), columns.index("Cost")
    *_, alike = rows
    [mix] = page.select("#power [data-mix]")
    texts = [[html.text(cell) for cell in row.select("th, td")] for row in (alike, mix)]
    assert _number(texts[1][tokens]) < _number(texts[0][tokens])
    assert _number(texts[1][cost]) == pytest.approx(_number(texts[1][tokens]) * 2.5e-6, rel=0.05)


def _number(amount: str) -> float:
    units = {"K": 1e3, "M": 1e6, "B": 1e9}
    return float(amount.rstrip("KMB")) * units.get(amount[-1], 1)


@pytest.mark.parametrize("price", ["0", "-1", "nan", "1e400", "free", "1e9", "0x1"])
def test_a_price_that_is_none_is_left_out(strong: Submission, weak: Submission, price: str) -> None:
    query = {"a": strong.entry_id, "b": weak.entry_id, "price": price}
    answer = Client().get("/compare/", query)
    assert answer.status_code == 302
    assert "price" not in answer["Location"]


def test_entries_of_different_leaderboards_are_not_compared(
    alice: User, strong: Submission, tmp_path: Path
) -> None:
    other = answered(alice, imported(tmp_path, "other"), "Elsewhere", STRONG)
    response = compared(strong, other)
    assert rows_of(response) == {}
    assert html.one(response, "[data-compare]")["data-compare"] == "different leaderboards"


def test_entries_without_a_common_question_are_compared_as_independent(
    bob: User, data: Release, strong: Submission, tmp_path: Path
) -> None:
    for task, size in QUESTIONS.items():
        rows = [{"id": number, "answer": [f"other {number}"]} for number in range(size)]
        write_rows(tmp_path / "newer" / f"{task}.jsonl", rows)
    newer = import_release(tmp_path / "newer", slug="newer", title="Newer")
    data.data_sets.set(newer.data_sets.all())
    later = answered(bob, data, "Later", WEAK)
    response = compared(strong, later)
    found = rows_of(response)
    assert points(found["passkey"]) == "+45.0"
    assert found["passkey"]["data-verdict"] == "better"
    assert not html.page(response).select("[data-part]")
    claim = Client().get("/claims/", {"a": strong.entry_id, "b": later.entry_id, "task": "passkey"})
    assert html.one(claim, "[data-claim]")["data-claim"] == "holds"
    query = {"a": strong.entry_id, "b": later.entry_id, "task": "passkey"}
    assert Client().get("/api/v1/compare/", query).json()["n"] == 0


def test_a_reported_entry_is_never_compared_by_question(alice: User, official: Release) -> None:
    here = published(alice, official, "Here", ALL)
    there = reported("There", {"passkey": 100.0, "longbook_qa_eng": 10.0})
    response = compared(here, there.entry_id)
    found = rows_of(response)
    assert set(found) == {"passkey", "longbook_qa_eng"}
    assert not html.page(response).select("[data-part]")
    assert not html.page(response).select("#power")
    assert "p =" not in html.text_of(response)
    assert "p <" not in html.text_of(response)
    assert {html.text(link) for link in html.page(response).select("a[href^='/claims/']")} == {
        "not tested"
    }


@pytest.mark.parametrize("state", ["private", "in review", "rejected", "hidden", "withdrawn"])
def test_what_was_never_public_is_not_found_even_by_its_owner(
    alice: User, data: Release, weak: Submission, state: str
) -> None:
    own = answered(alice, data, "Own", STRONG, SubmissionState(state))
    for client in (Client(), signed_in(alice)):
        for page in ("/compare/", "/claims/", "/api/v1/compare/"):
            assert client.get(page, {"a": own.entry_id, "b": weak.entry_id}).status_code == 404


def test_a_withdrawn_entry_is_named_without_scores(
    alice: User, rita: User, data: Release, weak: Submission
) -> None:
    gone = answered(alice, data, "Gone", STRONG, SubmissionState.IN_REVIEW)
    gone = change_submission(gone, Action.PUBLISH, by=rita, reason="Complete.")
    assert rows_of(compared(gone, weak))
    change_submission(gone, Action.WITHDRAW, by=alice)
    response = Client().get("/compare/", {"a": gone.entry_id, "b": weak.entry_id})
    assert response.status_code == 410
    assert "Gone" in html.one(response, "[data-gone=withdrawn]").text
    assert not rows_of(response)


def test_the_form_offers_public_entries_and_keeps_what_is_chosen(
    alice: User, data: Release, strong: Submission, weak: Submission
) -> None:
    answered(alice, data, "Private", STRONG, SubmissionState.PRIVATE)
    [first, second, *_] = html.page(compared(strong, weak, q="Wea")).select("select")
    assert first.select("option[selected]")[0]["value"] == strong.entry_id
    assert second.select("option[selected]")[0]["value"] == weak.entry_id
    assert {option["value"] for option in first.select("option")} == {
        "", strong.entry_id, weak.entry_id,
    }  # fmt: skip


def test_long_lists_are_cut_and_say_so(
    monkeypatch: pytest.MonkeyPatch, strong: Submission, weak: Submission
) -> None:
    monkeypatch.setattr(choices, "MOST_OPTIONS", 1)
    assert len(html.page(compared()).select("select[name=a] option")) == 2
    assert len(html.page(compared(q="strong")).select("select[name=a] option")) == 2


def test_a_form_with_its_defaults_leads_to_the_one_address(
    strong: Submission, weak: Submission
) -> None:
    ids = {"a": strong.entry_id, "b": weak.entry_id}
    response = Client().get("/compare/", ids | {"c": "", "metric_set": "official-2024-06", "q": ""})
    assert response["Location"] == f"/compare/?a={strong.entry_id}&b={weak.entry_id}"


@pytest.mark.parametrize("query", ["a=x", "a=reported-9", "a=%27&b=%3Cscript%3E", "a=" + "9" * 90])
def test_an_unknown_entry_is_not_found(db: None, query: str) -> None:
    assert Client().get(f"/compare/?{query}", follow=True).status_code == 404


def test_comparisons_are_limited_by_address(
    monkeypatch: pytest.MonkeyPatch, strong: Submission, weak: Submission
) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 1)
    cache.clear()
    compared(strong, weak)
    compared(strong, weak)
    assert Client().get("/compare/").status_code == 429


def test_a_change_shows_on_the_next_request(
    alice: User, rita: User, data: Release, weak: Submission
) -> None:
    new = answered(alice, data, "New", WEAK, SubmissionState.IN_REVIEW)
    assert len(html.page(compared()).select("select[name=a] option")) == 2
    new = change_submission(new, Action.PUBLISH, by=rita, reason="Complete.")
    assert len(html.page(compared()).select("select[name=a] option")) == 3
