"""Language models: those that authors describe, and those of the site itself.

The latter are of historical and reported entries.
"""

import secrets
from itertools import chain, count

from django.core.exceptions import ValidationError
from django.utils.text import slugify

from portal.board_version import raise_board_version
from portal.models import LanguageModel, User

_STEM_CAP = 70  # characters of an address; a number may have to follow


class LanguageModelError(Exception):
    """The language model cannot be had; the message says why, and what to do."""


def create_language_model(described: LanguageModel, *, owner: User) -> LanguageModel:
    """Keep a model that its owner has described, under an address of its own.

    The address always ends in random letters. If only the second model of a name had a number,
    that would tell everybody which names others have described in private.
    """
    described.owner = owner
    described.slug = f"{slugify(described.name)[:_STEM_CAP] or 'model'}-{secrets.token_hex(3)}"
    described.save(force_insert=True)
    return described


def model_of_the_site(
    name: str, *, slug: str = "", organisation: str = "", weights: str = ""
) -> LanguageModel:
    """The site's language model of this name, made where there is none yet.

    What is known of it stays; what was not known is filled in. To be called in a transaction.
    Raises ``LanguageModelError``.
    """
    known = LanguageModel.objects.filter(owner=None, name=name).first()
    if known and slug not in ("", known.slug):
        raise LanguageModelError(f"{name} is “{known.slug}” in addresses: leave out --slug.")
    found = known or LanguageModel(name=name, slug=slug or _free_slug(name), weights="")
    before = (found.organisation, found.weights)
    found.organisation = found.organisation or organisation
    found.weights = found.weights or weights
    if known and before == (found.organisation, found.weights):
        return known
    try:
        found.full_clean(exclude=["owner"] if weights else ["owner", "weights"])
    except ValidationError as error:
        raise LanguageModelError(f"{name[:80]}: {' '.join(error.messages)}") from error
    found.save()
    raise_board_version()
    return found


def _free_slug(name: str) -> str:
    stem = slugify(name)[:_STEM_CAP] or "model"
    numbered = (f"{stem}-{number}" for number in count(2))
    taken = LanguageModel.objects.values_list("slug", flat=True)
    return next(slug for slug in chain([stem], numbered) if not taken.filter(slug=slug).exists())
