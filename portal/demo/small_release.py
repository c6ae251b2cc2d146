"""The demo's small release, with entries of reference readers: there is something to look at before
the large one is made (``portal.demo.length_release``)."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from portal.demo.baseline_entries import (
    REVIEWER,
    ReferenceReader,
    publish_reference_entry,
    reference_owner,
)
from portal.models import Release, User
from portal.releases.importer import import_release
from scoring.baseline.release import answer_release
from scoring.generators.release import generate_release

SLUG = "synthetic-demo"
SEED, LENGTHS, EXAMPLES = 7, (4_000, 16_000), 10  # of each task at each length
READERS = tuple(ReferenceReader(1024 * thousands) for thousands in (2, 8, 32))
_TITLE = "Short texts, 4K–16K"
_DESCRIPTION = (
    "All twelve tasks at 4K and 16K tokens, generated from a fixed seed, for trying out the site "
    "in seconds. Not comparable with published scores."
)
_PROCESSES = os.cpu_count() or 1


def prepare_small_release(folder: Path, report: Callable[[str], None]) -> None:
    """Generate and import the release in a folder, and publish its entries, where missing. Raises
    as ``generate_release``, ``import_release`` and ``publish_reference_entry`` do."""
    release = Release.objects.filter(slug=SLUG).first()
    if release is None:
        report(f"{_TITLE}: generating twelve tasks …")
        if not folder.exists():
            generate_release(folder, seed=SEED, tokens=LENGTHS, examples=EXAMPLES, jobs=_PROCESSES)
        release = import_release(folder, slug=SLUG, title=_TITLE, description=_DESCRIPTION)
    for reader in READERS:
        if not reader.is_decided_in(release):
            report(f"{_TITLE}: {reader.name} answers …")
            _publish(reader, release, folder)


def _publish(reader: ReferenceReader, release: Release, folder: Path) -> None:
    with TemporaryDirectory() as temporary:
        answers = Path(temporary, "answers")
        answer_release(folder, answers, window=reader.window, jobs=_PROCESSES)
        publish_reference_entry(
            reader,
            release,
            answers,
            owner=reference_owner(),
            reviewer=User.objects.get(username=REVIEWER),
            score_here=True,
        )
