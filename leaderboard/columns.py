"""The columns of a board: the overall mean, the domains and the tasks."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from portal.scores.titles import DOMAIN_TITLES, breakable
from scoring.catalog import DOMAINS, TASKS, tasks_of

OVERALL = "overall"
_DOMAIN_PREFIXES = ("Retrieve.", "Code.", "Math.")  # in the titles of tasks


class Kind(StrEnum):
    OVERALL = "overall"
    DOMAIN = "domain"
    TASK = "task"


class Column(NamedTuple):
    id: str
    kind: Kind
    title: str | Promise
    tasks: tuple[str, ...]  # whose unweighted mean it is
    domain: str = ""

    @property
    def prefix(self) -> str:
        """The part of a task's title that is already in the heading of its domain."""
        title = str(self.title) if self.kind is Kind.TASK else ""
        return next((one for one in _DOMAIN_PREFIXES if title.startswith(one)), "")

    @property
    def breakable_title(self) -> SafeString:
        return breakable(str(self.title))

    @property
    def short(self) -> str:
        return str(self.title).removeprefix(self.prefix)


COLUMN_IDS = (OVERALL, *DOMAINS, *TASKS)  # of a release with all tasks


def columns_of(tasks: Iterable[str]) -> list[Column]:
    """The columns of a release with these tasks, from left to right.

    The overall mean is over all tasks of the release. A domain has a mean only if the release has
    all of its tasks, so that the mean of a domain is the same thing on every board.
    """
    included = set(tasks)
    by_domain = tuple(task for domain in DOMAINS for task in tasks_of(domain) if task in included)
    complete = [domain for domain in DOMAINS if included.issuperset(tasks_of(domain))]
    return [
        Column(OVERALL, Kind.OVERALL, _("Overall"), by_domain),
        *(
            Column(domain, Kind.DOMAIN, DOMAIN_TITLES[domain], tasks_of(domain), domain)
            for domain in complete
        ),
        *(
            Column(task, Kind.TASK, TASKS[task].title, (task,), TASKS[task].domain)
            for task in by_domain
        ),
    ]
