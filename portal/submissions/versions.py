"""Which submissions are versions of one another, and which of them is which."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from portal.models import Submission, User
from portal.permissions import submissions_seen_by


class Version(NamedTuple):
    number: int
    total: int
    before: UUID | None  # the version before it, and the one after
    after: UUID | None


def versions_of(submissions: Iterable[Submission]) -> dict[UUID, Version]:
    """By submission; in the order in which they were handed in, wherever each goes on from.

    A version has the owner and the language model of the one before, so one query finds all.
    """
    wanted = list(submissions)
    owners = {one.owner_id for one in wanted}
    models = {one.language_model_id for one in wanted}
    kin = Submission.objects.filter(owner__in=owners, language_model__in=models)
    previous = dict(kin.order_by("created", "pk").values_list("pk", "previous"))
    families: dict[UUID, list[UUID]] = defaultdict(list)
    for pk in previous:
        families[_first(pk, previous)].append(pk)
    found = {pk: version for family in families.values() for pk, version in _numbered(family)}
    return {one.pk: found.get(one.pk, Version(1, 1, None, None)) for one in wanted}


def version_for(reader: User, submission: Submission) -> Version:
    """Of one submission; it leads only to those that this person may see."""
    version = versions_of([submission])[submission.pk]
    beside = submissions_seen_by(reader).filter(pk__in={version.before, version.after} - {None})
    seen = set(beside.values_list("pk", flat=True))
    before = version.before if version.before in seen else None
    after = version.after if version.after in seen else None
    return version._replace(before=before, after=after)


def _first(pk: UUID, previous: Mapping[UUID, UUID | None]) -> UUID:
    """Where its family begins."""
    while (before := previous[pk]) and before in previous:
        pk = before
    return pk


def _numbered(family: list[UUID]) -> Iterable[tuple[UUID, Version]]:
    for index, pk in enumerate(family):
        before = family[index - 1] if index else None
        after = family[index + 1] if index + 1 < len(family) else None
        yield pk, Version(index + 1, len(family), before, after)
