"""The columns of a board: the overall mean, the domains and the tasks."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from django.utils.safestring import SafeString

from portal.releases.titles import Generated, task_title
from portal.scores.titles import DOMAIN_TITLES, breakable
from scoring.catalog import BOARD_ORDER, DOMAINS, GROUPS, OVERALL, TASKS, named_means

_SELECTION = "selection"  # names a reader's own choice of tasks in files
_DOMAIN_PREFIXES = ("Retrieve.", "Code.", "Math.")  # in the titles of tasks


class Kind(StrEnum):
    OVERALL = "overall"
    DOMAIN = "domain"
    TASK = "task"


class Column(NamedTuple):
    id: str
    kind: Kind
    title: str
    tasks: tuple[str, ...]  # that it is the mean of
    domain: str = ""
    weights: tuple[float, ...] = ()  # of the tasks, if a reader has chosen them; empty: equal

    @property
    def prefix(self) -> str:
        """The part of a task's title that the heading of its domain already contains."""
        title = str(self.title) if self.kind is Kind.TASK else ""
        return next((one for one in _DOMAIN_PREFIXES if title.startswith(one)), "")

    @property
    def shares(self) -> Mapping[str, float]:
        """The weights by task; empty if they are equal."""
        return dict(zip(self.tasks, self.weights, strict=True)) if self.weights else {}

    @property
    def export_id(self) -> str:
        """Its name in files, where the mean of some tasks must not be taken for the overall
        mean."""
        return _SELECTION if self.weights else self.id

    @property
    def breakable_title(self) -> SafeString:
        return breakable(str(self.title))

    @property
    def short(self) -> str:
        return str(self.title).removeprefix(self.prefix)


COLUMN_IDS = (OVERALL, *DOMAINS, *TASKS)  # of a release with all tasks

# Tasks with their weights, in the order of boards, as a reader chooses them; none: all are equal.
Selection = tuple[tuple[str, float], ...]
GROUP_TITLES: Mapping[str, str] = {
    **DOMAIN_TITLES,
    "realistic": "Realistic",
    "synthetic": "Synthetic",
}


def selection_of(weights: Mapping[str, float]) -> Selection:
    """The canonical form of a choice: in order, without weights if they are equal, and empty if it
    is the overall mean."""
    chosen = [(task, weights[task]) for task in BOARD_ORDER if task in weights]
    if len({weight for _, weight in chosen}) == 1:
        chosen = [] if len(chosen) == len(TASKS) else [(task, 1.0) for task, _ in chosen]
    return tuple(chosen)


def group_of(selection: Selection) -> str:
    """The name of this choice of tasks; empty if it has none."""
    tasks = tuple(task for task, weight in selection if weight == 1)
    names = (name for name, group in GROUPS.items() if group == tasks)
    return next(names, "") if len(tasks) == len(selection) else ""


def is_board(group: str, included: Collection[str]) -> bool:
    """Whether a release with these tasks can be ranked by this group, and by others too."""
    return len(named_means(included).get(group, included)) < len(included)


def columns_of(
    tasks: Iterable[str], selection: Selection = (), release: Generated | None = None
) -> list[Column]:
    """The columns of a release with these tasks, from left to right.

    The overall mean is over all tasks of the release, or over a reader's choice of them. A domain
    has a mean only if the release has all of its tasks, so that it means the same on every board.
    ``release`` is needed where tasks of several releases may be shown side by side.
    """
    included = set(tasks)
    means = named_means(included)
    complete = [domain for domain in DOMAINS if domain in means]
    first = Column(OVERALL, Kind.OVERALL, "Overall", means[OVERALL])
    chosen = [(task, weight) for task, weight in selection if task in included]
    if chosen:
        group = group_of(selection)
        is_named = group and is_board(group, included)
        title = GROUP_TITLES[group] if is_named else "Your selection"
        chosen_tasks, weights = zip(*chosen, strict=True)
        first = Column(OVERALL, Kind.OVERALL, title, chosen_tasks, weights=weights)
        complete = [domain for domain in complete if domain != group]
    return [
        first,
        *(
            Column(domain, Kind.DOMAIN, DOMAIN_TITLES[domain], means[domain], domain)
            for domain in complete
        ),
        *(
            Column(task, Kind.TASK, task_title(task, release), (task,), TASKS[task].domain)
            for task in means[OVERALL]
        ),
    ]
