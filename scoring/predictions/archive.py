"""Stream files out of untrusted input: a file, a directory, an archive. Nothing is extracted.

What a file is, its first bytes decide (``formats``). Archives inside archives are not opened, but
a single compressed file is decompressed in any folder.
"""

import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from scoring.limits import MIB, Limits
from scoring.predictions.dialects import may_hold_rows, without_gz
from scoring.predictions.formats import ARCHIVES, GZIP, HEAD, ZIP, log_format, problem_of_format
from scoring.predictions.json_rows import CHUNK
from scoring.predictions.members import ArchiveError, Member, MemberError, Meter, is_clutter
from scoring.predictions.tar_members import is_tar, tar_members
from scoring.predictions.zip_members import ends_as_zip, zip_members
from scoring.problems import Problem, ProblemLog


def open_path(path: Path, limits: Limits, log: ProblemLog) -> Iterator[Member]:
    """Every file in the file, directory or archive at the path. Raises as ``open_stream`` does."""
    try:
        if path.is_dir():
            yield from _open_directory(path, limits, log)
        else:
            with _opened(path) as stream:
                yield from open_stream(path.name, stream, limits, log)
    except FileNotFoundError:
        log.add("file_not_found", file=str(path))
    except (OSError, ValueError) as error:  # ValueError: a path with NUL in it
        log.add("file_unreadable", file=str(path), why=_reason(error))


def open_stream(name: str, stream: BinaryIO, limits: Limits, log: ProblemLog) -> Iterator[Member]:
    """Every file in what an open, seekable stream holds.

    Raises ``ArchiveError`` where all of it is refused, ``MemberError`` where it is one bad file.
    """
    size = stream.seek(0, 2)
    if size > limits.bytes_in:
        raise ArchiveError("file_too_large", limit=limits.bytes_in // MIB)
    meter = Meter(limits, size)
    head = _head(stream)
    if log_format(name, head):
        yield Member(name, (), problem_of_format(name, head))
        return
    if head.startswith(ZIP):
        yield from _readable(zip_members(stream, meter, log), meter, log)
        return
    if ends_as_zip(stream):
        raise ArchiveError("archive_prefix")
    member, beginning = _peeked(_file(name, stream, meter))
    if is_tar(beginning):
        yield from _readable(tar_members(member.chunks, meter, log), meter, log)
    else:
        yield member._replace(problem=problem_of_format(name, beginning))


def _open_directory(path: Path, limits: Limits, log: ProblemLog) -> Iterator[Member]:
    files = _files_below(path, limits, log)
    meter = Meter(limits, sum(file.lstat().st_size for file in files))
    if meter.size > limits.bytes_in:
        raise ArchiveError("file_too_large", limit=limits.bytes_in // MIB)
    for file in files:
        name = file.relative_to(path).as_posix()
        try:
            stream = _opened(file)
        except OSError as error:  # the others can be read all the same
            log.add("file_unreadable", file=name, why=_reason(error))
            continue
        with stream:
            yield from _readable([Member(name, meter.count(_chunks(stream)))], meter, log)


def _files_below(path: Path, limits: Limits, log: ProblemLog) -> list[Path]:
    """The files in a directory and in those inside it, by their names; no link is followed."""
    folders = [path]
    found: list[Path] = []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if is_clutter(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry))
                elif entry.is_file(follow_symlinks=False):
                    found.append(Path(entry))
                elif may_hold_rows(entry.name):
                    name = Path(entry).relative_to(path).as_posix()
                    log.add("file_unreadable", file=name, why="it is a link or not a regular file")
                if len(found) > limits.entries:
                    raise ArchiveError("archive_entries", limit=limits.entries)
    return sorted(found)


def _opened(path: Path) -> BinaryIO:
    """Open a regular file; anything else, a pipe or a device, might never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(None, "it is not a regular file")
    return path.open("rb")


def _file(name: str, stream: BinaryIO, meter: Meter) -> Member:
    """A file, decompressed if it is a gzip."""
    if _head(stream).startswith(GZIP):
        content = _gunzipped(_chunks(stream), meter.limits)
        return Member(without_gz(name), meter.count(content))
    return Member(name, meter.count(_chunks(stream)))


def _readable(members: Iterable[Member], meter: Meter, log: ProblemLog) -> Iterator[Member]:
    """The members, decompressed, each with its problem if it holds no rows."""
    for member in members:
        if is_clutter(member.name):
            continue
        try:
            peeked, head = _peeked(member)
            if head.startswith(GZIP):
                content = meter.count(_gunzipped(peeked.chunks, meter.limits))
                peeked, head = _peeked(Member(without_gz(member.name), content))
        except MemberError as error:
            log.keep(Problem(error.code, member.name, params=error.params))
            continue
        yield peeked._replace(problem=problem_of_format(peeked.name, head))


def _peeked(member: Member) -> tuple[Member, bytes]:
    """The same member, and its first bytes."""
    stream = iter(member.chunks)
    head = b""
    while len(head) < HEAD and (chunk := next(stream, None)) is not None:
        head += chunk
    return Member(member.name, chain([head], stream)), head[:HEAD]


def _head(stream: BinaryIO) -> bytes:
    stream.seek(0)
    return stream.read(len(max(ARCHIVES, key=len)))


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    try:
        while chunk := stream.read(CHUNK):
            yield chunk
    except OSError as error:
        raise MemberError("file_unreadable", why=_reason(error)) from error


def _gunzipped(chunks: Iterable[bytes], limits: Limits) -> Iterator[bytes]:
    """The content of a gzip, which may be a concatenation of several (RFC 1952)."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    members = 1
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                if inflater.eof:
                    members += 1
                    if not rest.strip(b"\0"):
                        break
                    if not rest.startswith(GZIP[: len(rest)]) or members > limits.entries:
                        raise MemberError("gzip_trailing")
                    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
                yield inflater.decompress(rest, CHUNK)
                rest = inflater.unused_data or inflater.unconsumed_tail
    except zlib.error as error:
        raise MemberError("gzip_broken") from error
    if not inflater.eof:
        raise MemberError("gzip_cut")


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or "the path cannot be used"
