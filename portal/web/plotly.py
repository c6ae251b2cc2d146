"""Plotly's script, served from the installed package. Only its JavaScript is used."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.files.storage import FileSystemStorage

_FOLDER, _NAME = "plotly", "plotly.min.js"  # among the static files
# The script adds a stylesheet for its maps unless there is an element with its id.
_STYLE_ID = re.compile(rb'document\.getElementById\("([0-9a-f]{64})"\)')


@cache
def _folder() -> Path | None:
    """None where the package is not installed."""
    found = find_spec("plotly")
    folder = Path(found.origin).parent / "package_data" if found and found.origin else None
    return folder if folder and (folder / _NAME).is_file() else None


@cache
def plotly_style_ids() -> tuple[str, ...] | None:
    """Ids of elements that keep the script from adding stylesheets, which the site's policy would
    refuse; None where there is no script."""
    folder = _folder()
    if folder is None:
        return None
    found = _STYLE_ID.findall((folder / _NAME).read_bytes())
    return tuple(one.decode() for one in dict.fromkeys(found))


class PlotlyFinder(FileSystemFinder):
    """Finds only the script in the package's megabytes of data."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        folder = _folder()
        self.locations = [(_FOLDER, str(folder))] if folder else []
        self.storages = {}
        for prefix, root in self.locations:
            storage: Any = FileSystemStorage(location=root)
            storage.prefix = prefix
            self.storages[root] = storage

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        found = super().list(ignore_patterns)
        return (pair for pair in found if pair[0] == _NAME)
