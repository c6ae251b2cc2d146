"""Words that depend on a number."""


def plural(count: int, singular: str, several: str) -> str:
    """``singular`` for exactly one, otherwise ``several``."""
    return singular if count == 1 else several
