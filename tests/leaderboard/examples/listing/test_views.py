"""The list of a task's examples: what each filter finds, for whom."""

from urllib.parse import unquote, urlencode, urlsplit

import pytest
from django.test import Client

from leaderboard.examples.filters import PUBLIC_STATES
from portal.board_version import raise_board_version
from portal.models import (
    Example,
    ExampleResult,
    Release,
    ScoreVector,
    Submission,
    SubmissionState,
    User,
)
from portal.scores.estimates import pack_scores
from tests.leaderboard.examples.conftest import KEYS, LABELS, TASK, answered
from tests.support import html
from tests.support.contexts import store_context
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db

LIST = f"/examples/hf/{TASK}/"
EVERYTHING = [0, 1, 2, 3]


def found(client: Client, query: str, release: str = "hf") -> list[int]:
    """The indices of the examples found."""
    response = client.get(f"/examples/{release}/{TASK}.json", {"q": query})
    assert response.status_code == 200, response.content
    document = response.json()
    assert document["count"] == len(document["examples"])
    return [KEYS.index(one["key"]) for one in document["examples"]]


def refused(client: Client, query: str) -> str:
    """The code of the error, the same on the page and as JSON."""
    response = client.get(f"/examples/hf/{TASK}.json", {"q": query})
    page = client.get(LIST, {"q": query})
    assert (response.status_code, page.status_code) == (400, 400), query
    code = str(response.json()["code"])
    assert html.one(page, "#filter-error")["data-code"] == code
    return code


@pytest.mark.usefixtures("good", "bad", "fair")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", EVERYTHING),
        ("tokens>1K", [1, 2]),
        ("tokens:1K..120K", [0, 1]),
        ("depth:0.2..0.4", [1, 2]),
        ("depth<0.35", [0]),
        ("hops:2", [2]),
        ('kind:"two words"', [2]),
        ("kind:mellow kind:other", [0, 1]),
        ("key:last", [3]),
        ('key:"a/b?c#d%20 e"', [1]),
        ("model:good is:right", [0, 1, 3]),
        ("model:good is:partial", [2]),
        ("model:bad is:wrong", [1, 3]),
        ("model:bad is:missing", [2]),
        ("model:bad is:empty", [1]),
        ("model:fair is:solved", [0, 1]),
        ("is:failed", [1, 2, 3]),
        ("is:only-failure", [1]),
        ("model:good is:only-failure", []),
        ("is:only-success", [3]),
        ("model:bad is:only-success", []),
        ("is:solved-by-none", [2]),
        ("is:solved-by-all", [0]),
        ("is:sets-disagree", []),
        ("is:truncated", []),
        ("score<0.5 model:good", [2]),
        ("score:0.1..0.5", [2]),
        ("difficulty>0.5", [2, 3]),
        ("difficulty:0.3..0.4", [1]),
        ("discrimination>0.6", [2, 3]),
        ("disagreement>0", []),
        ("sort:difficulty", [2, 3, 1, 0]),
        ("sort:-difficulty", [0, 1, 3, 2]),
        ("sort:tokens", [2, 1, 0, 3]),
        ("sort:-place", [3, 2, 1, 0]),
    ],
)
def test_filters_find_what_they_say(client: Client, query: str, expected: list[int]) -> None:
    assert found(client, query) == expected


def test_two_entries_are_set_against_each_other(
    client: Client, good: Submission, bad: Submission
) -> None:
    assert found(client, f"solved:{good.entry_id} solved:{bad.entry_id}") == [0]
    assert found(client, f"solved:{good.entry_id} failed:{bad.entry_id}") == [1, 3]
    assert found(client, f"failed:{good.entry_id} failed:{bad.entry_id}") == [2]


def test_an_answer_is_truncated_where_its_input_was_longer_than_the_limit(
    client: Client, good: Submission
) -> None:
    Submission.objects.filter(pk=good.pk).update(truncation="middle", input_limit=150_000)
    assert found(client, f"entry:{good.entry_id} is:truncated") == [2]


def test_metric_sets_disagree_where_an_answer_is_right_under_one(
    client: Client, good: Submission
) -> None:
    of_set = ScoreVector.objects.filter(task_score__metric_set="strict", task_score__task=TASK)
    of_set.update(scores=pack_scores([1.0, 0.0, 0.25, 1.0]))
    assert found(client, "is:sets-disagree") == [1]
    assert found(client, "disagreement:1") == [1]
    assert found(client, "set:strict is:right") == [0, 3]


