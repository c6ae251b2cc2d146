"""Text in files that people open with a spreadsheet."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would calculate what follows


def escape_csv_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
