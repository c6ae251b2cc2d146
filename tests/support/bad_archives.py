"""Archives by name: how each is made, and the code that the reader must give for it.

``PASSKEY`` is a valid file that nearly all of them contain in addition to the bad part.
"""
# ruff: noqa: E501 - tables

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import NamedTuple

from tests.support.bad_inputs import rows

PASSKEY = rows("71432", "69079")
CODE_RUN = rows("The return value is: 6")
GOOD = {"preds_passkey.jsonl": PASSKEY}
BOTH = {**GOOD, "deep/inside/preds_code_run.jsonl": CODE_RUN}


class Archive(NamedTuple):
    make: Callable[[], bytes]
    code: str  # the one error or warning, if any
    tasks: list[str]  # tasks that are read


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def zipped_to_a_pipe(files: dict[str, bytes]) -> bytes:
    """A zip whose writer could not seek: sizes follow each member."""

    class Pipe(io.RawIOBase):
        data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return pipe.data


def zipped_as(mode: int) -> bytes:
    """A zip whose second member is not a regular file, according to its Unix mode."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("preds_passkey.jsonl", PASSKEY)
        info = zipfile.ZipInfo("preds_code_run.jsonl")
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, b"/etc/passwd")
    return buffer.getvalue()


def zip64() -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w") as archive,
        archive.open("preds_passkey.jsonl", "w", force_zip64=True) as member,
    ):
        member.write(PASSKEY)
    data = buffer.getvalue()
    count, size, start = struct.unpack_from("<HLL", data, len(data) - 22 + 10)
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(data) - 22, 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, *[0xFFFFFFFF] * 2, 0)
    return data[:-22] + end + locator + last


def overlapping(copies: int) -> bytes:
    """One member that is listed in the directory many times, under different names."""
    content = zlib.compress(b"\0" * 1_000_000)[2:-4]
    crc = zlib.crc32(b"\0" * 1_000_000)
    sizes = (crc, len(content), 1_000_000)
    header = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, *sizes, 1, 0) + b"0"
    entries = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, *sizes, 3, 0, 0, 0, 0, 0, 0)
        + b"%03d" % number
        for number in range(copies)
    )
    place = len(header) + len(content)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, copies, copies, len(entries), place, 0)
    return header + content + entries + end


def many_entries(count: int, said: int | None = None) -> bytes:
    member = struct.pack("<4s5H3L2H", b"PK\3\4", *[0] * 5, 0, 0, 0, 1, 0) + b"x"
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", *[0] * 6, 0, 0, 0, 1, *[0] * 4, 0, 0) + b"x"
    said = min(count, 0xFFFF) if said is None else said
    sizes = (len(entry) * count, len(member))
    return member + entry * count + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, said, said, *sizes, 0)


def edited(data: bytes, place: int, new: bytes) -> bytes:
    return data[:place] + new + data[place + len(new) :]


def directory_of(data: bytes) -> int:
    """The offset of the first entry in a zip's directory."""
    return data.index(b"PK\1\2")


def flagged(flag: int) -> bytes:
    """A zip whose first member has a flag set in both of its headers."""
    data = zipped({"preds_code_run.jsonl": CODE_RUN, **GOOD})
    data = edited(data, 6, bytes([flag]))
    return edited(data, directory_of(data) + 8, bytes([flag]))


def with_method(method: int) -> bytes:
    data = zipped({"preds_code_run.jsonl": CODE_RUN, **GOOD})
    data = edited(data, 8, bytes([method]))
    return edited(data, directory_of(data) + 10, bytes([method]))


def with_lie(offset: int, offset_in_directory: int) -> bytes:
    """A zip with a wrong number in both headers of its first member."""
    data = zipped({"preds_code_run.jsonl": CODE_RUN, **GOOD}, zipfile.ZIP_DEFLATED)
    data = edited(data, offset, b"\x01\0\0\0")
    return edited(data, directory_of(data) + offset_in_directory, b"\x01\0\0\0")


def twice_zipped() -> bytes:
    data = zipped({"preds_passkey.jsonl": PASSKEY, "preds_passkeY.jsonl": PASSKEY})
    return data.replace(b"preds_passkeY", b"preds_passkey")


def renamed(name: bytes) -> bytes:
    """A zip whose first member has this name of nine bytes."""
    return zipped({"n" * 9: PASSKEY, "preds_code_run.jsonl": CODE_RUN}).replace(b"n" * 9, name)


