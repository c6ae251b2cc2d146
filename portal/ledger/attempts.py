"""How many attempts an entry was chosen from.

One attempt is one set of predictions that was scored against a release, for whom it was submitted
and for which language model. Scored again, or submitted again unchanged, it stays one. What is
deleted or withdrawn counts all the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet, Subquery

from portal.models import Attempt, Decision, FormerModel, LanguageModel, Opening, Submission

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # other entries are reported


def group_of(submission: Submission) -> str:
    """Whom its attempts are counted for; empty where the site itself has submitted it."""
    if submission.team_id:
        return f"team:{submission.team_id}"
    return f"user:{submission.owner_id}" if submission.owner_id else ""


def fingerprint_of(predictions_hash: str, *, drop_first: bool) -> str:
    """The same for predictions that get the same scores."""
    return f"{predictions_hash}+drop_first" if drop_first else predictions_hash


def by_authors_of(submission: Submission) -> QuerySet[Attempt]:
    """All attempts at the release by whoever is behind the submission: of its group, of the account
    that submitted it, and of the one that brought the language model into the team, so that what
    was tried alone counts for the team."""
    behind = Q(group=group_of(submission)) | Q(owner=submission.owner_id)
    model = submission.real_model
    if submission.team_id and model.team_id == submission.team_id:
        behind |= Q(owner=model.owner_id)
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
    """Its own, or that of the same predictions submitted before. None: imported by the site."""
    if not group_of(submission):
        return None
    found = by_authors_of(submission)
    found = found.select_related("entry")
    own = found.filter(submission=submission).first()
    scored = None if own else submission.evaluations.scored().first()
    if scored is None:
        return own
    same = fingerprint_of(scored.predictions_hash, drop_first=submission.drop_first)
    return of_model(found, submission.real_model).filter(predictions=same).first()


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
    """Of one that is public these are the attempts that its publication opened; of another one
    those that it would open now. None where nothing was counted, and while it is anonymous: equal
    counts would link entries of the same authors."""
    if submission.anonymous:
        return None
    publications = Decision.objects.publications().filter(submission=submission)
    decision = publications.select_related("attempt__entry").order_by("-entry").first()
    own = decision.attempt if decision else attempt_of(submission)
    if own is None:
        return None
    by_authors = by_authors_of(submission)
    if decision:
        by_authors = by_authors.filter(entry__lt=decision.entry_id)
        of_this: QuerySet[Attempt] = Attempt.objects.filter(openings__decision=decision)
    else:
        of_this = of_model(by_authors, submission.real_model)
    counted = Q() if own.in_part else Q(in_part=False)
    shown = Decision.objects.publications().filter(attempt__isnull=False).values("attempt")
    # One set of predictions may stand under two models that were merged later.
    distinct = partial(Count, "predictions", distinct=True)
    found = of_this.aggregate(
        all=distinct(),
        scored=distinct(filter=counted),
        published=distinct(filter=counted & Q(pk__in=shown)),
        first=Min("entry__at", filter=counted),
        last=Max("entry__at", filter=counted),
    )
    known = by_authors.exclude(pk__in=Attempt.objects.nameless().values("pk"))
    return Attempts(
        number=own.entry.number,
        scored=found["scored"],
        in_part=found["all"] - found["scored"],
        published=found["published"],
        first=found["first"] or own.entry.at,
        last=found["last"] or own.entry.at,
        of_authors=known.aggregate(n=distinct())["n"],
    )


class Tried(NamedTuple):
    """What a public entry was chosen from, in short (``Attempts``)."""

    scored: int
    published: int
    first: datetime
    last: datetime


def tried_before(entries: Iterable[str]) -> dict[str, Tried]:
    """By the ids of entries, as in addresses: of those that ``attempts_behind`` knows something of.
    In two queries."""
    submissions = [one for one in entries if _UUID.fullmatch(one)]
    public = Decision.objects.publications().filter(attempt__isnull=False)
    of_these = public.filter(submission__in=submissions).order_by("entry")
    newest = dict(of_these.values_list("submission", "pk"))
    is_full = Q(attempt__in_part=False) | Q(decision__attempt__in_part=True)
    is_public = Q(attempt__in=public.values("attempt"))
    found = Opening.objects.filter(is_full, decision__in=newest.values()).values("decision")
    counted = found.annotate(
        scored=Count("attempt__predictions", distinct=True),
        published=Count("attempt__predictions", distinct=True, filter=is_public),
        first=Min("attempt__entry__at"),
        last=Max("attempt__entry__at"),
    )
    by_decision = {row.pop("decision"): Tried(**row) for row in counted}
    return {str(pk): by_decision[one] for pk, one in newest.items() if one in by_decision}
