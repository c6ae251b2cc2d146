"""A reproducible archive of several files."""

import zipfile
from collections.abc import Iterable
from typing import IO

Member = tuple[str, Iterable[bytes]]  # name and content, in chunks


def pack(members: Iterable[Member], archive: IO[bytes]) -> None:
    """Write a zip: the same members give the same bytes, on any machine at any time.

    Nothing is compressed, as versions of zlib differ, and no time is stored.
    """
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, parts in members:
            info = zipfile.ZipInfo(name)  # dated 1980, as every member
            info.create_system = 3  # Unix, on any machine
            with out.open(info, "w") as member:
                for part in parts:
                    member.write(part)
