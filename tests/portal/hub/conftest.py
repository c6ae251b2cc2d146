from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytest_django import Settings

from tests.support.hub_server import Hub, running


@pytest.fixture
def hub(world: Path, settings: Settings) -> Iterator[Hub]:
    """A model repository with predictions for two tasks in a folder, next to the usual files."""
    files = {f"preds/{one.name}": one.read_bytes() for one in sorted((world / "preds").iterdir())}
    about = {".gitattributes": b"*.bin filter=lfs\n", "README.md": b"# M\n", "config.json": b"{}"}
    with running(Hub(files | about, repository="alice/model", kind="model")) as hub:
        settings.HUB_ENDPOINT = hub.url
        settings.HUB_LOOPBACK_PORTS = frozenset({urlsplit(hub.url).port})
        yield hub
