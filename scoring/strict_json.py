"""JSON that says one thing to every reader.

Of a name that an object has twice, some programs take the first value and some the last: a signed
text could show one and prove the other.
"""

import json


class RepeatedNameError(ValueError):
    """An object has a name twice."""


def parse_json(text: str) -> object:
    """Raises ``ValueError``, ``RepeatedNameError``, ``RecursionError``."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in found if names.count(name) > 1)
        raise RepeatedNameError(repeated)
    return found
