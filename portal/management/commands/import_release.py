"""``manage.py import_release DIR``: bring a directory of ``{task}.jsonl`` into the database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from portal.releases import ReleaseError, import_release
from scoring.gold import GoldError


class Command(BaseCommand):
    help = "Import a release: a directory with one {task}.jsonl for each task."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)
        parser.add_argument("--slug", help="its name in addresses; else that of the directory")
        parser.add_argument("--title", help="its name for people; else the slug")
        parser.add_argument(
            "--description",
            default="",
            help="a sentence for who chooses among releases: whose labels, which ids, how long",
        )
        parser.add_argument(
            "--hidden", action="store_true", help="labels and verdicts are for reviewers only"
        )
        parser.add_argument(
            "--official",
            action="store_true",
            help="data of ∞Bench itself: its boards show historical and reported rows too",
        )

    def handle(self, *_: Any, **options: Any) -> None:  # noqa: ANN401 - as in Django
        directory: Path = options["directory"]
        slug = options["slug"] or slugify(directory.absolute().name)
        try:
            import_release(
                directory,
                slug=slug,
                title=options["title"] or slug,
                description=options["description"],
                hidden=options["hidden"],
                official=options["official"],
                tell=self.stdout.write,
            )
        except (GoldError, ReleaseError, OSError) as error:
            raise CommandError(str(error)) from error
