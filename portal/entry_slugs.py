"""The readable addresses of entries: given when they are published, never before.

A slug is the name of the entry, followed where that is taken by its prompt strategy or a number.
When a language model is renamed the slugs of its entries follow, and the former ones redirect.
"""

import re
from collections.abc import Iterator
from itertools import chain, count
from unicodedata import combining, normalize

from portal.models import AuditHead, FormerEntry, LanguageModel, ReportedEntry, Submission

_LONGEST = 60  # characters
_LONGEST_LABEL = 30
_COMMON = 20  # characters: all slugs for a name begin with its first ones
_NAMELESS = "entry"  # for a name without Latin letters and digits
_SEPARATORS = re.compile(r"[^a-z0-9]+")
# Never given to an entry: words that may become pages beside those of entries, and what reads like
# the primary key of a submission.
_RESERVED = re.compile(
    r"all|api|best|compare|entry|entries|examples|feed|latest|models|new|random|search"
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


def slug_candidates(title: str, label: str = "") -> Iterator[str]:
    """In the order of preference, without end."""
    stem, suffix = _slugified(title), _slugified(label)[:_LONGEST_LABEL].strip("-")
    numbers = map(str, count(2 if stem else 1))
    if stem:
        yield stem[:_LONGEST].strip("-")
    for one in chain(filter(None, [suffix]), numbers):
        yield f"{(stem or _NAMELESS)[: _LONGEST - len(one) - 1].strip('-')}-{one}"


def _slugified(text: str) -> str:
    """Without accents; everything but Latin letters and digits separates words."""
    letters = "".join(one for one in normalize("NFKD", text) if not combining(one))
    return _SEPARATORS.sub("-", letters.lower()).strip("-")


def assign_slug(entry: Submission | ReportedEntry) -> None:
    """For an entry that is public from now on. One that it has already stays."""
    if entry.slug is None:
        _lock_slugs()
        entry.slug = _free_slug(entry)
        entry.save(update_fields=["slug"])


def remove_slug(submission: Submission) -> None:
    """For an entry whose publication is taken back: nothing public is left of it."""
    submission.former_entries.all().delete()
    submission.slug = None
    submission.save(update_fields=["slug"])


def rename_entries(model: LanguageModel) -> None:
    """For a model with another name, or with entries of another model."""
    _lock_slugs()
    entries: list[Submission | ReportedEntry] = [
        *model.submissions.exclude(slug=None).order_by("created", "pk"),
        *model.reported_entries.exclude(slug=None).order_by("pk"),
    ]
    for entry in entries:
        former, entry.slug = entry.slug, _free_slug(entry)
        if former and former != entry.slug:
            entry.former_entries.filter(slug=entry.slug).delete()  # it had this name before
            entry.former_entries.create(slug=former)
            entry.save(update_fields=["slug"])


def _lock_slugs() -> None:
    """Until the transaction ends nobody else assigns any. The lock is that of the audit log, which
    every publication takes anyway: with another one, two of them could deadlock."""
    list(AuditHead.objects.select_for_update())


def _free_slug(entry: Submission | ReportedEntry) -> str:
    """The first that no other entry has or had."""
    title, label = f"{entry.title} reported", ""
    if isinstance(entry, Submission):
        title, label = entry.title, entry.prompt_strategy
    alike = {"slug__startswith": (_slugified(title) or _NAMELESS)[:_COMMON]}
    taken = {
        *Submission.objects.filter(**alike).values_list("slug", flat=True),
        *ReportedEntry.objects.filter(**alike).values_list("slug", flat=True),
        *FormerEntry.objects.filter(**alike).values_list("slug", flat=True),
    }
    taken -= {entry.slug, *entry.former_entries.values_list("slug", flat=True)}
    return next(
        slug
        for slug in slug_candidates(title, label)
        if slug not in taken and not _RESERVED.fullmatch(slug)
    )
