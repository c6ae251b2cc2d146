"""What an author is asked before predictions are scored: which release, which label version, or
which row answers which example. ``Evaluation.question`` holds it as the sandbox has reported it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from portal.models import Evaluation, Release
from portal.releases.titles import unique_titles
from portal.scores.titles import ALIGNMENT_TITLES
from scoring.alignment import Agreement, Method
from scoring.catalog import BOARD_ORDER, TASKS


class TaskAlignment(NamedTuple):
    """How many rows of one task match its examples, by id and by order."""

    task: str
    title: str
    files: list[str]
    has_ids: bool  # without ids rows are matched by order, whatever is answered
    rows: int
    examples: int
    unknown: int  # ids that the release does not have
    unknown_ids: list[str]  # the first few of them
    labelled: int | None  # rows with a label; None: agreement is not shown
    by_id: int | None  # labels equal to the release's
    by_order: int | None

    @property
    def fits(self) -> Method | None:
        """The method by which more labels agree; None if neither is better."""
        by_id, by_order = self.by_id or 0, self.by_order or 0
        if self.fits_neither or by_id == by_order:
            return None
        return "order" if by_order > by_id else "id"

    @property
    def fits_neither(self) -> bool:
        """Whether the labels seem to be those of another release."""
        return max(self.by_id or 0, self.by_order or 0) < (self.labelled or 0) / 2

    @property
    def advice(self) -> str:
        if not self.has_ids:
            return "by order: the rows have no ids"
        if self.fits_neither:
            return "No match: these files are for a different release"
        return ALIGNMENT_TITLES[self.fits] if self.fits else "unclear"


class AlignmentQuestion(NamedTuple):
    """Match the rows of the files to the examples by id, or by order?"""

    tasks: list[TaskAlignment]
    shows_agreement: bool

    @property
    def template(self) -> str:
        return "submissions/_alignment_question.html"

    @property
    def only_by_order(self) -> bool:
        """Whether there is nothing to choose, only to confirm."""
        return not any(task.has_ids for task in self.tasks)

    @property
    def advice(self) -> Method | None:
        """The method that fits every task for which one fits better."""
        found = {task.fits for task in self.tasks if task.has_ids} - {None}
        return found.pop() if len(found) == 1 else None


class TaskFit(NamedTuple):
    """How the rows of one task fit a release; None: it does not have the task."""

    title: str
    has_ids: bool
    chosen: Agreement | None
    other: Agreement | None


class OtherRelease(NamedTuple):
    """A release that the files fit better than the chosen one."""

    release: Release
    title: str  # unique
    tasks: list[TaskFit]

    @property
    def evidence(self) -> str:
        """Why it fits: a code. ``all labels``, ``labels``, ``all ids``, ``ids`` or ``counts``."""
        found = [task.other for task in self.tasks if task.other]
        labelled = sum(one.labelled for one in found)
        if labelled:
            return "all labels" if sum(one.best for one in found) == labelled else "labels"
        if not any(task.has_ids for task in self.tasks):
            return "counts"
        return "ids" if any(one.unknown for one in found) else "all ids"


class ReleaseQuestion(NamedTuple):
    """Score on another release, which fits the files better, or still on the chosen one?"""

    others: list[OtherRelease]
    shows_agreement: bool  # with the chosen release

    @property
    def template(self) -> str:
        return "submissions/_release_question.html"


class VersionQuestion(NamedTuple):
    """Which version of the labels were files without ids and labels made for?"""

    versions: list[tuple[Release, str]]  # with their titles
    tasks: list[tuple[str, int]]  # titles, and how many labels differ

    @property
    def template(self) -> str:
        return "submissions/_version_question.html"


Question = AlignmentQuestion | ReleaseQuestion | VersionQuestion


def question_of(evaluation: Evaluation, *, with_agreement: bool) -> Question | None:
    """The open question; None if there is none.

    ``with_agreement``: False on a hidden release, where the number of labels that agree would
    reveal how many are right.
    """
    asked = evaluation.question
    if not asked:
        return None
    if "release" in asked:
        return _release_question(asked["release"], with_agreement)
    if "version" in asked:
        found = _releases(asked["version"]["among"])
        differing = asked["version"]["differing"]
        return VersionQuestion(found, [(TASKS[task].title, differing[task]) for task in differing])
    return AlignmentQuestion(
        [_task_alignment(found, with_agreement) for found in asked["alignment"]], with_agreement
    )


def _releases(slugs: Sequence[str]) -> list[tuple[Release, str]]:
    """The releases in this order, with unique titles; without deleted ones."""
    known = {release.slug: release for release in Release.objects.filter(slug__in=slugs)}
    titles = unique_titles(known.values())
    return [(known[slug], titles[slug]) for slug in slugs if slug in known]


def _release_question(asked: Mapping[str, Any], with_agreement: bool) -> ReleaseQuestion:
    chosen = asked["chosen"]
    others = []
    for release, title in _releases(list(asked["others"])):
        fits = asked["others"][release.slug]
        tasks = [
            TaskFit(
                TASKS[task].title,
                (chosen.get(task) or fits[task])["has_ids"],
                _agreement(chosen.get(task)),
                _agreement(fits.get(task)),
            )
            for task in BOARD_ORDER
            if task in chosen or task in fits
        ]
        others.append(OtherRelease(release, title, tasks))
    return ReleaseQuestion(others, with_agreement)


def _agreement(found: Mapping[str, Any] | None) -> Agreement | None:
    return Agreement(**{name: found[name] for name in Agreement._fields}) if found else None


def _task_alignment(found: Mapping[str, Any], with_agreement: bool) -> TaskAlignment:
    return TaskAlignment(
        task=found["task"],
        title=TASKS[found["task"]].title,
        files=found["files"],
        has_ids=found.get("has_ids", True),
        rows=found["rows"],
        examples=found["examples"],
        unknown=found["unknown"],
        unknown_ids=[str(key) for key in found.get("unknown_ids", ())],
        labelled=found["labelled"] if with_agreement else None,
        by_id=found["by_id"] if with_agreement else None,
        by_order=found["by_order"] if with_agreement else None,
    )
