"""Filters are read from any address, and print themselves as the one address of what they mean."""

from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.columns import COLUMN_IDS
from leaderboard.entries import Entry, Mark, Model
from scoring.metrics import METRIC_SETS
from tests.support.factories import plain

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
any_filters = st.builds(
    Filters,
    metric_set=st.sampled_from(list(METRIC_SETS)),
    sort=st.sampled_from([*COLUMN_IDS, BY_MODEL]),
    direction=st.sampled_from(["forward", "back"]),
    entries=st.sampled_from(["best", "all"]),
    weights=st.sampled_from(["any", "open", "closed"]),
    heat=st.sampled_from(["on", "off"]),
    errors=st.sampled_from(["on", "off"]),
    marks=st.sets(st.sampled_from(list(Mark))).map(
        lambda chosen: tuple(mark for mark in Mark if mark in chosen)
    ),
    search=words.map(lambda text: " ".join(text.split())[:100].strip()),
)
names = st.sampled_from(["set", "sort", "dir", "entries", "weights", "heat", "marks", "q", "x"])
addresses = st.dictionaries(names, st.lists(words, min_size=1, max_size=3))


def read(address: str) -> Filters:
    return Filters.from_query(parse_qs(address.removeprefix("?"), keep_blank_values=True))


@given(any_filters)
def test_a_printed_filter_is_parsed_to_the_same_filter(filters: Filters) -> None:
    assert read(str(filters)) == filters


@given(addresses)
def test_any_query_string_has_one_canonical_form(asked: dict[str, list[str]]) -> None:
    printed = str(Filters.from_query(asked))
    assert str(read(printed)) == printed


@given(any_filters)
def test_a_canonical_query_string_is_not_redirected(filters: Filters) -> None:
    assert filters.matches_query(parse_qs(str(filters).removeprefix("?"), keep_blank_values=True))


def test_default_values_from_a_form_are_redirected() -> None:
    sent = "q=&sort=overall&entries=all&marks=&marks=scored&marks=historical&marks=reported"
    asked = parse_qs(sent, keep_blank_values=True)
    assert not Filters.from_query(asked).matches_query(asked)
    assert str(Filters.from_query(asked)) == "?entries=all"


def test_the_order_of_an_address_and_unknown_names_do_not_matter() -> None:
    asked = {"sort": ["passkey"], "set": ["strict"], "utm_source": ["mail"]}
    assert Filters.from_query(asked).matches_query(asked)


def test_a_form_without_any_mark_means_none() -> None:
    assert read("?marks=").marks == ()
    assert read("?marks=&marks=scored").marks == (Mark.SCORED,)
    assert str(read("?marks=")) == "?marks="


def test_the_plain_address_is_that_of_the_default() -> None:
    assert str(Filters()) == ""
    assert Filters().href == "."


def test_unknown_parameters_are_ignored() -> None:
    assert read("?set=mine&sort=luck&marks=gold&page=3&heat=") == Filters()


def test_the_last_of_several_values_counts_and_marks_add_up() -> None:
    filters = read("?heat=on&heat=off&marks=reported&marks=scored")
    assert filters.heat == "off"
    assert filters.marks == (Mark.SCORED, Mark.REPORTED)


def test_a_second_click_on_a_column_turns_the_order_round() -> None:
    once = Filters().sorted_by("passkey")
    assert str(once) == "?sort=passkey"
    assert str(once.sorted_by("passkey")) == "?sort=passkey&dir=back"
    assert once.sorted_by("passkey").sorted_by("passkey") == once


def test_a_board_without_the_column_is_sorted_by_its_overall_mean() -> None:
    assert Filters(sort="novel").valid_for(["overall", "passkey"]).sort == "overall"


@pytest.mark.parametrize(
    "search", ["qwen3", "QWEN 3", "qwen-3", "qwen_3", "Ｑｗｅｎ３", "ali baba"]
)
@pytest.mark.parametrize("name", ["Qwen3", "Qwen-3", "Qwen 3", "qwen\u20113", "Qwen.3"])
def test_search_tolerates_different_spellings(search: str, name: str) -> None:
    assert Filters(search=search).includes(entry_of(Model("m", name, "Alibaba")))


@pytest.mark.parametrize(
    ("search", "is_found"),
    [("", True), ("llama", True), ("META 8b", True), ("8b qwen", False), ("大学", False)],
)
def test_a_search_finds_every_word_in_name_or_organisation(search: str, is_found: bool) -> None:
    assert Filters(search=search).includes(entry_of(Model("m", "Llama-8B", "Meta"))) is is_found


def test_a_search_finds_methods() -> None:
    entry = replace(entry_of(Model("m", "Llama-8B")), method="InfLLM")
    assert Filters(search="llama inf-llm").includes(entry)
    assert not Filters(search="llama rag").includes(entry)


def test_models_whose_weights_are_not_known_are_neither_open_nor_closed() -> None:
    unknown = entry_of(Model("m", "M"))
    assert Filters().includes(unknown)
    assert not Filters(weights="open").includes(unknown)
    assert not Filters(weights="closed").includes(unknown)


def entry_of(model: Model) -> Entry:
    return replace(plain("one", {}), model=model)
