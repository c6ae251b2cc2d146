"""The list of a task's examples: what each filter finds, for whom."""

from urllib.parse import unquote, urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.examples.example_filter import STATES
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
from portal.web import throttle
from tests.leaderboard.examples.conftest import KEYS, LABELS, TASK, answered
from tests.support import html
from tests.support.contexts import store_context
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db

LIST = f"/examples/hf/{TASK}/"
EVERYTHING = [0, 1, 2, 3]


def found(client: Client, query: str, release: str = "hf") -> list[int]:
    """The indices of the examples found."""
    response = client.get(f"/examples/{release}/{TASK}.json?{query}")
    assert response.status_code == 200, response.content
    document = response.json()
    assert document["count"] == len(document["examples"])
    return [KEYS.index(one["key"]) for one in document["examples"]]


def refused(client: Client, query: str) -> str:
    """The code of the error, the same on the page and as JSON."""
    response = client.get(f"/examples/hf/{TASK}.json?{query}")
    page = client.get(f"{LIST}?{query}")
    assert (response.status_code, page.status_code) == (400, 400), query
    code = str(response.json()["code"])
    assert html.one(page, ".example-filter [data-error]")["data-error"] == code
    return code


@pytest.mark.usefixtures("good", "bad", "fair")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", EVERYTHING),
        ("tokens_from=1001", [1, 2]),
        ("tokens_from=1K&tokens_to=120K", [0, 1]),
        ("depth_from=0.2&depth_to=0.4", [1, 2]),
        ("depth_to=0.35", [0]),  # without its end
        ("depth_from=0.35&depth_to=0.35", [1, 2]),
        ("depth_from=0.9&depth_to=1", [3]),
        ("hops=2", [2]),
        ("kind=two words", [2]),
        ("kind=mellow&kind=two words", [0, 1, 2]),
        ("entry=good&is=right", [0, 1, 3]),
        ("entry=Good&is=partial", [2]),
        ("entry=bad&is=wrong", [1, 3]),
        ("entry=bad&is=missing", [2]),
        ("entry=bad&is=empty", [1]),
        ("entry=bad,good&is=right", [0, 1, 3]),
        ("is=wrong", [1, 2, 3]),
        ("is=right&is=wrong", []),  # no answer is both
        ("is=only-failure", [1]),
        ("entry=good&is=only-failure", []),
        ("is=only-success", [3]),
        ("entry=bad&is=only-success", []),
        ("is=solved-by-none", [2]),
        ("is=solved-by-all", [0]),
        ("is=sets-disagree", []),
        ("is=truncated", []),
        ("score_to=49&entry=good", [2]),
        ("score_from=10&score_to=50", [2]),
        ("solved=good,bad", [0]),
        ("solved=good&solved=bad", [0]),
        ("solved=good&failed=bad", [1, 3]),
        ("failed=good,bad", [2]),
        ("higher=good,bad", [1, 2, 3]),
        ("higher=bad,good", []),
        ("equal=fair,bad", [0, 2, 3]),
        ("higher=good,bad&higher=good,fair", [2, 3]),
        ("sort=-difficulty", [2, 3, 1, 0]),
        ("sort=difficulty", [0, 1, 3, 2]),
        ("sort=-tokens", [2, 1, 0, 3]),
        ("sort=tokens", [0, 1, 2, 3]),
    ],
)
def test_filters_find_what_they_say(client: Client, query: str, expected: list[int]) -> None:
    assert found(client, query) == expected


def test_an_answer_is_truncated_where_its_input_was_longer_than_the_limit(
    client: Client, good: Submission
) -> None:
    Submission.objects.filter(pk=good.pk).update(truncation="middle", input_limit=150_000)
    assert found(client, f"entry={good.entry_id}&is=truncated") == [2]


def test_metric_sets_disagree_where_an_answer_is_right_under_one(
    client: Client, good: Submission
) -> None:
    of_set = ScoreVector.objects.filter(task_score__metric_set="strict", task_score__task=TASK)
    of_set.update(scores=pack_scores([1.0, 0.0, 0.25, 1.0]))
    assert found(client, "is=sets-disagree") == [1]
    assert found(client, "sort=-disagreement")[0] == 1
    assert found(client, "set=strict&is=right") == [0, 3]


