"""The page of one example: its question, the entries' answers, and what decided their scores."""

from typing import Any
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from portal.models import (
    SCORE_COLUMNS,
    Example,
    ExampleResult,
    Release,
    Submission,
    SubmissionState,
    TaskDataSet,
    User,
)
from scoring.metrics import METRIC_SETS
from tests.leaderboard.examples.conftest import TASK
from tests.support import html
from tests.support.clients import signed_in
from tests.support.example_results import change_results
from tests.support.factories import (
    add_answers,
    add_examples,
    model,
    release_of_all_tasks,
    with_slug,
)

pytestmark = pytest.mark.django_db

ADDRESS = f"/examples/hf/{TASK}/0/"


def page(client: Client, query: str = "", address: str = ADDRESS, **headers: str) -> BeautifulSoup:
    return html.page(client.get(f"{address}{query}", headers=headers))


@pytest.fixture
def board(db: None) -> Release:
    """A board with four questions of each task, without any details."""
    release = release_of_all_tasks("hf")
    add_examples(release)
    return release


def change(task: str, index: int, **columns: Any) -> None:
    """Change what is known about an example."""
    Example.objects.filter(data_set__task=task, index=index).update(**columns)


def answered(
    owner: User | None,
    release: Release,
    name: str,
    scores: list[float],
    predictions: list[str | None],
    *,
    task: str = TASK,
    **columns: Any,
) -> Submission:
    """A published entry that has these scores under every metric set."""
    columns = {"state": SubmissionState.PUBLISHED, **columns}
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, **columns
    )
    with_slug(submission)
    evaluation = add_answers(submission, {task: dict.fromkeys(METRIC_SETS, scores)})
    for index, text in enumerate(predictions):
        score = None if text is None else scores[index]
        rows = ExampleResult.objects.filter(evaluation=evaluation, index=index)
        change_results(rows, prediction=text, **dict.fromkeys(SCORE_COLUMNS.values(), score))
    return submission


@pytest.fixture
def entry(alice: User, board: Release) -> Submission:
    change(TASK, 0, question="What is func_1(3)?", label=[7], hops=2, tokens=75_000)
    texts = ["It returns 7.", "", None, "4"]
    return answered(alice, board, "One", [1.0, 0.0, 0.0, 0.0], texts)


def test_a_question_stands_with_its_answer_and_facets(client: Client, entry: Submission) -> None:
    found = page(client)
    assert html.text(found.select(".question")[0]) == "What is func_1(3)?"
    assert [html.text(one) for one in found.select("[data-gold]")] == ["7"]
    assert len(found.select(".facets-line li")) == 2


def test_options_are_shown_with_the_right_one(client: Client, board: Release) -> None:
    options = ["one", "two", "three", "four"]
    change("code_debug", 0, question="Which?", options=options, label=["two", "B"])
    found = page(client, address="/examples/hf/code_debug/0/").select(".options li")
    assert [one.has_attr("data-right") for one in found] == [False, True, False, False]


def test_answers_are_listed_with_their_scores(client: Client, entry: Submission) -> None:
    [line] = page(client).select(f"[data-entry='{entry.entry_id}']")
    assert html.text(line.select(".start")[0]) == "It returns 7."
    assert [one["class"] for one in line.select("[data-set]")] == 3 * [["right"]]
    kinds = {
        index: page(client, address=f"/examples/hf/{TASK}/{index}/").select(".tally [data-status]")
        for index in (0, 1, 2)
    }
    statuses = {index: [one["data-status"] for one in found] for index, found in kinds.items()}
    assert statuses == {0: ["right"], 1: ["wrong"], 2: ["missing"]}


def test_an_opened_answer_is_explained(client: Client, entry: Submission) -> None:
    [opened] = page(client, f"?entry={entry.entry_id}").select("[data-answer]")
    assert [html.text(one) for one in opened.select("[data-mark]")] == ["7"]
    verdicts = opened.select("[data-reason]")  # one where metric sets say the same
    assert [one["data-percent"] for one in verdicts] == ["100.00", "100.00"]
    assert sum(len(str(one["data-sets"]).split()) for one in verdicts) == 3


