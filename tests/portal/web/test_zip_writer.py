"""Zip files: the same files give the same bytes, by which they are recognised."""

import hashlib
import io
import zipfile

from portal.web.zip_writer import pack

FILES = [("preds_passkey.jsonl", [b'{"id": 0}\n', b'{"id": 1}\n']), ("folder/empty.jsonl", [])]


def packed() -> bytes:
    stream = io.BytesIO()
    pack(FILES, stream)
    return stream.getvalue()


def test_the_bytes_never_change() -> None:
    """Stored archives are compared by their hash."""
    digest = "a068d7fb99b086bfcbfcacabb762aa01a4d47b1972cea215f8bd4d9a8e0e1935"
    assert hashlib.sha256(packed()).hexdigest() == digest


def test_the_files_come_out_unchanged() -> None:
    with zipfile.ZipFile(io.BytesIO(packed())) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {name: b"".join(parts) for name, parts in FILES}
