"""Where the tests find the real files of ∞Bench."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real prediction files, labels and official scores."""
    folder = ROOT / os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is absent; set INFINITEBENCH_DATA to run this test")
    return folder.resolve()
