"""The answers of a run become a submission, as if its author had uploaded the files."""

import io
import json
import logging
import zipfile
from collections.abc import Mapping
from uuid import UUID

from django.core.files.base import ContentFile
from django.db.models.functions import Now

from portal.endpoint_runs.progress.figures import left_out_of
from portal.endpoint_runs.questions import settings_of_run
from portal.errors import StateError, UserError
from portal.models import EndpointRun, RunQuestion, Submission
from portal.submissions.files.originals import Upload
from portal.submissions.services import SubmissionSettings, submit_predictions
from scoring.endpoint.run.records import ANSWERS
from scoring.keys import canonical_key
from scoring.limits import LIMITS, MIB

_LARGEST = (1 << 31) - 1  # that a column holds
_AT_ONCE = 50  # answers read at a time; each may have a megabyte

log = logging.getLogger(__name__)


def submit_run(run_id: UUID) -> None:
    """Safe to call any number of times: the submission is made once.

    Raises ``OSError``; then it is tried again later.
    """
    runs = EndpointRun.objects.to_hand_in().select_related("owner", "language_model", "release")
    run = runs.filter(pk=run_id).first()
    if run is None:
        return
    rows = EndpointRun.objects.filter(pk=run.pk)
    try:
        files = prediction_files(run)
        if not files:
            rows.update(handed_in=Now())
            return
        submit_predictions(
            owner=run.owner,
            language_model=run.language_model,
            release=run.release,
            settings=_submission_settings(run),
            upload=Upload(ContentFile(_packed(files)), "endpoint-run.zip"),
            run=run,
        )
    except UserError as error:  # such as a closed release; the run keeps the answers
        log.warning("not submitted: %s", error.code, extra={"run": str(run.pk)})
        left = rows.filter(handed_in=None)  # else another worker has submitted them
        left.update(handed_in=Now(), reason="not submitted", reason_details=str(error))


def submit_ended_runs() -> int:
    """Submit the ended runs whose worker was lost before it did; returns how many."""
    ids = list(EndpointRun.objects.to_hand_in().values_list("pk", flat=True))
    for run_id in ids:
        try:
            submit_run(run_id)
        except Exception:  # a full disk, say: one run must not stop the others
            log.exception("not submitted yet", extra={"run": str(run_id)})
    return len(ids)


def prediction_files(run: EndpointRun) -> dict[str, bytearray]:
    """Official files by name, with the answers in the order of the release. A question that the
    endpoint has failed gets null, so that a task without any answer is not left out.

    Raises ``StateError`` as soon as they are larger than an upload may be.
    """
    counted = RunQuestion.objects.counted().filter(run=run)
    left_out = [one.task for one in left_out_of(run)]
    kept = counted.exclude(task__in=left_out).order_by("task", "example__index")
    if not kept.filter(outcome__in=ANSWERS).exists():
        return {}
    files: dict[str, bytearray] = {}
    columns = kept.values_list("task", "example__key", "outcome", "text")
    for task, key, outcome, text in columns.iterator(_AT_ONCE):
        row = {"id": canonical_key(key), "prediction": text if outcome in ANSWERS else None}
        files.setdefault(f"preds_{task}.jsonl", bytearray()).extend(f"{json.dumps(row)}\n".encode())
        if sum(map(len, files.values())) > LIMITS.bytes_in:
            raise StateError(
                f"The answers of this run have more than {LIMITS.bytes_in // MIB} MB in total.",
                "too_large",
            )
    return files


def _packed(files: Mapping[str, bytes | bytearray]) -> bytes:
    """A ZIP without compression: a model that repeats itself would look like a zip bomb."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _submission_settings(run: EndpointRun) -> SubmissionSettings:
    settings = settings_of_run(run)
    is_cut = settings.strategy.sends_contexts and settings.truncation == "middle"
    output = max(map(settings.output_limit, settings.tasks))
    own_templates = " with own templates" if settings.templates else ""
    return SubmissionSettings(
        note=run.note,
        prompt_strategy=f"{settings.strategy.value}{own_templates}",
        input_limit=min(settings.window, _LARGEST),
        output_limit=min(output, _LARGEST),
        truncation=Submission.Truncation.MIDDLE if is_cut else Submission.Truncation.NONE,
        method=run.method,
    )
