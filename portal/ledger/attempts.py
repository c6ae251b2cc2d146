"""How many attempts an entry was chosen from.

One attempt is one set of predictions that was scored against a release, for whom it was submitted
and for which language model. Scored again, or submitted again unchanged, it stays one. What is
deleted or withdrawn counts all the same.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.db.models import Aggregate, Count, Max, Min, Q, QuerySet, Subquery

from portal.models import (
    Attempt,
    Decision,
    Evaluation,
    FormerModel,
    LanguageModel,
    Opening,
    Submission,
)

_NOTHING = {"all": 0, "scored": 0, "published": 0, "first": None, "last": None}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # other entries are reported


def group_of(submission: Submission) -> str:
    """Whom its attempts are counted for; empty where the site itself has submitted it."""
    return f"user:{submission.owner_id}" if submission.owner_id else ""


def fingerprint_of(predictions_hash: str, *, drop_first: bool) -> str:
    """The same for predictions that get the same scores."""
    return f"{predictions_hash}+drop_first" if drop_first else predictions_hash


class Authors(NamedTuple):
    """Who is behind a submission: its group, and the account that submitted it."""

    group: str
    owners: frozenset[int]

    @classmethod
    def of(cls, submission: Submission) -> Self:
        owner = submission.owner_id
        return cls(group_of(submission), frozenset() if owner is None else frozenset({owner}))

    def made(self, group: str, owner: int) -> bool:
        """Whether an attempt of this group and this account is theirs."""
        return group == self.group or owner in self.owners


def by_authors_of(submission: Submission) -> QuerySet[Attempt]:
    """All attempts at the release by whoever is behind the submission."""
    group, owners = Authors.of(submission)
    behind = Q(group=group) | Q(owner__in=owners)
    return Attempt.objects.filter(behind, release=submission.release.slug)


def of_model(attempts: QuerySet[Attempt], model: LanguageModel) -> QuerySet[Attempt]:
    """Those of the language model, with any method, and of models that were merged into it."""
    former = FormerModel.objects.filter(language_model=model).values("slug")
    own = Submission.objects.of_model(model).values("pk")
    return attempts.filter(
        Q(submission__in=Subquery(own))
        | Q(language_model=model.slug)
        | Q(language_model__in=Subquery(former))
    )


def attempt_of(submission: Submission) -> Attempt | None:
    """Its own attempt, or that of the same predictions submitted before. None if the site itself
    imported it."""
    return attempts_of([submission]).get(submission.pk)


def attempts_of(submissions: Iterable[Submission]) -> dict[UUID, Attempt]:
    """By submission, as ``attempt_of``; without those that have none."""
    counted = {one.pk: one for one in submissions if group_of(one)}
    scored = Evaluation.objects.scored().filter(submission__in=counted).order_by("created", "pk")
    hashes = dict(scored.values_list("submission", "predictions_hash"))  # of the newest
    prints = {
        pk: fingerprint_of(of_newest, drop_first=counted[pk].drop_first)
        for pk, of_newest in hashes.items()
    }
    alike = Q(submission__in=counted) | Q(predictions__in=prints.values())
    attempts = Attempt.objects.filter(alike).select_related("entry").order_by("entry")
    own = {(one.submission_id, one.release): one for one in attempts}
    known = {(one.predictions, one.release) for one in attempts}
    found = {}
    for pk, submission in counted.items():
        release = submission.release.slug
        attempt = own.get((pk, release))
        if attempt and not Authors.of(submission).made(attempt.group, attempt.owner):
            attempt = None
        if attempt is None and (prints.get(pk), release) in known:
            same = of_model(by_authors_of(submission), submission.real_model)
            attempt = same.select_related("entry").filter(predictions=prints[pk]).first()
        if attempt:
            found[pk] = attempt
    return found


@dataclass(frozen=True, slots=True)
class Attempts:
    """What an entry was chosen from, up to the moment at which it was published."""

    number: int  # in the ledger: of the entry's own
    scored: int  # of the language model, asked in full; or all, where the entry is not
    in_part: int  # others of the model, which were asked in part
    published: int  # of those that are counted, by now
    first: datetime
    last: datetime
    of_authors: int  # on the release, with any language model; without entries that have no name

    @property
    def is_only_one(self) -> bool:
        return self.scored == 1


def attempts_behind(submission: Submission) -> Attempts | None:
    """For a public submission, the attempts that its publication opened; for any other, those that
    it would open now. None if nothing was counted, and while it is anonymous: equal counts would
    link entries of the same authors."""
    return attempts_behind_all([submission]).get(submission.pk)


def attempts_behind_all(submissions: Iterable[Submission]) -> dict[UUID, Attempts]:
    """By submission, in a fixed number of queries for those whose publication is in the ledger."""
    named = {one.pk: one for one in submissions if not one.anonymous}
    publications = Decision.objects.publications().filter(submission__in=named)
    with_attempts = publications.select_related("attempt__entry").order_by("entry")
    decisions = {one.submission_id: one for one in with_attempts if one.submission_id}  # the newest
    own = attempts_of(one for pk, one in named.items() if pk not in decisions)
    own |= {pk: one.attempt for pk, one in decisions.items() if one.attempt}
    counts = _counts_of(one.pk for one in decisions.values())
    of_authors = _numbers_of_authors([named[pk] for pk in own], decisions)
    found = {}
    for pk, attempt in own.items():
        decision = decisions.get(pk)
        if decision:
            counted = counts.get(decision.pk, _NOTHING)
        else:
            counted = _counts_until_now(named[pk], attempt)
        found[pk] = Attempts(
            number=attempt.entry.number,
            scored=counted["scored"],
            in_part=counted["all"] - counted["scored"],
            published=counted["published"],
            first=counted["first"] or attempt.entry.at,
            last=counted["last"] or attempt.entry.at,
            of_authors=of_authors[pk],
        )
    return found


def _counts(attempt: str, is_full: Q) -> dict[str, Aggregate]:
    """``attempt``: how it is found from the rows that are counted; ``is_full``: condition on these.

    Predictions are counted once: one set may stand under two models that were merged later."""
    distinct = partial(Count, f"{attempt}predictions", distinct=True)
    public = Decision.objects.publications().filter(attempt__isnull=False).values("attempt")
    return {
        "all": distinct(),
        "scored": distinct(filter=is_full),
        "published": distinct(filter=is_full & Q(**{f"{attempt}entry__in": public})),
        "first": Min(f"{attempt}entry__at", filter=is_full),
        "last": Max(f"{attempt}entry__at", filter=is_full),
    }


def _counts_of(decisions: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Counts of the attempts that each decision opened, by the number of the decision."""
    is_full = Q(attempt__in_part=False) | Q(decision__attempt__in_part=True)
    opened = Opening.objects.filter(decision__in=list(decisions))
    rows = opened.values("decision").annotate(**_counts("attempt__", is_full)).order_by()
    return {row.pop("decision"): row for row in rows}


