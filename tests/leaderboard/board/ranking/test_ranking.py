"""Ranks are a pure function of complete rows: properties that hold for any entries."""

import random
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.board import build_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranking.ranking import Line, ranks
from leaderboard.columns import Column, columns_of
from leaderboard.entries import Entry, Mark
from leaderboard.queries import BoardRelease
from portal.scores.scores import mean_of
from scoring.catalog import OVERALL, TASKS, tasks_of
from tests.support.factories import ALL, plain

COLUMNS = columns_of(TASKS)
BY_ID = {column.id: column for column in COLUMNS}
RELEASE = BoardRelease(
    "hf", "Release", hidden=False, official=True, is_open=True, sizes=dict.fromkeys(TASKS, 4)
)

few_scores = st.dictionaries(st.sampled_from(list(TASKS)), st.integers(0, 3).map(float))
all_scores = st.lists(st.integers(0, 3).map(float), min_size=12, max_size=12).map(
    lambda scores: dict(zip(TASKS, scores, strict=True))
)
entry_lists = st.lists(st.one_of(few_scores, all_scores, all_scores), max_size=8).map(
    lambda found: [plain(f"model {n}", scores) for n, scores in enumerate(found)]
)
columns = st.sampled_from(COLUMNS)


def ranked(entries: list[Entry], column: Column) -> list[Line]:
    return list(build_board(RELEASE, entries, Filters(sort=column.id, entries="all")).lines)


def chosen(entries: list[Entry]) -> list[Entry]:
    """The best entry of each system, in the original order."""
    shown = {line.entry.id for line in build_board(RELEASE, entries, Filters()).lines}
    return [entry for entry in entries if entry.id in shown]


def places(lines: list[Line]) -> dict[str, int | None]:
    return {line.entry.id: line.rank for line in lines}


def test_equal_values_share_a_place_and_the_next_one_is_left_out() -> None:
    assert ranks([7.0, 9.0, 7.0, None, 1.0]) == [2, 1, 2, None, 4]


@given(entry_lists, columns, st.randoms(use_true_random=False))
def test_ranks_do_not_depend_on_the_order_of_entries(
    entries: list[Entry], column: Column, chance: random.Random
) -> None:
    shuffled = chance.sample(entries, len(entries))
    assert ranked(shuffled, column) == ranked(entries, column)


@given(entry_lists, columns)
def test_no_rank_gets_worse_when_an_entry_leaves(entries: list[Entry], column: Column) -> None:
    before = places(ranked(entries, column))
    for gone in entries:
        left = ranked([entry for entry in entries if entry is not gone], column)
        for line in left:
            place = before[line.entry.id]
            assert (line.rank is None) == (place is None)
            assert line.rank is None or line.rank <= place  # type: ignore[operator]
        assert [line.entry for line in left] == [
            line.entry for line in ranked(entries, column) if line.entry is not gone
        ]


@given(entry_lists, columns)
def test_a_rank_is_one_more_than_the_number_of_better_complete_entries(
    entries: list[Entry], column: Column
) -> None:
    scores = {entry.id: mean_of(column.tasks, entry.scores) for entry in entries}
    for line in ranked(entries, column):
        mine = scores[line.entry.id]
        better = [s for s in scores.values() if s and mine and s.percent > mine.percent]
        assert line.rank == (None if mine is None else 1 + len(better))


@given(entry_lists, columns)
def test_incomplete_entries_are_unranked_and_come_last(
    entries: list[Entry], column: Column
) -> None:
    lines = ranked(entries, column)
    complete = [line.entry.count_scored(column.tasks) == len(column.tasks) for line in lines]
    assert complete == [line.rank is not None for line in lines]
    assert complete == sorted(complete, reverse=True)


@given(entry_lists, st.booleans())
def test_the_board_has_each_model_once_and_loses_none(entries: list[Entry], twice: bool) -> None:
    again = [plain(entry.model.name, ALL, id_=f"again {entry.id}") for entry in entries[::2]]
    every = [*entries, *(again if twice else [])]
    shown = build_board(RELEASE, every, Filters()).lines
    slugs = [line.entry.model.slug for line in shown]
    assert sorted(slugs) == sorted({entry.model.slug for entry in every})