@pytest.mark.usefixtures("good", "bad")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("gold", [0]),  # in a question
        ("CANARYANN", [1]),  # a label
        ("stone", [0]),
        ("the answer", [0, 1]),
        ('"the answer"', [0, 1]),
        ('"answer the"', []),
        ("pass", [3]),  # of “pass-key”, not of “passkey”
        ('"pass key"', [3]),
        ("他的", [2]),
        ("的他", []),
        ('"的 他"', []),
        ("model:bad answer", [0]),
        ("model:good passkey is:wrong", []),
        ("model:good passkey is:right", [3]),
        ("100%", []),
        ("it.is", [0]),  # a phrase, whatever is between its words
    ],
)
def test_words_are_found_in_questions_answers_and_predictions(
    client: Client, query: str, expected: list[int]
) -> None:
    assert found(client, query) == expected


@pytest.mark.usefixtures("good")
def test_a_data_set_without_its_examples_says_so(client: Client) -> None:
    Example.objects.filter(data_set__task=TASK, data_set__releases__slug="hf").delete()
    assert html.page(client.get(LIST)).select_one("[data-not-stored]")
    assert client.get(LIST, {"q": "is:right"}).status_code == 200
    for path in (f"{LIST[:-1]}.json", f"{LIST[:-1]}.matrix/", f"{LIST}contexts", f"{LIST}0/"):
        assert client.get(path).status_code == 404
    assert client.get(f"/api/v1/examples/hf/{TASK}/").status_code == 404


def test_pages_follow_each_other(
    client: Client, good: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.examples.listing.rows.PAGE_ROWS", 2)
    for query, keys in (("sort:-place", KEYS[::-1]), ("is:right", [KEYS[0], KEYS[1], KEYS[3]])):
        address, seen = f"/examples/hf/{TASK}.json?{urlencode({'q': query})}", []
        while address:
            document = client.get(address).json()
            seen += [one["key"] for one in document["examples"]]
            address = document["next"]
        assert seen == keys
    page = html.page(client.get(LIST, {"from": "2"}))
    assert [row["data-key"] for row in page.select("tbody tr[data-key]")] == KEYS[2:]
    assert page.select_one("[rel=first]")


def test_keys_with_any_characters_are_in_addresses(client: Client, good: Submission) -> None:
    document = client.get(f"/examples/hf/{TASK}.json").json()
    paths = [urlsplit(one["url"]) for one in document["examples"]]
    assert [unquote(one.path) for one in paths] == [f"{LIST}{key}/" for key in KEYS]
    assert not any(one.query or one.fragment for one in paths)


def test_the_filter_goes_along_to_the_example(client: Client, good: Submission) -> None:
    page = client.get(LIST, {"q": f"entry:{good.entry_id} is:partial"})
    assert f"entry={good.entry_id}&q=entry" in str(html.one(page, ".example-rows th a")["href"])
    assert html.one(page, "tbody .answer")["data-status"] == "partial"


def test_controls_write_into_the_query(client: Client, good: Submission) -> None:
    sent = {"q": '"a b" is:wrong depth<0.5', "is": "right", "tokens_from": "1k", "sort": "tokens"}
    response = client.get(LIST, sent)
    assert response.status_code == 302
    page = client.get(response["Location"])
    shown = html.one(page, "input[type=search]")["value"]
    assert shown == 'tokens>=1K is:right sort:tokens "a b"'
    page = client.get(LIST, {"q": "", "tokens_from": "many"}, follow=True)
    assert html.one(page, "#filter-error")["data-code"] == "no_number"


def test_what_a_form_leaves_as_it_is_stays_out_of_the_address(
    client: Client, good: Submission
) -> None:
    sent = {"q": "", "is": "right", "set": "official-2024-06", "sort": "place", "tokens_from": "1"}
    page = client.get(LIST, sent, follow=True)
    assert html.one(page, "input[type=search]")["value"] == "tokens>=1 is:right"
    assert "set" not in page.redirect_chain[0][0]


def test_a_search_in_contexts_is_offered_where_there_are_any(
    client: Client, good: Submission
) -> None:
    contexts = f"/examples/hf/{TASK}/contexts"
    assert Example.objects.filter(data_set__task=TASK).exclude(context=None).exists() is False
    assert html.page(client.get(LIST)).select_one(f'a[href="{contexts}"]') is None
    page = html.page(client.get(contexts, {"q": "key"}))
    assert page.select_one("[data-empty=contexts]")
    assert page.select_one(".context-search") is None
    Example.objects.filter(data_set__task=TASK, index=1).update(context=store_context("a text"))
    raise_board_version()
    assert html.page(client.get(LIST)).select_one(f'a[href="{contexts}"]')


@pytest.mark.usefixtures("good")
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("entry:nothing", "unknown_entry"),
        ("solved:00000000-0000-4000-8000-000000000000", "unknown_entry"),
        ("model:nobody", "unknown_model"),
        ("colour:red", "unknown_field"),
    ],
)
def test_a_wrong_filter_is_refused(client: Client, query: str, code: str) -> None:
    assert refused(client, query) == code


