"""Receipts: signed by the site, verified by the command without the site."""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client
from pytest_django import Settings

from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, Release, Submission, User
from portal.scores.documents.receipts import receipt_keys, receipt_of
from scoring.__main__ import main
from scoring.receipts import ReceiptError, check_receipt, public_key, signed_receipt
from tests.support.factories import (
    SIZE,
    add_answers,
    make_submission,
    model,
    only_evaluation,
    packed_folder,
    release_of_all_tasks,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluation(alice: User, release: Release, world: Path) -> Evaluation:
    submission = make_submission(alice, release, packed_folder(world / "preds"))
    submission.evaluations.update(align="id")
    score_evaluation(only_evaluation(submission).pk)
    return only_evaluation(submission)


def saved(document: object, path: Path) -> str:
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def checked(arguments: list[str], out: Path) -> tuple[int, dict[str, Any]]:
    code = main(["verify-receipt", *arguments, "--json", str(out)])
    return code, json.loads(out.read_text(encoding="utf-8"))


def test_anybody_can_check_a_receipt_and_score_its_files_again(
    client: Client, evaluation: Evaluation, alice: User, world: Path, tmp_path: Path
) -> None:
    client.force_login(alice)
    address = f"/submissions/{evaluation.submission_id}/receipt.json"
    receipt = saved(client.get(address).json(), tmp_path / "receipt.json")
    [key] = client.get("/receipts/keys.json").json()["keys"]
    files = [str(world / "preds"), "--gold", str(world / "gold"), "--key", key]
    code, found = checked([receipt, *files], tmp_path / "out.json")
    assert (code, found["key"], found["differences"]) == (0, key, [])
    assert found["payload"]["submission"] == str(evaluation.submission_id)

    other = tmp_path / "preds"
    other.mkdir()
    for file in (world / "preds").iterdir():
        text = file.read_text(encoding="utf-8")
        (other / file.name).write_text(re.sub(r'"prediction": "', '"prediction": "no ', text))
    code, found = checked(
        [receipt, str(other), "--gold", str(world / "gold")], tmp_path / "out.json"
    )
    assert code == 1
    assert found["differences"]
    assert checked([receipt, "--key", "AA=="], tmp_path / "out.json")[0] == 1


def test_a_receipt_cannot_show_another_key_than_that_it_is_signed_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = Ed25519PrivateKey.generate()
    forged = {"site": "https://bench.example", "model": "M\x1b[8m\nkey  THE-KEY-OF-THE-SITE\u202e"}
    receipt = saved(signed_receipt(forged, key), tmp_path / "receipt.json")
    assert main(["verify-receipt", receipt]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("key")] == [
        public_key(key)
    ]
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_what_is_changed_in_a_receipt_breaks_it(evaluation: Evaluation) -> None:
    document: dict[str, Any] = receipt_of(evaluation)
    assert check_receipt(json.loads(json.dumps(document))).key == receipt_keys()[0]
    better = deepcopy(document)
    task = next(iter(better["payload"]["tasks"].values()))
    task["scores"]["strict"] = 100.5
    halves = deepcopy(document)
    halves["payload"]["model"] = "\ud800"
    broken: list[object] = [
        better,
        halves,
        {**document, "key": document["signature"]},
        {**document, "signature": ""},
        {**document, "form": "another"},
        {**document, "payload": []},
        {**document, "overall": {"strict": 100.0}},
        [],
        None,
    ]
    for one in broken:
        with pytest.raises(ReceiptError):
            check_receipt(one)


def test_a_receipt_says_nothing_twice(evaluation: Evaluation, tmp_path: Path) -> None:
    """With two payloads, a reader would see the first while the signature covers the last."""
    text = json.dumps(receipt_of(evaluation))
    forged = text.replace('"payload": {', '"payload": {"tasks": {}}, "payload": {', 1)
    (tmp_path / "receipt.json").write_text(forged)
    code, found = checked([str(tmp_path / "receipt.json")], tmp_path / "out.json")
    assert (code, found["payload"], len(found["differences"])) == (1, None, 1)


def test_a_receipt_of_a_hidden_release_says_what_its_page_says(client: Client, alice: User) -> None:
    release = release_of_all_tasks("secret", official=False)
    Release.objects.filter(pk=release.pk).update(hidden=True)
    submission = Submission.objects.create(
        owner=alice, language_model=model("Model"), release=release, state="published"
    )
    columns = {"passkey": {name: [1.0] * SIZE for name in ("official-2024-06", "strict")}}
    evaluation = add_answers(submission, columns)
    hashes = {"labels": "canary", "questions": ""}
    signature = {"scorer": "0", "input": "", "gold": {"passkey": hashes}, "aligned": {}}
    evaluation.signature = signature | {"aligned": {"passkey": "id"}}
    evaluation.save()
    receipt = client.get(f"/entries/{submission.pk}/receipt.json")
    assert "canary" not in receipt.content.decode()
    scores = check_receipt(receipt.json()).payload["tasks"]["passkey"]["scores"]
    assert set(scores.values()) == {None}
    evaluation.task_scores.filter(metric_set="strict").update(public_percent=90.0)
    payload = check_receipt(client.get(f"/entries/{submission.pk}/receipt.json").json()).payload
    assert payload["tasks"]["passkey"]["scores"]["strict"] == 90.0


def test_earlier_keys_stay_published_and_without_a_key_there_are_no_receipts(
    client: Client, evaluation: Evaluation, alice: User, settings: Settings
) -> None:
    before = check_receipt(receipt_of(evaluation)).key
    settings.RECEIPT_KEYS = ["another text of thirty-two letters", *settings.RECEIPT_KEYS]
    assert check_receipt(receipt_of(evaluation)).key != before
    assert receipt_keys()[1] == before
    settings.RECEIPT_KEYS = []
    client.force_login(alice)
    assert client.get(f"/submissions/{evaluation.submission_id}/receipt.json").status_code == 404
    assert client.get("/receipts/keys.json").json()["keys"] == []
