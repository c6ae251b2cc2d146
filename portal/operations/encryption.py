"""Files that can be read, and changed unnoticed, only by those who know the passphrase.

A file is ``FORM``, a salt, and pieces of 1 MiB, each sealed with AES-256-GCM. Every file has a key
of its own: HKDF of the folder's key, which scrypt derives from the passphrase, and of the salt. The
nonce of a piece is its number and whether it is the last; its associated data is the name of the
file. So no piece can be moved, repeated or left out, and no file can take the place of another.
"""

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

FORM = b"infinitebench-sealed-1\n"
PIECE = 1 << 20  # bytes of content
SALT = 32
_TAG = 16
_COST = 1 << 17  # of scrypt: 128 MiB and half a second


class SealError(Exception):
    """The passphrase is another one, or the file was changed."""


def derive_key(passphrase: str, salt: bytes, cost: int = _COST) -> bytes:
    return Scrypt(salt=salt, length=32, n=cost, r=8, p=1).derive(passphrase.encode())


def seal(chunks: Iterable[bytes], key: bytes, name: str) -> Iterator[bytes]:
    """Encrypt in the memory of a few pieces, however long the content is."""
    salt = os.urandom(SALT)
    yield FORM + salt
    cipher = _cipher(key, salt)
    number, pending = 0, bytearray()
    for chunk in chunks:
        pending += chunk
        while len(pending) > PIECE:  # not the last: something follows
            yield cipher.encrypt(_nonce(number, last=False), bytes(pending[:PIECE]), name.encode())
            del pending[:PIECE]
            number += 1
    yield cipher.encrypt(_nonce(number, last=True), bytes(pending), name.encode())


def unseal(stream: BinaryIO, key: bytes, name: str) -> Iterator[bytes]:
    """The content. Each piece is verified before it is yielded; only the end shows that nothing is
    missing. Raises ``SealError``."""
    head = stream.read(len(FORM) + SALT)
    if len(head) < len(FORM) + SALT or not head.startswith(FORM):
        raise SealError(f"{name} is not sealed.")
    cipher = _cipher(key, head[len(FORM) :])
    number, piece = 0, stream.read(PIECE + _TAG)
    while True:
        following = stream.read(PIECE + _TAG)
        try:
            yield cipher.decrypt(_nonce(number, last=not following), piece, name.encode())
        except InvalidTag:
            raise SealError(
                f"{name} cannot be opened: the passphrase is another one, or it was changed."
            ) from None
        if not following:
            return
        number, piece = number + 1, following


def sealed_size(size: int) -> int:
    """Bytes of a sealed file whose content has ``size`` bytes."""
    pieces = max(1, -(-size // PIECE))
    return len(FORM) + SALT + size + pieces * _TAG


def _cipher(key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=salt, info=FORM).derive(key))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
