"""Reviews through the API: what waits, what reviewers see, and decisions about what they saw."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from portal.api.reviews import views as reviews
from portal.evaluations.tasks import score_evaluation
from portal.models import Release, Role, Scope, Submission, SubmissionState, User
from portal.review.services import request_publication
from tests.support.clients import Answer
from tests.support.factories import (
    as_if_scored,
    make_submission,
    only_evaluation,
    packed_folder,
)
from tests.support.programs import act, hand_in, problem_of, program

pytestmark = pytest.mark.django_db

REVIEWS = "/api/v1/reviews/"
REASON = "The scores fit the paper."
PERFECT = (
    "preds_passkey.jsonl",
    b"".join(b'{"id": %d, "prediction": "0000%d"}\n' % (key, key) for key in range(3)),
)


@pytest.fixture
def requested(alice: User, release: Release, world: Path) -> Submission:
    made = as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))
    return request_publication(made, by=alice, unknown_confirmed=True)


def decide(client: Client, submission: Submission, action: str, **fields: object) -> Answer:
    content = "application/json"
    return client.post(f"{REVIEWS}{submission.pk}/{action}/", fields, content_type=content)


def seen_by(client: Client, submission: Submission) -> Any:
    answer = client.get(f"{REVIEWS}{submission.pk}/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_from_the_upload_to_the_leaderboard_by_the_api_alone(
    alice: User, rita: User, release: Release
) -> None:
    author = program(alice, Scope.READ, Scope.SUBMIT)
    made = Submission.objects.get(pk=hand_in(author, release, PERFECT).json()["id"])
    score_evaluation(only_evaluation(made).pk)
    act(author, made, "request/", prompt_strategy="zero-shot", unknown_confirmed=True)

    reviewer = program(rita, Scope.REVIEW)
    [waiting] = reviewer.get(REVIEWS).json()["reviews"]
    assert (waiting["id"], waiting["owner"]) == (str(made.pk), "alice")
    assert "First-time submitter." in [one["sentence"] for one in waiting["warnings"]]
    assert decide(reviewer, made, "claim").json()["summary"]["claimed_by"] == "rita"
    found = seen_by(reviewer, made)
    assert found["actions"] == ["ask", "claim", "publish", "reject"]
    assert [(one["task"], one["scores"]["strict"]) for one in found["tasks"]] == [("passkey", 100)]
    assert found["submission"]["prompt_strategy"] == "zero-shot"
    assert "alice requested publication" in [step["sentence"] for step in found["history"]]
    published = decide(reviewer, made, "publish", reason=REASON, seen=found["seen"])
    assert published.json()["summary"]["state"] == "published"
    assert published.json()["actions"] == ["undo"]

    listed = Client().get("/api/v1/entries/?metric_set=strict").json()["entries"]
    assert [(one["id"], one["scores"]["passkey"]["mean"]) for one in listed] == [
        (str(made.pk), 100.0)
    ]
    assert reviewer.get(REVIEWS).json()["reviews"] == []


def test_a_decision_is_on_what_was_seen(requested: Submission, rita: User) -> None:
    reviewer = program(rita, Scope.REVIEW)
    seen = seen_by(reviewer, requested)["seen"]
    assert problem_of(decide(reviewer, requested, "publish", reason=REASON))[0] == 422
    Submission.objects.update(note="changed meanwhile")
    refused = decide(reviewer, requested, "publish", reason=REASON, seen=seen)
    assert problem_of(refused) == (409, "changed")
    requested.refresh_from_db()
    assert requested.state == SubmissionState.IN_REVIEW


def test_reviewers_ask_reject_and_undo_and_admins_hide_and_restore(
    requested: Submission, alice: User, rita: User, adam: User
) -> None:
    reviewer, admin = program(rita, Scope.REVIEW), program(adam, Scope.REVIEW)
    author = program(alice, Scope.SUBMIT, Scope.READ)

    def told() -> Any:
        return author.get(f"/api/v1/submissions/{requested.pk}/").json()

    def now(answer: Answer) -> str:
        assert answer.status_code == 200, answer.content
        return str(answer.json()["summary"]["state"])

    assert problem_of(decide(reviewer, requested, "ask", reason="Why?")) == (422, "invalid_fields")
    before = seen_by(reviewer, requested)["seen"]
    assert now(decide(reviewer, requested, "ask", reason="Which template was used?")) == "question"
    [waiting] = reviewer.get(f"{REVIEWS}?state=question").json()["reviews"]
    assert waiting["id"] == str(requested.pk)
    assert told()["reason"] == "Which template was used?"
    assert act(author, requested, "reply/", reply="The official one.").status_code == 200
    assert told()["reason"] == ""
    unread = decide(reviewer, requested, "publish", reason=REASON, seen=before)
    assert problem_of(unread) == (409, "changed")
    assert now(decide(reviewer, requested, "reject", reason=REASON)) == "rejected"
    assert told()["reason"] == REASON
    asked = ("A reviewer asked the author a question", "Which template was used?")
    assert asked in [(step["sentence"], step["reason"]) for step in told()["history"]]
    assert now(decide(reviewer, requested, "undo")) == "in review"
    assert told()["reason"] == ""
    seen = seen_by(admin, requested)["seen"]
    assert now(decide(admin, requested, "publish", reason=REASON, seen=seen)) == "published"
    assert problem_of(decide(reviewer, requested, "hide", reason=REASON)) == (403, "not_allowed")
    assert now(decide(admin, requested, "hide", reason=REASON)) == "hidden"
    assert [one["id"] for one in admin.get(f"{REVIEWS}?state=hidden").json()["reviews"]]
    seen = seen_by(admin, requested)["seen"]
    assert now(decide(admin, requested, "restore", reason=REASON, seen=seen)) == "published"
    assert problem_of(decide(admin, requested, "claim")) == (409, "wrong_state")
    assert now(decide(admin, requested, "withdraw", reason=REASON)) == "withdrawn"
    assert problem_of(reviewer.get(f"{REVIEWS}?state=none")) == (400, "unknown_state")


def test_the_scope_counts_only_while_its_owner_is_a_reviewer_and_not_on_ones_own(
    requested: Submission, alice: User, rita: User
) -> None:
    reviewer = program(rita, Scope.REVIEW)
    User.objects.filter(pk=rita.pk).update(role=Role.AUTHOR)
    for answer in (
        reviewer.get(REVIEWS),
        reviewer.get(f"{REVIEWS}{requested.pk}/"),
        decide(reviewer, requested, "reject", reason=REASON),
    ):
        assert problem_of(answer) == (403, "no_reviewer")
    User.objects.filter(pk=alice.pk).update(role=Role.ADMIN)
    alice.refresh_from_db()
    own = program(alice, Scope.REVIEW)
    assert seen_by(own, requested)["actions"] == []
    for action in ("publish", "reject", "withdraw"):
        answer = decide(own, requested, action, reason=REASON, seen="x")
        assert problem_of(answer) == (403, "not_allowed")
    requested.refresh_from_db()
    assert requested.state == SubmissionState.IN_REVIEW


def test_of_a_hidden_release_a_reviewer_sees_what_their_page_shows(
    requested: Submission, rita: User, world: Path
) -> None:
    """No gold answers and no exact scores, where the reviewer has submitted the same."""
    Release.objects.update(hidden=True)
    reviewer = program(rita, Scope.REVIEW)
    before = seen_by(reviewer, requested)
    assert not before["has_same_predictions"]
    assert "publish" in before["actions"]
    assert before["shares"]
    assert all(one["gold"] is not None for one in before["shares"])
    files = packed_folder(world / "preds")
    as_if_scored(make_submission(rita, requested.release, files))
    after = seen_by(reviewer, requested)
    assert after["has_same_predictions"]
    first = after["summary"]["warnings"][0]
    assert first["sentence"].startswith("Every answer is identical to the predictions of ")
    assert first["is_critical"]
    assert "publish" not in after["actions"]
    assert all(one["gold"] is None for one in after["shares"])


def test_the_queue_has_pages(
    alice: User, rita: User, release: Release, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "PAGE_SIZE", 2)
    made = [
        request_publication(
            as_if_scored(make_submission(alice, release, packed_folder(world / "preds"))),
            by=alice,
            unknown_confirmed=True,
        )
        for _ in range(3)
    ]
    reviewer = program(rita, Scope.REVIEW)
    first = reviewer.get(REVIEWS).json()
    second = reviewer.get(first["next"]).json()
    listed = [one["id"] for page in (first, second) for one in page["reviews"]]
    assert listed == [str(one.pk) for one in made]
    assert (len(second["reviews"]), second["next"]) == (1, None)
    assert reviewer.get(second["previous"]).json()["reviews"] == first["reviews"]
