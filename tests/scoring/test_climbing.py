"""Many submissions do not climb a hidden release: ``scoring.stats.is_significantly_better``.

Attackers know nothing of the labels, only what the site discloses about every file: the score where
it beats their best disclosed score by more than chance, or else that best score.
"""

from collections.abc import Callable
from random import Random
from statistics import fmean

import pytest

from scoring import stats
from scoring.stats import is_significantly_better, mean_percent, standard_error

FILES = 500  # at 30 a day, the full quota of more than two weeks
Answers = list[int]
Rule = Callable[[list[float], list[float]], bool]


class Site:
    """A task with its labels, and the best score disclosed so far."""

    def __init__(
        self, random: Random, size: int, options: int, rule: Rule = is_significantly_better
    ) -> None:
        self.random, self.size, self.options, self.rule = random, size, options, rule
        self.labels = self.guess()
        self.best: list[float] = []

    def guess(self) -> Answers:
        return [self.random.randrange(self.options) for _ in range(self.size)]

    def verdicts(self, answers: Answers) -> list[float]:
        return [float(a == b) for a, b in zip(answers, self.labels, strict=True)]

    def percent(self, answers: Answers) -> float:
        return mean_percent(self.verdicts(answers)) or 0.0

    def submit(self, answers: Answers) -> float | None:
        """Returns the disclosed score in whole percent; None if the best so far is shown again."""
        scores = self.verdicts(answers)
        if self.best and not self.rule(scores, self.best):
            return None
        self.best = scores
        return round(self.percent(answers))


def decode_random_files(site: Site) -> float:
    """Each answer gets the votes of the files that give it, weighted by their lead over chance."""
    votes = [[0.0] * site.options for _ in range(site.size)]
    for _ in range(FILES):
        answers = site.guess()
        disclosed = site.submit(answers)
        vote = 0.0 if disclosed is None else disclosed - 100 / site.options
        for votes_of_one, answer in zip(votes, answers, strict=True):
            votes_of_one[answer] += vote
    return site.percent([one.index(max(one)) for one in votes])


def climb(site: Site, changed: int) -> float:
    """Change a few answers of the best file at a time; keep what is disclosed as better."""
    best = site.guess()
    site.submit(best)
    for _ in range(FILES):
        answers = best[:]
        for place in site.random.sample(range(site.size), changed):
            others = [option for option in range(site.options) if option != best[place]]
            answers[place] = site.random.choice(others)
        if site.submit(answers) is not None:
            best = answers
    return site.percent(best)


def disclose_everything(scores: list[float], best: list[float]) -> bool:
    return True


def gained(
    attack: Callable[[Site], float], size: int, options: int, rule: Rule = is_significantly_better
) -> float:
    """Percentage points above chance, averaged over some attackers."""
    people = 16 if size < 100 else 4
    sites = [Site(Random(f"{size} {options} {n}"), size, options, rule) for n in range(people)]
    return fmean(attack(site) for site in sites) - 100 / options


ATTACKS: dict[str, Callable[[Site], float]] = {
    "random files": decode_random_files,
    "one answer at a time": lambda site: climb(site, 1),
    "eight at a time": lambda site: climb(site, 8),
    "twenty at a time": lambda site: climb(site, 20),
}


@pytest.mark.parametrize("options", [2, 4])
@pytest.mark.parametrize("size", [20, 50, 100, 229, 590])
@pytest.mark.parametrize("attack", ATTACKS)
def test_five_hundred_files_gain_little(attack: str, size: int, options: int) -> None:
    """No more than good luck with one file, which on a small task is a lot: the standard error of
    its score is 11 points with 20 examples of two options, and 2 points with 590."""
    luck = standard_error([0.0, 1.0] * (size // 2)) or 0.0
    assert gained(ATTACKS[attack], size, options) < max(5.0, 1.5 * luck)


@pytest.mark.parametrize(("size", "gain"), [(20, 70), (229, 40)])
def test_they_gain_nearly_all_where_every_score_is_disclosed(size: int, gain: float) -> None:
    """Shows that the test above can fail."""
    assert gained(decode_random_files, size, 4, disclose_everything) > gain


def test_one_standard_error_is_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "_CRITICAL_VALUE", 1)
    assert gained(ATTACKS["one answer at a time"], 20, 4) > 60


@pytest.mark.parametrize(
    ("better", "worse", "size", "new"),
    [
        (0, 0, 20, False),
        (1, 0, 20, False),
        (8, 0, 20, False),
        (9, 0, 20, True),
        (20, 0, 20, True),
        (1, 0, 1, False),
        (30, 10, 229, True),
        (20, 10, 229, False),
        (5, 0, 590, False),  # less than one percentage point
        (0, 20, 20, False),
    ],
)
def test_significance_needs_three_standard_errors_and_one_point(
    better: int, worse: int, size: int, new: bool
) -> None:
    same = size - better - worse
    scores = [1.0] * better + [0.0] * worse + [0.5] * same
    best = [0.0] * better + [1.0] * worse + [0.5] * same
    assert is_significantly_better(scores, best) == new


def test_scores_of_other_examples_are_not_compared() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        is_significantly_better([1.0], [1.0, 0.0])