@pytest.mark.usefixtures("good", "bad")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("gold", [0]),  # in a question
        ("CANARYANN", [1]),  # a label
        ("stone", [0]),
        ("the answer", [0, 1]),
        ('"the answer"', [0, 1]),
        ("“the answer”", [0, 1]),
        ('"answer the"', []),
        ("pass", [3]),  # of “pass-key”, not of “passkey”
        ('"pass key"', [3]),
        ('"pass key', [3]),
        ("他的", [2]),
        ("的他", []),
        ('"的 他"', []),
        ("answer&entry=bad", [0]),
        ("passkey&entry=good&is=wrong", []),
        ("passkey&entry=good&is=right", [3]),
        ("100%25", []),
        ("it.is", [0]),  # a phrase, whatever is between its words
    ],
)
def test_words_are_found_in_questions_answers_and_predictions(
    client: Client, query: str, expected: list[int]
) -> None:
    assert found(client, f"words={query}") == expected


@pytest.mark.usefixtures("good")
def test_a_data_set_without_its_examples_says_so(client: Client) -> None:
    Example.objects.filter(data_set__task=TASK, data_set__releases__slug="hf").delete()
    assert html.page(client.get(LIST)).select_one("[data-not-stored]")
    assert client.get(LIST, {"is": "right"}).status_code == 200
    for path in (f"{LIST[:-1]}.json", f"{LIST}contexts", f"{LIST}0/"):
        assert client.get(path).status_code == 404
    assert client.get(f"/api/v1/examples/hf/{TASK}/").status_code == 404


