"""Which ledger entries are shown: read from an address, and written back as one."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q

from leaderboard.pages.entries.entry import parsed_uuid
from portal.models import Decision, LedgerEntry, Opening

KINDS = (*LedgerEntry.Kind.values, *Decision.Kind.values)


_DIGITS = 18  # as many as fit into the column


def number_of(text: str) -> int:
    """The number of a ledger entry. Raises ``ValueError``."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    kind: str = ""  # of ``KINDS``
    release: str = ""  # its slug
    entry: UUID | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "LedgerFilter":
        """Raises ``ValueError`` with the name of an invalid parameter."""
        kind, entry = query.get("kind", ""), query.get("entry", "")
        if kind not in ("", *KINDS):
            raise ValueError("kind")
        pk = parsed_uuid(entry) if entry else None
        if entry and pk is None:
            raise ValueError("entry")
        return cls(kind, query.get("release", ""), pk)

    def __bool__(self) -> bool:
        return bool(self.kind or self.release or self.entry)

    def __str__(self) -> str:
        chosen = {"kind": self.kind, "release": self.release, "entry": self.entry or ""}
        return urlencode({name: value for name, value in chosen.items() if value})

    @property
    def condition(self) -> Q:
        """On ledger entries with their opening: no filter finds closed entries, since that would
        tell whose they are."""
        wanted = Q()
        if self.kind in LedgerEntry.Kind.values:
            wanted &= Q(kind=self.kind)
        elif self.kind:
            wanted &= Q(decision__kind=self.kind, is_open=True)
        if self.release:
            wanted &= Q(release=self.release)
        if self.entry:
            opened = Opening.objects.filter(decision__submission=self.entry).values("attempt")
            of_entry = Q(decision__submission=self.entry) | Q(pk__in=opened)
            wanted &= of_entry & Q(is_open=True)
        return wanted
