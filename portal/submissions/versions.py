"""Which submissions are versions of one another, and in which order."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from portal.models import Submission, User
from portal.permissions.access import submissions_seen_by


class Version(NamedTuple):
    number: int
    total: int
    before: UUID | None  # the version before this one, and the one after it
    after: UUID | None


def versions_of(submissions: Iterable[Submission]) -> dict[UUID, Version]:
    """By submission. Versions are numbered in the order of submission, whichever earlier version
    each was made from.

    A version has the owner and language model of the previous one, so one query finds them all.
    """
    wanted = list(submissions)
    candidates = Submission.objects.filter(
        owner__in={one.owner_id for one in wanted},
        language_model__in={one.language_model_id for one in wanted},
    )
    previous = dict(candidates.order_by("created", "pk").values_list("pk", "previous"))
    chains: dict[UUID, list[UUID]] = defaultdict(list)  # by the first version
    for pk in previous:
        first = pk
        while (before := previous[first]) and before in previous:
            first = before
        chains[first].append(pk)
    versions = {}
    for chain in chains.values():
        neighbours = zip([None, *chain[:-1]], chain, [*chain[1:], None], strict=True)
        for number, (earlier, pk, later) in enumerate(neighbours, start=1):
            versions[pk] = Version(number, len(chain), earlier, later)
    return {one.pk: versions.get(one.pk, Version(1, 1, None, None)) for one in wanted}


def version_for(user: User, submission: Submission) -> Version:
    """The version of one submission, with links only to those that this user may see."""
    version = versions_of([submission])[submission.pk]
    linked = submissions_seen_by(user).filter(pk__in={version.before, version.after} - {None})
    visible = set(linked.values_list("pk", flat=True))
    return version._replace(
        before=version.before if version.before in visible else None,
        after=version.after if version.after in visible else None,
    )