def test_pages_follow_each_other(
    client: Client, good: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.examples.listing.rows.PAGE_ROWS", 2)
    for query, keys in (("sort=tokens", KEYS), ("is=right", [KEYS[0], KEYS[1], KEYS[3]])):
        address, seen = f"/examples/hf/{TASK}.json?{query}", []
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
    page = client.get(LIST, {"entry": "good", "is": "partial"})
    link = str(html.one(page, ".example-rows th[scope=row] a")["href"])
    assert link.endswith(f"/?entry={good.entry_id}&list=entry%3D{good.entry_id}%26is%3Dpartial")
    shown = html.page(client.get(link))
    assert shown.select("[data-answer]")
    back = str(shown.select("[data-place] a")[0]["href"])
    assert html.one(client.get(back), "[data-count]")["data-count"] == "1"


def test_words_are_not_searched_without_end_for_the_neighbours_of_an_example(
    client: Client, good: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "MOST_SEARCHES", 1)
    lists = ("words=gold", "words=stone", "is=right")
    asked = [client.get(f"{LIST}first/", {"list": query}) for query in lists]
    assert [one.status_code for one in asked] == [200, 429, 200]


def test_the_list_shows_the_answers_of_the_named_entries_or_of_the_best(
    client: Client, good: Submission, bad: Submission, alice: User, board: Release
) -> None:
    for number in range(3):
        answered(alice, board, f"Worse {number}", [0.0] * 4, ["no"] * 4)
    page = html.page(client.get(LIST))
    assert len(page.select("thead th a")) == 4
    assert [html.text(one) for one in page.select("thead th a")][:2] == ["Good", "Bad"]
    page = html.page(client.get(LIST, {"solved": "good", "failed": "Bad"}))
    [first, _last] = page.select("tbody tr[data-key]")
    assert [one["data-status"] for one in first.select("td.answer")] == ["right", "empty"]
    assert [html.text(one) for one in page.select("thead th a")] == ["Good", "Bad"]


def test_an_answer_of_another_entry_with_the_words_is_shown_too(
    client: Client, good: Submission, bad: Submission
) -> None:
    page = client.get(LIST, {"words": "nothing", "solved": "bad"})
    assert html.page(page).select("[data-nothing]")
    page = client.get(LIST, {"words": "nothing", "failed": "bad"})
    assert "Good" in html.text(html.one(page, "td p.answer"))


def test_active_filters_are_in_words_and_can_be_removed(
    client: Client, good: Submission, bad: Submission
) -> None:
    query = "words=the&solved=good&higher=good,bad&tokens_from=1000&tokens_to=120000&is=right"
    page = html.page(client.get(f"{LIST}?{query}"))
    chips = {
        html.text(one).removesuffix(" ×"): str(one["href"]) for one in page.select(".filter-chip")
    }
    assert list(chips) == [
        "“the”", "solved by Good", "Good higher than Bad", "right", "1K–120K tokens",
    ]  # fmt: skip
    without = client.get(f"{LIST}{chips['solved by Good']}")
    left = [html.text(one) for one in html.page(without).select(".filter-chip")]
    assert len(left) == len(chips) - 1
    assert not any("solved" in one for one in left)


def test_entries_stand_in_the_form_by_their_names(
    client: Client, good: Submission, bad: Submission
) -> None:
    page = client.get(LIST, {"solved": f"{good.entry_id},bad"})
    assert html.one(page, "[name=solved]")["value"] == "Good, Bad"


def test_a_title_with_commas_identifies_an_entry(
    client: Client, good: Submission, alice: User, board: Release
) -> None:
    title = "Reader, 8,192 tokens"
    reader = answered(alice, board, title, [0.0, 1.0, 0.0, 0.0])
    page = client.get(LIST, {"solved": title})
    assert html.one(page, "[name=solved]")["value"] == title
    assert html.one(page, "[data-count]")["data-count"] == "1"
    page = client.get(LIST, {"solved": f"Good,{reader.entry_id}"})
    assert html.one(page, "[name=solved]")["value"] == f"Good, {reader.entry_id}"
    assert found(client, f"solved={reader.entry_id},{good.entry_id}") == [1]


def test_the_title_of_an_entry_may_be_the_id_of_another(
    client: Client, good: Submission, alice: User, board: Release
) -> None:
    for title in ("Good.2", "good-2", "Good, good-2"):
        answered(alice, board, title, [0.0, float(title == "good-2"), 0.0, 0.0])
    same_title = Submission.objects.get(language_model__name="good-2").entry_id
    both = Submission.objects.get(language_model__name="Good, good-2").entry_id
    assert found(client, f"solved={same_title}") == [1]
    assert found(client, f"solved={both}") == []
    page = client.get(LIST, {"solved": "Good.2"})
    assert html.one(page, "[data-count]")["data-count"] == "0"


def test_as_many_queries_find_any_number_of_unknown_names(
    client: Client, good: Submission, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(LIST)
    names = ",".join(f"n{number}" for number in range(250))
    with django_assert_max_num_queries(25):
        client.get(LIST, {"solved": names})


def test_addresses_have_room_for_as_many_entries_as_a_field(
    client: Client, alice: User, board: Release
) -> None:
    title = "A very long name of a language model that goes on and on "
    entries = [answered(alice, board, f"{title}{number}", [1.0] * 4) for number in range(20)]
    ids = ",".join(entry.entry_id for entry in entries)
    page = client.get(LIST, {"solved": ids})
    assert len(html.page(page).select(".filter-chip")) == len(entries)
    shown = str(html.one(page, "[name=solved]")["value"])
    assert client.get(LIST, {"solved": shown, "failed": ""}).status_code == 302


def test_what_a_form_leaves_as_it_is_stays_out_of_the_address(
    client: Client, good: Submission
) -> None:
    sent = {"words": "", "solved": "Good", "set": "official-2024-06", "sort": "position"}
    sent |= {"tokens_from": "1,000", "depth_to": "0.50"}
    response = client.get(LIST, sent)
    assert response["Location"] == f"{LIST}?solved={good.entry_id}&tokens_from=1K&depth_to=0.5"
    assert client.get(response["Location"]).status_code == 200
    assert client.get(LIST, {"words": ""})["Location"] == LIST


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
        ("entry=nothing", "unknown_entry"),
        ("solved=00000000-0000-4000-8000-000000000000", "unknown_entry"),
        ("failed=good,nobody", "unknown_entry"),
        ("higher=good", "no_pair"),
        ("equal=good,good,good", "no_pair"),
        ("is=green", "invalid_choice"),
        ("kind=green", "invalid_choice"),
        ("set=bleu", "invalid_choice"),
        ("sort=colour", "invalid_choice"),
        ("score_from=NaN", "invalid"),
        ("score_from=-1", "min_value"),
        ("score_to=1e999", "invalid"),
        ("score_from=9&score_to=8", "empty_range"),
        ("depth_to=1.1", "max_value"),
        (f"hops={'9' * 5_000}", "invalid"),
        ("tokens_from=many", "invalid"),
        (f"tokens_to={'9' * 300}", "invalid"),
        ("words=…", "no_word"),
        (f"words={'x' * 10_000}", "max_length"),
        (f"solved={'good,' * 10_000}", "max_length"),
        (f"solved={'good,' * 21}", "too_many_entries"),
        (f"words={'+'.join(f'w{number}' for number in range(13))}", "too_many_words"),
    ],
)
def test_a_wrong_filter_is_refused_at_its_field(client: Client, query: str, code: str) -> None:
    assert refused(client, query) == code
    name = query.rsplit("&", maxsplit=1)[-1].split("=", maxsplit=1)[0]
    page = client.get(f"{LIST}?{query}")
    error = html.one(page, "[data-error]").parent
    assert error
    assert error["id"] == f"id_{name}_error"


