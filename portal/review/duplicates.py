"""What else was handed in with the same answers, or for a language model of the same name.

Names are the same where they look alike (``portal.review.confusables``). There may be thousands:
of each only the first are loaded, and the rest is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import DenseRank, RowNumber

from portal.models import (
    Evaluation,
    LanguageModel,
    ReportedEntry,
    Submission,
    SubmissionState,
)
from portal.review.confusables import folded

SHOWN = 8  # beside a submission


class Beside(NamedTuple):
    shown: list[Submission]
    total: int  # also those that are not shown


class Kin(NamedTuple):
    """By what they have in common."""

    first: Mapping[str, list[Submission]]  # one more than is shown beside one of them
    counts: Mapping[str, int]

    def beside(self, submission: Submission, common: str, *, is_one: bool) -> Beside:
        """The others; ``is_one``: whether the submission itself is among those that are counted."""
        others = [one for one in self.first.get(common, []) if one != submission]
        return Beside(others[:SHOWN], self.counts.get(common, 0) - is_one)


def name_of(submission: Submission) -> str:
    """What its language model is called, folded.

    Authors enter language models for themselves, so it is by name that they are the same.
    """
    return folded(submission.language_model.name)


def models_named(names: Iterable[str]) -> dict[str, list[LanguageModel]]:
    """By folded name: those that anybody but their owner may know of, those of the site first.

    Of all of them only the names are read, so that nothing folded has to be kept in the database:
    ten thousand take a few hundredths of a second.
    """
    wanted, known = set(names), _known_models()
    alike = [pk for pk, name in known.values_list("pk", "name") if folded(name) in wanted]
    found: dict[str, list[LanguageModel]] = {}
    in_order = known.filter(pk__in=alike).order_by(F("owner").asc(nulls_first=True), "pk")
    for model in in_order.select_related("owner"):
        found.setdefault(folded(model.name), []).append(model)
    return found


def _known_models() -> QuerySet[LanguageModel]:
    shown = Submission.objects.exclude(state=SubmissionState.PRIVATE).values("language_model")
    reported = ReportedEntry.objects.values("language_model")
    known = Q(owner=None) | Q(pk__in=shown) | Q(pk__in=reported)
    return LanguageModel.objects.filter(known).order_by()


def twins_of(evaluations: Iterable[Evaluation]) -> Kin:
    """Those with the very same predictions, by their hash; the oldest first."""
    hashes = {evaluation.predictions_hash for evaluation in evaluations} - {""}
    same = Evaluation.objects.scored().filter(predictions_hash__in=hashes).order_by()
    age = [F("submission__created"), F("submission")]
    place = Window(DenseRank(), partition_by=F("predictions_hash"), order_by=age)
    first = same.annotate(place=place).filter(place__lte=SHOWN + 1).order_by("place")
    pairs = first.values_list("predictions_hash", "submission")
    counts = same.values_list("predictions_hash").annotate(Count("submission", distinct=True))
    return _kin(dict.fromkeys(pairs), counts)  # several scorings of one are one


def namesakes_of(models: Mapping[str, Iterable[LanguageModel]]) -> Kin:
    """All that anybody but its owner may have seen of these, by their folded names; the newest
    first."""
    names = {model.pk: name for name, alike in models.items() for model in alike}
    named = Submission.objects.filter(language_model__in=names).order_by()
    seen = named.exclude(state=SubmissionState.PRIVATE)
    newest = ("-created", "pk")
    place = Window(RowNumber(), partition_by=F("language_model"), order_by=newest)
    first = seen.annotate(place=place).filter(place__lte=SHOWN + 1).order_by(*newest)
    pairs = ((names[model], pk) for model, pk in first.values_list("language_model", "pk"))
    counts = Counter[str]()
    for model, count in seen.values_list("language_model").annotate(Count("pk")):
        counts[names[model]] += count
    return _kin(_first_of_each(pairs), counts.items())


def _first_of_each(pairs: Iterable[tuple[str, UUID]]) -> list[tuple[str, UUID]]:
    """One more than is shown of each name."""
    places = Counter[str]()
    found = []
    for name, pk in pairs:
        places[name] += 1
        if places[name] <= SHOWN + 1:
            found.append((name, pk))
    return found


def _kin(pairs: Iterable[tuple[str, UUID]], counts: Iterable[tuple[str, int]]) -> Kin:
    """Of pairs in their order: what it has in common, and which submission."""
    in_order = list(pairs)
    named = Submission.objects.select_related("language_model", "release", "owner")
    by_id = named.prefetch_related("release__data_sets").in_bulk([pk for _, pk in in_order])
    first: defaultdict[str, list[Submission]] = defaultdict(list)
    for common, pk in in_order:
        first[common].append(by_id[pk])
    return Kin(first, dict(counts))
