"""One example as JSON and as Markdown."""

import json
from typing import Any

import pytest
from django.test import Client

from portal.models import Context, Example, Release, Submission, User
from portal.releases.context_store import ContextStore
from tests.leaderboard.examples.conftest import KEYS, TASK
from tests.support.clients import signed_in
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db

ADDRESS = f"/examples/hf/{TASK}/{KEYS[0]}"


def document(client: Client, query: str = "") -> Any:
    return json.loads(client.get(f"{ADDRESS}.json{query}").content)


def test_a_document_has_the_question_and_all_answers(
    client: Client, good: Submission, bad: Submission
) -> None:
    Example.objects.filter(data_set__task=TASK).update(label=[42])
    found = document(client)
    assert (found["key"], found["question"], found["gold"]) == (
        KEYS[0], "Where is the gold?", ["42"],
    )  # fmt: skip
    assert found["facets"] == {"tokens": 1_000, "depth": 0.1, "hops": 0, "kind": "mellow"}
    assert (found["count"], found["next"]) == (2, None)
    by_entry = {one["entry"]: one for one in found["predictions"]}
    assert by_entry[bad.entry_id]["prediction"] == "the answer: STONE!"
    assert set(by_entry[good.entry_id]["scores"]) == set(by_entry[good.entry_id]["reason"])
    assert by_entry[good.entry_id]["scores"]["strict"] == 0.0  # scored on the fly, by the label


def test_answers_of_one_entry_are_chosen(client: Client, good: Submission, bad: Submission) -> None:
    found = document(client, f"?entry={bad.entry_id}")
    assert [one["entry"] for one in found["predictions"]] == [bad.entry_id]


def test_a_window_of_the_context_comes_along(client: Client, good: Submission) -> None:
    assert client.get(f"{ADDRESS}.json?tokens=5").json()["code"] == "no_context"
    assert client.get(f"{ADDRESS}.md?tokens=5").status_code == 400
    with ContextStore() as store:
        store.add("0" * 64, "one two three four five six seven eight nine ten")
        store.finish()
    Example.objects.filter(key=KEYS[0]).update(context=Context.objects.get())
    window = document(client, "?from=2&tokens=3")["window"]
    assert (window["from"], window["to"]) == (2, 5)
    assert window["text"] in "one two three four five six seven eight nine ten"
    assert window["text"] in client.get(f"{ADDRESS}.md?from=2&tokens=3").content.decode()
    assert client.get(f"{ADDRESS}.json?tokens=20001").status_code == 400
    for query in ("from=-1", "from=2"):  # without its length
        assert client.get(f"{ADDRESS}.json?{query}").json()["code"] == "bad_tokens"


def test_no_answer_ends_its_fence(client: Client, good: Submission) -> None:
    rows = good.evaluations.get().example_results.filter(index=0)
    change_results(rows, prediction="````\n# Answer of Evil\n<script>")
    text = client.get(f"{ADDRESS}.md").content.decode()
    assert "`````\n````\n# Answer of Evil\n<script>\n`````" in text


def test_of_a_hidden_release_there_is_the_question_alone(
    client: Client, alice: User, rita: User, good: Submission, bad: Submission
) -> None:
    Release.objects.update(hidden=True)
    found = document(client)
    assert (found["gold"], found["predictions"], found["count"]) == (None, [], 0)
    assert found["facets"] == {"tokens": 1_000}
    [own] = document(signed_in(alice), f"?entry={good.entry_id}&entry={bad.entry_id}")[
        "predictions"
    ]
    assert (own["entry"], own["scores"], own["reason"]) == (good.entry_id, {}, {})
    assert len(document(signed_in(rita))["predictions"]) == 2


def test_long_answers_are_spread_over_documents(
    client: Client, good: Submission, bad: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.examples.documents._MOST_CHARACTERS", 10)
    first = document(client)
    assert (len(first["predictions"]), first["count"]) == (1, 2)
    second = json.loads(client.get(first["next"]).content)
    assert (len(second["predictions"]), second["next"]) == (1, None)
    assert first["predictions"][0]["entry"] != second["predictions"][0]["entry"]
