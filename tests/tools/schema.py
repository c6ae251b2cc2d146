"""``make schema``: write ``0001_schema.py`` anew from the models.

In a package of its own, since ``makemigrations`` adds to the migrations that it finds.
"""

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import django
from django.core.management import call_command
from django.test import override_settings

from tests.support.paths import ROOT

PACKAGE, FILE = "fresh_migrations", "0001_schema.py"


def main() -> None:
    django.setup()
    warnings.simplefilter("ignore", RuntimeWarning)  # that no database is running
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, PACKAGE)
        package.mkdir()
        (package / "__init__.py").touch()
        sys.path.append(folder)
        with override_settings(MIGRATION_MODULES={"portal": PACKAGE}):
            call_command(
                "makemigrations", "portal", name="schema", include_header=False, verbosity=0
            )
        shutil.copyfile(package / FILE, ROOT / "portal" / "migrations" / FILE)


if __name__ == "__main__":
    main()
