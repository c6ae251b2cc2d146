"""What reviewers see of a submission's answers."""

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Example, ExampleResult, Release, Submission, User
from portal.review.answers.shares import answer_shares
from scoring.catalog import TASKS
from tests.portal.review.conftest import GOLD, SIZE, answered
from tests.support import html
from tests.support.example_results import change_results

QA, KEYS = "longbook_qa_eng", "passkey"
WORDY = {
    QA: [f"It was since the {one.split()[4]} of {one[8]} was empty" for one in GOLD[QA]],
    KEYS: [f"The key is {one}." for one in GOLD[KEYS]],
}
CONTROL = "a\u202eb\x07 <script>alert(1)</script>"


@pytest.fixture
def wordy(alice: User, tasks_of_text: Release) -> Submission:
    return answered(alice, tasks_of_text, "Wordy", WORDY)


def page(user: User, submission: Submission, query: str = "") -> BeautifulSoup:
    client = Client()
    client.force_login(user)
    response = client.get(f"/review/{submission.pk}/{query}")
    assert response.status_code == 200
    return html.page(response)


def drawn(page: BeautifulSoup, task: str = QA) -> list[str]:
    return [str(one["data-key"]) for one in page.select(f"[data-drawn={task}] .drawn")]


def share(page: BeautifulSoup, task: str = QA) -> dict[str, str]:
    [row] = page.select(f"[data-share={task}]")
    return {name: str(value) for name, value in row.attrs.items()}


# Answers drawn at random


def test_five_answers_of_each_task_are_shown(wordy: Submission, rita: User) -> None:
    found = page(rita, wordy)
    for task in GOLD:
        keys = drawn(found, task)
        assert len(set(keys)) == len(keys) == 5
        assert all(key.startswith(task) for key in keys)


def test_a_seed_draws_the_same_answers_again_and_another_seed_others(
    wordy: Submission, rita: User
) -> None:
    first = page(rita, wordy)
    assert drawn(first) == drawn(page(rita, wordy))
    others = str(first.select("[data-others]")[0]["href"]).partition("#")[0]
    assert set(drawn(first)) != set(drawn(page(rita, wordy, others)))


def test_an_answer_has_its_question_gold_answer_and_reasons(wordy: Submission, rita: User) -> None:
    one = page(rita, wordy).select(f"[data-drawn={KEYS}] .drawn")[0]
    index = int(str(one["data-key"]).partition("/")[2])
    assert one.select("[data-gold]")[0].text == GOLD[KEYS][index]
    assert one.select("[data-prediction]")[0].text == WORDY[KEYS][index]
    assert f"Why number {index}?" in one.text
    assert "A long instruction" not in one.text
    assert [str(row["data-reason"]) for row in one.select("[data-reason]")] == ["match"]


def test_an_answer_leads_to_its_example(wordy: Submission, rita: User) -> None:
    link = page(rita, wordy).select(f"[data-drawn={KEYS}] .drawn a")[0]
    client = Client()
    client.force_login(rita)
    opened = html.page(client.get(str(link["href"])))
    assert opened.select(f'[data-answer="{wordy.entry_id}"]')