def _counts_until_now(submission: Submission, own: Attempt) -> dict[str, Any]:
    attempts = of_model(by_authors_of(submission), submission.real_model)
    is_full = Q() if own.in_part else Q(in_part=False)
    return attempts.aggregate(**_counts("", is_full))


def _numbers_of_authors(
    submissions: Collection[Submission], decisions: Mapping[UUID, Decision]
) -> dict[UUID, int]:
    """How many attempts the authors made at the release up to its publication, by submission;
    attempts of nameless entries are left out."""
    authors = {one.pk: Authors.of(one) for one in submissions}
    groups = {one.group for one in authors.values()}
    owners = {owner for one in authors.values() for owner in one.owners}
    releases = {one.release.slug for one in submissions}
    behind = Attempt.objects.filter(Q(group__in=groups) | Q(owner__in=owners), release__in=releases)
    known = behind.exclude(pk__in=Attempt.objects.nameless().values("pk"))
    rows = list(known.values_list("entry_id", "release", "group", "owner", "predictions"))
    found = {}
    for one in submissions:
        decision = decisions.get(one.pk)
        found[one.pk] = len(
            {
                predictions
                for entry, release, group, owner, predictions in rows
                if release == one.release.slug
                and authors[one.pk].made(group, owner)
                and (decision is None or entry < decision.entry_id)
            }
        )
    return found


class Tried(NamedTuple):
    """What a public entry was chosen from, in short (``Attempts``)."""

    scored: int
    published: int
    first: datetime
    last: datetime


def tried_before(entries: Iterable[str]) -> dict[str, Tried]:
    """By the ids of entries, as in addresses; only those that ``attempts_behind`` knows something
    about. Two queries."""
    submissions = [one for one in entries if _UUID.fullmatch(one)]
    public = Decision.objects.publications().filter(attempt__isnull=False)
    of_these = public.filter(submission__in=submissions).order_by("entry")
    newest = dict(of_these.values_list("submission", "pk"))
    counts = _counts_of(newest.values())
    names = Tried._fields
    return {
        str(pk): Tried(**{name: counts[one][name] for name in names})
        for pk, one in newest.items()
        if one in counts and counts[one]["scored"]
    }
