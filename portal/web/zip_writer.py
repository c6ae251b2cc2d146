"""Several files as one archive, whose bytes say nothing but what the files are."""

import zipfile
from collections.abc import Iterable
from typing import IO

Member = tuple[str, Iterable[bytes]]  # its name, and what is in it, part by part


def pack(members: Iterable[Member], archive: IO[bytes]) -> None:
    """Write a zip: the same members make the same bytes, wherever and whenever this runs.

    Nothing is compressed, which other versions of a library do otherwise, and no time is kept.
    """
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, parts in members:
            info = zipfile.ZipInfo(name)  # of 1980, as every member
            info.create_system = 3  # Unix, wherever this runs
            with out.open(info, "w") as member:
                for part in parts:
                    member.write(part)
