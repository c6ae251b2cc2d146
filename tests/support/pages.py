"""Look at the pages of submissions as a person does, and bring submissions about."""

import re
from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse

from portal.evaluations.leases import Lease, claim_evaluation
from portal.evaluations.results import store_failure
from portal.evaluations.tasks import score_evaluation
from portal.models import Release, Submission, User
from portal.submissions.detail_page import SubmissionPage
from tests.support.handing_in import hand_in, only_evaluation, packed_folder
from tests.support.html import notices

HTMX = {"HX-Request": "true"}


def waiting_submission(alice: User, release: Release, world: Path) -> Submission:
    """Fixture: two of three tasks; that rows are matched by id has been said."""
    submission = hand_in(alice, release, packed_folder(world / "preds"))
    submission.evaluations.update(align="id")
    return submission


def scored_submission(waiting: Submission) -> Submission:
    """Fixture: by the real scorer."""
    score_evaluation(only_evaluation(waiting).pk)
    return waiting


def fail(submission: Submission, code: str, times: int = 1) -> None:
    for _ in range(times):
        store_failure(leased(submission), code, "the disk /dev/secret is full")


def leased(submission: Submission) -> Lease:
    lease = claim_evaluation(only_evaluation(submission).pk)
    assert lease
    return lease


def page(client: Client, user: User, submission: Submission, **query: str) -> str:
    client.force_login(user)
    return text(client.get(reverse("submission", args=[submission.pk]), query))


def visit(client: Client, user: User, submission: Submission, **query: str) -> SubmissionPage:
    """What the page shows, before it is put in words."""
    client.force_login(user)
    response = client.get(reverse("submission", args=[submission.pk]), query)
    assert response.status_code == 200
    shown: SubmissionPage = response.context["page"]
    return shown


def text(response: Any) -> str:  # noqa: ANN401 - whatever the client gives
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def status(client: Client, submission: Submission, **query: str) -> Any:  # noqa: ANN401
    url = reverse("submission-status", args=[submission.pk])
    return client.get(url, query, headers=HTMX)


def post(client: Client, user: User, name: str, submission: Submission, **data: str) -> str:
    """The page that a button leads to, with its message."""
    client.force_login(user)
    return text(client.post(reverse(name, args=[submission.pk]), data, follow=True))


def press(client: Client, user: User, name: str, submission: Submission, **data: str) -> list[str]:
    """Press a button. Returns the codes of the messages on the page that it leads to."""
    client.force_login(user)
    return notices(client.post(reverse(name, args=[submission.pk]), data, follow=True))
