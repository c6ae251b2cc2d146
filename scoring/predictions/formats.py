"""What a file is by its first bytes if it has no rows: one problem instead of one for each row."""

import re
from collections.abc import Callable, Mapping

from scoring.predictions.tar_members import is_tar
from scoring.problems import Problem

HEAD = 4_096  # bytes that decide
ZIP = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")
GZIP = b"\x1f\x8b"
ARCHIVES: Mapping[bytes, str] = {
    **dict.fromkeys(ZIP, "zip"),
    GZIP: "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
}
# Whatever the file is called.
REPORTED_PROBLEMS = ("archive_not_opened", "archive_unreadable", "file_is_log")
FORMATS: Mapping[bytes, str] = {  # submitted by mistake
    b"%PDF-": "PDF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"RIFF": "WebP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"\xd0\xcf\x11\xe0": "Microsoft Office",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\x89HDF": "HDF5",
    b"\x93NUMPY": "NumPy",
    b"SQLite format 3": "SQLite",
}
INSPECT, EVERY_EVAL_EVER = "Inspect", "Every Eval Ever"  # logs, which ``convert`` reads
_LINE_KEY = re.compile(
    rb'"(evaluation_id|sample_id|interaction_type|answer_attribution|source_metadata)"\s*:'
)
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_PICKLE = re.compile(rb"\x80[\2-\5][\x95}\]c(]")
# Files that are a zip, by an entry inside; the first that is there counts.
DOCUMENTS: Mapping[str, str] = {
    "xl/workbook.xml": "Excel",
    "xl/workbook.bin": "Excel",
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
    "[Content_Types].xml": "Microsoft Office",
    "mimetype": "OpenDocument",
}
_OFFICE = {".xlsx": "Excel", ".docx": "Word", ".pptx": "PowerPoint", ".ods": "OpenDocument"}
_TABLES = ("Excel", "CSV", "TSV")
_ARCHIVE_NAME = re.compile(r"\.(zip|tar|tgz|tar\.gz)\Z", re.IGNORECASE)
_NO_TEXT = re.compile(rb"[\0-\x08]")
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FEWEST_CONTROLS = 8  # a row or two may have one by mistake
_COLUMNS = frozenset(
    b"id question_id prediction pred predictions answer output response label".split()
)


def looks_like_archive(name: str) -> bool:
    """By its name alone."""
    return _ARCHIVE_NAME.search(name) is not None


def log_format(name: str, head: bytes) -> str | None:
    """The tool whose log of answers begins so; None for anything else."""
    if name.lower().endswith(".eval") and head.startswith(ZIP):
        return INSPECT
    keys = set(_LINE_KEY.findall(head)) if head.lstrip().startswith(b"{") else set()
    return EVERY_EVAL_EVER if len(keys) > 1 and b"source_metadata" not in keys else None


def is_score_document(head: bytes) -> bool:
    """Whether a file begins like the document that accompanies the lines of Every Eval Ever."""
    keys = set(_LINE_KEY.findall(head))
    return head.lstrip().startswith(b"{") and keys >= {b"evaluation_id", b"source_metadata"}


def problem_of_format(name: str, head: bytes) -> Problem | None:
    """Why a file that begins so holds no rows; None if it may."""
    if tool := log_format(name, head):
        return Problem("file_is_log", name, params={"format": tool})
    if is_score_document(head):
        return Problem("file_is_scores", name)
    if problem := _of_archive(name, head):
        return problem
    format_ = _known(FORMATS, head) or ("pickle" if _PICKLE.match(head) else _table(name, head))
    if format_:
        return problem_of_document(name, format_)
    code = next((code for code, is_so in _CODES.items() if is_so(head)), None)
    return Problem(code, name) if code else None


def problem_of_document(name: str, format_: str) -> Problem:
    code = "file_is_table" if format_ in _TABLES else "file_not_rows"
    return Problem(code, name, params={"format": format_})


def _of_archive(name: str, head: bytes) -> Problem | None:
    kind = "tar" if is_tar(head) else _known(ARCHIVES, head)
    if kind:
        ending = re.search(r"\.\w+\Z", name.lower())
        office = _OFFICE.get(ending[0]) if ending and kind == "zip" else None
        if office:
            return problem_of_document(name, office)
        return Problem("archive_not_opened", name, params={"kind": kind})
    named = _ARCHIVE_NAME.search(name)
    if named and _NO_TEXT.search(head):  # noise has such a byte soon; rows have none
        return Problem("archive_unreadable", name, params={"kind": named[0].lower()})
    return None


def _known(signs: Mapping[bytes, str], head: bytes) -> str | None:
    return next((what for sign, what in signs.items() if head.startswith(sign)), None)


def _is_utf16(head: bytes) -> bool:
    """With a byte order mark; or every other byte is zero, as in text that is mostly ASCII."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return True
    fewer, more = sorted((head[0::2].count(0), head[1::2].count(0)))
    return len(head) > 3 and more * 5 > len(head) * 2 and fewer * 20 < len(head)


def _is_binary(head: bytes) -> bool:
    count = len(_CONTROL.findall(head))
    return count >= _FEWEST_CONTROLS and 20 * count > len(head)


def _table(name: str, head: bytes) -> str | None:
    """CSV or TSV: by a first line with the names of columns, or by the name of the file."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if not first or first.startswith((b"{", b"[")):
        return None
    for delimiter, format_ in ((b"\t", "TSV"), (b",", "CSV"), (b";", "CSV")):
        cells = [cell.strip(b' "\r').lower() for cell in first.split(delimiter)]
        if len(cells) > 1 and not _COLUMNS.isdisjoint(cells):
            return format_
    ending = name.rpartition(".")[2].upper()
    return ending if ending in ("CSV", "TSV") else None


_CODES: Mapping[str, Callable[[bytes], object]] = {
    "file_is_pointer": re.compile(re.escape(LFS_POINTER)).match,
    "file_is_page": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|\?xml)", re.IGNORECASE
    ).match,
    "file_utf16": _is_utf16,
    "file_binary": _is_binary,
}
