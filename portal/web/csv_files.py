"""CSV for programs, and for people who open it with a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

# In front of a file: without it spreadsheets assume another encoding than UTF-8. Programs that do
# not know it read it as part of the first name, which is therefore an unimportant one.
BYTE_ORDER_MARK = "\ufeff"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would calculate what follows


def escape_csv_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def csv_file(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A header, and the rows below it; None is empty, and no text is a formula."""
    file = io.StringIO()
    write = csv.writer(file).writerow
    write(header)
    for row in rows:
        write([escape_csv_formula(cell) if isinstance(cell, str) else cell for cell in row])
    return f"{BYTE_ORDER_MARK}{file.getvalue()}"


def csv_of_records(records: Sequence[Mapping[str, object]]) -> str:
    """With the names of the first one as header; without any, an empty file."""
    if not records:
        return BYTE_ORDER_MARK
    return csv_file(records[0], (one.values() for one in records))
