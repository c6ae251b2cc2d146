"""The members of an untrusted zip file.

Its directory is read here rather than by ``zipfile``, which loads it whole, believes it, and takes
data before, between and after the members. All of the structure is checked before the first
member is read: one end record, one directory that fills the place it claims, one member behind
every entry, none over another, nothing before the first. (PKWARE, APPNOTE 6.3.10.)
"""

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

from scoring.limits import MIB
from scoring.predictions.json_rows import CHUNK
from scoring.predictions.members import (
    ArchiveError,
    Member,
    MemberError,
    Meter,
    comparable_name,
    is_unsafe,
)
from scoring.problems import ProblemLog

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_HEADER = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_IN_EXTRA = 0xFFFFFFFF  # the actual size or offset is in the zip64 extra field
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_SIZES_LATER = 1 << 3
_UTF_8 = 1 << 11
_STORED, _DEFLATED = 0, 8
_DOS_DIRECTORY = 1 << 4
_UNIX = 3


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    raw_name: bytes
    system: int
    flags: int
    method: int
    crc: int
    packed: int  # bytes in the archive
    size: int  # bytes that come out
    attributes: int
    offset: int  # of the member's own header

    @property
    def least_end(self) -> int:
        """The end of the member, if its data directly follow its name."""
        return self.offset + _HEADER.size + len(self.raw_name) + self.packed

    @property
    def is_directory(self) -> bool:
        return self.name.endswith("/") or bool(self.attributes & _DOS_DIRECTORY)

    @property
    def is_regular(self) -> bool:
        kind = stat.S_IFMT(self.attributes >> 16) if self.system == _UNIX else 0
        return kind in (0, stat.S_IFREG)


def zip_members(stream: BinaryIO, meter: Meter, log: ProblemLog) -> Iterator[Member]:
    """The regular files in a zip. Raises ``ArchiveError`` where the whole of it is refused."""
    entries, end = _directory(stream, meter)
    starts = _places(stream, entries, end)
    meter.check(sum(entry.size for entry in entries))
    for entry, start in zip(entries, starts, strict=True):
        if entry.is_directory:
            continue
        if fault := _fault(entry):
            log.add(fault, file=entry.name)
        else:
            yield Member(entry.name, meter.count(_content(stream, entry, start)))


def _fault(entry: _Entry) -> str | None:
    """Why this member is left out, while the others can be read."""
    if is_unsafe(entry.name):
        return "member_name_unsafe"
    if entry.flags & _ENCRYPTED:
        return "member_encrypted"
    if entry.method not in (_STORED, _DEFLATED):
        return "member_method"
    return None if entry.is_regular else "member_not_regular"


def _directory(stream: BinaryIO, meter: Meter) -> tuple[list[_Entry], int]:
    """The entries of the directory, and the offset where it begins and the members end."""
    count, size, start, end = _end_record(stream)
    if count > meter.limits.entries:
        raise ArchiveError("archive_entries", limit=meter.limits.entries)
    if start + size != end or size > MIB:
        raise _broken("its directory is not where it should be")
    data = _read(stream, start, size)
    entries = []
    position = 0
    for _ in range(count):
        entry, position = _entry(data, position)
        entries.append(entry)
    if position != size:
        raise _broken("its directory holds more than it declares")
    if len({comparable_name(entry.name) for entry in entries}) < count:
        raise ArchiveError("member_twice")
    return entries, start


def ends_as_zip(stream: BinaryIO) -> bool:
    """Whether a file ends like a zip, so that a program that looks there would open it as one."""
    return bool(_ends(stream)[1])


def _ends(stream: BinaryIO) -> tuple[bytes, list[int], int]:
    """The tail of a file, where in it an end record reaches to the end, and where it begins."""
    length = stream.seek(0, 2)
    start = max(0, length - _END.size - _LONGEST_COMMENT)
    tail = _read(stream, start, length - start)
    places = []
    place = tail.find(b"PK\5\6")
    while 0 <= place <= len(tail) - _END.size:
        comment = _END.unpack_from(tail, place)[-1]
        if place + _END.size + comment == len(tail):
            places.append(place)
        place = tail.find(b"PK\5\6", place + 1)
    return tail, places, start


def _end_record(stream: BinaryIO) -> tuple[int, int, int, int]:
    """Number of entries, size and offset of the directory, and the offset where it ends."""
    tail, places, tail_start = _ends(stream)
    if not places:
        if b"PK\5\6" in tail:
            raise _broken("there is data after its end")
        raise ArchiveError("archive_incomplete", kind="zip")
    if len(places) > 1:
        raise _broken("its end appears twice")
    end = tail_start + places[0]
    _, disk, first, here, count, size, start, _ = _END.unpack_from(tail, places[0])
    if end >= _LOCATOR_64.size:
        locator = _read(stream, end - _LOCATOR_64.size, _LOCATOR_64.size)
        if locator.startswith(b"PK\6\7"):
            disk, first, here, count, size, start, end = _end_record_64(stream, locator, end)
    if disk or first or here != count:
        raise _broken("it is one of several parts")
    return count, size, start, end


