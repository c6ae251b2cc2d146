"""Facets of a release are validated: a wrong span would highlight the wrong text."""

from pathlib import Path
from typing import Any

import pytest

from scoring.generators.release import generate_release
from scoring.releases.facets import (
    Facets,
    check_evidence,
    check_tokens,
    read_facets,
    read_token_counts,
)
from scoring.releases.gold import GoldError
from tests.support.worlds import write_rows

WHOLE = {
    "target_tokens": 4000, "ladder": 2, "depth": 0.5, "hops": 3, "kind": "largest",
    "evidence": [[7, 9], [0, 2]],
}  # fmt: skip


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    write_rows(folder / name / "passkey.jsonl", rows)
    return folder / "passkey.jsonl"


def test_facets_are_read_and_evidence_keeps_its_order(tmp_path: Path) -> None:
    file = written(tmp_path, "facets", [{"id": "5", **WHOLE}, {"id": 6, "depth": 1}])
    assert read_facets(file) == {
        5: Facets(4000, 2, 0.5, 3, "largest", ((7, 9), (0, 2))),
        6: Facets(depth=1.0),
    }


def test_without_a_file_there_are_no_facets(tmp_path: Path) -> None:
    assert read_facets(tmp_path / "passkey.jsonl") == {}
    assert read_token_counts(tmp_path / "passkey.jsonl") == {}


def test_estimated_counts_are_not_taken_for_counts(tmp_path: Path) -> None:
    rows = [{"id": 0, "tokens": 9, "estimated": False}, {"id": 1, "tokens": 9, "estimated": True}]
    assert read_token_counts(written(tmp_path, "tokens", rows)) == {0: 9}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 1.01}, "“depth” must be a number from 0 to 1"),
        ({"depth": True}, "“depth” must be"),
        ({"hops": -1}, "“hops” must be a whole number"),
        ({"ladder": 1.5}, "“ladder” must be a whole number"),
        ({"target_tokens": 1 << 31}, "“target_tokens” must be"),
        ({"kind": 7}, "“kind” must be text"),
        ({"kind": "k" * 61}, "“kind” must be text"),
        ({"kind": "a\0b"}, "“kind” must be text"),
        ({"evidence": [[1, 2, 3]]}, "“evidence” must be a list"),
        ({"evidence": [["a", "b"]]}, "“evidence” must be a list"),
        ({"evidence": {}}, "“evidence” must be a list"),
        ({"id": None}, "“id” must be"),
        ({"id": 0}, "the id 0 appears twice"),
    ],
)
def test_an_error_names_its_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file = written(tmp_path, "facets", [{"id": 0, **WHOLE}, {"id": 1, **WHOLE, **change}])
    with pytest.raises(GoldError, match=rf"facets/passkey.jsonl, line 2: {message}"):
        read_facets(file)


@pytest.mark.parametrize("span", [(0, 11), (-1, 2), (3, 3), (4, 3)])
def test_evidence_is_inside_its_context(span: tuple[int, int]) -> None:
    check_evidence(Facets(evidence=((0, 10),)), 10)
    with pytest.raises(ValueError, match="not in the context, which has 10 characters"):
        check_evidence(Facets(evidence=((0, 10), span)), 10)


@pytest.mark.parametrize("count", [0, 11])
def test_token_counts_are_between_one_and_the_number_of_bytes(count: int) -> None:
    check_tokens(1, 10)
    check_tokens(10, 10)
    with pytest.raises(ValueError, match="context and question have 10 bytes"):
        check_tokens(count, 10)


def test_a_byte_order_mark_is_skipped_and_another_encoding_is_reported(tmp_path: Path) -> None:
    file = written(tmp_path, "facets", [])
    place, row = tmp_path / "facets" / "passkey.jsonl", '{"id": 0, "kind": "é"}\n'
    place.write_text(row, encoding="utf-8-sig")
    assert read_facets(file) == {0: Facets(kind="é")}
    place.write_text(row, encoding="latin-1")
    with pytest.raises(GoldError, match=r"facets/passkey.jsonl, line 1: this is not UTF-8"):
        read_facets(file)


def test_what_the_generator_writes_can_be_read(tmp_path: Path) -> None:
    out = tmp_path / "release"
    generate_release(out, seed=7, tokens=[4_000], examples=3)
    for file in out.glob("*.jsonl"):
        assert len(read_facets(file)) == len(read_token_counts(file)) == 3
