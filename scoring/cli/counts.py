"""Counts of things, in words."""


def counted(number: int, one: str, many: str = "") -> str:
    """“1 sample”, “1,200 samples”; ``many`` is needed unless the plural just adds an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
