"""``manage.py import_release DIR``, or ``--hub REPO``: import a release into the database."""

from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from portal.errors import UserError
from portal.releases.hub import fetch_release
from portal.releases.official import (
    import_checked_release,
    report_differences,
    warn_of_other_labels,
)
from scoring.releases.gold import GoldError
from scoring.releases.official import REPOSITORY

_SHORT = 7  # characters of an abbreviated commit hash


class _Source(NamedTuple):
    directory: Path
    slug: str
    title: str
    origin: str = ""  # appended to the description, to distinguish two imports of “main”
    official: bool = False


class Command(BaseCommand):
    help = "Import a release: one {task}.jsonl per task, from a directory or from the Hub."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, nargs="?")
        parser.add_argument("--hub", metavar="REPO", help=f"a dataset there, such as {REPOSITORY}")
        parser.add_argument(
            "--revision", help="of the dataset: a branch, a tag or a commit (default: main)"
        )
        parser.add_argument(
            "--slug", help="its name in URLs (default: that of the directory, or of the commit)"
        )
        parser.add_argument("--title", help="its title on pages (default: the slug)")
        parser.add_argument(
            "--description",
            default="",
            help="a sentence that helps people choose a release: whose labels, which ids, how long",
        )
        parser.add_argument(
            "--hidden", action="store_true", help="only reviewers can see labels and verdicts"
        )
        parser.add_argument(
            "--official",
            action="store_true",
            help="original ∞Bench data: its leaderboards also show re-scored and reported "
            "entries, and differences from the known data are reported. If its labels are "
            "none of the known ones, the release is imported, but not as official",
        )
        parser.add_argument(
            "--other-labels",
            action="store_true",
            help="official all the same, because ∞Bench itself has corrected its labels",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            source = self._source(options["directory"], options["hub"], options["revision"])
            official = options["official"] or source.official
            checked = import_checked_release(
                source.directory,
                slug=options["slug"] or source.slug,
                title=options["title"] or source.title,
                description=f"{options['description']} {source.origin}".strip(),
                hidden=options["hidden"],
                official=official,
                other_labels=options["other_labels"],
                report=self.stdout.write,
            )
        except (GoldError, UserError, OSError) as error:
            raise CommandError(str(error)) from error
        if official:
            report_differences(checked.differences, self.stdout.write)
            warn_of_other_labels(checked, lambda line: self.stderr.write(self.style.ERROR(line)))

    def _source(self, directory: Path | None, hub: str | None, revision: str | None) -> _Source:
        if hub is not None and directory is None:
            snapshot = fetch_release(hub, revision or "main", report=self.stdout.write)
            short = snapshot.commit[:_SHORT]
            return _Source(
                snapshot.folder,
                slug=f"hub-{short}",
                title=f"{hub.rpartition('/')[2]} {short}",
                origin=snapshot.origin,
                official=hub.lower() == REPOSITORY.lower(),
            )
        if directory is None or hub is not None:
            raise CommandError("Give either a directory, or a dataset with --hub.")
        if revision is not None:
            raise CommandError("--revision is for a dataset on the Hub: give that with --hub.")
        slug = slugify(directory.absolute().name)
        return _Source(directory, slug, slug)
