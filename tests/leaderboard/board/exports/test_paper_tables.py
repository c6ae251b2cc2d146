"""Boards as tables for papers: what the page shows, and no markup smuggled in by a name."""

import re

import pytest
from django.test import Client

from portal.models import Evaluation, LanguageModel, Release, User
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import ALL, published, reported

HOSTILE = r"A & B_50% \input{x} | <b>*c*</b> [d](e) $f$ ~^#"


@pytest.fixture
def board(alice: User, official: Release) -> None:
    published(alice, official, "First", dict.fromkeys(TASKS, 75.0))
    published(alice, official, "Second", {**ALL, "passkey": 100.0})
    reported("Third", {"passkey": 25.0})


def rows_of(text: str, separator: str) -> list[list[str]]:
    """The names and scores of every line of a board."""
    return [line[1:] for line in lines_of(text, separator)[:-1]]


def lines_of(text: str, separator: str) -> list[list[str]]:
    """The cells of every line that has as many as the board has columns: ranks, names, scores; and
    of the last line, with the numbers of examples."""
    lines = (line.removesuffix(r"\\").removeprefix("| ") for line in text.splitlines())
    split = [line.removesuffix(" |").split(separator) for line in lines]
    found = [[cell.strip() for cell in line] for line in split if len(line) == 2 + 1 + 5 + 12]
    return [line for line in found if not line[1].startswith("--")]


def bare(cell: str) -> str:
    """The number in a cell, without emphasis and interval."""
    found = re.search(r"[0-9]+\.[0-9]+", cell)
    return found[0] if found else ""


@pytest.mark.parametrize(("ending", "separator"), [("tex", "&"), ("md", " | ")])
def test_a_table_has_the_numbers_of_the_page(
    client: Client, board: None, ending: str, separator: str
) -> None:
    page = html.page(client.get("/board/hf/"))
    shown = [
        [bare(html.text(cell)) for cell in row.select("td[data-label]")]
        for row in page.select("tbody tr:has(th.model)")
    ]
    _, *rows = rows_of(client.get(f"/board/hf/board.{ending}").content.decode(), separator)
    assert [[bare(cell) for cell in row[1:]] for row in rows] == shown


@pytest.mark.parametrize(("ending", "separator"), [("tex", "&"), ("md", " | ")])
@pytest.mark.parametrize("query", ["", "?q=second"])
def test_a_table_has_the_ranks_of_the_page(
    client: Client, board: None, ending: str, separator: str, query: str
) -> None:
    page = html.page(client.get(f"/board/hf/{query}"))
    shown = [re.sub(r"[^-–0-9(]", "", html.text(row)) for row in page.select("tbody td.rank")]
    text = client.get(f"/board/hf/board.{ending}{query}").content.decode()
    _, *lines, _ = lines_of(text, separator)
    written = [re.sub(r"[^-–0-9(]", "", line[0].replace("--", "–")) for line in lines]
    assert written == shown


@pytest.mark.parametrize(("ending", "separator"), [("tex", "&"), ("md", " | ")])
def test_a_table_has_the_numbers_of_examples(
    client: Client, board: None, official: Release, ending: str, separator: str
) -> None:
    *_, last = lines_of(client.get(f"/board/hf/board.{ending}").content.decode(), separator)
    sizes = dict(official.data_sets.values_list("task", "size"))
    assert last[:3] == ["", "Examples", f"{sum(sizes.values()):,}"]
    assert last[-1] == str(sizes["longdialogue_qa_eng"])


@pytest.mark.parametrize("ending", ["tex", "md"])
def test_a_table_says_what_it_is_of(client: Client, board: None, ending: str) -> None:
    Evaluation.objects.update(signature={"scorer": "1.2.3"}, finished="2026-11-22T00:00Z")
    entry = client.get("/board/hf/board.json").json()["entries"][0]
    text = client.get(f"/board/hf/board.{ending}?set=strict").content.decode()
    text = text.replace("\\", "")
    for part in ("release hf", "metric set strict", "scorer 1.2.3", entry["overall"]["interval"]):
        assert part in text
    assert re.search(r"updated 2026-\d\d-\d\d", text)


def test_nothing_is_not_the_best(client: Client, alice: User, official: Release) -> None:
    published(alice, official, "Nothing", dict.fromkeys(TASKS, 0.0))
    assert "textbf" not in client.get("/board/hf/board.tex").content.decode()


def test_the_best_is_bold_and_the_second_underlined(client: Client, board: None) -> None:
    _, first, second, third = rows_of(client.get("/board/hf/board.tex").content.decode(), "&")
    assert first[1].startswith(r"\textbf{75.00}")
    assert second[1].startswith(r"\underline{54.17}")
    assert {r"\textbf{100.0}", r"\underline{75.0}"} <= {*second, *first}
    assert third[0] == "Third (r)"
    _, first, second, _ = rows_of(client.get("/board/hf/board.md").content.decode(), " | ")
    assert first[1].startswith("**75.00**")
    assert second[1].startswith("*54.17*")


@pytest.mark.parametrize("ending", ["tex", "md"])
def test_a_name_cannot_change_the_table(client: Client, board: None, ending: str) -> None:
    LanguageModel.objects.filter(name="First").update(name=HOSTILE)
    text = client.get(f"/board/hf/board.{ending}").content.decode()
    [line] = [one for one in text.splitlines() if "input" in one]
    if ending == "tex":
        assert r"A \& B\_50\% \textbackslash{}input\{x\} \textbar{}" in line
    else:
        assert r"A \& B\_50% \\input\{x\} \| \<b\>\*c\*\</b\> \[d\]\(e\) \$f\$ \~^\#" in line


def test_a_table_obeys_the_filters(client: Client, board: None) -> None:
    text = client.get("/board/hf/board.md?q=second&errors=on").content.decode()
    _, second = rows_of(text, " | ")
    assert second[0] == "Second"
    assert all("–" in cell for cell in second[1:])


@pytest.mark.parametrize(
    ("ending", "kind"), [("tex", "application/x-tex"), ("md", "text/markdown")]
)
def test_the_files_have_a_name_and_a_type(
    client: Client, board: None, ending: str, kind: str
) -> None:
    response = client.get(f"/board/hf/board.{ending}")
    assert response["Content-Type"] == f"{kind}; charset=utf-8"
    assert f"board-hf-official-2024-06.{ending}" in response["Content-Disposition"]
