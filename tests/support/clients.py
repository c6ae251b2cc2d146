"""Browsers of people on the site: what they send, and the responses they get."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from allauth.account.models import EmailAddress
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from portal.evaluations.leases import Lease, claim_evaluation
from portal.evaluations.results import store_failure
from portal.evaluations.tasks import score_evaluation
from portal.models import EndpointRun, Example, Release, Role, Submission, User
from portal.submissions.pages.detail import SubmissionPage
from tests.support.addresses import Address
from tests.support.factories import (
    endpoint_run,
    make_submission,
    only_evaluation,
    packed_folder,
)
from tests.support.html import notices

# a visitor; the owner of the submission; another author; a reviewer; an admin
ACTORS = ("anonymous", "owner", "other", "reviewer", "admin")
PASSWORD = "long enough to be one"


if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

    Answer = _MonkeyPatchedWSGIResponse
else:
    Answer = HttpResponse


class Cast(NamedTuple):
    doors: dict[str, Client]  # by actor: a browser in which they are signed in
    submission: Submission  # the owner's: private, scored
    run: EndpointRun  # the owner's: not started
    example: int  # id of an example of the release

    def path(self, address: Address) -> str:
        """Filled in with the submission, its language model or its release where needed."""
        of_model = address.name == "language-model" or address.name.startswith("my-model-")
        about = self.submission.language_model if of_model else self.submission.release
        number = self.submission.pk
        return address.path(
            submission_id=number,
            run_id=self.run.pk,
            entry_id=number,
            slug=about.slug,
            example_id=self.example,
        )


def cast_around(submission: Submission) -> Cast:
    """A new user for each role, in addition to the owner of the submission."""
    assert submission.owner
    people = (
        submission.owner,
        User.objects.create_user("other"),
        User.objects.create_user("reviewer", role=Role.REVIEWER),
        User.objects.create_superuser("admin"),
    )
    clients = [Client(), *(sign_in(with_password(user)) for user in people)]
    run = endpoint_run(submission.owner, submission.release)
    run.questions.all().delete()  # questions are planned when the run starts
    example = Example.objects.filter(data_set__releases=submission.release)[0]
    return Cast(dict(zip(ACTORS, clients, strict=True)), submission, run, example.pk)


def with_password(user: User) -> User:
    """Make the user able to sign in: with a password and a confirmed email address."""
    user.email = f"{user.username}@example.org"
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def sign_in(user: User) -> Client:
    """Sign in through the form, since permissions depend on how a session began."""
    client = Client()
    login = {"login": user.username, "password": PASSWORD}
    assert client.post("/accounts/login/", login).status_code == 302
    return client


def asked(cast: Cast, actor: str, method: str, address: Address, **headers: str) -> Answer:
    """The response. Its effects are undone, both in the database and in the browser."""
    mark = transaction.savepoint()
    try:
        return answered(cast, actor, method, address, **headers)
    finally:
        transaction.savepoint_rollback(mark)


def answered(cast: Cast, actor: str, method: str, address: Address, **headers: str) -> Answer:
    """The response. Its effects on the database stay."""
    client = Client(raise_request_exception=False)
    client.handler = cast.doors["anonymous"].handler  # a handler that has loaded the middleware
    client.cookies.update(cast.doors[actor].cookies)
    response = client.generic(method, cast.path(address), headers=headers)
    response.getvalue()  # a download ends when it has been read
    return response


def in_a_word(cast: Cast, response: Answer) -> str:
    """The response's status, or the target of its redirect."""
    where = str(response.headers.get("Location", "")).partition("?")[0]
    if where == reverse("account_login"):
        return "login"
    where = where.replace(str(cast.submission.pk), "ID").replace(str(cast.run.pk), "RUN")
    return where or str(response.status_code)