def test_a_private_submission_is_for_its_owner_and_reviewers(
    client: Client, alice: User, bob: User, rita: User, board: Release
) -> None:
    texts = ["secretword", "", "", ""]
    private = answered(
        alice, board, "One", [0.0, 1.0, 0.0, 0.0], texts, state=SubmissionState.PRIVATE
    )
    for reader in (None, bob):
        if reader:
            client.force_login(reader)
        assert refused(client, f"entry:{private.entry_id}") == "unknown_entry"
        assert found(client, "secretword") == []
    for reader in (alice, rita):
        client.force_login(reader)
        assert found(client, f"entry:{private.entry_id} is:right") == [1]
        assert found(client, f"entry:{private.entry_id} secretword") == [0]
        assert found(client, "secretword") == []


REVEALING = [
    *(
        "depth<0.5",
        "hops:1",
        "kind:mellow",
        "is:right",
        "is:solved-by-none",
        "score>0",
        "set:strict",
    ),
    *("difficulty>0", "disagreement>0", "discrimination<0", "sort:difficulty", "model:good"),
    *("is:only-failure", "is:sets-disagree", "solved:{id}", "failed:{id}"),
]


def test_of_a_hidden_release_nothing_that_depends_on_answers_is_found(
    client: Client, alice: User, bob: User, good: Submission, bad: Submission
) -> None:
    Release.objects.update(hidden=True)
    for reader in (None, bob):
        if reader:
            client.force_login(reader)
        for query in REVEALING:
            assert refused(client, query.format(id=good.entry_id)) == "concealed", query
        assert refused(client, f"entry:{good.entry_id}") == "unknown_entry"
        for label in (*LABELS, "42", "stone", "passkey"):
            assert found(client, f'"{label}"') == []
        assert found(client, "tokens>1K") == [1, 2]
        assert found(client, "gold") == [0]
        rows = client.get(f"/examples/hf/{TASK}.json").json()["examples"]
        assert {(row["depth"], row["kind"], row["difficulty"]) for row in rows} == {
            (None, None, None)
        }
        text = client.get(LIST).content.decode()
        assert not [label for label in (*LABELS, "mellow", "Good") if label in text]
    client.force_login(alice)  # sees her own answers, without verdicts
    assert found(client, f"entry:{good.entry_id} passkey") == [3]
    assert refused(client, f"entry:{good.entry_id} is:right") == "concealed"
    assert found(client, f"entry:{good.entry_id} canaryann") == []
    page = html.page(client.get(LIST, {"q": f"entry:{good.entry_id}"}))
    assert {one["data-status"] for one in page.select(".answer")} == {""}


def test_reviewers_filter_a_hidden_release_by_everything(
    client: Client, rita: User, good: Submission
) -> None:
    Release.objects.update(hidden=True)
    client.force_login(rita)
    assert found(client, "model:good is:right") == [0, 1, 3]
    assert found(client, "canaryann") == [1]


def test_without_any_entry_no_answer_is_found(client: Client, board: Release) -> None:
    for state in PUBLIC_STATES:
        assert found(client, f"is:{state}") == []
    for query in ("score>0", "difficulty>0", "disagreement<1"):
        assert found(client, query) == []
    assert found(client, "stone sort:difficulty") == [0]


def test_the_index_names_every_task_of_every_release(client: Client, board: Release) -> None:
    page = html.page(client.get("/examples/"))
    assert len(page.select("[data-release=hf] tbody tr")) == 12
    assert page.select_one(f'a[href="{LIST}"]')


def test_what_is_not_there_is_not_found(client: Client, board: Release) -> None:
    for address in ("/examples/hf/nothing/", "/examples/other/code_run/", "/examples/hf/x.json"):
        assert client.get(address).status_code == 404


def test_an_answer_that_is_only_spaces_is_empty(client: Client, bad: Submission) -> None:
    change_results(ExampleResult.objects.filter(index=0), prediction="　\n")
    assert found(client, f"entry:{bad.entry_id} is:empty") == [0, 1]
