"""What a selection of filters, tasks and pins shows: facets, their counts, ranks, pages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.board import PAGE_ROWS, Board, build_board
from leaderboard.board.choices import facet_choices, hidden_notes
from leaderboard.board.filters import Filters
from leaderboard.board.ranking.facets import FACETS, OWN_LABELS, UNKNOWN, billions
from leaderboard.columns import selection_of
from leaderboard.entries import Entry, Mark, Model
from leaderboard.queries import BoardRelease
from portal.scores.titles import SettingsLine
from portal.scores.trust import Trust
from scoring.catalog import GROUPS, TASKS
from tests.support.factories import ALL, plain

RELEASE = BoardRelease(
    "hf",
    "Release",
    hidden=False,
    official=True,
    is_open=True,
    sizes=dict.fromkeys(TASKS, 4),
    versions={"hub": "Hub labels"},
)


def entry_of(name: str, percent: float = 50.0, **of_model: Any) -> Entry:
    """A complete entry with the same score in all tasks."""
    entry = plain(name, dict.fromkeys(TASKS, percent))
    return replace(entry, model=Model(name, name, **of_model))


def shown(entries: list[Entry], /, **filters: Any) -> list[str]:
    return [line.entry.id for line in board(entries, **filters).lines]


def board(entries: list[Entry], /, **filters: Any) -> Board:
    return build_board(RELEASE, entries, Filters(**filters))


FACTS = [
    ("organisation", "moonshotai", entry_of("yes", organisation="Moonshot AI")),
    ("organisation", UNKNOWN, entry_of("yes")),
    ("weights", "open", entry_of("yes", weights="open")),
    ("weights", UNKNOWN, entry_of("yes")),
    ("size", "4b-10b", entry_of("yes", parameters="8B")),
    ("size", "under-4b", entry_of("yes", parameters="2.4B (without embeddings)")),
    ("size", "40b-100b", entry_of("yes", parameters="47B (13B active)")),
    ("size", UNKNOWN, entry_of("yes", parameters="large")),
    ("window", "100k-200k", entry_of("yes", context_window=100_000)),
    ("window", "over-1m", entry_of("yes", context_window=1_000_000)),
    ("input", "32k-100k", replace(entry_of("yes"), run=SettingsLine(input_limit=99_999))),
    ("method", "with", replace(entry_of("yes"), method="InfLLM")),
    ("prompt", "fewshots", replace(entry_of("yes"), prompt="Few shots")),
    ("trust", Trust.RESCORED, replace(entry_of("yes"), mark=Mark.HISTORICAL)),
    ("labels", "hub", replace(entry_of("yes"), label_versions=["hub"])),
    ("labels", OWN_LABELS, replace(entry_of("yes"), label_versions=[])),
]
OTHER = replace(
    entry_of(
        "no", organisation="Other", weights="closed", parameters="20B", context_window=200_000
    ),
    run=SettingsLine("zero shots", "unknown", 300_000),
    prompt="zero shots",
)


@pytest.mark.parametrize(("facet", "value", "entry"), FACTS)
def test_a_facet_shows_what_has_one_of_its_values(facet: str, value: str, entry: Entry) -> None:
    assert shown([entry, OTHER], **{facet: (value,)}) == ["yes"]
    assert board([entry, OTHER]).counts[facet][value] == 1


def test_entries_without_some_task_can_be_hidden() -> None:
    part = plain("part", {"passkey": 99.0})
    assert shown([part, OTHER], complete=("yes",)) == ["no"]


def test_values_of_a_facet_add_up_and_facets_restrict_each_other() -> None:
    entries = [
        entry_of("a", weights="open", organisation="A"),
        entry_of("b", weights="closed", organisation="A"),
        entry_of("c", weights="open", organisation="C"),
    ]
    assert shown(entries, weights=("closed", "open"), organisation=("a",)) == ["a", "b"]
    assert shown(entries, weights=("open",), organisation=("a",)) == ["a"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from(["open", "closed", ""]),
            st.sampled_from(list(Mark)),
            st.sampled_from(["", "InfLLM"]),
        ),
        max_size=8,
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "weights": st.sampled_from([("open",), ("closed", UNKNOWN)]),
            "trust": st.sampled_from([("scored",), ("reported", "re-scored")]),
            "entries": st.sampled_from(["best", "all"]),
            "search": st.sampled_from(["a", "inf"]),
        },
    ),
)
def test_a_count_is_the_number_of_rows_that_the_value_alone_would_show(
    facts: list[tuple[str, str, Mark, str]], filters: dict[str, Any]
) -> None:
    entries = [
        replace(plain(name, ALL, mark, str(number)), model=Model(name, name, weights=weights))
        for number, (name, weights, mark, _) in enumerate(facts)
    ]
    entries = [
        replace(entry, method=method)
        for entry, (_, _, _, method) in zip(entries, facts, strict=True)
    ]
    counts = board(entries, **filters).counts
    for facet in FACETS:
        for value, count in counts[facet.name].items():
            assert len(shown(entries, **(filters | {facet.name: (value,)}))) == count


def test_an_entry_that_is_not_the_best_of_its_system_is_found_by_its_own_settings() -> None:
    better = plain("M", ALL, id_="better")
    other = replace(plain("M", dict.fromkeys(TASKS, 40.0), id_="other"), prompt="few shots")
    assert shown([better, other]) == ["better"]
    assert shown([better, other], prompt=("fewshots",)) == ["other"]


def test_what_is_not_stated_is_counted_and_can_be_shown() -> None:
    entries = [entry_of("a", weights="open"), entry_of("b"), entry_of("c")]
    found = board(entries, weights=("open",))
    [note] = hidden_notes(found)
    assert "2" in note.text
    assert note.href == "?weights=open&weights=unknown"
    assert hidden_notes(board(entries, weights=("closed", UNKNOWN))) == []


def test_facets_in_which_all_entries_agree_are_left_out() -> None:
    entries = [entry_of("a", weights="open"), entry_of("b")]
    assert [facet.name for facet in facet_choices(board(entries))] == ["weights"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8B", 8), ("47B (13B active)", 47), ("8x7B", 56), ("350M", 0.35), ("1T", 1000),
        ("1.23b", 1.23), ("about 70 B", 70), ("", None), ("large", None), ("8 bits", None),
    ],
)  # fmt: skip
def test_sizes_are_read_as_sources_write_them(text: str, number: float | None) -> None:
    assert billions(text) == (number and pytest.approx(number))


def test_ranks_are_those_of_the_board_and_those_of_what_is_shown() -> None:
    entries = [entry_of("a", 60.0), entry_of("b", 50.0), entry_of("c", 40.0)]
    open_ones = [replace(one, model=replace(one.model, weights="open")) for one in entries[1:]]
    lines = board([entries[0], *open_ones], weights=("open",)).lines
    assert [(line.filtered_rank, line.rank) for line in lines] == [(1, 2), (2, 3)]


@pytest.mark.parametrize(
    "search", ["qwen3", "QWEN 3", "qwen-3", "qwen_3", "Ｑｗｅｎ３", "ali baba"]
)
@pytest.mark.parametrize("name", ["Qwen3", "Qwen-3", "Qwen 3", "qwen\u20113", "Qwen.3"])
def test_search_tolerates_different_spellings(search: str, name: str) -> None:
    assert shown([entry_of(name, organisation="Alibaba")], search=search) == [name]


@pytest.mark.parametrize(
    ("search", "is_found"),
    [
        ("", True), ("llama", True), ("META 8b", True), ("8b qwen", False), ("大学", False),
        ("inf-llm", True), ("llama rag", False), ("former-name", True),
    ],
)  # fmt: skip
def test_a_search_finds_words_in_names_methods_organisations_and_addresses(
    search: str, is_found: bool
) -> None:
    entry = entry_of("Llama-8B", organisation="Meta", aliases=("former-name Former Name",))
    assert bool(shown([replace(entry, method="InfLLM")], search=search)) is is_found


# Own tasks


MIXED = [
    plain("counts", ALL | {"math_find": 90.0, "longbook_qa_eng": 10.0}),
    plain("reads", ALL | {"math_find": 30.0, "longbook_qa_eng": 40.0}),
]


def overall(found: Board) -> dict[str, tuple[int | None, float | None]]:
    return {line.entry.id: (line.rank, line.percents[0]) for line in found.lines}


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({"longbook_qa_eng": 1.0}, {"reads": (1, 40.0), "counts": (2, 10.0)}),
        ({"longbook_qa_eng": 1.0, "math_find": 3.0}, {"counts": (1, 70.0), "reads": (2, 32.5)}),
        ({"longbook_qa_eng": 9.0, "math_find": 1.0}, {"reads": (1, 39.0), "counts": (2, 18.0)}),
    ],
)
def test_entries_are_ranked_by_the_weighted_mean_of_chosen_tasks(
    weights: dict[str, float], expected: dict[str, tuple[int, float]]
) -> None:
    found = overall(board(MIXED, tasks=selection_of(weights)))
    assert {name: (rank, round(mean or 0, 9)) for name, (rank, mean) in found.items()} == expected


def test_the_score_that_is_shown_is_the_one_that_ranks() -> None:
    found = board(MIXED, tasks=selection_of({"longbook_qa_eng": 1.0, "math_find": 3.0}))
    for line in found.lines:
        score = line.scores[0]
        assert score
        assert score.percent == line.percents[0]


def test_an_entry_with_the_chosen_tasks_is_ranked_whatever_else_is_missing() -> None:
    entries = [*MIXED, plain("part", {"math_find": 95.0, "longbook_qa_eng": 5.0})]
    found = board(entries, tasks=selection_of({"math_find": 1.0, "longbook_qa_eng": 1.0}))
    assert overall(found)["part"] == (1, 50.0)


@pytest.mark.parametrize("group", GROUPS)
def test_named_choices_are_the_means_of_their_tasks(group: str) -> None:
    scores = {task: float(number) for number, task in enumerate(TASKS)}
    found = board([plain("a", scores)], tasks=selection_of(dict.fromkeys(GROUPS[group], 1.0)))
    mean = sum(scores[task] for task in GROUPS[group]) / len(GROUPS[group])
    rank, percent = overall(found)["a"]
    assert rank == 1
    assert percent == pytest.approx(mean)
    assert [column.id for column in found.columns].count(group) == 0
    assert found.columns[0].export_id == "selection"


def test_realistic_and_synthetic_tasks_are_all_tasks() -> None:
    both = {*GROUPS["realistic"], *GROUPS["synthetic"]}
    assert both == set(TASKS)
    assert len(both) == len(GROUPS["realistic"]) + len(GROUPS["synthetic"])


def test_tasks_that_a_release_lacks_are_not_ranked_by() -> None:
    small = replace(RELEASE, sizes={"passkey": 4})
    found = build_board(small, MIXED, Filters(tasks=selection_of({"math_find": 1.0})))
    assert found.columns[0].tasks == ("passkey",)


# Pins and pages


def many(number: int) -> list[Entry]:
    """Many entries; the later, the better."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        replace(entry_of(f"m{n}", n / 10), created=start + timedelta(days=n)) for n in range(number)
    ]


def ids(found: Board) -> list[str]:
    return [line.entry.id for line in found.page_lines]


def test_pinned_rows_are_on_top_whatever_is_hidden() -> None:
    found = board(many(4), search="m3", pins=("m0", "m3", "gone"))
    assert ids(found) == ["m3", "m0"]
    assert [(line.filtered_rank, line.rank) for line in found.pinned] == [(1, 1), (None, 4)]
    assert len(found.lines) == 1


def test_a_page_has_a_hundred_rows_and_ranks_are_over_all() -> None:
    found = board(many(250), page=3)
    assert found.pages == 3
    assert ids(found) == [f"m{n}" for n in range(49, -1, -1)]
    assert found.page_lines[0].rank == 201
    assert len(found.lines) == 250


def test_pinned_rows_are_on_every_page_and_take_no_place() -> None:
    entries = many(PAGE_ROWS + 1)
    assert board(entries, pins=("m0",)).pages == 1
    assert ids(board(entries, pins=("m100",)))[0] == "m100"
    assert len(ids(board(entries, pins=("m0",)))) == PAGE_ROWS + 1


def test_a_page_beyond_the_last_is_the_last() -> None:
    assert board(many(150), page=9999).filters.page == 2
    assert board([], page=5).filters.page == 1