File = tuple[str, bytes]  # name, content
PASSKEY = b'{"id": 0, "prediction": "00000"}\n'
FILE: File = ("preds_passkey.jsonl", PASSKEY)
NEW_MODEL = {"language_model": "new", "model-name": "Longreader 8B", "model-weights": "open"}


def signed_in(user: User) -> Client:
    client = Client(raise_request_exception=True)
    client.force_login(user)
    return client


def fields_of(release: Release, /, **changed: Any) -> dict[str, Any]:
    """The form fields of a new language model."""
    return {"release": release.pk, "truncation": "middle", **NEW_MODEL, **changed}


def submit(
    client: Client,
    release: Release,
    files: Iterable[File] = (FILE,),
    /,
    **changed: Any,
) -> Any:
    return client.post(reverse("submit"), form_with(files, fields_of(release, **changed)))


def submit_by_script(client: Client, release: Release) -> Any:
    headers = {"X-Requested-With": "XMLHttpRequest"}
    return client.post(reverse("submit"), form_with([FILE], fields_of(release)), headers=headers)


def form_with(files: Iterable[File], fields: dict[str, Any]) -> dict[str, Any]:
    sent = [SimpleUploadedFile(name, content) for name, content in files]
    return {**fields, "predictions": sent}


def submitted(answer: Any) -> Submission:
    """The submission to whose page a response redirects."""
    assert answer.status_code == 302, texts_of(answer)
    return Submission.objects.get(pk=answer.url.strip("/").rpartition("/")[2])


def texts_of(answer: Any) -> str:
    """The text of a page, without its tags."""
    return re.sub(r"<[^>]+>|\s+", " ", answer.content.decode())


def errors_of(answer: Any) -> list[str]:
    """The errors listed above the form."""
    assert answer.status_code == 422
    page = answer.content.decode()
    listed = page.partition('<div class="errors"')[2].partition("</div>")[0]
    return re.findall(r'<a href="#id_([\w-]+)">', listed)


HTMX = {"HX-Request": "true"}


def waiting_submission(alice: User, release: Release, world: Path) -> Submission:
    """Fixture: two of three tasks; the author has said that rows are matched by id."""
    submission = make_submission(alice, release, packed_folder(world / "preds"))
    submission.evaluations.update(align="id")
    return submission


def scored_submission(waiting: Submission) -> Submission:
    """Fixture: a submission scored by the real scorer."""
    score_evaluation(only_evaluation(waiting).pk)
    return waiting


def fail(submission: Submission, code: str, times: int = 1) -> None:
    for _ in range(times):
        store_failure(leased(submission), code, "the disk /dev/secret is full")


def leased(submission: Submission) -> Lease:
    lease = claim_evaluation(only_evaluation(submission).pk)
    assert lease
    return lease


def submission_html(client: Client, user: User, submission: Submission, **query: str) -> str:
    client.force_login(user)
    return html_of(client.get(reverse("submission", args=[submission.pk]), query))


def visit(client: Client, user: User, submission: Submission, **query: str) -> SubmissionPage:
    """The data that the page is rendered from."""
    client.force_login(user)
    response = client.get(reverse("submission", args=[submission.pk]), query)
    assert response.status_code == 200
    shown: SubmissionPage = response.context["page"]
    return shown


def html_of(response: Any) -> str:
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def status(client: Client, submission: Submission, **query: str) -> Any:
    url = reverse("submission-status", args=[submission.pk])
    return client.get(url, query, headers=HTMX)


def post(client: Client, user: User, name: str, submission: Submission, **data: str) -> str:
    """Press a button. Returns the page that it leads to, with its message."""
    client.force_login(user)
    return html_of(client.post(reverse(name, args=[submission.pk]), data, follow=True))


def press(client: Client, user: User, name: str, submission: Submission, **data: str) -> list[str]:
    """Press a button. Returns the codes of the messages on the page that it leads to."""
    client.force_login(user)
    return notices(client.post(reverse(name, args=[submission.pk]), data, follow=True))
