"""Where the tests find a vocabulary of tiktoken, so that none of them needs the network for it."""

import os

import pytest

from scoring.tokens import ENCODING, count_tokens
from tests.conftest import ROOT


@pytest.fixture(scope="session", autouse=True)
def vocabularies() -> None:
    folder = ROOT / "../shared/tiktoken"
    if folder.is_dir():
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder.resolve()))


@pytest.fixture
def vocabulary() -> None:
    """Skips where tokens can only be estimated."""
    if count_tokens("hello").estimated:
        pytest.skip(f"NO VOCABULARY of {ENCODING}: exact counts are not tested")
