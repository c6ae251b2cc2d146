"""With a baseline, a board shows differences from it in place of scores."""

import csv
import io
import re

import pytest
from bs4 import Tag
from django.test import Client

from leaderboard.board import ranges
from portal.models import Release, ScoreVector, Submission, User
from portal.scores.comparison.differences import signed
from portal.scores.comparison.separations import Apart, entry_key, update_separations
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import add_examples, published


@pytest.fixture
def entries(alice: User, official: Release) -> dict[str, Submission]:
    add_examples(official)
    percents = {"First": 100.0, "Second": 50.0, "Third": 50.0}
    found = {
        name: published(alice, official, name, dict.fromkeys(TASKS, percent))
        for name, percent in percents.items()
    }
    return {**found, "Partial": published(alice, official, "Partial", {"passkey": 25.0})}


def overall(client: Client, query: str) -> dict[str, Tag]:
    """The cell of each entry, by its name."""
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    return {row.select("th.model bdi")[0].text: row.select("td.overall")[0] for row in rows}


def test_differences_take_the_place_of_scores(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    cells = overall(client, f"?baseline={entries['Second'].entry_id}")
    assert html.text(cells["First"]) == "+50.00"
    assert html.text(cells["Second"]) == "50.00"  # the baseline itself keeps its scores
    assert html.text(cells["Third"]) == "0.00"
    assert "difference-ahead" in cells["First"]["class"]
    assert "difference-noise" in cells["Third"]["class"]


def test_until_entries_are_compared_nothing_is_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    cells = overall(client, f"?baseline={entries['Second'].entry_id}")
    assert {"difference-unknown"} <= set(cells["First"]["class"]) & set(cells["Third"]["class"])


def test_the_page_says_whether_entries_were_compared(
    client: Client, entries: dict[str, Submission]
) -> None:
    address = f"/board/hf/?baseline={entries['Second'].entry_id}"
    assert not html.page(client.get(address)).select("[data-baseline][data-compared]")
    update_separations()
    assert html.page(client.get(address)).select("[data-baseline][data-compared]")


def test_with_tasks_of_one_s_own_the_differences_of_tasks_are_still_compared(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    query = f"?tasks=passkey:2,kv_retrieval&baseline={entries['Second'].entry_id}"
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    [first] = [row for row in rows if row.select("th.model bdi")[0].text == "First"]
    assert "difference-unknown" in first.select("td.overall")[0]["class"]
    assert first.select("td.difference-ahead")


def test_of_an_entry_that_was_not_compared_nothing_is_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    """It was scored before the scores of single questions were stored."""
    ScoreVector.objects.filter(task_score__evaluation__submission=entries["First"]).delete()
    update_separations()
    cells = overall(client, f"?baseline={entries['Second'].entry_id}")
    assert "difference-unknown" in cells["First"]["class"]
    assert "difference-noise" in cells["Third"]["class"]


def test_of_a_hidden_release_nothing_is_ever_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    for submission in entries.values():
        for row in submission.evaluations.get().task_scores.all():
            row.public_percent = round(row.mean)
            row.save()
    Release.objects.update(hidden=True)
    cells = overall(client, f"?baseline={entries['Second'].entry_id}")
    assert "difference-unknown" in cells["First"]["class"]
    assert "difference-unknown" in cells["Third"]["class"]


def test_an_unknown_baseline_leads_to_the_board(
    client: Client, entries: dict[str, Submission]
) -> None:
    response = client.get("/board/hf/?baseline=nothing")
    assert (response.status_code, response["Location"]) == (302, "/board/hf/")


def test_what_is_pinned_first_can_become_the_baseline(
    client: Client, entries: dict[str, Submission]
) -> None:
    """A link behind the rank alone would be hard to find."""
    second, partial = entries["Second"].entry_id, entries["Partial"].entry_id
    href = f"?pin={second}&baseline={second}"
    assert html.page(client.get(f"/board/hf/?pin={second}")).select(f'.found a[href="{href}"]')
    assert not html.page(client.get(f"/board/hf/{href}")).select(f'.found a[href="{href}"]')
    both = html.page(client.get(f"/board/hf/?pin={second}&pin={partial}"))
    assert both.select(f'.found a.button[href="/compare/?a={second}&b={partial}"]')


def test_a_difference_that_counts_is_never_printed_as_nothing(
    alice: User, client: Client, entries: dict[str, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    release = entries["First"].release
    close = published(alice, release, "Close", dict.fromkeys(TASKS, 50.02))
    key = entry_key(close.evaluations.get().pk)
    monkeypatch.setattr(ranges, "read_apart", lambda *_: {"passkey": Apart({key: True}, "holm")})
    update_separations()
    content = html.page(client.get(f"/board/hf/?baseline={entries['Second'].entry_id}"))
    cells = content.select('td.difference-ahead[data-label="Retrieve.PassKey"]')
    assert [html.text(cell) for cell in cells] == ["+0.02"]


_LATEX = re.compile(r"\(?(?:\$-\$|[-+])?[0-9.]+[)?]?")
_MARKDOWN = re.compile(r"\(?(?:−|\\[-+])?[0-9.]+[)?]?")


def shown(client: Client, query: str) -> list[list[tuple[str, str]]]:
    """The number in each row and column, and what is said about chance."""
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    return [
        [
            (
                html.text(cell) if re.fullmatch("[-+−]?[0-9.]+", html.text(cell)) else "",
                " ".join(re.findall("difference-([a-z]+)", " ".join(cell.get("class") or []))),
            )
            for cell in row.select("td[data-label]")
        ]
        for row in rows
    ]


def as_printed(points: str | float, text: str) -> str:
    """The number, with as many decimals as the text has."""
    return signed(float(points), len(text.partition(".")[2]))


@pytest.fixture
def compared(entries: dict[str, Submission]) -> str:
    """The query string for the differences from one of the entries."""
    update_separations()
    ScoreVector.objects.all().delete()
    return f"?baseline={entries['Second'].entry_id}"


def test_the_csv_has_the_differences_of_the_page(client: Client, compared: str) -> None:
    text = client.get(f"/board/hf/board.csv{compared}").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["baseline"] for row in rows} == {compared.removeprefix("?baseline=")}
    names = [name.removesuffix("_stderr") for name in rows[0] if name.endswith("_stderr")]
    kinds = set()
    for row, cells in zip(rows, shown(client, compared), strict=True):
        for name, (number, kind) in zip(names, cells, strict=True):
            kinds.add(kind)
            assert row[f"{name}_chance"] == kind
            assert row[f"{name}_test"] == ("holm+romano-wolf" if kind != "" else "")
            if kind:
                assert as_printed(row[f"{name}_difference"], number) == number
            elif number:  # the baseline itself
                assert float(row[name]) == float(number)
    assert kinds == {"ahead", "noise", ""}


def test_the_json_has_the_differences_of_the_csv(client: Client, compared: str) -> None:
    text = client.get(f"/board/hf/board.csv{compared}").content.decode("utf-8-sig")
    document = client.get(f"/board/hf/board.json{compared}").json()
    assert f"?baseline={document['baseline']}" == compared
    for row, entry in zip(csv.DictReader(io.StringIO(text)), document["entries"], strict=True):
        figures = {"overall": entry["overall"], **entry["domains"], **entry["tasks"]}
        for name, one in figures.items():
            for figure in ("difference", "chance", "test") if one else ():
                assert row[f"{name}_{figure}"] == str("" if one[figure] is None else one[figure])
    assert client.get("/board/hf/board.json").json()["baseline"] is None


@pytest.mark.parametrize(("ending", "separator"), [("tex", " & "), ("md", " | ")])
def test_tables_for_papers_have_the_differences_of_the_page(
    client: Client, compared: str, ending: str, separator: str
) -> None:
    text = client.get(f"/board/hf/board.{ending}{compared}").content.decode()
    pattern = {"tex": _LATEX, "md": _MARKDOWN}[ending]
    lines = [
        line.split(separator)[-18:] for line in text.splitlines() if line.count(separator) > 18
    ]
    written = [
        [found[0] if (found := pattern.match(cell)) else "" for cell in line] for line in lines
    ]
    of_page = [
        [
            {"noise": f"({number})", "unknown": f"{number}?"}.get(kind, number)
            for number, kind in row
        ]
        for row in shown(client, compared)
    ]
    plain = [[cell.replace("$-$", "−").replace("\\", "") for cell in line] for line in written]
    assert plain[-1 - len(of_page) : -1] == of_page
    assert "In brackets: cannot be told apart from it" in text.replace("\\", "")
    assert "textbf" not in text
    assert "**" not in text


def test_what_was_not_compared_has_a_question_mark(
    client: Client, entries: dict[str, Submission]
) -> None:
    text = client.get(f"/board/hf/board.md?baseline={entries['Second'].entry_id}").content.decode()
    assert r"| \+50.00? |" in text