def test_tokens_in_common_are_marked_on_both_sides(
    client: Client, alice: User, board: Release
) -> None:
    change("longbook_qa_eng", 0, label=["the red door"])
    one = answered(alice, board, "One", [0.8, 0, 0, 0], ["A red gate"], task="longbook_qa_eng")
    found = page(client, f"?entry={one.entry_id}", address="/examples/hf/longbook_qa_eng/0/")
    marked = [html.text(mark) for mark in found.select("[data-mark=matched]")]
    assert marked == ["red", "red"]


def test_what_is_opened_is_in_the_address(
    client: Client, alice: User, board: Release, entry: Submission
) -> None:
    other = answered(alice, board, "Two", [0.0] * 4, ["8"] * 4)
    found = page(client, f"?entry={entry.entry_id}&metric_set=strict&list=is%3Dwrong")
    [link] = found.select(f"[data-entry='{other.entry_id}'] a")
    assert str(link["href"]) == (
        f"{ADDRESS}?entry={entry.entry_id}&entry={other.entry_id}&metric_set=strict&list=is%3Dwrong"
    )
    [close] = found.select(".close")
    assert str(close["href"]) == f"{ADDRESS}?metric_set=strict&list=is%3Dwrong"
    both = page(client, f"?entry={other.entry_id}&entry={entry.entry_id}").select("[data-answer]")
    assert [one["data-answer"] for one in both] == [other.entry_id, entry.entry_id]


@pytest.mark.parametrize("key", ["a/b", "a b?c#d%e", "第一", "x.json", "./."])
def test_keys_may_hold_anything(client: Client, board: Release, key: str) -> None:
    change(TASK, 0, key=key)
    path = f"/examples/hf/{TASK}/{quote(key, safe='')}/"
    assert page(client, address=path).select("[data-example]")[0]["data-example"] == key


def test_an_own_private_answer_is_for_its_author_and_reviewers(
    client: Client, alice: User, bob: User, rita: User, board: Release
) -> None:
    private = answered(alice, board, "One", [1.0] * 4, ["7"], state=SubmissionState.PRIVATE)
    query = f"?entry={private.entry_id}"
    for reader in (alice, rita):
        assert page(signed_in(reader), query).select(f"[data-answer='{private.entry_id}']")
    for stranger in (client, signed_in(bob)):
        found = page(stranger, query)
        assert not found.select("[data-answer]")
        assert found.select("[data-code='entries without an answer']")


def test_a_hidden_release_shows_its_question_alone(
    client: Client, alice: User, bob: User, rita: User, entry: Submission
) -> None:
    Release.objects.update(hidden=True)
    change(TASK, 0, label=[770077], kind="canary-kind", depth=0.123)
    for reader in (client, signed_in(bob)):
        found = reader.get(f"{ADDRESS}?entry={entry.entry_id}")
        text = found.content.decode()
        assert "func_1(3)" in text
        assert not [
            one for one in ("canary", "770077", "0.12", "returns", "data-percent") if one in text
        ]
    own = page(signed_in(alice), f"?entry={entry.entry_id}")
    assert html.text(own.select(".prediction")[0]) == "It returns 7."
    assert not own.select("[data-reason], [data-mark], [data-gold], [data-status]")
    assert page(signed_in(rita), f"?entry={entry.entry_id}").select("[data-reason]")


def test_a_label_of_other_data_is_said(client: Client, alice: User, board: Release) -> None:
    own = Release.objects.create(slug="own", title="Own")
    data_set = TaskDataSet.objects.create(task=TASK, size=1, labels_hash="own", questions_hash="o")
    own.data_sets.add(data_set)
    Example.objects.create(data_set=data_set, index=0, key="0", label=[8], question_number=5)
    of_board = Example.objects.filter(data_set__releases=board, data_set__task=TASK, index=0)
    of_board.update(label=[7], question_number=5)
    other = answered(None, own, "Old", [1.0], ["8"], origin="historical")
    answered(alice, board, "New", [1.0] * 4, ["7"] * 4)
    listed = {
        html.text(one.select(".name")[0]): bool(one.select("[data-other-label]"))
        for one in page(client).select(".answer-list > li")
    }
    assert listed == {"New": False, "Old": True}
    [opened] = page(client, f"?entry={other.entry_id}").select("[data-answer]")
    assert opened.select("[data-reason]")[0]["data-percent"] == "100.00"
    assert "8" in html.text(opened.select("[data-other-label]")[0])


