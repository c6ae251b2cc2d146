"""The cast at the doors of the site: what each of them is answered."""

from typing import TYPE_CHECKING, NamedTuple

from allauth.account.models import EmailAddress
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from portal.models import Role, Submission, User
from tests.support.addresses import Address

# nobody signed in; who handed it in; another author; a reviewer; an admin
ACTORS = ("anonymous", "owner", "other", "reviewer", "admin")
PASSWORD = "long enough to be one"


if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

    Answer = _MonkeyPatchedWSGIResponse
else:
    Answer = HttpResponse


class Cast(NamedTuple):
    doors: dict[str, Client]  # by actor: a browser in which they have signed in
    submission: Submission  # of the owner: private, scored

    def path(self, address: Address) -> str:
        """To the submission, its language model or its release, where the address needs one."""
        of_model = address.name in ("language-model", "my-model-edit", "my-model-delete")
        about = self.submission.language_model if of_model else self.submission.release
        number = self.submission.pk
        return address.path(submission_id=number, entry_id=number, slug=about.slug)


def cast_around(submission: Submission) -> Cast:
    """A fresh person in each role, beside the owner of the submission."""
    assert submission.owner
    people = (
        submission.owner,
        User.objects.create_user("other"),
        User.objects.create_user("reviewer", role=Role.REVIEWER),
        User.objects.create_superuser("admin"),
    )
    clients = [Client(), *(sign_in(with_password(user)) for user in people)]
    return Cast(dict(zip(ACTORS, clients, strict=True)), submission)


def with_password(user: User) -> User:
    """Able to sign in: with a password, and an address that is confirmed."""
    user.email = f"{user.username}@example.org"
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def sign_in(user: User) -> Client:
    """As people do it: what they may do next depends on how they came in."""
    client = Client()
    login = {"login": user.username, "password": PASSWORD}
    assert client.post("/accounts/login/", login).status_code == 302
    return client


def asked(cast: Cast, actor: str, method: str, address: Address, **headers: str) -> Answer:
    """What they are answered. Nothing of what it does stays, neither here nor in their browser."""
    client = Client(raise_request_exception=False)
    client.cookies.update(cast.doors[actor].cookies)
    mark = transaction.savepoint()
    try:
        response = client.generic(method, cast.path(address), headers=headers)
        response.getvalue()  # a download ends by being read
    finally:
        transaction.savepoint_rollback(mark)
    return response


def in_a_word(cast: Cast, response: Answer) -> str:
    """Its status, or where it leads."""
    where = str(response.headers.get("Location", "")).partition("?")[0]
    if where == reverse("account_login"):
        return "login"
    return where.replace(str(cast.submission.pk), "ID") or str(response.status_code)
