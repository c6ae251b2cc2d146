"""Curves over the lengths of a ladder: the same figures as in the breakdown of a single task."""

from random import Random

import numpy as np
import pytest

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import length_bins
from scoring.breakdowns.effective_context import effective_context
from scoring.breakdowns.ladder import (
    Ladder,
    Rung,
    TaskLadder,
    curve_of,
    envelope_of,
    ladder_of,
    mean_of_runs,
    task_ladder,
)
from scoring.releases.design import depth_class
from tests.scoring.breakdowns.makers import DEMO, window_reader


def on_ladder(answers: TaskAnswers) -> TaskLadder:
    rungs = {
        length: Rung(
            list(rung),
            list(rung.values()),
            [depth_class(answers.facets[index].depth) for index in rung.values()],
        )
        for length, rung in answers.rungs.items()
    }
    found = task_ladder(rungs)
    assert found
    return found


def ladder(*answers: TaskAnswers) -> Ladder:
    found = ladder_of({one.task.id: on_ladder(one) for one in answers})
    assert found
    return found


def reader(task: str = "passkey", questions: int = 80, seed: int = 1) -> TaskAnswers:
    random = Random(seed)
    return window_reader(random, 32_000, DEMO, questions, fails=0.2, guesses=0.1, task=task)


def test_a_curve_has_the_figures_of_the_breakdown_by_length() -> None:
    one = reader()
    found = curve_of(ladder(one), {"passkey": np.array(one.scores)})
    bins = length_bins(one, 10)
    assert [step.length for step in found.steps] == [one.start for one in bins]
    assert [step.mean for step in found.steps] == pytest.approx([one.mean for one in bins])
    for step, found_bin in zip(found.steps, bins, strict=True):
        assert step.n == found_bin.n
        assert (step.paired is None) == (found_bin.paired is None)
        if step.paired and found_bin.paired:
            assert step.paired[:5] == pytest.approx(found_bin.paired[:5])
    assert found.effective == effective_context([one])


def test_tasks_count_equally_in_a_mean() -> None:
    many, few = reader(questions=90), reader("kv_retrieval", 30, seed=2)
    scores = {one.task.id: np.array(one.scores) for one in (many, few)}
    both = curve_of(ladder(many, few), scores)
    single = [curve_of(ladder(one), scores).steps for one in (many, few)]
    assert [step.mean for step in both.steps] == pytest.approx(
        [(a.mean + b.mean) / 2 for a, b in zip(*single, strict=True)]
    )
    assert {step.n for step in both.steps} == {120}
    assert both.effective == effective_context([many, few])
    differences = [step.paired for step in both.steps[1:]]
    for step, paired in zip(both.steps[1:], differences, strict=True):
        assert paired
        assert paired.difference == pytest.approx(step.mean - both.steps[0].mean)


def test_only_questions_of_every_length_and_lengths_of_every_task_count() -> None:
    rungs = {
        4_000: Rung([3, 1, 2], [10, 11, 12], ["c", "a", "b"]),
        8_000: Rung([2, 3], [20, 21], ["b", "c"]),
    }
    found = task_ladder(rungs)
    assert found
    assert found.indices.tolist() == [[12, 20], [10, 21]]  # those of questions 2 and 3
    assert len(set(found.strata.tolist())) == 2
    longer = task_ladder({**rungs, 16_000: Rung([2, 3], [30, 31], ["b", "c"])})
    assert longer
    together = ladder_of({"passkey": found, "kv_retrieval": longer})
    assert together
    assert together.lengths == (4_000, 8_000)
    assert together.tasks["kv_retrieval"].indices.tolist() == found.indices.tolist()
    assert together.n == 4


def test_without_two_lengths_or_two_questions_there_is_none() -> None:
    one = Rung([1, 2], [0, 1], ["", ""])
    assert task_ladder({4_000: one}) is None
    assert task_ladder({4_000: one, 8_000: Rung([2, 3], [2, 3], ["", ""])}) is None
    short, long = task_ladder({1: one, 2: one}), task_ladder({3: one, 4: one})
    assert short
    assert long
    assert ladder_of({"passkey": short, "kv_retrieval": long}) is None
    assert ladder_of({}) is None


def test_the_curve_of_repeated_runs_is_that_of_their_means() -> None:
    runs = [{"passkey": np.array(reader(seed=seed).scores)} for seed in (1, 2)]
    rungs = ladder(reader())
    means = [rungs.means(one) for one in runs]
    found = curve_of(rungs, mean_of_runs(runs))
    assert [step.mean for step in found.steps] == pytest.approx(np.mean(means, axis=0).tolist())
    assert mean_of_runs(runs[:1]) is runs[0]


def test_an_envelope_holds_four_of_five_entries() -> None:
    found = envelope_of([[float(score), 50.0] for score in range(0, 101, 10)])
    assert found == ([10.0, 50.0], [90.0, 50.0], 11)
    assert envelope_of([]) is None
