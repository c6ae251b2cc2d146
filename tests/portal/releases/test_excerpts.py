"""A few lines of a context, with its evidence marked and the omitted text counted."""

import pytest

from portal.models import Context
from portal.releases.context_store import ContextStore
from portal.releases.excerpts import AROUND, LONGEST, MOST, Piece, excerpt

pytestmark = pytest.mark.django_db

TEXT = "".join(f"Line {number:05} of a long text.\n" for number in range(1_000))


@pytest.fixture
def context() -> Context:
    with ContextStore(1) as store:
        store.add("0" * 64, TEXT)
        store.finish()
        return Context.objects.get(pk=store.context("0" * 64).pk)


def shape(pieces: list[Piece]) -> str:
    """A letter for each piece: evidence, text or gap."""
    return "".join(
        "g" if one.tokens is not None else "e" if one.is_evidence else "t" for one in pieces
    )


def test_evidence_is_marked_with_what_surrounds_it(context: Context) -> None:
    pieces = excerpt(context, [(10_000, 10_020)])
    assert shape(pieces) == "gtetg"
    _, before, marked, after, _ = pieces
    assert marked.text == TEXT[10_000:10_020]
    assert before.text == TEXT[10_000 - AROUND : 10_000]
    assert after.text == TEXT[10_020 : 10_020 + AROUND]


def test_what_is_left_out_adds_up(context: Context) -> None:
    whole = excerpt(context, [(0, len(TEXT))])
    [gap] = [one.tokens for one in whole if one.tokens is not None]
    assert gap is not None
    assert 0 < context.tokens - gap < LONGEST
    parts = excerpt(context, [(5_000, 5_010), (20_000, 20_010)])
    assert shape(parts) == "gtetgtetg"
    left_out = sum(one.tokens or 0 for one in parts)
    shown = context.tokens - left_out
    assert 0 < shown < 4 * AROUND


@pytest.mark.parametrize(
    ("evidence", "wanted"),
    [
        ([], "tgt"),
        ([(0, 5)], "etg"),
        ([(len(TEXT) - 5, len(TEXT))], "gte"),
        ([(0, len(TEXT))], "ege"),
        ([(10_000, 10_000 + 2 * LONGEST)], "gtegetg"),
        ([(10_000, 10_010), (10_030, 10_040)], "gtetetg"),
        ([(10_030, 10_040), (10_000, 10_010)], "gtetetg"),
        ([(10_000, 10_020), (10_010, 10_030)], "gtetg"),
        ([(10_000, 10_010), (10_010, 10_020)], "gteetg"),
    ],
)
def test_pieces_are_in_order_and_overlap_nowhere(
    context: Context, evidence: list[tuple[int, int]], wanted: str
) -> None:
    pieces = excerpt(context, evidence)
    assert shape(pieces) == wanted
    place = 0
    for piece in pieces:
        if piece.text:
            place = TEXT.index(piece.text, place) + len(piece.text)


def test_of_much_evidence_only_the_first_pieces_are_shown(context: Context) -> None:
    pieces = excerpt(context, [(1_000 * place, 1_000 * place + 9) for place in range(1, 9)])
    assert shape(pieces).count("e") == MOST
