"""Numbers of tokens as people write them. K is 1,000 and M is 1,000,000, everywhere."""

import re

_TIMES = {"": 1, "K": 1_000, "M": 1_000_000}
_AMOUNT = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,12})(?:\.(?P<part>[0-9]{1,6}))?\s?(?P<unit>[KM]?)",
)
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}  # as Chinese keyboards type


def read_amount(text: str) -> int | None:
    """``131072``, ``128,000``, ``128K``, ``128 k`` and ``1.5M``, with digits of any width; None for
    anything else, and for parts of a token."""
    found = _AMOUNT.fullmatch(text.translate(_HALF_WIDTH).strip().replace("_", "").upper())
    if not found:
        return None
    part, times = found["part"] or "", _TIMES[found["unit"]]
    number = int(found["whole"].replace(",", "") + part) * times
    amount, rest = divmod(number, 10 ** len(part))
    return None if rest else amount


def short_amount(tokens: int) -> str:
    """``128K``, ``1.5M``; with all digits where these would say something else."""
    for unit, times in (("M", 1_000_000), ("K", 1_000)):
        if tokens >= times and tokens * 10 % times == 0:
            return f"{tokens / times:g}{unit}"
    return f"{tokens:,}"


def full_amount(tokens: int) -> str:
    """``128K (128,000)``: both, since others mean 1,024 by K; ``131,072``."""
    short, full = short_amount(tokens), f"{tokens:,}"
    return full if short == full else f"{short} ({full})"


def rough_amount(tokens: float) -> str:
    """With two significant digits: ``940``, ``72K``, ``1.3B``."""
    rough = float(f"{tokens:.2g}")
    for unit, times in (("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if rough >= times:
            return f"{rough / times:.3g}{unit}"
    return f"{rough:.0f}"
