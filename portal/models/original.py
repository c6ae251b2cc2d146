"""Uploaded files, and which submission uses which of their tasks."""

from django.core.exceptions import ValidationError
from django.db import models

from portal.models.hub import HubFetch
from portal.models.release import TASK_CHOICES
from portal.models.submission import Submission
from scoring.catalog import TASKS
from scoring.limits import LIMITS

FILE_NAME_CAP = 255  # characters
_NO_SUCH_TASK = "Choose the task of each file from the list."


def validate_file_tasks(value: object) -> None:
    """Checks a mapping of file names to task ids. Raises ``ValidationError``."""
    if not isinstance(value, dict) or len(value) > LIMITS.entries:
        raise ValidationError(_NO_SUCH_TASK, "file_tasks")
    for file, task in value.items():
        if not isinstance(file, str) or len(file) > FILE_NAME_CAP or task not in TASKS:
            raise ValidationError(_NO_SUCH_TASK, "file_tasks")


class Original(models.Model):
    """An uploaded file. Later versions may refer to it, and it is deleted with the last submission
    that does (``portal.submissions.files.originals``)."""

    submission = models.ForeignKey(  # with which it arrived; None: deleted
        Submission, models.SET_NULL, null=True, editable=False, related_name="uploads"
    )
    fetch = models.OneToOneField(  # that has fetched it from the Hub; None: it was uploaded
        HubFetch, models.SET_NULL, null=True, editable=False, related_name="original"
    )
    # Stored under a name that the site has chosen; the original name is only shown.
    file = models.FileField(max_length=200, editable=False)
    name = models.CharField(max_length=FILE_NAME_CAP, editable=False)
    size = models.PositiveBigIntegerField(editable=False)
    hash = models.CharField(max_length=64, editable=False, db_index=True)  # SHA-256
    task = models.CharField(  # of a single file whose name does not tell it
        max_length=40, blank=True, choices=TASK_CHOICES, editable=False
    )
    file_tasks = models.JSONField(  # file → task, for files in archives whose names do not tell it
        default=dict, blank=True, editable=False, validators=[validate_file_tasks]
    )

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def titled_tasks(self) -> list[tuple[str, str]]:
        """Each file with the title of the task chosen for it."""
        return [(file, TASKS[task].title) for file, task in sorted(self.file_tasks.items())]


class SubmissionFile(models.Model):
    """An original from which a submission has tasks. If several have the same task, the last
    counts."""

    submission = models.ForeignKey(
        Submission, models.CASCADE, related_name="files", db_index=False, editable=False
    )
    original = models.ForeignKey(Original, models.PROTECT, related_name="uses", editable=False)
    position = models.PositiveSmallIntegerField(editable=False)  # from 0; new files are the last
    kept_tasks = models.JSONField(null=True, editable=False)  # None: all of its tasks

    class Meta:
        ordering = ["submission", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "position"], name="one_file_for_a_position"
            )
        ]

    def __str__(self) -> str:
        return f"{self.original} of {self.submission_id}"

    @property
    def is_new(self) -> bool:
        """Whether it arrived with this submission, rather than being kept from an earlier one."""
        return self.original.submission_id == self.submission_id