@pytest.mark.usefixtures("good")
def test_a_name_of_two_entries_identifies_none(client: Client, bob: User, board: Release) -> None:
    namesake = answered(bob, board, "Good", [0.0, 1.0, 0.0, 0.0])
    titles = [html.text(one) for one in html.page(client.get(LIST)).select("thead th a")]
    assert titles == ["Good", "Good"]
    assert refused(client, "solved=Good") == "unknown_entry"
    page = client.get(LIST, {"solved": namesake.entry_id})
    assert html.one(page, "[name=solved]")["value"] == namesake.entry_id
    assert html.one(page, "[data-count]")["data-count"] == "1"


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
        assert refused(client, f"entry={private.entry_id}") == "unknown_entry"
        assert found(client, "words=secretword") == []
    for reader in (alice, rita):
        client.force_login(reader)
        assert found(client, f"entry={private.entry_id}&is=right") == [1]
        assert found(client, f"entry={private.entry_id}&words=secretword") == [0]
        assert found(client, "words=secretword") == []


CONCEALED = [
    *("depth_from=0.5", "depth_to=x", "hops=1", "kind=mellow", "kind=x", "score_from=0"),
    *("score_to=1", "set=strict", "set=x", "solved={id}", "solved=x", "failed={id}", "failed=Good"),
    *("higher={id},{id}", "equal={id},{id}", "equal=x"),
]
UNKNOWN = [  # the same as for what nobody may choose
    *("is=right", "is=solved-by-none", "is=only-failure", "is=sets-disagree", "is=noted"),
    *("sort=difficulty", "sort=-discrimination", "sort=-disagreement"),
]


def test_of_a_hidden_release_nothing_that_depends_on_answers_is_found(
    client: Client, alice: User, bob: User, good: Submission, bad: Submission
) -> None:
    Release.objects.update(hidden=True)
    for reader in (None, bob):
        if reader:
            client.force_login(reader)
        for query in CONCEALED:
            assert refused(client, query.format(id=good.entry_id)) == "concealed", query
        for query in UNKNOWN:
            assert refused(client, query) == "invalid_choice", query
        for name in (good.entry_id, "Good"):
            assert refused(client, f"entry={name}") == "unknown_entry"
        for label in (*LABELS, "42", "stone", "passkey"):
            assert found(client, f'words="{label}"') == []
        assert found(client, "tokens_from=1001") == [1, 2]
        assert found(client, "words=gold") == [0]
        rows = client.get(f"/examples/hf/{TASK}.json").json()["examples"]
        assert {(row["depth"], row["kind"], row["difficulty"]) for row in rows} == {
            (None, None, None)
        }
        text = client.get(LIST).content.decode()
        assert not [label for label in (*LABELS, "mellow", "Good") if label in text]
    client.force_login(alice)  # sees her own answers, without verdicts
    assert found(client, f"entry={good.entry_id}&words=passkey") == [3]
    assert refused(client, f"entry={good.entry_id}&is=right") == "invalid_choice"
    assert refused(client, f"entry={good.entry_id}&score_from=1") == "concealed"
    assert found(client, f"entry={good.entry_id}&words=canaryann") == []
    page = html.page(client.get(LIST, {"entry": good.entry_id}))
    assert {one["data-status"] for one in page.select("td.answer")} == {""}


def test_reviewers_filter_a_hidden_release_by_everything(
    client: Client, rita: User, good: Submission
) -> None:
    Release.objects.update(hidden=True)
    client.force_login(rita)
    assert found(client, "entry=good&is=right") == [0, 1, 3]
    assert found(client, "words=canaryann") == [1]


def test_without_any_entry_no_answer_is_found(client: Client, board: Release) -> None:
    for name, state in STATES.items():
        if not state.for_reviewers:
            assert found(client, f"is={name}") == []
    assert found(client, "score_from=0") == []
    assert found(client, "words=stone&sort=-difficulty") == [0]
    assert not html.page(client.get(LIST)).select("td.answer")


def test_the_index_names_every_task_of_every_release(client: Client, board: Release) -> None:
    page = html.page(client.get("/examples/"))
    assert len(page.select("[data-release=hf] tbody tr")) == 12
    assert page.select_one(f'a[href="{LIST}"]')


def test_what_is_not_there_is_not_found(client: Client, board: Release) -> None:
    for address in ("/examples/hf/nothing/", "/examples/other/code_run/", "/examples/hf/x.json"):
        assert client.get(address).status_code == 404


def test_an_answer_that_is_only_spaces_is_empty(client: Client, bad: Submission) -> None:
    change_results(ExampleResult.objects.filter(index=0), prediction="　\n")
    assert found(client, f"entry={bad.entry_id}&is=empty") == [0, 1]
