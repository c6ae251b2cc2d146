"""``manage.py doctor``: what is wrong with the site, and what to do about it."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from portal.operations.doctor import examine


class Command(BaseCommand):
    help = "Look at all that the site needs. Exit code 0: all is well; 1: something is not."
    requires_system_checks = ()  # they are one of the checks

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *_: Any, **options: Any) -> None:
        findings = examine()
        wrong = [finding for finding in findings if not finding.ok]
        if options["json"]:
            found = {"ok": not wrong, "findings": [finding._asdict() for finding in findings]}
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            for finding in findings:
                mark = "ok   " if finding.ok else "WRONG"
                self.stdout.write(f"{mark} {finding.check}: {finding.sentence}")
                if not finding.ok:
                    self.stdout.write(f"      → {finding.fix}")
            self.stdout.write(f"Wrong: {len(wrong)}." if wrong else "All is well.")
        if wrong:
            sys.exit(1)
