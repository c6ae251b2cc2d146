"""Numbers of things, in words."""


def counted(number: int, one: str, many: str = "") -> str:
    """“1 sample”, “1,200 samples”; ``many``: unless it only ends with an s more."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