def tarred(files: dict[str, bytes], style: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=style) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def tarred_with(**fields: object) -> bytes:
    """A tar whose first member has these fields and whose second is valid."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        odd = tarfile.TarInfo("preds_code_run.jsonl")
        for name, value in fields.items():
            setattr(odd, name, value)
        archive.addfile(odd, io.BytesIO(b"\0" * odd.size))
        good = tarfile.TarInfo("preds_passkey.jsonl")
        good.size = len(PASSKEY)
        archive.addfile(good, io.BytesIO(PASSKEY))
    return buffer.getvalue()


def header_of_size(size: int, kind: bytes = b"0", name: str = "preds_passkey.jsonl") -> bytes:
    """A tar header that claims a member of this size, with no content after it."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.type = kind
    return info.tobuf(tarfile.GNU_FORMAT)


def prefixed(prefix: bytes, data: bytes) -> bytes:
    """A zip behind a prefix, with offsets that account for it."""
    directory = directory_of(data)
    data = edited(data, directory + 42, struct.pack("<L", len(prefix)))
    data = edited(data, len(data) - 6, struct.pack("<L", directory + len(prefix)))
    return prefix + data


def edited_offset(data: bytes) -> bytes:
    """A zip whose last member supposedly starts after the end of the file."""
    return edited(data, data.rindex(b"PK\1\2") + 42, struct.pack("<L", 1 << 30))


def far_offset() -> bytes:
    """A zip64 whose member supposedly starts at an offset that no file reaches."""
    extra = struct.pack("<2HQ", 1, 8, (1 << 64) - 1)
    member = struct.pack("<4s5H3L2H", b"PK\3\4", *[0] * 5, 0, 0, 0, 1, 0) + b"x"
    entry = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", *[0] * 6, 0, 0, 0, 1, len(extra), *[0] * 4, 0xFFFFFFFF
    )
    directory = entry + b"x" + extra
    sizes = (len(directory), len(member))
    return member + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, *sizes, 0)


SPACES = b" " * (100 << 20)
ZEROS = b"\0" * (100 << 20)
HTML = b"<html><script>alert(1)</script></html>"
LONG = "a_very_long_directory_name/" * 12 + "preds_passkey.jsonl"
PASS, RUN = "passkey", "code_run"