def test_a_long_answer_is_cut_around_its_marks(client: Client, entry: Submission) -> None:
    text = f"{'word ' * 4_000}The answer is 7. {'more ' * 4_000}7"
    change_results(entry.evaluations.get().example_results.filter(index=0), prediction=text)
    [quoted] = page(client, f"?entry={entry.entry_id}").select("blockquote.prediction")
    assert quoted.select(".gap")
    assert html.text(quoted.select("[data-mark]")[0]) == "7"
    assert len(html.text(quoted)) < 8_000


def test_queries_do_not_grow_with_the_entries(
    client: Client,
    alice: User,
    board: Release,
    entry: Submission,
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(5):
        answered(alice, board, f"Other {number}", [0.0] * 4, ["8"] * 4)
    with django_assert_max_num_queries(24) as few:
        page(client, f"?entry={entry.entry_id}")
    for number in range(5, 30):
        answered(alice, board, f"Other {number}", [0.0] * 4, ["8"] * 4)
    with django_assert_max_num_queries(24) as many:
        found = page(client, f"?entry={entry.entry_id}")
    assert len(many) <= len(few)
    assert len(found.select("[data-entry]")) == 20
    assert found.select("a[rel=next]")


def test_the_way_to_other_examples_stays_within_the_filter(
    client: Client, alice: User, board: Release, entry: Submission
) -> None:
    query = f"list=entry%3D{entry.entry_id}%26is%3Dwrong"
    found = page(client, f"?entry={entry.entry_id}&{query}", address=f"/examples/hf/{TASK}/1/")
    [following] = found.select("[data-neighbours] a[rel=next]")
    assert str(following["href"]) == f"/examples/hf/{TASK}/3/?entry={entry.entry_id}&{query}"
    assert not found.select("[data-neighbours] a[rel=prev]")
    [place] = found.select("[data-place]")
    assert place["data-place"] == "1"
    assert page(client, "?list=score_from%3Dx").select("[data-code='bad filter']")


def test_answers_are_set_against_the_gold_answer_and_the_first(
    client: Client, alice: User, board: Release
) -> None:
    change("longbook_qa_eng", 0, label=["She sold the old mill to Brenna"])
    ids = [
        answered(
            alice, board, name, [0.5] * 4, [text], task="longbook_qa_eng"
        ).pk
        for name, text in (
            ("One", "She sold the new mill to Brenna"), ("Two", "She gave the new mill to Brenna"),
        )
    ]  # fmt: skip
    found = page(
        client, f"?entry={ids[0]}&entry={ids[1]}", address="/examples/hf/longbook_qa_eng/0/"
    )
    changed = {
        (str(one["data-differences"]), tuple(html.text(part) for part in one.select("del, ins")))
        for one in found.select("[data-differences]")
    }
    assert ("gold", ("old", "new")) in changed
    assert ("baseline", ("sold", "gave")) in changed


def test_characters_that_turn_others_are_shown_and_take_no_effect(
    client: Client, good: Submission, bad: Submission
) -> None:
    turning, kept = "turned \u202etnemugra\u202c", "\u3000 e\u0301 \U0001f469\u200d\U0001f680"
    change_results(
        ExampleResult.objects.filter(evaluation__submission=good), prediction=f"same {turning}"
    )
    change_results(
        ExampleResult.objects.filter(evaluation__submission=bad), prediction=f"same {kept}"
    )
    Example.objects.update(question=turning + kept, label=[turning], kind=turning)
    opened = html.page(
        client.get(f"/examples/hf/{TASK}/0/?entry={good.entry_id}&entry={bad.entry_id}")
    )
    listed = html.page(client.get(f"/examples/hf/{TASK}/?words=same"))
    for shown in (opened.get_text(), listed.get_text()):
        assert "⟨U+202E⟩" in shown
        assert not set("\u202e\u202c") & set(shown)
    assert kept in opened.get_text()


def test_a_count_of_partly_right_answers_has_no_percentage(
    client: Client, good: Submission
) -> None:
    change_results(ExampleResult.objects.filter(evaluation__submission=good), official_2024_06=0.25)
    tally = page(client).select_one(".tally [data-status=partial]")
    assert tally
    assert "%" not in tally.get_text()
