"""The order of a run: any beginning of it is a fair sample."""

from collections import Counter
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from scoring.endpoint.order import in_order
from scoring.endpoint.questions import ReleaseQuestion
from tests.support.endpoint_runs import bare_question

Drawn = list[tuple[str, str, int]]

DRAWN = st.lists(
    st.tuples(
        st.sampled_from(["longbook_qa_eng", "longbook_choice_eng", "passkey"]),
        st.sampled_from("abcdefghij"),
        st.integers(0, 2),
    ),
    max_size=60,
)


def questions_of(drawn: Drawn) -> list[ReleaseQuestion]:
    """The length belongs to a text."""
    hops = {text: number for _, text, number in drawn}
    return [
        bare_question(task, key, text, target_tokens=hops[text])
        for key, (task, text, _) in enumerate(drawn)
    ]


@given(DRAWN, st.integers(0, 99))
def test_every_question_is_asked_once_and_those_on_one_text_together(
    drawn: Drawn, seed: int
) -> None:
    questions = questions_of(drawn)
    ordered = in_order(questions, seed)
    assert sorted(ordered) == sorted(questions)
    groups = [name for name, _ in groupby(ordered, key=lambda one: (one.task, one.text))]
    assert len(groups) == len(set(groups))


@given(DRAWN, st.integers(0, 99))
def test_any_beginning_holds_the_share_of_every_stratum_up_to_a_group(
    drawn: Drawn, seed: int
) -> None:
    ordered = in_order(questions_of(drawn), seed)
    groups = [next(of_group) for _, of_group in groupby(ordered, lambda one: (one.task, one.text))]
    total = Counter(group.stratum for group in groups)
    begun: Counter[object] = Counter()
    for group in groups:
        begun[group.stratum] += 1
        # Some share x of the run has passed: of each stratum between m x − 1 and m x + 1 groups.
        least = max((begun[name] - 1) / count for name, count in total.items())
        most = min((begun[name] + 1) / count for name, count in total.items())
        assert least <= most


@given(DRAWN)
def test_the_order_depends_on_the_seed_alone(drawn: Drawn) -> None:
    questions = questions_of(drawn)
    assert in_order(questions, 5) == in_order(questions, 5)


def test_every_question_has_the_same_chance_to_be_early() -> None:
    questions = questions_of([("passkey", text, 0) for text in "abcdefgh"])
    first = Counter(in_order(questions, seed)[0].key for seed in range(1_600))
    assert set(first) == set(range(8))
    assert max(first.values()) < 2 * min(first.values())
