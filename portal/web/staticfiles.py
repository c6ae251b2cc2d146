"""One stylesheet for every page: ``site.css`` names those by topic, ``collectstatic`` joins them.

A file for each topic is good to work with, but each would be one more thing to ask for before a
first page can be shown. Where nothing was collected, browsers follow the names by themselves.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

SITE = "css/site.css"
_IMPORT = re.compile(r'^@import "([^"]+)";$', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class JoinedStylesheets(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Static files with a hash in their names, compressed ahead of time, and one stylesheet."""

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], dry_run: bool = False, **options: object
    ) -> Iterator[Any]:
        """``paths`` are all files as they were found, also those that were collected before."""
        if not dry_run:
            paths = {**paths, SITE: self._joined(paths)}
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def _joined(self, paths: dict[str, tuple[Storage, str]]) -> tuple[Storage, str]:
        def read(name: str) -> str:
            storage, path = paths[name]
            with storage.open(path) as file:
                return bytes(file.read()).decode()

        self.delete(SITE)
        self._save(SITE, ContentFile(joined(SITE, read).encode()))
        return self, SITE


def joined(name: str, read: Callable[[str], str]) -> str:
    """A stylesheet with those that it imports from its own folder in the place of their names,
    without comments and indents. What else could be left out, compression makes small.
    """
    folder = name.rpartition("/")[0]
    sheet = _COMMENT.sub("", read(name))
    whole = _IMPORT.sub(lambda match: _COMMENT.sub("", read(f"{folder}/{match[1]}")), sheet)
    return "\n".join(line for line in map(str.strip, whole.splitlines()) if line) + "\n"
