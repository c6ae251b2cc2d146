"""Encrypted data is decrypted completely, or not at all."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.operations import encryption
from portal.operations.encryption import (
    FORM,
    PIECE,
    SALT,
    SealError,
    derive_key,
    seal,
    sealed_size,
    unseal,
)

KEY = bytes(range(32))
LONG = b"ab" * (PIECE + 3)  # three pieces


def sealed(content: bytes, name: str = "file", key: bytes = KEY) -> bytes:
    return b"".join(seal([content], key, name))


def opened(sealed: bytes, name: str = "file", key: bytes = KEY) -> bytes:
    return b"".join(unseal(BytesIO(sealed), key, name))


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5])
def test_content_of_any_length_comes_back(size: int) -> None:
    content = bytes(size)
    assert opened(sealed(content)) == content
    assert len(sealed(content)) == sealed_size(size)


def test_how_it_is_cut_makes_no_difference() -> None:
    chunks = [LONG[:7], b"", LONG[7 : PIECE + 100], LONG[PIECE + 100 :]]
    assert opened(b"".join(seal(chunks, KEY, "file"))) == LONG


def test_twice_the_same_content_looks_different() -> None:
    assert sealed(b"same") != sealed(b"same")


@given(st.integers(0, sealed_size(100) - 1), st.integers(1, 255))
def test_no_byte_can_be_changed(place: int, change: int) -> None:
    changed = bytearray(sealed(bytes(100)))
    changed[place] ^= change
    with pytest.raises(SealError):
        opened(bytes(changed))


def test_no_piece_can_be_left_out_repeated_or_moved() -> None:
    whole, head, piece = sealed(LONG), len(FORM) + SALT, PIECE + 16
    first, second = whole[head : head + piece], whole[head + piece : head + 2 * piece]
    last = whole[head + 2 * piece :]
    for pieces in ([first, second], [first, last], [second, first, last], [first] * 2, []):
        with pytest.raises(SealError):
            opened(whole[:head] + b"".join(pieces))


def test_a_file_cannot_take_the_place_of_another() -> None:
    with pytest.raises(SealError):
        opened(sealed(b"content", "one"), "another")


def test_another_passphrase_opens_nothing() -> None:
    salt = bytes(SALT)
    one, another = (derive_key(text, salt, cost=2) for text in ("one", "another"))
    with pytest.raises(SealError):
        opened(sealed(b"content", key=one), key=another)


def test_memory_does_not_grow_with_the_content() -> None:
    pieces = seal((bytes(1 << 16) for _ in range(10_000)), KEY, "file")
    longest = max(len(next(pieces)) for _ in range(100))
    assert longest <= encryption.PIECE + 16
