"""API clients: what they send, and the responses they get."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from portal.accounts.tokens import LIFETIMES, create_token
from portal.models import Release, Scope, Submission, User
from tests.support.clients import FILE, NEW_MODEL, Answer, File

LIST = "/api/v1/submissions/"
PROBLEM = "application/problem+json"


def program(user: User, *scopes: Scope) -> Client:
    """A client that sends nothing but a token."""
    new = create_token(user, "-".join(scopes), scopes, LIFETIMES[0])
    return Client(headers={"Authorization": f"Bearer {new.text}"})


def hand_in(
    client: Client, release: Release, file: File = FILE, /, key: str = "", **fields: Any
) -> Answer:
    sent = {
        "release": release.slug,
        **NEW_MODEL,
        "predictions": SimpleUploadedFile(*file),
        **fields,
    }
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(LIST, sent, headers=headers)


def address(submission: Submission, action: str = "") -> str:
    return f"{LIST}{submission.pk}/{action}"


def act(client: Client, submission: Submission, action: str, **fields: object) -> Answer:
    return client.post(address(submission, action), fields, content_type="application/json")


def problem_of(answer: Answer) -> tuple[int, str]:
    """The status and code of a response; checks that it is a problem document."""
    assert answer.headers["Content-Type"] == PROBLEM, answer.content
    document = answer.json()
    assert document["status"] == answer.status_code
    assert document["title"]
    assert document["detail"]
    return answer.status_code, document["code"]


def errors_of(answer: Answer) -> set[tuple[str | None, str]]:
    """The fields that are wrong, each with its code."""
    assert problem_of(answer) == (422, "invalid_fields")
    return {(one["field"], one["code"]) for one in answer.json()["errors"]}
