"""The key of an example: the id in its file, in one canonical type."""

import re

Key = int | str

_TOO_LARGE = 1 << 63  # ids fit into 64 bits; those of clocks and counters need 19 digits
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")


def canonical_key(value: object) -> Key | None:
    """The id as a key, equal for 5, 5.0, "5" and " 5 "; None where it is no usable id."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < _TOO_LARGE else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _TOO_LARGE else None
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    is_number = _WHOLE_NUMBER.fullmatch(text) and abs(int(text)) < _TOO_LARGE
    return int(text) if is_number else text
