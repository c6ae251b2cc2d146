"""Two entries of the demo's author that are not fully public yet: one is published anonymously, the
other is approved and sealed. They give the author's and the reviewers' pages something to show."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.timezone import now

from portal.demo.baseline_entries import ReferenceReader, publish_reference_entry
from portal.models import Release, User
from portal.review.schedule import Schedule

OWNER = "author"
ANONYMOUS, SEALED = ReferenceReader(24 * 1024, "Nightjar"), ReferenceReader(48 * 1024, "Kingfisher")
_LATER = timedelta(days=30)
_UNANSWERED = {ANONYMOUS: 12, SEALED: 20}  # one in so many answers is left empty


def prepare_later_entries(release: Release, answers: Path, *, reviewer: User) -> None:
    """Make those that are missing, from the answers of a reader. Raises as
    ``publish_reference_entry``."""
    author, day = User.objects.get(username=OWNER), now() + _LATER
    schedules = {ANONYMOUS: Schedule(anonymous_until=day), SEALED: Schedule(publish_on=day)}
    for reader, schedule in schedules.items():
        if not reader.is_decided_in(release):
            with _partly_unanswered(answers, every=_UNANSWERED[reader]) as folder:
                publish_reference_entry(
                    reader, release, folder, owner=author, reviewer=reviewer, schedule=schedule
                )


@contextmanager
def _partly_unanswered(answers: Path, *, every: int) -> Iterator[Path]:
    """A temporary folder with the same answers, but one of ``every`` is empty."""
    with TemporaryDirectory() as folder:
        for file in sorted(answers.glob("*.jsonl")):
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            for row in rows[every - 1 :: every]:
                row["prediction"] = ""
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            Path(folder, file.name).write_text(lines, encoding="utf-8")
        yield Path(folder)
