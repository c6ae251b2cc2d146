"""Entries of the reference reader, made as all are: submitted, scored, reviewed, published."""

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from portal.evaluations.sandbox import may_score, sandbox
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    EvaluationState,
    LanguageModel,
    Release,
    Role,
    Submission,
    SubmissionState,
    User,
)
from portal.releases.downloads import temporary_import_file
from portal.review.services import publish_submission, request_publication
from portal.submissions.files.originals import Upload
from portal.submissions.services import SubmissionSettings, submit_predictions
from portal.web.zip_writer import pack

OWNER = "reference"  # an account without a password
REVIEWER = "reviewer"
_POLL = 0.5  # seconds
_TIMEOUT = 900.0  # seconds: every submission comes to an end within that time


class ReferenceEntryError(Exception):
    """There is no entry; the message says why."""


@dataclass(frozen=True, slots=True)
class ReferenceReader:
    """One reader of ``scoring.baseline``. ``window`` is in tokens; ``made_up`` is the name of a
    language model that it pretends to be, instead of a baseline."""

    window: int
    made_up: str = ""

    @property
    def name(self) -> str:
        return self.made_up or f"Reference reader, {self.window:,} tokens"

    def submission_id(self, release: Release) -> UUID:
        """The same at every start, so that it is submitted only once."""
        return uuid5(NAMESPACE_URL, f"reference-reader/{release.pk}/{self.window}")

    def is_decided_in(self, release: Release) -> bool:
        """Whether it has been reviewed, even if it was withdrawn later."""
        entries = Submission.objects.decided()
        return entries.filter(pk=self.submission_id(release)).exists()


def publish_reference_entry(
    reader: ReferenceReader,
    release: Release,
    predictions: Path,
    *,
    owner: User,
    reviewer: User,
    publish_on: datetime | None = None,
    score_here: bool = False,
) -> None:
    """Submit a folder of predictions, wait until a worker has scored it, and publish it.

    ``score_here``: in this process, while no worker runs yet. An interrupted run is completed.
    Raises ``ReferenceEntryError``, and what the services raise.
    """
    if score_here and not may_score():
        raise ReferenceEntryError(f"Nothing is scored here: {sandbox().reason}")
    submission = _submit(reader, release, predictions, owner)
    _wait_until_scored(submission, here=score_here)
    if submission.state == SubmissionState.PRIVATE:
        submission = request_publication(
            submission, by=owner, unknown_confirmed=True, publish_on=publish_on
        )
    if submission.state == SubmissionState.IN_REVIEW:
        reason = "The site's own rule-based reader."
        publish_submission(submission, by=reviewer, reason=reason)


def reference_owner() -> User:
    """The account of the entries, created if needed."""
    defaults = {"email": f"{OWNER}@example.org", "role": Role.AUTHOR}
    return User.objects.get_or_create(username=OWNER, defaults=defaults)[0]


def _submit(
    reader: ReferenceReader, release: Release, predictions: Path, owner: User
) -> Submission:
    own = LanguageModel.objects.owned_by(owner).filter(name=reader.name).first()
    language_model = own or LanguageModel(  # stored with the submission
        name=reader.name,
        organisation="" if reader.made_up else "∞Bench",
        parameters="none",
        licence="Apache-2.0",
        weights=LanguageModel.Weights.OPEN,
        context_window=reader.window,
        baseline=not reader.made_up,
    )
    files = sorted(predictions.glob("*.jsonl"))
    with temporary_import_file() as archive:
        pack(((file.name, [file.read_bytes()]) for file in files), archive)
        archive.seek(0)
        return submit_predictions(
            owner=owner,
            language_model=language_model,
            release=release,
            settings=SubmissionSettings(
                note="Answers by rules from what fits its window, so it shows the effect of the "
                "window.",
                prompt_strategy="one prompt per example, question at the end",
                input_limit=reader.window,
                truncation=Submission.Truncation.MIDDLE,
            ),
            upload=Upload(archive, f"reference-{reader.window}.zip"),
            submission_id=reader.submission_id(release),
        )


def _wait_until_scored(submission: Submission, *, here: bool) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        if here and (waiting := submission.evaluations.queued().first()):
            score_evaluation(waiting.pk)
        state = submission.evaluations.values_list("state", flat=True).first()
        if state == EvaluationState.SCORED:
            return
        if state in (EvaluationState.FAILED, EvaluationState.NEEDS_ANSWER):
            raise ReferenceEntryError(f"{submission.language_model}: its evaluation is “{state}”.")
        time.sleep(_POLL)
    raise ReferenceEntryError(f"{submission.language_model}: not scored after {_TIMEOUT:.0f} s.")
