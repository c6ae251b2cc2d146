"""What a release consists of and covers: on its page and in its files, without any secret."""

import csv
import io
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from leaderboard.releases.figures import composition, coverage
from leaderboard.releases.queries import release_tasks
from portal.models import Example, Release
from portal.releases.importer import import_release
from scoring.catalog import TASKS
from scoring.text.tokens import count_tokens
from tests.support import html
from tests.support.factories import add_examples
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

SHORT, LONG = 4, 40  # lines in a context


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release with ten short questions with known positions, and two long ones."""
    rows = [
        {"id": key, "context": "A line of noise.\n" * SHORT, "input": "Key?", "answer": ["12345"]}
        for key in range(10)
    ]
    write_rows(tmp_path / "made" / "passkey.jsonl", rows)
    facets = [{"id": key, "depth": key / 9, "target_tokens": 4_000} for key in range(10)]
    write_rows(tmp_path / "made" / "facets" / "passkey.jsonl", facets)
    novels = [
        {"id": key, "context": f"A story, {key}.\n" * LONG, "input": "Who?",
         "answer": ["a stranger"]}
        for key in range(2)
    ]  # fmt: skip
    write_rows(tmp_path / "made" / "longbook_qa_eng.jsonl", novels)
    return tmp_path / "made"


@pytest.fixture
def made(folder: Path) -> Release:
    return import_release(folder, slug="made", title="Made")


def page_of(client: Client, slug: str = "made") -> BeautifulSoup:
    response = client.get(f"/releases/{slug}/")
    assert response.status_code == 200
    return html.page(response)


def picture_of(client: Client, address: str) -> BeautifulSoup:
    response = client.get(address)
    assert response["Content-Type"].startswith("image/svg+xml")
    return BeautifulSoup(response.content.partition(b"?>")[2], "html.parser")


def rows_of(client: Client, name: str, slug: str = "made") -> list[dict[str, str]]:
    text = client.get(f"/releases/{slug}/{name}.csv").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_shares_and_lengths_are_those_of_the_examples(made: Release) -> None:
    passkey, novel = composition(made, release_tasks(made))
    assert (passkey.examples, novel.examples) == (10, 2)
    assert passkey.share == pytest.approx(100 * 10 / 12)
    lengths = {
        task: list(Example.objects.filter(data_set__task=task).values_list("tokens", flat=True))
        for task in ("passkey", "longbook_qa_eng")
    }
    total = sum(length or 0 for found in lengths.values() for length in found)
    for part in (passkey, novel):
        of_task = sum(length or 0 for length in lengths[part.task.id])
        assert part.input_tokens == pytest.approx(of_task / part.examples)
        assert part.input_share == pytest.approx(100 * of_task / total)
    assert passkey.output_tokens == count_tokens("12345").value
    assert novel.output_tokens == count_tokens("a stranger").value


def test_the_finding_names_the_task_that_takes_most_of_the_input(
    client: Client, made: Release
) -> None:
    [figure] = page_of(client).select("figure.composition")
    found = html.text(figure.select("[data-finding]")[0])
    assert found.startswith("En.QA has 17 % of the examples, and ")
    assert len(figure.select("svg[role] .input-share")) == 2


def test_every_example_is_in_one_cell(made: Release) -> None:
    counts = coverage(made)
    assert {task: sum(one.n for one in found) for task, found in counts.items()} == {
        "passkey": 10,
        "longbook_qa_eng": 2,
    }
    assert {one.lengths for one in counts["passkey"]} == {(4_000, 4_000)}
    assert sorted((one.depths or (9, 9), one.n) for one in counts["passkey"]) == [
        ((0.0, 0.2), 2), ((0.2, 0.4), 2), ((0.4, 0.6), 2), ((0.6, 0.8), 2), ((0.8, 1.0), 2),
    ]  # fmt: skip
    [novels] = counts["longbook_qa_eng"]
    assert (novels.lengths, novels.depths) == ((0, 4_000), None)


@pytest.mark.parametrize(
    ("tokens", "lengths"),
    [(1, (0, 4_000)), (3_999, (0, 4_000)), (4_000, (4_000, 8_000)), (128_000, (128_000, 256_000)),
     (2_068_600, (2_048_000, 4_096_000))],
)  # fmt: skip
def test_classes_of_length_double(made: Release, tokens: int, lengths: tuple[int, int]) -> None:
    Example.objects.filter(data_set__task="longbook_qa_eng").update(tokens=tokens)
    [novels] = coverage(made)["longbook_qa_eng"]
    assert novels.lengths == lengths


def test_pictures_tables_and_files_have_the_same_counts(client: Client, made: Release) -> None:
    page = page_of(client)
    of_file = {"passkey": 0, "longbook_qa_eng": 0}
    for row in rows_of(client, "coverage"):
        of_file[row["task"]] += int(row["n"])
    for task, n in of_file.items():
        [figure] = page.select(f'[data-coverage="{task}"]')
        assert sum(int(html.text(one)) for one in figure.select(".cell text")) == n
        assert sum(int(html.text(one)) for one in figure.select("tbody td")) == n
    shares = [html.text(row.select("td")[2]) for row in page.select("tr[data-task]")]
    files = [f"{float(row['share']):.1f} %" for row in rows_of(client, "composition")]
    assert shares == files


@pytest.mark.parametrize("task", ["passkey", "longbook_qa_eng"])
def test_coverage_is_a_picture_with_the_same_counts(
    client: Client, made: Release, task: str
) -> None:
    [figure] = page_of(client).select(f'[data-coverage="{task}"]')
    svg = picture_of(client, str(figure.select("a[href*='.svg']")[0]["href"]))
    drawn = [html.text(one) for one in figure.select(".cell title")]
    assert [html.text(one) for one in svg.select(".cell title")] == drawn
    assert html.text(figure.select("[data-finding]")[0]) in svg.select("title")[0].text


def test_the_composition_is_a_picture_with_the_same_bars(client: Client, made: Release) -> None:
    [figure] = page_of(client).select("figure.composition")
    svg = picture_of(client, "/releases/made/composition.svg")
    for mark in ("g path.share", "g path.input-share"):
        drawn = [one["d"] for one in figure.select(mark)]
        assert [one["d"] for one in svg.select(mark)] == drawn
        assert len(drawn) == 2
    assert "/releases/made/" in svg.select("desc")[0].text


@pytest.mark.parametrize("query", ["", "?task=nothing", "?task=code_run"])
def test_there_is_no_picture_of_what_is_not_covered(
    client: Client, made: Release, query: str
) -> None:
    assert client.get(f"/releases/made/coverage.svg{query}").status_code == 404


def test_the_manifest_has_both(client: Client, made: Release) -> None:
    passkey, novel = client.get("/releases/made/manifest.json").json()["tasks"]
    assert passkey["answer_tokens"] == {"mean": count_tokens("12345").value, "estimated": False}
    assert sum(cell["n"] for cell in passkey["coverage"]) == 10
    assert passkey["coverage"][0]["tokens_from"] == 4_000
    assert novel["tokens"]["mean"] > passkey["tokens"]["mean"]


def test_labels_alone_have_no_input_and_their_page_says_so(
    client: Client, official: Release
) -> None:
    add_examples(official)
    page = page_of(client, "hf")
    assert len(page.select("[data-input] .muted")) == len(TASKS)
    assert not page.select(".input-share")
    assert page.select("[data-uncovered]")[0]["data-uncovered"] == str(len(TASKS))
    assert not page.select("[data-coverage]")
    assert {row["input_tokens"] for row in rows_of(client, "composition", "hf")} == {""}
    picture = picture_of(client, "/releases/hf/composition.svg")
    assert "Outlines" not in picture.select("desc")[0].text


def test_of_a_hidden_release_neither_positions_nor_lengths_of_answers_are_public(
    client: Client, folder: Path
) -> None:
    release = import_release(folder, slug="secret", title="Secret", hidden=True)
    assert {one.depths for found in coverage(release).values() for one in found} == {None}
    assert {part.output_tokens for part in composition(release, release_tasks(release))} == {None}
    page = page_of(client, "secret")
    assert {html.text(one) for one in page.select("[data-output]")} == {"not public"}
    assert {row["depth_from"] for row in rows_of(client, "coverage", "secret")} == {""}
    assert {row["output_tokens"] for row in rows_of(client, "composition", "secret")} == {""}
    for task in client.get("/releases/secret/manifest.json").json()["tasks"]:
        assert task["answer_tokens"] is None
        assert {cell["depth_from"] for cell in task["coverage"]} == {None}
