"""Filters are read from any address, and print themselves as the canonical one."""

from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.ranking.facets import FACETS
from leaderboard.columns import COLUMN_IDS, selection_of
from portal.scores.trust import Trust
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
any_filters = st.builds(
    Filters,
    metric_set=st.sampled_from(list(METRIC_SETS)),
    sort=st.sampled_from([*COLUMN_IDS, BY_MODEL]),
    direction=st.sampled_from(["forward", "back"]),
    entries=st.sampled_from(["best", "all"]),
    heat=st.sampled_from(["on", "off"]),
    errors=st.sampled_from(["on", "off"]),
    **{
        facet.name: st.lists(st.sampled_from(list(facet.values)) if facet.values else words).map(
            facet.read
        )
        for facet in FACETS
    },
    tasks=st.dictionaries(
        st.sampled_from(list(TASKS)), st.integers(1, 900_000).map(lambda number: number / 1000)
    ).map(selection_of),
    pins=st.lists(st.from_regex(r"[-a-z0-9]{1,40}", fullmatch=True), max_size=8, unique=True).map(
        tuple
    ),
    page=st.integers(1, 9999),
    search=words.map(lambda text: " ".join(text.split())[:100].strip()),
)
names = st.sampled_from(
    [
        *("set", "sort", "dir", "entries", "heat", "q", "x"),
        *("tasks", "task", "weight-passkey", "pin", "page"),
        *(facet.name for facet in FACETS),
    ]
)
values = words | st.sampled_from(
    ["open", "unknown", "passkey", "math", "passkey:2,code_run", "passkey:nan", "scored", "2", "-1"]
)
addresses = st.dictionaries(names, st.lists(values, min_size=1, max_size=3))


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
    every = "&trust=".join(Trust)
    sent = f"q=&sort=overall&entries=all&page=1&trust=&trust={every}"
    asked = parse_qs(sent, keep_blank_values=True)
    assert not Filters.from_query(asked).matches_query(asked)
    assert str(Filters.from_query(asked)) == "?entries=all"


def test_the_order_of_an_address_and_unknown_names_do_not_matter() -> None:
    asked = {"sort": ["passkey"], "set": ["strict"], "utm_source": ["mail"]}
    assert Filters.from_query(asked).matches_query(asked)


def test_to_choose_every_value_or_none_is_to_choose_no_filter() -> None:
    assert read("?trust=").trust == ()
    assert read("?trust=&trust=scored").trust == (Trust.SCORED,)
    assert read("?weights=open&weights=closed&weights=unknown").weights == ()
    assert read("?complete=yes").complete == ("yes",)


def test_the_plain_address_is_that_of_the_default() -> None:
    assert str(Filters()) == ""
    assert Filters().href == "."


def test_unknown_parameters_are_ignored() -> None:
    assert read("?set=mine&sort=luck&trust=gold&weights=any&heat=&pin=%22") == Filters()


def test_the_last_of_several_values_counts_and_marks_add_up() -> None:
    filters = read("?heat=on&heat=off&trust=reported&trust=scored")
    assert filters.heat == "off"
    assert filters.trust == (Trust.REPORTED, Trust.SCORED)


def test_a_second_click_on_a_column_turns_the_order_round() -> None:
    once = Filters().sorted_by("passkey")
    assert str(once) == "?sort=passkey"
    assert str(once.sorted_by("passkey")) == "?sort=passkey&dir=back"
    assert once.sorted_by("passkey").sorted_by("passkey") == once


def test_a_board_without_the_column_is_sorted_by_its_overall_mean() -> None:
    assert Filters(sort="novel").valid_for(["overall", "passkey"]).sort == "overall"


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "1e3", "99999", "٣", "", "nan"])
def test_a_page_that_cannot_be_is_the_first(number: str) -> None:
    assert read(f"?page={number}").page == 1


@pytest.mark.parametrize(
    ("sent", "canonical"),
    [
        ("longbook_qa_eng,math_find:2", "math_find:2,longbook_qa_eng"),
        ("math_find:2,math_calc:2.000", "math"),
        ("realistic", "realistic"),
        (",".join(TASKS), ""),
        ("passkey:3", "passkey"),
        ("passkey:-1,code_run:nan,code_debug:1e9,math_find:0,none", ""),
        ("passkey,passkey:2,code_run:0.5", "passkey:2,code_run:0.5"),
        ("passkey:٣", ""),
        ("passkey:2:3", ""),
    ],
)
def test_chosen_tasks_have_one_form(sent: str, canonical: str) -> None:
    assert dict(read(f"?tasks={sent}").pairs()).get("tasks", "") == canonical


def test_the_form_of_tasks_leads_to_an_address_of_them() -> None:
    sent = "task=math_find&task=passkey&weight-math_find=2&weight-passkey=&weight-code_run=3"
    asked = parse_qs(sent, keep_blank_values=True)
    filters = Filters.from_query(asked)
    assert str(filters) == "?tasks=passkey,math_find:2"
    assert not filters.matches_query(asked)
    assert not Filters().matches_query(parse_qs("weight-passkey=1"))


def test_long_queries_are_cut() -> None:
    long = "x" * 10_000
    filters = read(f"?q={long}&organisation={long}&prompt={long}&tasks={long}&pin={long}")
    assert len(str(filters)) < 400
    many = "&".join(f"organisation=o{number}&pin=p{number}" for number in range(1_000))
    assert len(str(read(f"?{many}"))) < 700


def test_any_change_leads_to_the_first_page() -> None:
    assert Filters(page=3).replace(weights=("open",)).page == 1
    assert Filters(page=3).sorted_by("passkey").page == 1
