"""Fill in the form of the submit page and send it, as a browser does."""

import re
from collections.abc import Iterable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from portal.models import Release, Submission, User

File = tuple[str, bytes]  # name, content
PASSKEY = b'{"id": 0, "prediction": "00000"}\n'
FILE: File = ("preds_passkey.jsonl", PASSKEY)
NEW_MODEL = {"language_model": "new", "model-name": "Longreader 8B", "model-weights": "open"}


def signed_in(user: User) -> Client:
    client = Client(raise_request_exception=True)
    client.force_login(user)
    return client


def fields_of(release: Release, /, **changed: Any) -> dict[str, Any]:  # noqa: ANN401 - a form's
    """What somebody fills in who describes a new language model."""
    return {"release": release.pk, "truncation": "middle", **NEW_MODEL, **changed}


def submit(
    client: Client,
    release: Release,
    files: Iterable[File] = (FILE,),
    /,
    **changed: Any,  # noqa: ANN401 - fields
) -> Any:  # noqa: ANN401 - Django's test response
    return client.post(reverse("submit"), form_with(files, fields_of(release, **changed)))


def submit_by_script(client: Client, release: Release) -> Any:  # noqa: ANN401 - likewise
    headers = {"X-Requested-With": "XMLHttpRequest"}
    return client.post(reverse("submit"), form_with([FILE], fields_of(release)), headers=headers)


def form_with(files: Iterable[File], fields: dict[str, Any]) -> dict[str, Any]:
    sent = [SimpleUploadedFile(name, content) for name, content in files]
    return {**fields, "predictions": sent}


def submitted(answer: Any) -> Submission:  # noqa: ANN401 - Django's test response
    """The submission to whose page an answer leads."""
    assert answer.status_code == 302, texts_of(answer)
    return Submission.objects.get(pk=answer.url.strip("/").rpartition("/")[2])


def texts_of(answer: Any) -> str:  # noqa: ANN401 - Django's test response
    """What stands on a page, without its tags."""
    return re.sub(r"<[^>]+>|\s+", " ", answer.content.decode())


def errors_of(answer: Any) -> list[str]:  # noqa: ANN401 - Django's test response
    """What the list above the form says is wrong."""
    assert answer.status_code == 422
    page = answer.content.decode()
    listed = page.partition('<div class="errors"')[2].partition("</div>")[0]
    return re.findall(r'<a href="#id_([\w-]+)">', listed)
