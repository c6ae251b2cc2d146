"""Text in files that people open with a spreadsheet."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would calculate what follows


def inert(cell: str) -> str:
    """Text that a spreadsheet takes for text."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
