"""Choosing the language model of a submission: the user's own, and a search among the public ones.

The search works without JavaScript, as a form of its own that loads the page again; the page's
script only fetches the results while the user types.
"""

from dataclasses import dataclass

from portal.models import LanguageModel, User, matches_words

NEW = "new"  # the choice of a language model that is described in the same form
NO_SUCH_MODEL = "You can choose no language model of this name."
MAX_SEARCH = 100  # characters
_MOST_OWN = 6  # shown without a search
_MOST_FOUND = 10


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The language models that the form shows, of all that may be chosen."""

    search: str
    chosen: str  # an id, NEW, or nothing
    models: list[LanguageModel]
    matches: int
    more: int  # how many matches are not shown

    @property
    def new(self) -> str:
        return NEW


def model_choice(user: User, *, search: str = "", chosen: str = "") -> ModelChoice:
    """The user's own models come first. Without a search, no others are listed, except for the
    chosen one, which always is.

    The site's own baselines are never found.
    """
    search = " ".join(search.split())[:MAX_SEARCH]
    offered = list(LanguageModel.objects.offered_to(user))
    shared = set(LanguageModel.objects.owned_by(user).values_list("pk", flat=True))
    own = [one for one in offered if one.pk in shared]
    own.sort(key=lambda model: model.created, reverse=True)
    if not search:
        found, most = own, _MOST_OWN
    else:
        found, most = own + [one for one in offered if one.pk not in shared], _MOST_FOUND
    found = [
        one
        for one in found
        if not one.baseline and matches_words(search, (one.name, one.organisation))
    ]
    shown = found[:most]
    if not any(str(one.pk) == chosen for one in shown):
        shown = [one for one in offered if str(one.pk) == chosen] + shown
    if not (own or search or chosen):
        chosen = NEW
    return ModelChoice(search, chosen, shown, len(found), len(found[most:]))
