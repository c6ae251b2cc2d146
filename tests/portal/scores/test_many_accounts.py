"""Many accounts together read nothing of a hidden release: ``portal.scores.disclosure.disclose``.

Each submits files that were made without knowledge of the labels, and what is disclosed to all of
them is combined. When every first score was disclosed, under two metric sets, 60 accounts read 92 %
of the answers to 229 questions with four options.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean

import pytest

from portal.scores import disclosure
from portal.scores.disclosure import BAND, Disclosure, disclose
from scoring.stats import mean_percent

ACCOUNTS = 60
OPTIONS = 4
Answers = list[int]
Column = Sequence[float]
Rule = Callable[..., Disclosure | None]


class Release:
    """A task with its labels, and what was disclosed to each account."""

    def __init__(self, random: Random, size: int, rule: Rule) -> None:
        self.random, self.size, self.rule = random, size, rule
        self.labels = self.guess()
        self.steps: list[Column] = []
        self.best: dict[int, Column] = {}
        self.shown: dict[int, Disclosure] = {}

    def guess(self) -> Answers:
        return [self.random.randrange(OPTIONS) for _ in range(self.size)]

    def right(self, answers: Answers) -> float:
        """In percent."""
        return mean_percent(self.verdicts(answers)) or 0.0

    def verdicts(self, answers: Answers) -> Column:
        return [float(a == b) for a, b in zip(answers, self.labels, strict=True)]

    def submit(self, account: int, answers: Answers) -> Disclosure:
        scores = self.verdicts(answers)
        new = self.rule(scores, best=self.best.get(account, ()), steps=self.steps)
        if new:
            self.shown[account], self.best[account] = new, scores
        if new and new.is_step:
            self.steps.append(scores)
        return self.shown[account]


def decode(release: Release, files: int) -> float:
    """Percentage of labels that are decoded: each answer gets the votes of the files that give it,
    weighted by how far their scores are above the average."""
    seen = []
    for account in range(ACCOUNTS):
        for _ in range(files):
            answers = release.guess()
            seen.append((answers, release.submit(account, answers).percent))
    average = fmean(percent for _, percent in seen)
    votes: list[Counter[int]] = [Counter() for _ in range(release.size)]
    for answers, percent in seen:
        for of_one, answer in zip(votes, answers, strict=True):
            of_one[answer] += round(1_000 * (percent - average))  # a counter counts whole votes
    return release.right([of_one.most_common(1)[0][0] for of_one in votes])


def read(size: int, rule: Rule, *, files: int = 1) -> float:
    """Percentage points above chance, averaged over some groups of attackers."""
    groups = 12 if size < 100 else 4
    releases = [Release(Random(f"{size} {n}"), size, rule) for n in range(groups)]
    return fmean(decode(release, files) for release in releases) - 100 / OPTIONS


def disclose_everything(scores: Column, **_: object) -> Disclosure:
    return Disclosure(mean_percent(scores) or 0.0)


@pytest.mark.parametrize("files", [1, 8])
@pytest.mark.parametrize("size", [20, 50, 229, 394])
def test_sixty_admitted_accounts_read_nothing(size: int, files: int) -> None:
    """No more than luck: the standard error of one file's score is 10 points with 20 examples and 3
    points with 229. Accounts that are not admitted are shown nothing at all."""
    assert read(size, disclose, files=files) < max(6.0, 200 / size)


@pytest.mark.parametrize(("size", "gain"), [(20, 60), (229, 20)])
def test_they_read_most_where_every_first_score_is_disclosed(size: int, gain: float) -> None:
    """Shows that the test above can fail. Two metric sets would double the number of files."""
    assert read(size, disclose_everything, files=2) > gain


def test_bands_alone_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the release's ladder, a small task can be decoded from the bands of first scores."""
    monkeypatch.setattr(disclosure, "differ", lambda scores, others: True)
    assert read(20, disclose) > 40


def test_whoever_knows_some_answers_learns_no_others() -> None:
    """Files known to be half right score at the edge of a band, where a single answer decides. They
    differ only by chance, so they show the same band."""
    release = Release(Random(7), 229, disclose)
    known = [label if n % 2 else n % OPTIONS for n, label in enumerate(release.labels)]
    seen = set()
    for account in range(ACCOUNTS):
        guess = release.guess()
        answers = [answer if n % 2 else guess[n] for n, answer in enumerate(known)]
        seen.add(release.submit(account, answers))
    assert {(one.percent, one.width) for one in seen} == {(60, BAND)}


def column(right: int) -> Column:
    return [1.0] * right + [0.0] * (100 - right)


@pytest.mark.parametrize(
    ("right", "best", "steps", "found"),
    [
        (0, 0, [], (0, BAND, True)),
        (39, 0, [], (30, BAND, True)),
        (100, 0, [], (90, BAND, True)),
        (39, 0, [43], (40, BAND, False)),  # differs from it only by chance
        (39, 0, [80, 36], (30, BAND, False)),
        (39, 0, [80], (30, BAND, True)),
        (50, 30, [30], (50, 0, True)),
        (50, 30, [30, 45], None),  # not better than what others have seen
        (35, 30, [30], None),
    ],
)
def test_what_an_admitted_account_sees(
    right: int, best: int, steps: list[int], found: tuple[float, int, bool] | None
) -> None:
    assert disclose(
        column(right), best=column(best) if best else (), steps=[column(one) for one in steps]
    ) == (Disclosure(*found) if found else None)
