"""The page of a board and its exports, as readers get them."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.board.board import build_board
from leaderboard.board.cells import board_rows
from leaderboard.board.filters import Filters
from leaderboard.entries import Mark
from leaderboard.queries import BoardRelease
from portal.models import Action, Evaluation, LanguageModel, Release, Submission, User
from portal.scores.titles import METRIC_SET_TITLES
from portal.states import change_submission
from tests.support.factories import (
    ALL,
    SIZE,
    model,
    plain,
    published,
    release_of_all_tasks,
    reported,
)
from tests.support.kept_pages import forget_kept_pages

RANK_AND_NAME = re.compile(
    r'<td class="rank"><input[^>]*>(\d*)\s*(?:<small.*?</small>)?\s*</td>\s*'
    r'<th scope="row".*?<bdi>(.*?)</bdi>',
    re.DOTALL,
)


def page(client: Client, query: str = "") -> str:
    response = client.get(f"/board/hf/{query}")
    assert response.status_code == 200
    return response.content.decode()


def table(client: Client, query: str = "") -> list[tuple[str, str]]:
    """Ranks and names; a dot for entries without a rank."""
    found = RANK_AND_NAME.findall(page(client, query))
    return [(rank or "·", name) for rank, name in found]


@pytest.fixture
def three(alice: User, official: Release) -> Submission:
    """Two complete entries, and one with a single task."""
    published(alice, official, "Second", ALL | {"passkey": 80.0})
    published(alice, official, "Part", {"passkey": 100.0})
    return published(alice, official, "First", ALL | {"kv_retrieval": 90.0})


def test_complete_entries_are_ranked_and_the_others_stand_below(
    three: Submission, client: Client
) -> None:
    assert table(client) == [("1", "First"), ("2", "Second"), ("·", "Part")]


def test_an_incomplete_entry_is_ranked_where_it_is_complete(
    three: Submission, client: Client
) -> None:
    assert table(client, "?sort=passkey") == [("1", "Part"), ("2", "Second"), ("3", "First")]


def test_an_incomplete_mean_shows_the_number_of_tasks(three: Submission, client: Client) -> None:
    assert "1 of 12 tasks" in page(client)


def test_an_overall_mean_is_a_bar_from_0_with_its_interval(
    three: Submission, client: Client
) -> None:
    first = page(client).split("<bdi>First</bdi>")[1].split("</td>")[1]
    assert "53.33" in first
    assert "±" not in first
    assert 'class="overall to-53 low-43 high-63 best ranks"' in first
    assert "42.9–63.0" in first


def test_the_intervals_of_all_scores_are_printed_on_demand(
    three: Submission, client: Client
) -> None:
    assert "<small>42.9–63.0</small>" not in page(client)
    assert "<small>42.9–63.0</small>" in page(client, "?errors=on")


def test_a_divider_stands_above_the_entries_without_a_rank(
    three: Submission, client: Client
) -> None:
    first, part = page(client).split('<tr class="divider">')
    assert "<bdi>Second</bdi>" in first
    assert "<bdi>Part</bdi>" in part
    assert "divider" not in page(client, "?sort=passkey")
    by_task = page(client, "?sort=kv_retrieval").split('<tr class="divider">')
    assert "Retrieve.KV" in by_task[1].split("</tr>")[0]
    assert 'class="divider"' not in page(client, "?sort=model")


def test_the_best_score_of_a_column_is_bold(three: Submission, client: Client) -> None:
    body = page(client)
    rows = {name: body.split(f"<bdi>{name}</bdi>")[1] for name in ("First", "Second", "Part")}
    best = {
        name: re.findall(
            r'class="[^"]*\bbest\b[^"]*" data-label="Retrieve.(\w+)', row.split("</tr>")[0]
        )
        for name, row in rows.items()
    }
    assert best == {"First": ["Number", "KV"], "Second": ["Number"], "Part": ["PassKey"]}


def test_the_head_counts_what_the_board_has(
    three: Submission, official: Release, client: Client
) -> None:
    context = client.get("/board/hf/").context
    assert (context["board"].systems, context["examples"]) == (3, 12 * SIZE)
    assert context["updated"] == max(
        one.finished for one in Evaluation.objects.all() if one.finished
    )


def test_facts_of_a_model_are_below_its_name(
    alice: User, official: Release, client: Client
) -> None:
    model("A", organisation="Makers", parameters="8B", weights="open", released="2025-06-01")
    LanguageModel.objects.update(context_window=200_000)
    published(alice, official, "A", ALL)
    assert "<small><bdi>Makers · 8B · 200K · open · 2025-06</bdi></small>" in page(client)


@pytest.mark.parametrize(
    ("low", "high", "printed"), [(None, None, "3"), (2, 4, "2–4"), (3, 3, "3")]
)
def test_a_rank_is_a_range_once_that_is_known(
    low: int | None, high: int | None, printed: str
) -> None:
    sizes = dict.fromkeys(ALL, SIZE)
    release = BoardRelease("hf", "Release", hidden=False, official=True, is_open=True, sizes=sizes)
    board = build_board(release, [plain("A", ALL)], Filters())
    line = board.lines[0]._replace(rank=3, rank_low=low, rank_high=high)
    (row,) = board_rows(replace(board, page_lines=[line]))
    assert row.rank == printed


def test_the_sorted_column_is_marked(three: Submission, client: Client) -> None:
    assert page(client).count("aria-sort") == 1
    assert 'aria-sort="ascending"><a href="?sort=passkey"' in page(client, "?sort=passkey&dir=back")
    assert 'class="model" aria-sort="ascending"' in page(client, "?sort=model")


def test_names_are_sorted_without_touching_ranks(three: Submission, client: Client) -> None:
    assert table(client, "?sort=model") == [("1", "First"), ("·", "Part"), ("2", "Second")]


def test_shading_can_be_turned_off_with_one_link(three: Submission, client: Client) -> None:
    assert "heat-4" in page(client)
    assert 'href="?heat=off"' in page(client)
    assert "heat-" not in page(client, "?heat=off")


def test_a_mark_says_how_predictions_were_made(three: Submission, client: Client) -> None:
    Submission.objects.update(truncation="end", input_limit=128_000)
    assert 'end truncated; input up to 128,000 tokens"' in page(client)


def test_each_mark_says_in_words_where_scores_come_from(three: Submission, client: Client) -> None:
    reported("Claimed", ALL, source="Table 3")
    body = page(client)
    chips = {mark: body.count(f'<a class="chip {mark}"') for mark in Mark}
    assert chips == {Mark.SCORED: 3, Mark.HISTORICAL: 0, Mark.REPORTED: 1}
    assert re.search(r'<a class="chip reported"[^>]* title="[^"]+ Table 3"', body)
    assert table(client, "?trust=reported") == [("1", "Claimed")]


def test_under_other_metrics_a_note_says_that_reported_rows_are_excluded(
    three: Submission, client: Client
) -> None:
    reported("Claimed", ALL)
    assert client.get("/board/hf/?set=strict").context["omits_reported"]
    assert not client.get("/board/hf/").context["omits_reported"]


def test_a_search_without_result_leads_back_to_all(three: Submission, client: Client) -> None:
    body = page(client, "?q=nobody&set=strict")
    assert 'class="empty"' in body
    assert 'href="?set=strict"' in body


def test_a_mark_without_entries_links_to_all_entries(official: Release, client: Client) -> None:
    files = release_of_all_tasks("historical-gpt-4", official=False)
    published(None, files, "GPT-4", ALL, origin=Submission.Origin.HISTORICAL)
    body = page(client, "?set=strict&trust=scored")
    assert 'class="empty"' in body
    assert table(client, "?set=strict") == [("1", "GPT-4")]


def test_defaults_are_not_in_the_address(three: Submission, client: Client) -> None:
    sent = "q=&sort=passkey&entries=best&weights=any&trust=&trust=scored"
    for address in ("/board/hf/", "/"):
        response = client.get(f"{address}?{sent}")
        assert response.status_code == 302
        assert response["Location"] == f"{address}?sort=passkey&trust=scored"
        assert client.get(response["Location"]).status_code == 200


def test_a_search_changes_no_shades(three: Submission, client: Client) -> None:
    second = re.compile(r"<bdi>Second</bdi>.*?</tr>", re.DOTALL)
    (whole,) = second.findall(page(client))
    assert "heat-" in whole
    assert second.findall(page(client, "?q=second")) == [whole]


def test_rows_of_one_model_can_be_distinguished(
    three: Submission, alice: User, official: Release, client: Client
) -> None:
    again = published(alice, official, "First", ALL)
    for found, time in ((three, "2026-03-01T10:00Z"), (again, "2026-03-02T11:30Z")):
        Submission.objects.filter(pk=found.pk).update(created=time)
    body = page(client, "?entries=all")
    assert "<small><bdi>2026-03-01</bdi>" in body
    assert "<small><bdi>2026-03-02</bdi>" in body
    Submission.objects.filter(pk=again.pk).update(created="2026-03-01T11:30Z")
    forget_kept_pages()
    assert "<small><bdi>2026-03-01 11:30</bdi>" in page(client, "?entries=all")
    assert "2026-03" not in page(client)


def test_the_title_says_what_is_shown(three: Submission, client: Client) -> None:
    titles = {
        query: page(client, query).split("<title>")[1].split(" · ∞Bench</title>")[0]
        for query in ("", "?set=strict&sort=code_debug", "?q=first&entries=all")
    }
    paper, _official, strict = (one.title for one in METRIC_SET_TITLES.values())
    assert list(titles.values()) == [
        f"{paper} · Release hf",
        f"Code.Debug · {strict} · Release hf",
        f"{paper} · all entries · “first” · Release hf",
    ]


def test_imported_entries_have_no_submission_date(
    three: Submission, official: Release, client: Client
) -> None:
    files = release_of_all_tasks("historical-gpt-4", official=False)
    old = published(None, files, "GPT-4", ALL, origin=Submission.Origin.HISTORICAL)
    entries = json.loads(client.get("/board/hf/board.json").content)["entries"]
    days = {entry["model"]["name"]: entry["day"] for entry in entries}
    assert days["GPT-4"] is None
    assert days["First"] == three.created.date().isoformat()
    text = client.get(f"/entries/{old.entry_id}/").content.decode()
    assert "Imported" in text
    assert "Submitted" not in text


def test_halves_are_rounded_up_as_in_the_papers(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Model", {"code_run": 23.25, "code_debug": 1.25})
    body = page(client)
    assert ">23.3</td>" in body
    assert ">1.3</td>" in body


def test_an_empty_board_asks_for_submissions(official: Release, client: Client) -> None:
    assert 'class="button primary" href="/submit/"' in page(client)


def test_an_unknown_board_is_not_found(official: Release, client: Client) -> None:
    for address in ("/board/none/", "/board/none/board.csv", "/board/none/board.json"):
        assert client.get(address).status_code == 404


def test_names_are_escaped(alice: User, official: Release, client: Client) -> None:
    model("nasty", organisation="<script>alert(1)</script>")
    published(alice, official, "nasty", ALL)
    Submission.objects.update(method="<script>prompt(1)</script>")
    for word in ("alert", "prompt"):
        assert f"<script>{word}" not in page(client)
        assert f"&lt;script&gt;{word}" in page(client)


def test_a_search_is_given_back_as_text(three: Submission, client: Client) -> None:
    assert '"><b>' not in page(client, "?q=%22%3E%3Cb%3E")


def test_an_unchanged_page_is_not_sent_again(
    three: Submission, client: Client, alice: User
) -> None:
    first = client.get("/board/hf/")
    again = client.get("/board/hf/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    change_submission(three, Action.WITHDRAW, by=alice)
    anew = client.get("/board/hf/", headers={"If-None-Match": first["ETag"]})
    assert anew.status_code == 200


def test_a_reader_without_a_csrf_cookie_gets_no_304(three: Submission, client: Client) -> None:
    tag = client.get("/board/hf/")["ETag"]
    assert Client().get("/board/hf/", headers={"If-None-Match": tag}).status_code == 200


def test_signed_in_users_get_their_own_page(three: Submission, client: Client, alice: User) -> None:
    client.force_login(alice)
    response = client.get("/board/hf/")
    assert "ETag" not in response
    assert "alice" in response.content.decode()
    assert "alice" not in page(Client())


def test_the_board_as_csv_has_full_figures_and_no_formulas(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "=1+1", ALL | {"passkey": 12.3456789})
    response = client.get("/board/hf/board.csv?sort=passkey")
    (row,) = csv.DictReader(io.StringIO(response.content.decode("utf-8-sig")))
    assert row["model"] == "'=1+1"
    assert row["passkey"] == "12.3456789"
    assert (row["rank"], row["release"], row["metric_set"]) == ("1", "hf", "official-2024-06")
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["Content-Security-Policy"] == "sandbox"


def test_the_board_as_json_says_null_where_a_mean_is_not_complete(
    three: Submission, client: Client
) -> None:
    document = json.loads(client.get("/board/hf/board.json?set=strict").content)
    assert document["metric_set"] == "strict"
    first, _, part = document["entries"]
    assert first["entry"] == three.entry_id
    assert first["tasks"]["kv_retrieval"]["percent"] == 45.0
    assert (part["rank"], part["overall"], part["tasks"]["code_run"]) == (None, None, None)


def test_files_say_how_predictions_were_made_in_words_for_programs(
    three: Submission, client: Client
) -> None:
    Submission.objects.update(truncation="end", input_limit=128_000, prompt_strategy="few shots")
    reported("Claimed", dict.fromkeys(ALL, 1.0))
    table = csv.DictReader(
        io.StringIO(client.get("/board/hf/board.csv").content.decode("utf-8-sig"))
    )
    runs = {
        row["model"]: (row["prompt_strategy"], row["truncation"], row["input_limit"])
        for row in table
    }
    assert runs["First"] == ("few shots", "end", "128000")
    assert runs["Claimed"] == ("", "", "")
    entries = json.loads(client.get("/board/hf/board.json").content)["entries"]
    settings = {entry["model"]["name"]: entry["settings"] for entry in entries}
    assert settings["First"] == {
        "prompt_strategy": "few shots",
        "truncation": "end",
        "input_limit": 128_000,
        "output_limit": None,
    }
    assert settings["Claimed"] is None


def test_files_need_no_cookie_to_be_unchanged(three: Submission, client: Client) -> None:
    tag = client.get("/board/hf/board.csv")["ETag"]
    again = Client().get("/board/hf/board.csv", headers={"If-None-Match": tag})
    assert again.status_code == 304


def test_releases_are_a_click_away_with_the_same_choices(three: Submission, client: Client) -> None:
    release_of_all_tasks("paper")
    assert 'href="/board/paper/?set=strict"' in page(client, "?set=strict")
