"""Names that readers know, of makers and language models, and where a new model uses them.

An invented model of a known maker looks as trustworthy as a real one, so reviewers are told.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import Q

from portal.language_models.known import KNOWN_MODELS
from portal.models import LanguageModel, ReportedEntry, Submission
from portal.review.facts.confusables import skeleton

_WORDS = re.compile(r"[^\W_]+")


class KnownNames(NamedTuple):
    """By skeleton, the name as it is written."""

    makers: Mapping[str, str]
    models: Mapping[str, str]


def known_names() -> KnownNames:
    """Those of the site's models, of reported and historical entries, and of ``KNOWN_MODELS``."""
    reported = ReportedEntry.objects.values("language_model")
    historical = Submission.objects.filter(origin=Submission.Origin.HISTORICAL)
    shown = Q(pk__in=reported) | Q(pk__in=historical.values("language_model"))
    models = LanguageModel.objects.filter(shown | Q(owner=None))
    rows = [
        *((name, model.organisation) for name, model in KNOWN_MODELS.items()),
        *models.order_by().values_list("name", "organisation"),
    ]
    return KnownNames(
        _by_skeleton(organisation for _, organisation in rows),
        _by_skeleton(name for name, _ in rows),
    )


def names_within(text: str, known: Mapping[str, str]) -> list[str]:
    """The known names that stand in a text as whole words, however they are spelled."""
    words = _WORDS.findall(text)
    runs = (
        skeleton("".join(words[start:end]))
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    )
    return list(dict.fromkeys(known[run] for run in runs if run in known))


def _by_skeleton(names: Iterable[str]) -> dict[str, str]:
    return {skeleton("".join(_WORDS.findall(name))): name for name in names if name}
