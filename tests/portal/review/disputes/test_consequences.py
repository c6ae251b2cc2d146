"""The predicted effect of a dispute is its effect, to the last digit."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag
from django.test import Client

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Example,
    LabelDispute,
    LanguageModel,
    Outcome,
    Release,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.releases.importer import import_release
from portal.review.disputes.services import decide_dispute, file_dispute
from scoring.metrics import METRIC_SETS
from tests.support import html
from tests.support.factories import make_submission, only_evaluation, packed

QA, FIND = "longbook_qa_eng", "math_find"
GOLD: Mapping[str, Sequence[object]] = {
    QA: [["the red mill by the river"], ["Ada", "Ada Lovelace"], ["two"], ["in May"], ["a cat"]],
    FIND: [[12], [7], [7], [3], [19]],
}
ANSWERS: Mapping[str, Mapping[str, Sequence[str]]] = {  # of models with their own rules
    "Careful": {
        QA: ["a red mill", "Ada Lovelace", "three", "in June", "the black cat"],
        FIND: ["12", "8", "7", "3", "19"],
    },
    "Hasty": {
        QA: ["river", "Ada", "two", "May", "a dog"],
        FIND: ["12", "7", "7", "4", "The answer is 18"],
    },
    "Silent": {QA: ["", "", "two", "", ""], FIND: ["", "7", "", "", ""]},
}


def folder_of(gold: Mapping[str, Sequence[object]], folder: Path) -> Path:
    folder.mkdir()
    for task, labels in gold.items():
        rows = [
            {"id": index, "context": f"Long ago. {index}", "input": "Who?", "answer": label}
            | {"options": []}
            for index, label in enumerate(labels)
        ]
        (folder / f"{task}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def scored(owner: User, release: Release, name: str) -> Submission:
    """A published submission, scored by the real scorer in its box."""
    files = {
        f"preds_{task}.jsonl": "\n".join(
            json.dumps({"id": index, "prediction": text}) for index, text in enumerate(texts)
        ).encode()
        for task, texts in ANSWERS[name].items()
    }
    found = make_submission(owner, release, packed(files))
    found.language_model = LanguageModel.objects.get_or_create(
        slug=name.lower(), defaults={"name": name, "owner": owner}
    )[0]
    found.state = SubmissionState.PUBLISHED
    found.save()
    score_evaluation(only_evaluation(found).pk)
    return found


@pytest.fixture
def release(db: None, storage: Path, tmp_path: Path) -> Release:
    return import_release(folder_of(GOLD, tmp_path / "old"), slug="old", title="Old")


@pytest.fixture
def entries(release: Release, alice: User) -> dict[str, Submission]:
    return {name: scored(alice, release, name) for name in ANSWERS}


@pytest.fixture
def reviewers(rita: User, adam: User) -> tuple[User, User]:
    return rita, adam


def disputed(release: Release, task: str, index: int, label: object, by: User) -> LabelDispute:
    example = Example.objects.get(data_set__releases=release, data_set__task=task, index=index)
    return file_dispute(release, example, proposed_label=label, reason="Read chapter three.", by=by)


def numbers(page: BeautifulSoup) -> dict[str, list[float]]:
    """By entry: the score of the task before and after, and the overall score."""
    return {
        str(row["data-entry"]): [
            float(str(cell[name]))
            for cell in row.select("[data-before]")
            for name in ("data-before", "data-after")
        ]
        for row in page.select("tr[data-entry]")
    }


def stored(submission: Submission, task: str, metric_set: str) -> float:
    return TaskScore.objects.get(
        evaluation__submission=submission, task=task, metric_set=metric_set
    ).mean


@pytest.mark.parametrize(
    "case", [(QA, 2, ["three", "3"]), (QA, 0, None), (FIND, 1, 8), (FIND, 4, None)]
)
def test_the_preview_equals_the_scores_on_the_corrected_data(
    client: Client,
    entries: dict[str, Submission],
    tmp_path: Path,
    reviewers: tuple[User, User],
    case: tuple[str, int, object],
) -> None:
    (task, index, label), (rita, adam) = case, reviewers
    release = Release.objects.get()
    dispute = disputed(release, task, index, label, rita)
    client.force_login(adam)
    address = f"/disputes/{dispute.pk}/"
    previews = {
        name: numbers(html.page(client.get(address, {"metric_set": name}))) for name in METRIC_SETS
    }
    decide_dispute(dispute, Outcome.LABEL_WRONG, reason="So it is, in chapter three.", by=adam)
    corrected = tmp_path / "new"
    folder_of(GOLD, corrected)
    download = client.get(f"/disputes/proposed/old/{task}.jsonl")
    (corrected / f"{task}.jsonl").write_bytes(download.getvalue())
    new = import_release(corrected, slug="new", title="New")
    assert new.data_sets.get(task=task).size == 5 - (label is None)
    changed = 0
    for name, entry in entries.items():
        assert entry.owner
        again = scored(entry.owner, new, name)
        for metric_set in METRIC_SETS:
            before, after = stored(entry, task, metric_set), stored(again, task, metric_set)
            changed += before != after
            row = previews[metric_set].get(str(entry.pk))
            assert row is None or row[:2] == [before, after]
            assert row is not None or before == after
    assert changed


@pytest.mark.usefixtures("entries")
def test_ranks_that_would_swap_are_shown(client: Client, release: Release, rita: User) -> None:
    """With 18 in place of 19, the hasty reader has four of five right, the careful one three."""
    dispute = disputed(release, FIND, 4, 18, rita)
    client.force_login(rita)
    page = html.page(client.get(f"/disputes/{dispute.pk}/"))
    ranks = {
        html.text(row.select("th")[0]): str(row.select("[data-ranks]")[0]["data-ranks"])
        for row in page.select("tr[data-entry]")
    }
    assert ranks == {"Careful": "1 2", "Hasty": "2 1"}
    [summary] = page.select("[data-scores]")
    assert (summary["data-scores"], summary["data-ranks"], summary["data-asked"]) == ("2", "2", "3")


def test_a_correction_holds_for_the_same_question_in_other_data_sets(
    client: Client, release: Release, tmp_path: Path, rita: User, adam: User
) -> None:
    other = import_release(
        folder_of({FIND: [[1], [7]]}, tmp_path / "other"), slug="other", title="Other"
    )
    Example.objects.filter(data_set__releases=release, data_set__task=FIND, index=1).update(
        question_number=7
    )
    Example.objects.filter(data_set__releases=other, index=1).update(question_number=7)
    dispute = disputed(release, FIND, 1, 8, rita)
    decide_dispute(dispute, Outcome.LABEL_WRONG, reason="It is eight, by the text.", by=adam)
    client.force_login(rita)
    found = [str(one["data-proposal"]) for one in listed(client)]
    assert found == [f"old/{FIND}", f"other/{FIND}"]
    body = client.get(f"/disputes/proposed/other/{FIND}.jsonl").getvalue()
    assert [json.loads(line)["answer"] for line in body.splitlines()] == [[1], [8]]
    again = disputed(other, FIND, 1, 9, rita)
    decide_dispute(again, Outcome.STANDS, reason="It was right after all.", by=adam)
    assert listed(client) == []
    assert LabelDispute.objects.flagged_in(other.data_sets.get()) == []


def listed(client: Client) -> list[Tag]:
    """The links to proposed data sets."""
    return list(html.page(client.get("/disputes/")).select("a[data-proposal]"))


@pytest.mark.usefixtures("entries")
def test_the_proposed_data_set_has_all_that_is_accepted_and_nothing_else(
    client: Client, release: Release, rita: User, adam: User
) -> None:
    for index, label, outcome in (
        (0, ["x"], Outcome.LABEL_WRONG),
        (0, ["y"], Outcome.LABEL_WRONG),
        (1, None, Outcome.AMBIGUOUS),
        (2, ["z"], Outcome.STANDS),
        (3, ["z"], Outcome.SCORER_WRONG),
    ):
        one = disputed(release, QA, index, label, rita)
        decide_dispute(one, outcome, reason="After reading it.", by=adam)
    disputed(release, QA, 4, ["open"], rita)
    client.force_login(rita)
    body = client.get(f"/disputes/proposed/old/{QA}.jsonl").getvalue()
    rows = [json.loads(line) for line in body.splitlines()]
    assert {row["id"]: row["answer"] for row in rows} == {
        0: ["y"], 2: ["two"], 3: ["in May"], 4: ["a cat"],
    }  # fmt: skip
    assert {row["context"] for row in rows} == {f"Long ago. {index}" for index in (0, 2, 3, 4)}
    page = html.page(client.get(f"/disputes/proposed/old/{QA}/"))
    assert len(page.select("tr[data-dispute]")) == 3
    assert client.get(f"/disputes/proposed/old/{FIND}/").status_code == 404
