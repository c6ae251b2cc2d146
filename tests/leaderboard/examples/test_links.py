"""Numbers on other pages link to the examples behind them."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4.element import Tag
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import Client

from leaderboard.examples.listing.forms import ExampleFilterForm
from leaderboard.examples.queries import find_question_set
from portal.models import Example, Release, Submission, User
from tests.leaderboard.comparison.conftest import STRONG, WEAK, answered, imported
from tests.support import html
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(tmp_path: Path, alice: User, bob: User) -> tuple[Submission, Submission]:
    """Two entries of a release whose examples have lengths, positions, hops and kinds."""
    release = imported(tmp_path, "data")
    for example in Example.objects.all():
        number = example.index
        Example.objects.filter(pk=example.pk).update(
            tokens=1_000 * (1 + number),
            depth=number / 40,
            hops=number % 3,
            kind=f"kind {number % 2}",
        )
    return answered(alice, release, "Strong", STRONG), answered(bob, release, "Weak", WEAK)


def count(link: Tag) -> int:
    """The number of examples found there."""
    address = urlsplit(str(link["href"]))
    slug, task = address.path.strip("/").split("/")[1:]
    questions = find_question_set(AnonymousUser(), slug, task)
    form = ExampleFilterForm(AnonymousUser(), questions, QueryDict(address.query))
    assert form.is_valid(), form.errors
    assert str(form.filter) == address.query
    return len(form.selection.order)


def test_breakdowns_lead_to_their_examples(
    client: Client, pair: tuple[Submission, Submission]
) -> None:
    page = html.page(client.get(f"/entries/{pair[0].entry_id}/"))
    checked = set()
    for figure in page.select("figure[data-task=kv_retrieval]"):
        for row in figure.select("tbody tr"):
            [link] = row.select("th a")
            assert count(link) == int(html.text(row.select("td")[-2])), link
            checked.add(figure["data-by"])
        shown = {str(link["href"]) for link in figure.select("svg a")}
        assert shown <= {str(link["href"]) for link in figure.select("tbody a")}
    assert checked >= {"length", "depth", "kind"}
    [missing, empty] = page.select("#breakdown-kv_retrieval small a")
    assert (count(missing), count(empty)) == (40, 0)  # without any prediction


def test_best_and_worst_answers_lead_to_their_examples(
    client: Client, pair: tuple[Submission, Submission]
) -> None:
    change_results(
        Submission.objects.get(pk=pair[0].pk).evaluations.get().example_results.all(),
        prediction="x",
    )
    page = html.page(client.get(f"/entries/{pair[0].entry_id}/"))
    links = [str(link["href"]) for link in page.select("[data-extremes] td a")]
    assert links
    assert all(client.get(link).status_code == 200 for link in links)
    assert all(link.endswith(f"?entry={pair[0].entry_id}") for link in links)


def test_the_parts_of_a_comparison_lead_to_their_questions(
    client: Client, pair: tuple[Submission, Submission]
) -> None:
    page = html.page(client.get(f"/compare/?a={pair[0].entry_id}&b={pair[1].entry_id}"))
    checked = []
    for part in page.select("[data-part]"):
        size = int(html.text(part).split()[-1])
        assert bool(part.select("a")) == bool(size)
        for link in part.select("a"):
            assert count(link) == size, link
            checked.append(part["data-part"])
    assert {"both", "only_a", "none", "a_higher"} <= set(checked)


def test_of_a_hidden_release_nothing_leads_to_answers(
    client: Client, pair: tuple[Submission, Submission]
) -> None:
    Release.objects.update(hidden=True)
    for address in (
        f"/entries/{pair[0].entry_id}/",
        f"/compare/?a={pair[0].entry_id}&b={pair[1].entry_id}",
    ):
        page = html.page(client.get(address))
        assert not page.select("a[href*='/examples/'][href*='?']")
