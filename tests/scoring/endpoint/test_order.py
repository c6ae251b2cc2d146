"""The order of a run: any first part of it is a fair sample."""

from collections import Counter
from collections.abc import Callable
from itertools import groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.endpoint.order import in_order
from scoring.endpoint.questions import ReleaseQuestion
from scoring.intervals import estimate
from scoring.keys import Key
from scoring.releases.design import design_of
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
    """All questions about a text have its length."""
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
        # After any share x of a run, of each stratum's m groups m x − 1 to m x + 1 are done.
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


# Valid intervals for runs that end at a cap


def novels(random: Random) -> tuple[list[ReleaseQuestion], dict[Key, float], float]:
    """Multiple choice on 60 novels, whose questions succeed and fail together; with their scores
    and the true share."""
    questions: list[ReleaseQuestion] = []
    scores: dict[Key, float] = {}
    for novel in range(60):
        easy = random.betavariate(0.6 * 9, 0.4 * 9)  # gives a correlation of 0.1
        for _ in range(random.randint(3, 9)):
            key = len(questions)
            questions.append(bare_question("longbook_choice_eng", key, f"novel {novel}"))
            scores[key] = float(random.random() < easy)
    return questions, scores, 60.0


def needles(random: Random) -> tuple[list[ReleaseQuestion], dict[Key, float], float]:
    """Pass keys at ten depths, found less often in the middle."""
    shares = [0.95, 0.9, 0.7, 0.5, 0.3, 0.3, 0.5, 0.7, 0.9, 0.95]
    questions = [
        bare_question("passkey", key, f"text {key}", depth=(key % 10 + 0.5) / 10)
        for key in range(300)
    ]
    scores: dict[Key, float] = {
        one.key: float(random.random() < shares[index % 10]) for index, one in enumerate(questions)
    }
    return questions, scores, 100 * sum(shares) / 10


@pytest.mark.slow
@pytest.mark.parametrize("world", [novels, needles])
def test_the_interval_of_a_run_that_ends_anywhere_holds_the_truth(
    world: Callable[[Random], tuple[list[ReleaseQuestion], dict[Key, float], float]],
    summary_line: Callable[[str], None],
) -> None:
    random = Random(20261123)
    held = 0
    for seed in range(1_000):
        questions, scores, truth = world(random)
        asked = in_order(questions, seed)[: random.randint(len(questions) // 4, len(questions))]
        task = TASKS[asked[0].task]
        design = design_of(task, ((one.text, one.facets) for one in asked))
        found = estimate(task, [scores[one.key] for one in asked], design)
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= truth <= found.interval.high
    summary_line(f"{world.__name__}: {held / 10:.1f} % of 1,000 stopped runs hold the truth")
    assert held >= 930
