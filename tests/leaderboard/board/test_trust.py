"""Levels of trust, and runs that have not asked everything."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from portal.board_version import raise_board_version
from portal.models import Action, Release, Submission, User
from portal.permissions.actions import can
from scoring.metrics import METRIC_SETS
from tests.support.factories import (
    ALL,
    SIZE,
    add_answers,
    add_examples,
    end_question,
    endpoint_run,
    model,
    published,
    release_of_all_tasks,
    reported,
    with_slug,
)
from tests.support.html import page

ASKED = 1  # of the four questions of each task


@pytest.fixture
def release(db: None) -> Release:
    release = release_of_all_tasks()
    add_examples(release)
    return release


@pytest.fixture
def partly(release: Release, alice: User) -> Submission:
    """A run that ended at its cap, having asked one of four questions of each task."""
    return asked_in_part(alice, release, [1.0])


def asked_in_part(owner: User, release: Release, scores: list[float]) -> Submission:
    """A published run that has asked as many questions of each task as there are scores."""
    asked = len(scores)
    submission = Submission.objects.create(
        owner=owner,
        language_model=model("Asked"),
        release=release,
        state="published",
        input_limit=1,
        output_limit=1,
    )
    with_slug(submission)
    column = [*scores, *[None] * (SIZE - asked)]
    answers = {task: dict.fromkeys(METRIC_SETS, column) for task in ALL}
    add_answers(submission, answers, asked=dict.fromkeys(ALL, range(asked)))
    run = endpoint_run(owner, release, submission=submission, ending="cap")
    for one in run.questions.filter(example__index__lt=asked):
        end_question(run, one.place, text="x")
    return submission


def test_a_board_tells_runs_from_files_and_from_reported_numbers(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    published(alice, release, "Files", ALL)
    reported("Claimed", ALL)
    document = json.loads(client.get("/board/hf/board.json?entries=all").content)
    trust = {one["model"]["name"]: one["trust"] for one in document["entries"]}
    assert trust == {"Asked": "run", "Files": "scored", "Claimed": "reported"}
    rows = csv.DictReader(io.StringIO(client.get("/board/hf/board.csv").content.decode()))
    assert {row["model"]: row["asked_percent"] for row in rows} == {
        "Asked": "25",
        "Files": "",
        "Claimed": "",
    }
    answer = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert {(one["model"], one["trust"], one["asked_percent"]) for one in answer} == {
        ("Asked", "run", 25),
        ("Files", "scored", None),
        ("Claimed", "reported", None),
    }


def test_runs_can_be_chosen_and_what_was_asked_in_part_is_marked(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    published(alice, release, "Files", ALL)
    found = page(client.get("/board/hf/"))
    assert found.select('[name="trust"][value="run"]')
    [row] = [one for one in found.select("tbody tr") if "Asked" in one.text]
    assert "partly" in row["class"]
    assert "25 % asked" in row.select("th small")[0].text
    assert row.select(".chip")[0].text == "Run"
    chosen = page(client.get("/board/hf/?trust=run"))
    assert [one.text for one in chosen.select("tbody th.model a")] == ["Asked"]


def test_of_several_samples_a_board_has_the_largest_not_the_luckiest(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    larger = asked_in_part(alice, release, [0.0, 0.0, 1.0])
    asked_in_part(alice, release, [1.0])
    [line] = json.loads(client.get("/api/v1/entries/?release=hf").content)["entries"]
    assert (line["id"], line["asked_percent"]) == (larger.entry_id, 75)


def test_a_few_whole_tasks_go_before_a_sample_of_all(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    some = dict.fromkeys([*ALL][:3], 10.0)
    files = published(alice, release, "Asked", some)
    [line] = json.loads(client.get("/api/v1/entries/?release=hf").content)["entries"]
    assert line["id"] == files.entry_id


def test_other_pages_say_how_much_was_asked(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    other = published(alice, release, "Files", ALL)
    for address in (f"/compare/?a={partly.entry_id}&b={other.entry_id}", "/models/asked/"):
        notes = [str(one["data-asked"]) for one in page(client.get(address)).select("[data-asked]")]
        assert notes == ["25"], address
    files = {"/board/hf/board.tex": r"(25 \% asked)", "/board/hf/board.md": "25 % asked"}
    for address, note in {**files, f"/entries/{partly.entry_id}/badge.svg": "25 % asked"}.items():
        assert note in client.get(address).content.decode(), address
    cited = page(client.get(f"/entries/{partly.entry_id}/")).select(".cite")[0].text
    assert "Run, release" in cited
    assert "25 % asked" in cited.replace("\\", "")


def test_degrees_cost_no_query_for_a_row(
    client: Client,
    partly: Submission,
    alice: User,
    release: Release,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_max_num_queries(100) as one_run:
        client.get("/board/hf/")
    for number in range(5):
        submission = published(alice, release, f"Whole {number}", ALL)
        run = endpoint_run(alice, release, submission=submission)
        end_question(run, 0)
    with django_assert_max_num_queries(len(one_run)):
        client.get("/board/hf/")


def test_a_run_that_ended_at_its_cap_can_be_published(partly: Submission, alice: User) -> None:
    Submission.objects.filter(pk=partly.pk).update(state="private", slug=None)
    partly.refresh_from_db()
    assert can(alice, Action.REQUEST_PUBLICATION, partly)
    partly.endpoint_run.delete()
    assert not can(alice, Action.REQUEST_PUBLICATION, Submission.objects.get(pk=partly.pk))


def test_what_was_asked_in_part_is_no_repetition_of_a_whole_run(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    known: dict[str, Any] = {"prompt_strategy": "direct", "truncation": "middle"}
    Submission.objects.filter(pk=partly.pk).update(**known)
    whole = published(alice, release, "Asked", ALL, input_limit=1, output_limit=1, **known)
    # All questions were asked, whatever ended the run and however its settings phrase that.
    endpoint_run(alice, release, submission=whole, ending="cap", settings={"subset": 4_000})
    document = json.loads(client.get("/board/hf/board.json?entries=all").content)
    assert [line["runs"] for line in document["entries"]] == [[], []]
    again = published(alice, release, "Asked", ALL, input_limit=1, output_limit=1, **known)
    endpoint_run(alice, release, submission=again)
    document = json.loads(client.get("/board/hf/board.json").content)
    assert [line["runs"] for line in document["entries"]] == [[whole.entry_id, again.entry_id]]


def test_what_was_not_asked_is_not_wrong_and_gives_no_rank(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    for name, score in (("Good", 75.0), ("Poor", 25.0)):
        published(alice, release, name, dict.fromkeys(ALL, score))
    document = json.loads(client.get("/board/hf/board.json").content)
    lines = [
        (line["model"]["name"], line["rank"], line["overall"]["percent"])
        for line in document["entries"]
    ]
    assert lines == [("Good", 1, 75.0), ("Poor", 2, 25.0), ("Asked", None, 100.0)]
    [row] = [
        one for one in page(client.get("/board/hf/")).select("tbody tr") if "Asked" in one.text
    ]
    assert "best" not in str(row)
    whole = published(alice, release, "Asked", dict.fromkeys(ALL, 0.0))
    raise_board_version()
    document = json.loads(client.get("/board/hf/board.json").content)
    shown = [line["entry"] for line in document["entries"] if line["model"]["name"] == "Asked"]
    assert shown == [whole.entry_id]


def test_a_run_is_compared_on_the_questions_that_both_were_asked(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    other = published(alice, release, "Files", ALL)
    query = f"a={partly.entry_id}&b={other.entry_id}&task=kv_retrieval"
    found = client.get(f"/api/v1/compare/?{query}").json()
    assert (found["n"], found["unpaired"]) == (ASKED, 0)


def test_an_estimate_is_nowhere_the_best_nor_part_of_a_median(
    client: Client, partly: Submission, alice: User, release: Release
) -> None:
    alone = page(client.get("/models/asked/")).select("#profile")[0]
    assert "there is no other entry to compare with" in alone.text
    assert "this model" not in alone.select("tbody")[0].text
    for name, score in (("Good", 75.0), ("Poor", 25.0)):
        published(alice, release, name, dict.fromkeys(ALL, score))
    raise_board_version()
    for ending, best, second in (("tex", r"\textbf{75", r"\underline{25"), ("md", "**75", "*25")):
        lines = client.get(f"/board/hf/board.{ending}").content.decode().splitlines()
        good, poor, asked = (
            next(line for line in lines if name in line) for name in ("Good", "Poor", "Asked")
        )
        assert best in good
        assert second in poor
        assert not any(emphasis in asked for emphasis in ("textbf", "underline", "*"))
    for slug in ("asked", "good"):
        [row] = page(client.get(f"/models/{slug}/")).select('#profile tr[data-column="passkey"]')
        median, best_text, entries = (cell.text.split() for cell in row.select("td")[1:])
        assert (median, best_text[0], entries) == (["50.0"], "75.0", ["2"])
        assert ("model" in best_text) == (slug == "good")
