"""A release for endpoint runs."""

from pathlib import Path

import pytest

from portal.models import Release
from tests.support.asked_runs import passkeys
from tests.support.run_workers import COUNT


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    return passkeys(tmp_path, COUNT, texts=8)
