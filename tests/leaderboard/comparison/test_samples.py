"""Runs that have asked a part of the questions are compared on those that both have asked."""

from collections.abc import Mapping, Sequence

import pytest
from django.test import Client

from portal.models import Release, Submission, User
from scoring.metrics import METRIC_SETS
from tests.support import html
from tests.support.factories import (
    SIZE,
    add_answers,
    add_examples,
    end_question,
    endpoint_run,
    model,
    release_of_all_tasks,
    with_slug,
)

TASKS = ("passkey", "kv_retrieval")


@pytest.fixture
def keys(db: None) -> Release:
    release = release_of_all_tasks("keys", official=False)
    add_examples(release)
    release.data_sets.set(release.data_sets.filter(task__in=TASKS))
    return release


def asked_in_part(
    owner: User, release: Release, name: str, asked: Mapping[str, Sequence[int]]
) -> Submission:
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, state="published"
    )
    with_slug(submission)
    answers = {
        task: {key: [1.0 if n in places else None for n in range(SIZE)] for key in METRIC_SETS}
        for task, places in asked.items()
    }
    add_answers(submission, answers, asked=asked)
    run = endpoint_run(
        owner, release, submission=submission, settings={"tasks": TASKS}, ending="cap"
    )
    for task, places in asked.items():
        for one in run.questions.filter(task=task, example__index__in=places):
            end_question(run, one.place, text="x")
    return submission


def test_where_two_runs_share_no_question_every_page_says_so_and_none_a_number(
    client: Client, keys: Release, alice: User, bob: User
) -> None:
    one = asked_in_part(alice, keys, "One", {"passkey": [0, 1], "kv_retrieval": [0]})
    other = asked_in_part(bob, keys, "Other", {"passkey": [1, 2], "kv_retrieval": [3]})
    query = {"a": one.entry_id, "b": other.entry_id}
    compared = html.page(client.get("/compare/", query))
    rows = {str(row["data-column"]): row for row in compared.select("tr[data-column]")}
    unshared = {name for name, row in rows.items() if row.select("[data-unshared]")}
    assert unshared == {"kv_retrieval", "overall"}
    assert not any(rows[name].select(".difference") for name in unshared)
    assert rows["passkey"].select(".difference")
    assert "cannot be compared" in html.text(compared.select("[data-finding]")[0])
    assert [one["data-untested"] for one in compared.select("[data-untested]")] == ["2"]
    offered = [html.text(one) for one in compared.select("select[name=a] option[value]")]
    assert sum("Run" in one for one in offered) == 2
    for task, answer, n in (("passkey", "untested", 1), ("kv_retrieval", "unshared", 0)):
        found = html.page(client.get("/claims/", query | {"task": task}))
        assert found.select("[data-claim]")[0]["data-claim"] == answer
        document = client.get("/api/v1/compare/", query | {"task": task}).json()
        assert (document["claim"], document["n"], document["unpaired"]) == (answer, n, 0)
        assert (document["difference"] is None) == (answer == "unshared")
    claim = client.get("/claims/", query).content.decode()
    assert "in one of the tasks the two have not one of them in common" in claim


def test_a_board_tests_no_difference_to_a_run_that_was_asked_in_part(
    client: Client, keys: Release, alice: User, bob: User
) -> None:
    one = asked_in_part(alice, keys, "One", {"passkey": [0, 1], "kv_retrieval": [0]})
    asked_in_part(bob, keys, "Other", {"passkey": [1, 2], "kv_retrieval": [3]})
    address = f"/board/keys/board.json?baseline={one.entry_id}"
    [entry] = [
        found
        for found in client.get(address).json()["entries"]
        if found["model"]["name"] == "Other"
    ]
    assert entry["asked_percent"] == 37
    found = [entry["overall"], *entry["tasks"].values()]
    assert {(one["chance"], one["test"]) for one in found} == {("unknown", None)}
    board = html.page(client.get(f"/board/keys/?baseline={one.entry_id}"))
    assert "asked in part" in html.text(board.select("[data-baseline]")[0])
