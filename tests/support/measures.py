"""Measure generated texts with the real vocabulary or, where it is absent, by the estimate.

Their lengths are planned to be right by both of these, but not by the tests' small vocabulary.
"""

from collections.abc import Iterator

import pytest
import tiktoken

from scoring.generators import rows
from scoring.text import tokens


@pytest.fixture(autouse=True, scope="package")
def real_lengths(real_encoding: tiktoken.Encoding | None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_vocabulary", lambda _name: real_encoding)
        rows._count_piece.cache_clear()
        yield
    rows._count_piece.cache_clear()
