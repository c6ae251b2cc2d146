"""The breakdowns on the page of an entry."""

import pytest
from django.test import Client

from portal.models import Example, Release, Submission, User
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import add_examples, published


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    """An entry on data with depths for Retrieve.KV, hops for Code.Run and kinds for Math.Find."""
    official.data_sets.update(size=60)
    add_examples(official)
    examples = list(Example.objects.select_related("data_set"))
    for example in examples:
        match example.data_set.task:
            case "kv_retrieval":
                example.depth = example.index / 59
            case "code_run":
                example.hops = 2 * (example.index % 3)
            case "math_find":
                example.kind = ("max", "min")[example.index % 2]
    Example.objects.bulk_update(examples, ["depth", "hops", "kind"])
    return published(alice, official, "Model", dict.fromkeys(TASKS, 50.0))


def figures(client: Client, entry: Submission, query: str = "") -> dict[tuple[str, str], str]:
    """The finding of each figure, by task and facet."""
    page = html.page(client.get(f"/entries/{entry.entry_id}/{query}"))
    return {
        (str(figure["data-task"]), str(figure["data-by"])): html.text(
            figure.select("[data-finding]")[0]
        )
        for figure in page.select("figure[data-by]")
    }


def test_every_known_facet_has_a_picture_with_its_finding(
    client: Client, entry: Submission
) -> None:
    found = figures(client, entry)
    assert set(found) == {("kv_retrieval", "depth"), ("code_run", "hops"), ("math_find", "kind")}
    assert "100 % at the start, 0 % at the end" in found["kv_retrieval", "depth"]
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    assert page.select("[data-unknown]")[0]["data-unknown"] == "9"


def test_a_picture_has_a_table_and_files_with_the_same_figures(
    client: Client, entry: Submission
) -> None:
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    [figure] = page.select('figure[data-by="depth"]')
    rows = figure.select("tbody tr")
    _, as_csv, as_json = (str(link["href"]) for link in figure.select("[data-files] a"))
    bins = client.get(as_json).json()["bins"]
    assert [html.text(row.select("td")[0]) for row in rows] == [
        f"{one['mean']:.1f}" for one in bins
    ]
    assert len(client.get(as_csv).content.decode().splitlines()) == 1 + len(bins)


def test_the_metric_set_is_in_the_address(client: Client, entry: Submission) -> None:
    paper, strict = figures(client, entry), figures(client, entry, "?metric_set=strict")
    assert paper.keys() == strict.keys()
    assert paper != strict  # where every score is half of that elsewhere
    assert client.get(f"/entries/{entry.entry_id}/?metric_set=other").status_code == 404


def test_a_hidden_release_shows_no_breakdown(client: Client, entry: Submission) -> None:
    Release.objects.update(hidden=True)
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    assert not page.select("figure[data-by]")
    assert not page.select("[data-unknown]")
