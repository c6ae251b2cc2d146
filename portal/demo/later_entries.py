"""An approved entry of the demo's author that is not public yet, so that the author's and the
reviewers' pages have something to show."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.timezone import now

from portal.demo.baseline_entries import ReferenceReader, publish_reference_entry
from portal.models import Release, User

OWNER = "author"
SCHEDULED = ReferenceReader(48 * 1024, "Kingfisher")
_LATER = timedelta(days=30)
_UNANSWERED = 20  # one in so many answers is left empty


def prepare_later_entry(release: Release, answers: Path, *, reviewer: User) -> None:
    """Make it if it is missing, from the answers of a reader. Raises as
    ``publish_reference_entry``."""
    if SCHEDULED.is_decided_in(release):
        return
    author, day = User.objects.get(username=OWNER), now() + _LATER
    with _partly_unanswered(answers) as folder:
        publish_reference_entry(
            SCHEDULED, release, folder, owner=author, reviewer=reviewer, publish_on=day
        )


@contextmanager
def _partly_unanswered(answers: Path) -> Iterator[Path]:
    """A temporary folder with the same answers, of which some are empty."""
    with TemporaryDirectory() as folder:
        for file in sorted(answers.glob("*.jsonl")):
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            for row in rows[_UNANSWERED - 1 :: _UNANSWERED]:
                row["prediction"] = ""
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            Path(folder, file.name).write_text(lines, encoding="utf-8")
        yield Path(folder)
