"""Contexts of two million tokens, one of 20,000, and 200 MB of others, for the database of the
settings.

``python -m tests.bench.contexts_fill`` in its own process. The word ``lighthouse`` is once in each
of the two long ones.
"""

from random import Random

import django

django.setup()  # before any model can be imported

from tests.support.contexts import (  # noqa: E402
    BYTES_OF_A_TOKEN,
    release_with_contexts,
    store_context,
)
from tests.support.releases import chinese, english  # noqa: E402

LONG, SHORT = 2_000_000, 20_000  # tokens
_OTHERS, _SIZE = 400, 500_000  # contexts, and bytes of each


def fill() -> None:
    random = Random(1)
    text = english(random, LONG) + english(random, LONG // 10)
    long = f"{_part(text, LONG // 2)} lighthouse {_part(text, LONG // 2)}"
    contexts = {"long": store_context(long), "short": store_context(_part(text, SHORT))}
    start = len(contexts["short"].sha256)  # any place: not the start
    release_with_contexts(
        "bench-en", "longbook_qa_eng", dict(contexts), evidence=[[9 * start, 10 * start]]
    )
    signs = chinese(random, 5 * LONG)[: LONG * BYTES_OF_A_TOKEN // 3]
    middle = len(signs) // 2
    whole = store_context(f"{signs[:middle]} lighthouse {signs[middle:]}")
    release_with_contexts("bench-zh", "longbook_qa_chn", {"long": whole})
    pieces = (text[number * 997 :][:_SIZE] for number in range(_OTHERS))
    many = {str(number): store_context(piece) for number, piece in enumerate(pieces)}
    release_with_contexts("bench-many", "kv_retrieval", dict(many))


def _part(text: str, tokens: int) -> str:
    return text[: tokens * BYTES_OF_A_TOKEN]


if __name__ == "__main__":
    fill()
