"""Types of command-line options. Each raises ``ArgumentTypeError`` with a sentence."""

from argparse import ArgumentTypeError

_TIMES = {"K": 1024, "M": 1024 * 1024}
_DIGITS = 12
SHORT = "8K is 8192, 1M is 1048576"  # for the help of an option


def tokens(text: str) -> int:
    """``8192``, ``8K`` or ``8k``, ``1M``: K is 1024, as in the names of context windows."""
    plain = text.strip().replace("_", "").upper()
    number, times = plain, 1
    if plain[-1:] in _TIMES:
        number, times = plain[:-1], _TIMES[plain[-1]]
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS):
        raise ArgumentTypeError(f"{text!r} is not a number of tokens: write 4000, 8K or 1M")
    return int(number) * times


def several_tokens(text: str) -> tuple[int, ...]:
    """``4000,128K``; empty parts are ignored."""
    parts = [part for part in text.split(",") if part.strip()]
    if not parts:
        raise ArgumentTypeError("write numbers of tokens with commas, as in 4000,128000")
    return tuple(tokens(part) for part in parts)


def several_names(text: str) -> tuple[str, ...]:
    """``passkey,code_run``; empty parts are ignored."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def at_least_one(text: str) -> int:
    number = text.strip()
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS and int(number)):
        raise ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(number)
