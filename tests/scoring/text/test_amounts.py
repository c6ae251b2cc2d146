"""Numbers of tokens: read as people write them, and shown so that K is never ambiguous."""

import pytest

from scoring.text.amounts import full_amount, read_amount

AMOUNTS = {
    "131072": 131_072,
    "128K": 128_000,
    "128k": 128_000,
    " 128 K ": 128_000,
    "128,000": 128_000,
    "1,048,576": 1_048_576,
    "128_000": 128_000,
    "1M": 1_000_000,
    "1.5M": 1_500_000,
    "0.5K": 500,
    "1.0": 1,
    "１２８Ｋ": 128_000,  # full-width
    "１２８，０００": 128_000,
    "0": 0,
}


@pytest.mark.parametrize("text", AMOUNTS)
def test_an_amount_is_read_as_people_write_it(text: str) -> None:
    assert read_amount(text) == AMOUNTS[text]


@pytest.mark.parametrize(
    "text",
    ["", "K", "many", "-1", "+1", "8KK", "1.5", "1.5555K", "128.000.000", "1,5M", "12,00", "4²",
     "٤K", "1e5", "128KB", "8 192", "9" * 13, "1\n2K"],
)  # fmt: skip
def test_anything_else_is_no_amount(text: str) -> None:
    assert read_amount(text) is None


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (128_000, "128K (128,000)"),
        (1_000_000, "1M (1,000,000)"),
        (1_500_000, "1.5M (1,500,000)"),
        (4_500, "4.5K (4,500)"),
        (131_072, "131,072"),
        (500, "500"),
        (1_048_576, "1,048,576"),
    ],
)
def test_an_amount_is_shown_short_and_in_full(tokens: int, text: str) -> None:
    assert full_amount(tokens) == text
    assert read_amount(text.partition(" ")[0]) == tokens