# fmt: off
ARCHIVES: dict[str, Archive] = {
    # Sound
    "zip": Archive(lambda: zipped(BOTH), "", [PASS, RUN]),
    "stored zip": Archive(lambda: zipped(BOTH, zipfile.ZIP_STORED), "", [PASS, RUN]),
    "zip from a pipe": Archive(lambda: zipped_to_a_pipe(BOTH), "", [PASS, RUN]),
    "zip64": Archive(zip64, "", [PASS]),
    "zip with a comment": Archive(lambda: zipped(BOTH)[:-2] + b"\4\0note", "", [PASS, RUN]),
    "zip with clutter": Archive(lambda: zipped(
        {**BOTH, "__MACOSX/._preds_passkey.jsonl": b"x", ".DS_Store": b"x"}), "", [PASS, RUN]),
    "tar, pax": Archive(lambda: tarred(BOTH), "", [PASS, RUN]),
    "tar, gnu": Archive(lambda: tarred(BOTH, tarfile.GNU_FORMAT), "", [PASS, RUN]),
    "tar, ustar": Archive(lambda: tarred(BOTH, tarfile.USTAR_FORMAT), "", [PASS, RUN]),
    "tar, names that begin with ./": Archive(lambda: tarred({f"./{name}": BOTH[name] for name in BOTH}), "", [PASS, RUN]),
    "tar, long pax name": Archive(lambda: tarred({LONG: PASSKEY}), "", [PASS]),
    "tar, long gnu name": Archive(lambda: tarred({LONG: PASSKEY}, tarfile.GNU_FORMAT), "", [PASS]),
    "tar, directory": Archive(lambda: tarred_with(type=tarfile.DIRTYPE), "", [PASS]),
    "tar.gz": Archive(lambda: gzip.compress(tarred(BOTH)), "", [PASS, RUN]),
    "jsonl.gz": Archive(lambda: gzip.compress(PASSKEY), "", [PASS]),
    "jsonl.gz in two pieces": Archive(lambda: gzip.compress(PASSKEY[:9]) + gzip.compress(PASSKEY[9:]), "", [PASS]),
    "gzip padded with zeros": Archive(lambda: gzip.compress(PASSKEY) + b"\0" * 512, "", [PASS]),
    # Bombs
    "100 MiB of zeros zipped": Archive(lambda: zipped({"preds_passkey.jsonl": ZEROS}), "archive_ratio", []),
    "100 MiB of zeros in a gzip": Archive(lambda: gzip.compress(ZEROS), "file_binary", []),
    "100 MiB of spaces in a gzip": Archive(lambda: gzip.compress(SPACES), "archive_ratio", []),
    "100 MiB of zeros in a tar.gz": Archive(lambda: gzip.compress(tarred({"preds_passkey.jsonl": ZEROS})), "archive_ratio", []),
    "overlapping zip": Archive(lambda: overlapping(900), "archive_overlap", []),
    "200k entries": Archive(lambda: many_entries(200_000), "archive_entries", []),
    "200k entries that say they are two": Archive(lambda: many_entries(200_000, said=2), "archive_broken", []),
    "2,000 entries in a tar": Archive(lambda: tarred({f"{n}.md": b"" for n in range(2_000)}), "archive_entries", []),
    "1 TiB in a tar": Archive(lambda: header_of_size(1 << 40), "archive_ratio", []),
    "1 TiB of name in a tar": Archive(lambda: header_of_size(1 << 40, b"L"), "archive_broken", []),
    "1 TiB of pax record in a tar": Archive(lambda: header_of_size(1 << 40, b"x"), "archive_broken", []),
    "a million empty gzips": Archive(lambda: gzip.compress(b"") * 1_000_000, "gzip_trailing", []),
    # Nested
    "nested zip": Archive(lambda: zipped({**GOOD, "a.zip": zipped(GOOD)}), "archive_not_opened", [PASS]),
    "gzip in a zip": Archive(lambda: zipped({**GOOD, "preds_code_run.jsonl.gz": gzip.compress(CODE_RUN)}), "", [PASS, RUN]),
    "gzips in a tar": Archive(lambda: tarred({f"{name}.gz": gzip.compress(BOTH[name]) for name in BOTH}), "", [PASS, RUN]),
    "truncated gzip in a zip": Archive(lambda: zipped({**GOOD, "preds_code_run.jsonl.gz": gzip.compress(CODE_RUN)[:-9]}), "gzip_cut", [PASS]),
    "gzip in a gzip in a zip": Archive(lambda: zipped({**GOOD, "preds_code_run.jsonl.gz": gzip.compress(gzip.compress(CODE_RUN))}), "archive_not_opened", [PASS]),
    "tar.gz in a zip": Archive(lambda: zipped({**GOOD, "more.tgz": gzip.compress(tarred(BOTH))}), "archive_not_opened", [PASS]),
    "100 MiB of spaces in a gzip in a zip": Archive(lambda: zipped({"preds_passkey.jsonl.gz": gzip.compress(SPACES)}), "archive_ratio", []),
    "zip called jsonl in a tar": Archive(lambda: tarred({**GOOD, "preds_code_run.jsonl": zipped(BOTH)}), "archive_not_opened", [PASS]),
    "tar in a tar": Archive(lambda: tarred({**GOOD, "a.tar": tarred(GOOD)}), "archive_not_opened", [PASS]),
    "gzip in a gzip": Archive(lambda: gzip.compress(gzip.compress(PASSKEY)), "archive_not_opened", []),
    "xz": Archive(lambda: b"\xfd7zXZ\0" + b"x" * 100, "archive_not_opened", []),
    # Lies
    "lying checksum": Archive(lambda: with_lie(14, 16), "member_lies", [PASS]),
    "lying size": Archive(lambda: with_lie(22, 24), "member_lies", [PASS]),
    "lying packed size": Archive(lambda: with_lie(18, 20), "member_lies", [PASS]),
    "directory and member differ": Archive(lambda: edited(zipped(GOOD), 22, b"\1"), "archive_broken", []),
    "names differ": Archive(lambda: edited(zipped(GOOD), 30, b"P"), "archive_broken", []),
    "encrypted zip": Archive(lambda: flagged(1), "member_encrypted", [PASS]),
    "bzip2 in a zip": Archive(lambda: with_method(12), "member_method", [PASS]),
    "zip-and-HTML polyglot": Archive(lambda: b"PK\3\4" + HTML + zipped(GOOD), "archive_broken", []),
    "HTML before a zip that knows of it": Archive(lambda: prefixed(b"PK\3\4" + HTML, zipped(GOOD)), "archive_prefix", []),
    "HTML before a zip": Archive(lambda: HTML + zipped(GOOD), "archive_prefix", []),
    "a place outside the zip": Archive(lambda: edited_offset(zipped(BOTH)), "archive_broken", []),
    "a place far outside the zip": Archive(far_offset, "archive_broken", []),
    "garbage behind a zip": Archive(lambda: zipped(GOOD) + HTML, "archive_broken", []),
    "two ends of a zip": Archive(lambda: zipped(GOOD)[:-2] + struct.pack("<H4s18x", 22, b"PK\5\6"), "archive_broken", []),
    "half a zip": Archive(lambda: zipped(BOTH)[:300], "archive_incomplete", []),
    "two members of one name": Archive(twice_zipped, "member_twice", []),
    "two members of one name in a tar": Archive(lambda: tarred(GOOD)[:1_024] + tarred(GOOD), "member_twice", []),
    "half a tar": Archive(lambda: tarred(BOTH)[:1_200], "archive_incomplete", []),
    "a damaged tar header": Archive(lambda: edited(tarred(GOOD), 0, b"X"), "archive_broken", []),
    "garbage behind a tar": Archive(lambda: tarred(GOOD) + HTML, "archive_broken", []),
    "truncated gzip": Archive(lambda: gzip.compress(PASSKEY)[:-9], "gzip_cut", []),
    "gzip without its checksum": Archive(lambda: gzip.compress(PASSKEY)[:-4], "gzip_cut", []),
    "gzip with a wrong checksum": Archive(lambda: edited(gzip.compress(PASSKEY), -8, b"xxxx"), "gzip_broken", []),
    "garbage behind a gzip": Archive(lambda: gzip.compress(PASSKEY) + HTML, "gzip_trailing", []),
    "truncated tar.gz": Archive(lambda: gzip.compress(tarred(BOTH))[:-20], "gzip_cut", []),
    # Names
    "../x": Archive(lambda: renamed(b"../x.json"), "member_name_unsafe", [RUN]),
    "x/../y": Archive(lambda: renamed(b"a/../y.js"), "member_name_unsafe", [RUN]),
    "absolute": Archive(lambda: renamed(b"/tmp/p.js"), "member_name_unsafe", [RUN]),
    "C:\\": Archive(lambda: renamed(b"C:\\p.json"), "member_name_unsafe", [RUN]),
    "C:": Archive(lambda: renamed(b"C:pp.json"), "member_name_unsafe", [RUN]),
    "backslash": Archive(lambda: renamed(b"a\\p.jsonl"), "member_name_unsafe", [RUN]),
    "NUL in a name": Archive(lambda: renamed(b"p.j\0sonll"), "member_name_unsafe", [RUN]),
    "../x in a tar": Archive(lambda: tarred({"../preds_passkey.jsonl": PASSKEY, **GOOD}), "member_name_unsafe", [PASS]),
    "absolute in a tar": Archive(lambda: tarred({"/preds_code_run.jsonl": CODE_RUN, **GOOD}), "member_name_unsafe", [PASS]),
    # Kinds of members
    "zip symlink": Archive(lambda: zipped_as(0o120777), "member_not_regular", [PASS]),
    "zip device": Archive(lambda: zipped_as(0o020666), "member_not_regular", [PASS]),
    "tar symlink": Archive(lambda: tarred_with(type=tarfile.SYMTYPE, linkname="/etc/passwd"), "member_not_regular", [PASS]),
    "tar hard link": Archive(lambda: tarred_with(type=tarfile.LNKTYPE, linkname="/etc/passwd"), "member_not_regular", [PASS]),
    "tar character device": Archive(lambda: tarred_with(type=tarfile.CHRTYPE), "member_not_regular", [PASS]),
    "tar block device": Archive(lambda: tarred_with(type=tarfile.BLKTYPE), "member_not_regular", [PASS]),
    "tar fifo": Archive(lambda: tarred_with(type=tarfile.FIFOTYPE), "member_not_regular", [PASS]),
    "tar link with content": Archive(lambda: header_of_size(512, b"2") + b"\0" * 1_536, "archive_broken", []),
    "old sparse tar": Archive(lambda: header_of_size(0, b"S", "code_run.jsonl") + tarred(GOOD), "member_not_regular", [PASS]),
    "sparse tar 0.1": Archive(lambda: tarred_with(pax_headers={"GNU.sparse.size": "1099511627776"}), "member_not_regular", [PASS]),
    "sparse tar 1.0": Archive(lambda: tarred_with(pax_headers={"GNU.sparse.major": "1", "GNU.sparse.realsize": "9"}), "member_not_regular", [PASS]),
}
# fmt: on
