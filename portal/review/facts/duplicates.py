"""Other submissions with the same predictions, or for a language model of the same name.

Names are the same if they look alike (``portal.review.facts.confusables``). There may be thousands
of either, so only the first are loaded and the rest is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, F, Q, Window
from django.db.models.functions import DenseRank, RowNumber

from portal.models import (
    Evaluation,
    LanguageModel,
    ReportedEntry,
    Submission,
)
from portal.review.facts.confusables import skeleton

MAX_LISTED = 8  # per submission


class Others(NamedTuple):
    listed: list[Submission]
    total: int  # also those that are not listed


class Duplicates(NamedTuple):
    """Submissions by what they have in common: the hash of the predictions, or the name."""

    first: Mapping[str, list[Submission]]  # one more than is listed, as one may be left out
    counts: Mapping[str, int]

    def of(self, submission: Submission, key: str, *, is_counted: bool) -> Others:
        """The others; ``is_counted``: whether the submission itself is among those counted."""
        others = [one for one in self.first.get(key, []) if one != submission]
        return Others(others[:MAX_LISTED], self.counts.get(key, 0) - is_counted)


def models_by_name(names: Iterable[str]) -> dict[str, list[LanguageModel]]:
    """Models whose names have these skeletons and that people besides their owner can see; the
    site's own first.

    Authors add language models for themselves, so the same model has several rows. Skeletons are
    not stored but computed from the names of all models: 10,000 take a few hundredths of a second.
    """
    shown = Submission.objects.sent_to_review().values("language_model")
    reported = ReportedEntry.objects.values("language_model")
    is_known = Q(owner=None) | Q(pk__in=shown) | Q(pk__in=reported)
    known = LanguageModel.objects.filter(is_known).order_by()
    wanted = set(names)
    similar = [pk for pk, name in known.values_list("pk", "name") if skeleton(name) in wanted]
    found: dict[str, list[LanguageModel]] = {}
    in_order = known.filter(pk__in=similar).order_by(F("owner").asc(nulls_first=True), "pk")
    for model in in_order.select_related("owner"):
        found.setdefault(skeleton(model.name), []).append(model)
    return found


def same_predictions(evaluations: Iterable[Evaluation]) -> Duplicates:
    """Submissions with exactly the same predictions, by their hash; the oldest first."""
    hashes = {evaluation.predictions_hash for evaluation in evaluations} - {""}
    same = Evaluation.objects.scored().filter(predictions_hash__in=hashes).order_by()
    age = [F("submission__created"), F("submission")]
    rank = Window(DenseRank(), partition_by=F("predictions_hash"), order_by=age)
    first = same.annotate(rank=rank).filter(rank__lte=MAX_LISTED + 1).order_by("rank")
    pairs = first.values_list("predictions_hash", "submission")
    counts = same.values_list("predictions_hash").annotate(Count("submission", distinct=True))
    return _load(dict.fromkeys(pairs), counts)  # several evaluations of a submission are one


def same_model_name(models: Mapping[str, Iterable[LanguageModel]]) -> Duplicates:
    """Submissions of these models, by skeleton of the name, that people besides their owner may
    have seen; the newest first."""
    names = {model.pk: name for name, similar in models.items() for model in similar}
    named = Submission.objects.filter(language_model__in=names).order_by()
    seen = named.sent_to_review()
    newest = ("-created", "pk")
    rank = Window(RowNumber(), partition_by=F("language_model"), order_by=newest)
    first = seen.annotate(rank=rank).filter(rank__lte=MAX_LISTED + 1).order_by(*newest)
    pairs: list[tuple[str, UUID]] = []
    ranks = Counter[str]()  # several models may share a name
    for model, pk in first.values_list("language_model", "pk"):
        name = names[model]
        ranks[name] += 1
        if ranks[name] <= MAX_LISTED + 1:
            pairs.append((name, pk))
    counts = Counter[str]()
    for model, count in seen.values_list("language_model").annotate(Count("pk")):
        counts[names[model]] += count
    return _load(pairs, counts.items())


def _load(pairs: Iterable[tuple[str, UUID]], counts: Iterable[tuple[str, int]]) -> Duplicates:
    """``pairs``: the common key of a submission and its id, in the order wanted."""
    in_order = list(pairs)
    submissions = Submission.objects.select_related("language_model", "release", "owner")
    by_id = submissions.prefetch_related("release__data_sets").in_bulk([pk for _, pk in in_order])
    first: defaultdict[str, list[Submission]] = defaultdict(list)
    for key, pk in in_order:
        first[key].append(by_id[pk])
    return Duplicates(first, dict(counts))
