"""Doubts of programs: notes of reviewers, runs that admins end."""

import pytest
from django.db.models.functions import Now
from django.test import Client

from portal.models import (
    EndpointRun,
    Note,
    Release,
    RunState,
    Scope,
    Submission,
    User,
)
from tests.portal.review.conftest import GOLD, answered, tasks_of_text
from tests.support.clients import Answer
from tests.support.factories import endpoint_run
from tests.support.programs import problem_of, program

__all__ = ["tasks_of_text"]

TASK = "longbook_qa_eng"
EXAMPLE = {"release": "texts", "task": TASK, "key": f"{TASK}/3"}
NOTES, RUNS = (f"/api/v1/{end}/" for end in ("notes", "reviews/runs"))


@pytest.fixture
def entry(alice: User, tasks_of_text: Release) -> Submission:
    return answered(alice, tasks_of_text, "Entry", {TASK: GOLD[TASK]})


def sent(client: Client, address: str, **fields: object) -> Answer:
    return client.post(address, fields, content_type="application/json")


def test_notes_are_written_edited_and_removed_by_their_author(
    entry: Submission, rita: User, adam: User
) -> None:
    rolf = program(User.objects.create_user("rolf", role=rita.role), Scope.REVIEW)
    reviewer, admin = program(rita, Scope.REVIEW), program(adam, Scope.REVIEW)
    on_entry = sent(reviewer, NOTES, **EXAMPLE, entry=str(entry.pk), text="odd").json()
    sent(reviewer, NOTES, **EXAMPLE, text="The question is fine.")
    assert (on_entry["entry"], on_entry["author"]) == (str(entry.pk), "rita")
    listed = rolf.get(NOTES, EXAMPLE).json()["notes"]
    assert [(one["entry"], one["text"]) for one in listed] == [
        (None, "The question is fine."), (str(entry.pk), "odd"),
    ]  # fmt: skip
    assert problem_of(rolf.get(NOTES, EXAMPLE | {"key": "none"})) == (404, "not_found")
    address = f"{NOTES}{on_entry['id']}/"
    assert problem_of(sent(rolf, address, text="mine")) == (403, "not_allowed")
    assert problem_of(rolf.delete(address)) == (403, "not_allowed")
    assert problem_of(sent(reviewer, address)) == (422, "invalid_fields")
    assert sent(reviewer, address, text="even odder").json()["edited"]
    assert admin.delete(address).status_code == 204
    assert problem_of(admin.delete(address)) == (404, "not_found")
    assert Note.objects.count() == 1


def test_nobody_reads_notes_on_their_own_predictions(entry: Submission, rita: User) -> None:
    note = sent(program(rita, Scope.REVIEW), NOTES, **EXAMPLE, entry=str(entry.pk), text="odd")
    owner = entry.owner
    assert owner
    owner.role = rita.role
    owner.save()
    own = program(owner, Scope.REVIEW)
    assert own.get(NOTES).json()["notes"] == []
    address = f"{NOTES}{note.json()['id']}/"
    assert problem_of(own.delete(address)) == (404, "not_found")
    refused = sent(own, NOTES, **EXAMPLE, entry=str(entry.pk), text="not odd")
    assert problem_of(refused) == (404, "not_found")


def test_admins_pause_and_stop_runs_of_others(
    tasks_of_text: Release, alice: User, rita: User, adam: User
) -> None:
    run = endpoint_run(alice, tasks_of_text, "Busy", state="running", resumed=Now(), started=Now())
    endpoint_run(alice, tasks_of_text, "Draft")
    reviewer, admin = program(rita, Scope.REVIEW), program(adam, Scope.REVIEW)
    assert problem_of(reviewer.get(RUNS)) == (403, "not_allowed")
    [listed] = admin.get(RUNS).json()["runs"]
    assert (listed["id"], listed["owner"], listed["state"]) == (str(run.pk), "alice", "running")
    reason = "It asks an endpoint whose owner has complained."
    pause, stop = (f"{RUNS}{run.pk}/{action}/" for action in ("pause", "stop"))
    assert problem_of(sent(reviewer, pause, reason=reason)) == (403, "not_allowed")
    assert problem_of(sent(admin, pause, reason="No.")) == (422, "invalid_fields")
    assert sent(admin, pause, reason=reason).json()["state"] == "paused"
    assert problem_of(sent(admin, pause, reason=reason))[0] == 409
    assert reason in sent(admin, stop, reason=reason).json()["sentence"]
    assert EndpointRun.objects.get(pk=run.pk).state == RunState.ENDED