def test_a_model_is_shown_with_its_best_complete_entry() -> None:
    fewer = plain("A", {"passkey": 100.0}, id_="fewer")
    worse, better = plain("A", ALL, id_="worse"), plain("A", ALL | {"passkey": 60.0}, id_="better")
    assert chosen([fewer, better, worse]) == [better]
    assert chosen([fewer]) == [fewer]


def test_the_incomplete_entry_with_the_most_tasks_is_shown() -> None:
    one = plain("A", {"passkey": 100.0}, id_="one")
    two = plain("A", {"passkey": 1.0, "code_run": 1.0}, id_="two")
    assert chosen([one, two]) == [two]


def test_each_method_around_a_model_has_a_row_of_its_own() -> None:
    alone = plain("A", ALL, id_="alone")
    worse = replace(plain("A", {"passkey": 1.0}, id_="worse"), method="InfLLM")
    better = replace(plain("A", ALL, id_="better"), method="inf-llm")
    assert chosen([alone, worse, better]) == [alone, better]


def test_a_reported_number_never_replaces_one_scored_here() -> None:
    claimed = plain("A", dict.fromkeys(TASKS, 99.0), Mark.REPORTED, "claimed")
    measured = plain("A", ALL, Mark.SCORED, "measured")
    assert chosen([claimed, measured]) == [measured]


def test_a_difference_that_is_not_printed_decides_no_rank() -> None:
    copied = plain("A", dict.fromkeys(TASKS, 45.684), Mark.REPORTED, "copied")
    released = plain("A", dict.fromkeys(TASKS, 45.6833), Mark.HISTORICAL, "released")
    other = plain("B", dict.fromkeys(TASKS, 45.6751), Mark.SCORED, "other")
    lines = ranked([copied, released, other], BY_ID[OVERALL])
    assert [(line.rank, line.entry.id) for line in lines] == [
        (1, "other"),
        (1, "released"),
        (1, "copied"),
    ]


@given(entry_lists, columns, st.data())
def test_with_equal_scores_the_more_trusted_entry_comes_first(
    entries: list[Entry], column: Column, data: st.DataObject
) -> None:
    marked = [replace(one, mark=data.draw(st.sampled_from(Mark))) for one in entries]
    trust = list(Mark)
    for one, after in pairwise(ranked(marked, column)):
        if one.rank is not None and one.rank == after.rank:
            assert trust.index(one.entry.mark) <= trust.index(after.entry.mark)


def test_a_search_hides_rows_and_moves_no_rank() -> None:
    entries = [plain("Alpha", ALL), plain("Beta", ALL | {"passkey": 0.0})]
    (line,) = build_board(RELEASE, entries, Filters(search="bet")).lines
    assert (line.rank, line.filtered_rank) == (2, 1)


def test_unranked_entries_come_last_in_a_reversed_board() -> None:
    entries = [plain("Few", {}), plain("Low", dict.fromkeys(TASKS, 1.0)), plain("High", ALL)]
    lines = build_board(RELEASE, entries, Filters(direction="back")).lines
    assert [(line.rank, line.entry.id) for line in lines] == [
        (2, "Low"),
        (1, "High"),
        (None, "Few"),
    ]


def test_the_overall_mean_of_a_smaller_release_is_over_its_tasks() -> None:
    overall, *rest = columns_of(["passkey", "code_run", "code_debug"])
    assert overall.tasks == ("passkey", "code_debug", "code_run")
    assert [column.id for column in rest] == ["code", "passkey", "code_debug", "code_run"]


def test_a_domain_has_a_mean_only_where_the_release_has_all_of_its_tasks() -> None:
    ids = [column.id for column in columns_of(tasks_of("novel")[:-1])]
    assert "novel" not in ids


def test_readers_that_go_by_rules_are_below_language_models_and_have_no_rank() -> None:
    best, model, partial = (plain(name, dict.fromkeys(TASKS, 50.0)) for name in "abc")
    by_rules = replace(best.model, baseline=True)
    best = replace(best, model=by_rules, scores=plain("a", dict.fromkeys(TASKS, 99.0)).scores)
    partial = replace(partial, scores={"passkey": partial.scores["passkey"]})
    lines = ranked([best, model, partial], COLUMNS[0])
    assert [(line.entry.id, line.rank) for line in lines] == [("b", 1), ("c", None), ("a", None)]
