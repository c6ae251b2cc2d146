"""Numbers as people write them behind options. Each raises ``ArgumentTypeError``, in a sentence."""

from argparse import ArgumentTypeError

_TIMES = {"K": 1024, "M": 1024 * 1024}
_DIGITS = 12
SHORT = "8K is 8192, 1M is 1048576"  # for the help of an option


def tokens(text: str) -> int:
    """``8192``, ``8K`` or ``8k``, ``1M``: K is 1024, as in what windows of models are called."""
    plain = text.strip().replace("_", "").upper()
    number, times = plain, 1
    if plain[-1:] in _TIMES:
        number, times = plain[:-1], _TIMES[plain[-1]]
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS):
        raise ArgumentTypeError(f"{text!r} is no number of tokens: write 4000, 8K or 1M")
    return int(number) * times


def several_tokens(text: str) -> tuple[int, ...]:
    """``4000,128K``; a comma too much at the end does no harm."""
    parts = [part for part in text.split(",") if part.strip()]
    if not parts:
        raise ArgumentTypeError("write numbers of tokens with commas, as in 4000,128000")
    return tuple(tokens(part) for part in parts)


def at_least_one(text: str) -> int:
    number = text.strip()
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS and int(number)):
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(number)
