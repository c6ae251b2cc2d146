"""The page of a task: a real example, answers with verdicts, and all entries as a chart."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import (
    SCORE_COLUMNS,
    Context,
    ExampleResult,
    Release,
    Submission,
    TaskScore,
    User,
)
from portal.releases.importer import import_release
from portal.scores.comparison.separations import update_separations
from scoring.metrics import METRIC_SETS, score_example
from tests.support import html
from tests.support.example_results import change_results
from tests.support.factories import published, release_of_all_tasks, reported
from tests.support.kept_pages import forget_kept_pages
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

OPTIONS = ["f", "g", "h", "i"]
CONTEXT = "".join(f"def unrelated_{number}(): ...\n" for number in range(400))
EVIDENCE = [5_004, 5_044]  # after a first line of four characters
PAGE = "/tasks/code_debug/"


@pytest.fixture
def made(tmp_path: Path) -> Release:
    """Four examples of Code.Debug, in which B is right and the evidence is in the middle."""
    rows = [
        {"id": key, "context": f"# {key}\n{CONTEXT}", "input": f"Which one, {key}?",
         "answer": ["g"], "options": OPTIONS}
        for key in range(4)
    ]  # fmt: skip
    write_rows(tmp_path / "made" / "code_debug.jsonl", rows)
    facets = [{"id": key, "depth": 0.5, "evidence": [EVIDENCE]} for key in range(4)]
    write_rows(tmp_path / "made" / "facets" / "code_debug.jsonl", facets)
    return import_release(tmp_path / "made", slug="made", title="Made here")


def answered(owner: User, release: Release, name: str, *predictions: str) -> Submission:
    """A published entry with these answers to Code.Debug, really scored."""
    scores = [
        {
            column: score_example(metric_set, "code_debug", text, ["g", "B"]).score
            for metric_set, column in SCORE_COLUMNS.items()
        }
        for text in predictions
    ]
    mean = 100 * sum(one["strict"] for one in scores) / len(scores)
    submission = published(owner, release, name, {"code_debug": mean})
    for index, (text, columns) in enumerate(zip(predictions, scores, strict=True)):
        results = ExampleResult.objects.filter(evaluation__submission=submission, index=index)
        change_results(results, prediction=text, **columns)
    return submission


def page_of(client: Client, query: str = "") -> BeautifulSoup:
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == 200
    return html.page(response)


def test_an_example_is_shown_with_its_evidence_marked(client: Client, made: Release) -> None:
    page = page_of(client)
    [shown] = page.select(".example")
    assert html.text(shown.select("mark")[0]) == " ".join(CONTEXT[5_000:5_040].split())
    assert "Which one" in html.text(shown)
    assert [html.text(one) for one in shown.select(".options li")][1].startswith("B. g ✓")
    assert len(shown.select(".gap")) == 2


def test_of_a_hidden_release_no_example_is_shown(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "C. h", "", "")
    Release.objects.update(hidden=True)
    page = page_of(client)
    assert page.select("[data-example]")[0]["data-example"] == "hidden"
    assert not page.select(".example, .judged, mark, [data-constant], [data-trick]")
    assert "Which one" not in html.text(page)


def test_another_release_lends_its_example_to_a_hidden_one(
    client: Client, made: Release, tmp_path: Path
) -> None:
    rows = [{"id": 0, "context": "secret " * 99, "input": "Secret?", "answer": ["f"],
             "options": OPTIONS}]  # fmt: skip
    write_rows(tmp_path / "hidden" / "code_debug.jsonl", rows)
    import_release(tmp_path / "hidden", slug="secret", title="Secret", hidden=True)
    page = page_of(client, "?release=secret")
    assert "Secret?" not in html.text(page)
    assert "Made here" in html.text(page.select(".example")[0])


def test_where_only_labels_are_known_there_is_the_right_answer(
    client: Client, tmp_path: Path
) -> None:
    write_rows(tmp_path / "gold" / "passkey.jsonl", [{"id": 0, "answer": ["71432"]}])
    import_release(tmp_path / "gold", slug="gold", title="Labels")
    page = html.page(client.get("/tasks/passkey/"))
    assert page.select("[data-example]")[0]["data-example"] == "label"
    assert [html.text(one) for one in page.select("[data-right]")] == ["71432"]
    assert not page.select(".context")


def test_a_context_that_cannot_be_read_is_left_out(client: Client, made: Release) -> None:
    for context in Context.objects.all():
        context.text.delete(save=False)
    assert page_of(client).select("[data-example]")[0]["data-example"] == "label"


def test_answers_are_judged_under_every_metric_set(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "no idea", "B")
    answered(alice, made, "Model B", "C. h", "B. g", "C. h", "So the answer is B")
    page = page_of(client)
    judged = {str(one["data-role"]): one for one in page.select(".judged")}
    assert set(judged) == {"best", "worst", "disputed"}
    for one in judged.values():
        text = html.text(one.select("blockquote")[0])
        percents = {
            name: float(str(verdict["data-percent"]))
            for verdict in one.select("[data-percent]")
            for name in str(verdict["data-sets"]).split()
        }
        assert percents == {
            name: 100 * score_example(name, "code_debug", text, ["g", "B"]).score
            for name in METRIC_SETS
        }
    verdicts = [
        {verdict["data-percent"] for verdict in judged[role].select("[data-percent]")}
        for role in ("best", "worst", "disputed")
    ]
    assert verdicts == [{"100.00"}, {"0.00"}, {"0.00", "100.00"}]


def test_a_good_and_a_bad_answer_are_to_the_question_that_is_shown(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "B. g", "B. g")
    answered(alice, made, "Model B", "B. g", "B. g", "B. g", "C. h")
    page = page_of(client)
    assert page.select(".example")[0]["data-key"] == "3"
    models = [html.text(one.select("h3 a")[0]) for one in page.select(".judged")]
    assert models == ["Model A", "Model B"]
    assert "Right answer to this question" not in html.text(page)


def test_control_characters_of_answers_are_visible(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", *4 * ["B. g \u202e\x07"])
    [shown] = page_of(client).select("blockquote")
    assert html.text(shown) == "B. g ⟨U+202E⟩⟨U+0007⟩"


def test_without_a_wrong_answer_only_a_right_one_is_shown(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "B. g", "B. g")
    assert [one["data-role"] for one in page_of(client).select(".judged")] == ["best"]


# All entries


def test_of_a_hidden_release_entries_have_the_disclosed_scores_only(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "B. g", "C. h")
    TaskScore.objects.update(public_percent=70)
    Release.objects.update(hidden=True)
    [strip] = page_of(client).select("figure.strip")
    assert [html.text(one) for one in strip.select("svg a .value")] == ["70"]
    assert not strip.select("svg .whisker")


def test_each_entry_is_a_mark_that_leads_to_it(client: Client, alice: User, made: Release) -> None:
    entries = [
        answered(alice, made, name, *texts)
        for name, texts in (
            ("Model A", ("B. g", "B. g", "B. g", "C. h")),
            ("Model B", ("B. g", "C. h", "C. h", "C. h")),
        )
    ]
    page = page_of(client, "?metric_set=strict")
    [strip] = page.select("figure.strip")
    assert [link["href"] for link in strip.select("svg a")] == [
        f"/entries/{entry.entry_id}/" for entry in entries
    ]
    assert [html.text(row.select("th")[0]) for row in strip.select("tbody tr")] == [
        "Model A", "Model B",
    ]  # fmt: skip
    finding = html.text(strip.select("[data-finding]")[0])
    assert strip.select('svg[role="group"]')[0]["aria-label"] == f"Code.Debug: {finding}"


def test_whiskers_end_where_the_intervals_of_the_api_do(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "B. g", "C. h")
    [strip] = page_of(client, "?metric_set=strict").select("figure.strip")
    ticks = [float(str(one["x"])) for one in strip.select("svg > text")]
    start, end = ticks[0], ticks[-1]
    path = str(strip.select("a .whisker")[0]["d"]).removeprefix("M").replace("H", " ").split()
    href = str(strip.select("a[href^='/api/']")[0]["href"])
    [entry] = client.get(href).json()["entries"]
    score = entry["scores"]["code_debug"]
    for place, wanted in ((float(path[0]), score["low"]), (float(path[2]), score["high"])):
        assert 100 * (place - start) / (end - start) == pytest.approx(wanted, abs=0.1)


def test_the_strip_is_a_file_with_the_same_marks(
    client: Client, alice: User, made: Release
) -> None:
    answered(alice, made, "Model A", "B. g", "B. g", "B. g", "C. h")
    [strip] = page_of(client, "?metric_set=strict").select("figure.strip")
    response = client.get(str(strip.select("a[href*='.svg']")[0]["href"]))
    svg = BeautifulSoup(response.content.partition(b"?>")[2], "html.parser")
    assert response["Content-Disposition"].startswith("attachment; ")
    for mark in ("path.whisker", ".point", "path.guess"):
        drawn = [one.attrs for one in strip.select(f"figure > svg {mark}")]
        assert [one.attrs for one in svg.select(mark)] == drawn
        assert drawn
    assert html.text(strip.select("[data-finding]")[0]) in svg.select("title")[0].text
    assert "● Scored, │ chance" in svg.select("desc")[0].text
    assert not svg.select("a")  # which would lead nowhere


@pytest.mark.parametrize("query", ["", "?release=made", "?release=none", "?metric_set=none"])
def test_without_an_entry_there_is_no_file(client: Client, made: Release, query: str) -> None:
    assert client.get(f"{PAGE}entries.svg{query}").status_code == 404


def test_kinds_of_entries_have_different_shapes(
    client: Client, alice: User, official: Release
) -> None:
    published(alice, official, "Verified", {"code_debug": 50.0})
    files = release_of_all_tasks("files", official=False)
    published(None, files, "Old", {"code_debug": 40.0}, origin="historical")
    reported("Claimed", {"code_debug": 30.0})
    [strip] = page_of(client).select("figure.strip")
    shapes = [link.select(".point")[0] for link in strip.select("svg a")]
    assert [shape.name for shape in shapes] == ["circle", "path", "path"]
    assert len({str(shape.attrs.get("d", ""))[-20:] for shape in shapes}) == 3
    assert len(strip.select(".plot-key li")) == 4  # with chance
    assert len(page_of(client, "?metric_set=strict").select("svg a")) == 2


def test_the_finding_says_how_many_may_be_first(client: Client, alice: User, made: Release) -> None:
    for name in ("Model A", "Model B"):
        answered(alice, made, name, "B. g", "B. g", "C. h", "C. h")
    found = html.text(page_of(client).select("[data-finding]")[0])
    assert found.startswith("Model A has the highest score")
    update_separations()
    forget_kept_pages()
    found = html.text(page_of(client).select("[data-finding]")[0])
    assert found.startswith("2 of 2 entries may be first")


def test_guessing_has_lines(client: Client, alice: User, made: Release) -> None:
    answered(alice, made, "Model A", "B. g", "C. h", "C. h", "C. h")
    page = page_of(client)
    assert page.select("[data-chance]")[0]["data-chance"] == "25.00"
    assert page.select("[data-constant]")[0]["data-constant"] == "100.00"
    assert len(page.select("figure.strip svg[role] .guess")) == 2


# Addresses


@pytest.mark.parametrize("query", ["?release=other", "?metric_set=other", "?release=%2e%2e"])
def test_what_is_not_there_is_not_found(client: Client, made: Release, query: str) -> None:
    assert client.get(f"{PAGE}{query}").status_code == 404


def test_the_choices_are_links_that_keep_each_other(client: Client, made: Release) -> None:
    page = page_of(client, "?release=made&metric_set=strict")
    chosen = [str(link["href"]) for link in page.select(".task-choices [aria-current]")]
    assert chosen == ["?release=made&metric_set=strict"] * 2
    for link in page.select(".task-choices a"):
        assert client.get(f"{PAGE}{link['href']}").status_code == 200


def test_the_number_of_queries_does_not_depend_on_the_number_of_entries(
    client: Client, alice: User, made: Release
) -> None:
    def queries() -> int:
        forget_kept_pages()
        with CaptureQueriesContext(connection) as captured:
            page_of(client)
        return len(captured)

    for number in range(2):
        answered(alice, made, f"Model {number}", *(4 * [("B. g", "C. h")[number]]))
    few = queries()
    for number in range(2, 9):
        answered(alice, made, f"Model {number}", "B. g", "C. h", "no", "B")
    assert queries() == few


def test_an_unchanged_page_is_not_sent_again(client: Client, made: Release) -> None:
    tag = client.get(PAGE).headers["ETag"]
    assert client.get(PAGE, headers={"If-None-Match": tag}).status_code == 304