def _end_record_64(
    stream: BinaryIO, locator: bytes, end: int
) -> tuple[int, int, int, int, int, int, int]:
    _, _, place, _ = _LOCATOR_64.unpack(locator)
    if place + _END_64.size + _LOCATOR_64.size != end:
        raise _broken("its end records contradict each other")
    record = _END_64.unpack(_read(stream, place, _END_64.size))
    signature, _, _, _, disk, first, here, count, size, start = record
    if signature != b"PK\6\6":
        raise _broken("its end records contradict each other")
    return disk, first, here, count, size, start, place


def _entry(data: bytes, position: int) -> tuple[_Entry, int]:
    """The entry at a position of the directory, and the position after it."""
    if position + _ENTRY.size > len(data):
        raise _broken("its directory is cut off")
    (signature, made_by, _, flags, method, _, _, crc, packed, size, name_size, extra_size,
     comment_size, _, _, attributes, offset) = _ENTRY.unpack_from(data, position)  # fmt: skip
    name_start = position + _ENTRY.size
    extra_start = name_start + name_size
    end = extra_start + extra_size + comment_size
    if signature != b"PK\1\2" or end > len(data):
        raise _broken("its directory is cut off")
    raw_name = data[name_start:extra_start]
    extra = data[extra_start : extra_start + extra_size]
    size, packed, offset = _from_extra(extra, [size, packed, offset])
    name = raw_name.decode("utf-8" if flags & _UTF_8 else "cp437", "replace")
    entry = _Entry(
        name, raw_name, made_by >> 8, flags, method, crc, packed, size, attributes, offset
    )
    return entry, end


def _from_extra(extra: bytes, values: list[int]) -> list[int]:
    """Sizes and offset, those that are too large for their field from the zip64 extra field."""
    position = 0
    while position + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, position)
        position += 4
        if kind == 1 and position + size <= len(extra):
            large = iter(struct.unpack_from(f"<{size // 8}Q", extra, position))
            values = [next(large, v) if v == _IN_EXTRA else v for v in values]
        position += size
    return values


def _places(stream: BinaryIO, entries: list[_Entry], end: int) -> list[int]:
    """Where the data of each member begin; they follow one another from 0 without overlap."""
    starts = {}
    position = 0
    in_order = sorted(entries, key=lambda entry: entry.offset)
    if any(other.offset < one.least_end for one, other in pairwise(in_order)):
        raise ArchiveError("archive_overlap")
    if in_order and in_order[-1].least_end > end:
        raise _broken("its directory points to a place that does not exist")
    for number, entry in enumerate(in_order):
        if entry.offset < position or (number == 0 and entry.offset):
            raise ArchiveError("archive_overlap" if number else "archive_prefix")
        starts[entry.offset] = _start_of(stream, entry)
        position = starts[entry.offset] + entry.packed
    if position > end:
        raise ArchiveError("archive_overlap")
    if not entries and end:
        raise ArchiveError("archive_prefix")
    return [starts[entry.offset] for entry in entries]


def _start_of(stream: BinaryIO, entry: _Entry) -> int:
    """Where a member's data begin, if its own header agrees with the directory."""
    data = _read(stream, entry.offset, _HEADER.size)
    signature, _, flags, method, *rest = _HEADER.unpack(data)
    _, _, crc, packed, size, name_size, extra_size = map(int, rest)
    name_start = entry.offset + _HEADER.size
    extra = _read(stream, name_start + name_size, extra_size)
    size, packed = _from_extra(extra, [size, packed])
    sizes = (crc, packed, size)
    same = (
        signature == b"PK\3\4"
        and _read(stream, name_start, name_size) == entry.raw_name
        and (flags, method) == (entry.flags, entry.method)
        and (flags & _SIZES_LATER or sizes == (entry.crc, entry.packed, entry.size))
    )
    if not same:
        raise _broken("its directory and its members disagree")
    return name_start + name_size + extra_size


def _content(stream: BinaryIO, entry: _Entry, start: int) -> Iterator[bytes]:
    """The bytes of a member. Raises ``MemberError`` where they do not match the directory."""
    packed = _packed(stream, start, entry.packed)
    size = crc = 0
    for chunk in packed if entry.method == _STORED else _inflated(packed):
        size += len(chunk)
        if size > entry.size:
            raise MemberError("member_lies")
        crc = zlib.crc32(chunk, crc)
        yield chunk
    if size != entry.size or crc != entry.crc:
        raise MemberError("member_lies")


def _packed(stream: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    while size:
        chunk = _read(stream, start, min(size, CHUNK))
        yield chunk
        start += len(chunk)
        size -= len(chunk)


def _inflated(packed: Iterator[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for data in packed:
            rest = data
            while rest and not inflater.eof:
                yield inflater.decompress(rest, CHUNK)
                rest = inflater.unconsumed_tail
            if inflater.unused_data or rest:
                raise MemberError("member_lies")
    except zlib.error as error:
        raise MemberError("member_lies") from error
    if not inflater.eof:
        raise MemberError("member_lies")


def _read(stream: BinaryIO, start: int, size: int) -> bytes:
    stream.seek(start)
    data = stream.read(size)
    if len(data) < size:
        raise ArchiveError("archive_incomplete", kind="zip")
    return data


def _broken(why: str) -> ArchiveError:
    return ArchiveError("archive_broken", why=why)