def test_control_characters_are_visible_and_markup_is_text(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    odd = answered(alice, tasks_of_text, "Odd", {QA: [CONTROL] * SIZE})
    shown = page(rita, odd).select("[data-prediction]")[0]
    assert shown.text == "a⟨U+202E⟩b⟨U+0007⟩ <script>alert(1)</script>"
    assert not shown.select("script")


@pytest.mark.parametrize(
    ("show", "expected"),
    [("right", {0, 1, 2}), ("wrong", {3, 4, 5}), ("empty", {4, 5}), ("disagree", {6})],
)
def test_filters(
    alice: User, rita: User, tasks_of_text: Release, show: str, expected: set[int]
) -> None:
    keys = GOLD[KEYS]
    texts = [*keys[:3], "7", "", " \n", f"12345 {keys[6]}", *[None] * (SIZE - 7)]
    mixed = answered(alice, tasks_of_text, "Mixed", {KEYS: texts})
    row = ExampleResult.objects.filter(index=6, evaluation__submission=mixed)
    change_results(row, official_2024_06=1.0, strict=0.0)
    found = drawn(page(rita, mixed, f"?show={show}"), KEYS)
    assert {int(key.partition("/")[2]) for key in found} - {6} == expected - {6}
    assert (f"{KEYS}/6" in found) == (show in ("right", "disagree"))


def test_no_query_breaks_the_page(wordy: Submission, rita: User) -> None:
    for query in ("?show=nothing&seed=x&task=y", "?seed=-1", "?seed=99999999", "?seed=９"):
        assert len(drawn(page(rita, wordy, query))) == 5


def test_the_number_of_queries_is_fixed(
    wordy: Submission, alice: User, rita: User, tasks_of_text: Release
) -> None:
    one_task = answered(alice, tasks_of_text, "One", {QA: WORDY[QA]})
    client = Client()
    client.force_login(rita)

    def queries(submission: Submission) -> int:
        client.get(f"/review/{submission.pk}/")  # whose shares are counted once
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get(f"/review/{submission.pk}/")
        # Queries about the range of ranks are only for submissions that have a rank.
        return sum("portal_separation" not in one["sql"] for one in captured.captured_queries)

    assert queries(wordy) == queries(one_task)


# Shares


def test_an_honest_submission_has_no_share_that_is_flagged(wordy: Submission, rita: User) -> None:
    found = page(rita, wordy)
    assert share(found)["data-gold-answers"] == "0"
    assert share(found, KEYS)["data-other-gold"] == "0"
    assert share(found)["data-empty-answers"] == "0"
    assert not found.select("[data-flag]")


@pytest.mark.parametrize(
    ("texts", "flag"),
    [
        ([f"“{one.upper()}.”" for one in GOLD[QA]], "gold"),
        ([f"I believe that {one}, as told." for one in GOLD[QA]], "gold inside"),
        ([*GOLD[QA][1:], GOLD[QA][0]], "other gold"),
        (["", " "] * (SIZE // 2), "empty"),
        (["The answer is unknown"] * SIZE, "alike"),
    ],
)
def test_dishonest_answers_are_flagged(
    alice: User, rita: User, tasks_of_text: Release, texts: list[str], flag: str
) -> None:
    one = answered(alice, tasks_of_text, "One", {QA: texts})
    flags = page(rita, one).select("[data-flag]")
    assert [str(one["data-flag"]) for one in flags] == [flag]
    assert "En.QA" in flags[0].text


def test_short_right_answers_are_not_taken_for_labels(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    one = answered(alice, tasks_of_text, "Brief", {KEYS: GOLD[KEYS]})
    found = page(rita, one)
    assert share(found, KEYS)["data-gold-answers"] == str(SIZE)
    assert not found.select("[data-flag]")


def test_lengths_are_in_the_picture_and_in_the_table(wordy: Submission, rita: User) -> None:
    found = page(rita, wordy)
    titles = [one.text for one in found.select(f"[data-share={KEYS}] rect title")]
    assert titles == [f"16–31: {SIZE}"]
    [row] = [one for one in found.select("[data-lengths] tbody tr") if one.th.text == "16–31"]  # type: ignore[union-attr]
    assert row.select("td")[0].text == str(SIZE)


def test_without_examples_there_are_lengths_and_answers_only(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    one = answered(alice, tasks_of_text, "One", WORDY)
    Example.objects.all().delete()
    found = page(rita, one)
    assert "data-gold-answers" not in share(found)
    assert len(found.select(f"[data-drawn={QA}] [data-prediction]")) == 5


# Hidden releases


def test_reviewers_see_no_verdicts_of_their_own_predictions_on_a_hidden_release(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    Release.objects.update(hidden=True)
    own = answered(rita, tasks_of_text, "Own", {QA: GOLD[QA]})
    other = answered(alice, tasks_of_text, "Other", {QA: WORDY[QA]})
    found = page(rita, own, "?show=right")
    assert found.select("[data-code='no verdicts']")
    assert not found.select("#answers [data-gold], #answers [data-reason], [data-flag]")
    assert "data-gold-answers" not in share(found)
    assert [one["data-show"] for one in found.select("[data-show]")] == ["all", "empty"]
    assert page(rita, other).select("#answers [data-gold]")


def test_shares_of_an_evaluation_are_counted_once(wordy: Submission) -> None:
    evaluation = wordy.evaluations.get()
    before = answer_shares(evaluation, verdicts=True)
    with CaptureQueriesContext(connection) as captured:
        assert answer_shares(evaluation, verdicts=True) == before
    assert len(captured) == 0
    assert [one.task for one in before] == [TASKS[KEYS], TASKS[QA]]
