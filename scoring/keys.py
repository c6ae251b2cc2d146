"""The key of an example: the id in its file, in one canonical type."""

import re

Key = int | str

_TOO_LARGE = 10**18  # a database column holds all that is below
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")


def canonical_key(value: object) -> Key | None:
    """The id with 5, 5.0, "5" and " 5 " as the same key; None where it is no usable id."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < _TOO_LARGE else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _TOO_LARGE else None
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else text
