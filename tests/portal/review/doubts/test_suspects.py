"""The list of possibly wrong labels."""

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Example, ExampleResult, LanguageModel, Release, Submission, User
from portal.review.doubts import suspects
from tests.portal.review.conftest import GOLD, SIZE, answered
from tests.scoring.item_analysis.readers import world
from tests.support import html
from tests.support.clients import signed_in
from tests.support.example_results import change_results
from tests.support.planted import SLUG, TASK, plant

KEYS = "passkey"
MAKERS = list("aaabbbccddee")
RATES = [0.05, 0.1, 0.2, 0.1, 0.15, 0.3, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6]


def page(client: Client, **query: str) -> BeautifulSoup:
    response = client.get("/review/suspects/", query or {"release": "texts", "task": KEYS})
    assert response.status_code == 200
    return html.page(response)


def listed(found: BeautifulSoup) -> list[str]:
    return [str(one["data-suspect"]) for one in found.select("[data-suspect]")]


def entry(
    owner: User, release: Release, maker: str, wrong: dict[int, str], name: str = ""
) -> Submission:
    """An entry of a model by this maker, with these answers in place of the right ones."""
    texts = [wrong.get(index, gold) for index, gold in enumerate(GOLD[KEYS])]
    found = answered(owner, release, name or f"Model of {maker}", {KEYS: texts})
    LanguageModel.objects.filter(pk=found.language_model_id).update(organisation=maker)
    return found


@pytest.fixture
def entries(alice: User, tasks_of_text: Release) -> list[Submission]:
    """Three makers give 4444 to question 4; two give 777 to question 7."""
    return [
        entry(alice, tasks_of_text, "Ash", {4: "4444", 7: "777"}),
        entry(alice, tasks_of_text, "Birch", {4: "It is 4444.", 7: "777"}),
        entry(alice, tasks_of_text, "Cedar", {4: "4444"}),
        entry(alice, tasks_of_text, "Doum", {4: "12"}),
    ]


def test_of_20_wrong_labels_in_1000_at_least_16_are_among_the_first_50_on_the_page(
    alice: User, rita: User
) -> None:
    found = world(0, MAKERS, RATES)
    plant(alice, found, MAKERS)
    first = listed(page(signed_in(rita), release=SLUG, task=TASK))
    assert len(first) == 50
    assert len({int(key) for key in first} & found.wrong_labels) >= 16


@pytest.mark.usefixtures("entries")
def test_a_question_is_listed_with_its_label_the_shared_answer_and_its_makers(rita: User) -> None:
    found = page(signed_in(rita))
    assert listed(found) == [f"{KEYS}/4"]
    text = html.text(found.select("[data-suspect]")[0])
    for part in (GOLD[KEYS][4], "4444", "Ash", "Birch", "Cedar", "Why number 4?", "75 %"):
        assert part in text
    assert "Doum" not in text


@pytest.mark.usefixtures("entries")
def test_a_row_leads_to_the_example_with_an_answer_of_each_maker(rita: User) -> None:
    client = signed_in(rita)
    [link] = page(client).select("[data-suspect] h3 a")
    opened = html.page(client.get(str(link["href"]))).select("article.opened")
    assert len(opened) == 3
    assert all("4444" in html.text(one) for one in opened)


def test_of_many_makers_the_first_are_named(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    for number in range(9):
        entry(alice, tasks_of_text, f"Maker{number}", {4: "4444"})
    text = html.text(page(signed_in(rita)).select("[data-suspect]")[0])
    assert "Maker5" in text
    assert "Maker6" not in text
    assert "3 more organisations" in text


def test_versions_of_one_maker_are_one_voice(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    for name in ("One", "Two", "Three"):
        entry(alice, tasks_of_text, "Ash AI" if name == "One" else "ash-ai", {4: "4444"}, name)
    found = page(signed_in(rita))
    assert found.select("[data-empty=organisations]")
    for maker in ("Birch", "Cedar"):
        entry(alice, tasks_of_text, maker, {2: "4444"})
    found = page(signed_in(rita))
    assert listed(found) == []
    assert found.select("[data-empty=suspects]")


def test_the_best_entries_of_each_maker_are_compared(
    alice: User, rita: User, tasks_of_text: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspects, "MOST_ENTRIES", 3)
    for maker in ("Ash", "Birch", "Cedar"):
        entry(alice, tasks_of_text, maker, {4: "4444"}, f"Good {maker}")
        entry(alice, tasks_of_text, maker, {4: "4444", 5: "5"}, f"Bad {maker}")
    found = page(signed_in(rita))
    assert found.select("[data-compared='3']")
    assert listed(found) == [f"{KEYS}/4"]
    assert "Bad" not in html.text(found.select("[data-suspect]")[0])


@pytest.mark.usefixtures("entries")
def test_of_a_hidden_release_the_reviewers_own_entries_are_left_out(
    rita: User, adam: User, tasks_of_text: Release
) -> None:
    Submission.objects.filter(language_model__organisation="Cedar").update(owner=rita)
    Release.objects.update(hidden=True)
    assert listed(page(signed_in(rita))) == []
    assert listed(page(signed_in(adam))) == [f"{KEYS}/4"]


def test_answers_to_another_version_of_the_labels_count(
    alice: User, rita: User, tasks_of_text: Release, entries: list[Submission]
) -> None:
    """They are scored by the labels of the release that is shown."""
    Example.objects.filter(data_set__task=KEYS).update(question_number=None)
    for example in Example.objects.filter(data_set__task=KEYS):
        example.question_number = example.index
        example.save()
    old = tasks_of_text.data_sets.get(task=KEYS)
    twins = list(Example.objects.filter(data_set=old))
    old.pk = None
    old.labels_hash = "other"
    old.save()
    newer = Release.objects.create(slug="newer", title="Newer")
    newer.data_sets.add(old)
    for twin in twins:
        twin.pk, twin.data_set = None, old
        if twin.index == 4:
            twin.label = ["4444"]
    Example.objects.bulk_create(twins)
    found = page(signed_in(rita), release="newer", task=KEYS)
    assert listed(found) == []
    assert found.select("[data-compared='4']")


@pytest.mark.usefixtures("entries")
def test_the_second_visit_judges_nothing(rita: User) -> None:
    client = signed_in(rita)
    first = listed(page(client))
    change_results(ExampleResult.objects.all(), prediction="changed behind its back")
    assert listed(page(client)) == first


@pytest.mark.usefixtures("entries")
def test_what_there_is_not_is_answered_with_what_there_is(rita: User) -> None:
    client = signed_in(rita)
    assert page(client, release="none", task="none").select("h2")
    assert page(client, release="texts", task="none").select("h2")


def test_without_releases_there_are_no_suspects(rita: User) -> None:
    assert page(signed_in(rita)).select("[data-empty=releases]")


def test_summaries_are_not_compared(
    rita: User, tasks_of_text: Release, entries: list[Submission]
) -> None:
    tasks_of_text.data_sets.filter(task=KEYS).update(task="longbook_sum_eng")
    found = page(signed_in(rita), release="texts", task="longbook_sum_eng")
    assert found.select("[data-empty=comparison]")


def test_the_number_of_queries_is_fixed(
    alice: User, rita: User, tasks_of_text: Release, entries: list[Submission]
) -> None:
    client = signed_in(rita)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page(client)
        return len(captured)

    few = queries()
    for number in range(3):
        wrong = dict.fromkeys(range(SIZE), "5555")
        entry(alice, tasks_of_text, f"Elm {number}", wrong)
    assert queries() == few
