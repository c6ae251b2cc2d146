"""Hand in predictions as an author does, in one line."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from django.core.files.base import ContentFile, File

from portal.models import Evaluation, LanguageModel, Release, Submission, User
from portal.submissions.services import SubmissionSettings, submit_predictions
from tests.support.boxes import files_in


def packed(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def packed_folder(folder: Path) -> bytes:
    return packed({name: file.read_bytes() for name, file in files_in(folder).items()})


def model_of(owner: User) -> LanguageModel:
    return LanguageModel.objects.get_or_create(
        slug=f"model-of-{owner.username}", defaults={"name": "Model", "owner": owner}
    )[0]


def hand_in(
    owner: User, release: Release, upload: "bytes | File[bytes]", name: str = "preds.zip"
) -> Submission:
    return submit_predictions(
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=SubmissionSettings(prompt_strategy="as published"),
        upload=ContentFile(upload) if isinstance(upload, bytes) else upload,
        upload_name=name,
    )


def only_evaluation(submission: Submission) -> Evaluation:
    return submission.evaluations.get()
