"""The members of an untrusted tar, read once from front to back.

``tarfile`` is not used: it reads the records that describe a member whole, whatever their size,
and follows every extension there is. Here a record has a bound, a regular file is read, a
directory passed over, and everything else reported. (POSIX pax; GNU tar manual, "Basic Format".)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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

BLOCK = 512
_RECORD = 1 << 16  # bytes of a record that describes a member
_REGULAR, _DIRECTORY = (b"0", b"\0"), b"5"
_LONG_NAME, _LONG_LINK, _PAX, _PAX_FOR_ALL = b"L", b"K", b"x", b"g"


def is_tar(head: bytes) -> bool:
    """Whether a file that begins like this is a tar."""
    return head[257:262] == b"ustar"


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    size: int
    kind: bytes


@dataclass(slots=True)
class _About:
    """What records say about the next member."""

    name: str | None = None
    size: int | None = None
    sparse: bool = False

    def add(self, kind: bytes, data: bytes) -> None:
        if kind == _LONG_NAME:
            self.name = _text(data.rstrip(b"\0"))
        elif kind in (_PAX, _PAX_FOR_ALL):
            for key, value in _pax(data):
                self.sparse = self.sparse or key.startswith("GNU.sparse")
                if key == "path":
                    self.name = value
                elif key == "size":
                    self.size = _decimal(value)


@dataclass(slots=True)
class _Tape:
    """Bytes in order, in chunks of the requested size."""

    chunks: Iterator[bytes]
    buffer: bytes = b""
    data_left: int = field(default=0)  # of the member that is being read, with its padding

    def take(self, size: int) -> bytes:
        """The next bytes. Raises ``ArchiveError`` where there are not so many."""
        while len(self.buffer) < size:
            try:
                self.buffer += next(self.chunks)
            except StopIteration as error:
                raise ArchiveError("archive_incomplete", kind="tar") from error
            except MemberError as error:  # of the compression around the tar
                raise ArchiveError(error.code, **error.params) from error
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def content(self, size: int) -> Iterator[bytes]:
        """The content of a member, which ``skip`` passes over if it is not read to its end."""
        padding = -size % BLOCK
        self.data_left = size + padding
        while self.data_left > padding:
            data = self.take(min(CHUNK, self.data_left - padding))
            self.data_left -= len(data)
            yield data

    def skip(self) -> None:
        while self.data_left:
            self.data_left -= len(self.take(min(CHUNK, self.data_left)))

    def end(self) -> None:
        """Read on to the end. Raises ``ArchiveError`` where anything but zeros follows."""
        rest = self.buffer
        while True:
            if rest.strip(b"\0"):
                raise ArchiveError("archive_broken", why="there is data after its end")
            try:
                rest = next(self.chunks, b"")
            except MemberError as error:
                raise ArchiveError(error.code, **error.params) from error
            if not rest:
                return


def tar_members(chunks: Iterable[bytes], meter: Meter, log: ProblemLog) -> Iterator[Member]:
    """The regular files in a tar. Raises ``ArchiveError`` where the whole of it is refused.

    The bytes are counted where they come from, before they reach this.
    """
    tape = _Tape(iter(chunks))
    seen: set[str] = set()
    for header, about in _headers(tape, meter):
        if header.kind == _DIRECTORY:
            continue
        name = comparable_name(header.name)
        if name in seen:
            raise ArchiveError("member_twice")
        seen.add(name)
        if is_unsafe(header.name):
            log.add("member_name_unsafe", file=header.name)
        elif header.kind not in _REGULAR or about.sparse:
            log.add("member_not_regular", file=header.name)
        else:
            yield Member(header.name, tape.content(header.size))


def _headers(tape: _Tape, meter: Meter) -> Iterator[tuple[_Header, _About]]:
    """The header of every member, with the records before it applied."""
    about = _About()
    entries = 0
    while header := _header(tape.take(BLOCK)):
        entries += 1
        if entries > meter.limits.entries:
            raise ArchiveError("archive_entries", limit=meter.limits.entries)
        if header.kind in (_LONG_NAME, _LONG_LINK, _PAX, _PAX_FOR_ALL):
            if header.size > _RECORD:
                raise ArchiveError("archive_broken", why="a record is too long")
            record = tape.take(header.size + -header.size % BLOCK)
            about.add(header.kind, record[: header.size])
            continue
        size = header.size if about.size is None else about.size
        if header.kind not in _REGULAR and header.kind != b"S" and size:
            raise ArchiveError("archive_broken", why="a member that is not a file has content")
        meter.check(size)
        tape.data_left = size + -size % BLOCK
        yield _Header(about.name or header.name, size, header.kind), about
        tape.skip()
        about = _About()
    tape.end()


def _header(block: bytes) -> _Header | None:
    """The fields of a header; None at the end of the archive. Raises ``ArchiveError``."""
    if not block.strip(b"\0"):
        return None
    checksum = _number(block[148:156])
    if checksum != sum(block[:148]) + 8 * ord(" ") + sum(block[156:]) or not is_tar(block):
        raise ArchiveError("archive_broken", why="a header is damaged")
    name = _field(block[:100])
    prefix = _field(block[345:500]) if block[257:263] == b"ustar\0" else b""
    full = prefix + b"/" + name if prefix else name
    return _Header(_text(full), _number(block[124:136]), block[156:157])


def _field(data: bytes) -> bytes:
    return data.split(b"\0", 1)[0]


def _number(data: bytes) -> int:
    """A number of a header: octal digits, or binary where the first bit is set (GNU)."""
    if data[0] & 0x80:
        return int.from_bytes(bytes([data[0] & 0x7F]) + data[1:], "big")
    digits = _field(data).strip(b" ")
    if not digits or digits.strip(b"01234567"):
        raise ArchiveError("archive_broken", why="a header is damaged")
    return int(digits, 8)


def _pax(data: bytes) -> Iterator[tuple[str, str]]:
    """The pairs of a pax record: "length key=value", length with all of it and the line end."""
    while data:
        length, space, _ = data.partition(b" ")
        size = _decimal(_text(length))
        pair = data[len(length) + 1 : size]
        key, equals, value = pair.partition(b"=")
        if not space or not equals or not pair.endswith(b"\n") or size > len(data):
            raise ArchiveError("archive_broken", why="a record is damaged")
        yield _text(key), _text(value[:-1])
        data = data[size:]


def _decimal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ArchiveError("archive_broken", why="a record is damaged")
    return int(text)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
