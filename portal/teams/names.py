"""Which names a team may have: none that looks like another's, and none that speaks for others."""

import re
import secrets

from django.utils.text import slugify

from portal.accounts.usernames import is_reserved
from portal.errors import StateError
from portal.models import LanguageModel, OrganisationDomain, Team, User, confirmation
from portal.models.language_model import spelled_alike
from portal.review.facts.confusables import mixed_script_words, skeleton

MAX_LENGTH = 60
_ADDRESS = re.compile(r"[/@:\\]|www\.", re.IGNORECASE)  # an invitation is mailed with the name


def check_name(name: str, *, by: User, team: Team | None = None) -> str:
    """Check that a name is free for this team; returns its skeleton. Raises ``StateError``.

    A name like that of an organisation that makes models is only for people who are confirmed to
    belong to it: anybody else would pass for the maker.
    """
    looks = skeleton(name)
    if _ADDRESS.search(name):
        raise StateError("The name of a team has none of / @ : \\ and no “www.” in it.", "address")
    if mixed_script_words(name):
        raise StateError("Use letters of one script in each word.", "mixed_scripts")
    if is_reserved(name) or looks == skeleton("∞Bench"):
        raise StateError("This name is reserved for the people who run the site.", "reserved")
    check_free(looks, team)
    # The organisations that readers know: of language models on a board, and of confirmed domains.
    known = LanguageModel.objects.known_to_all().values_list("organisation", flat=True)
    domains = OrganisationDomain.objects.values_list("organisation", flat=True)
    organisations = {one for one in {*known, *domains} if spelled_alike(one)}
    makers = [one for one in organisations if skeleton(one) == looks]
    if makers and not any(confirmation(by, one) for one in makers):
        raise StateError(
            (
                "This is the name of an organisation that makes language models. Only people who "
                "are confirmed to belong to it can have a team of this name."
            ),
            "name_of_maker",
        )
    return looks


def check_free(looks: str, team: Team | None = None) -> None:
    """``looks``: the skeleton of a name. Raises ``StateError``."""
    if Team.objects.exclude(pk=team.pk if team else 0).filter(skeleton=looks).exists():
        raise StateError(
            "There is a team with this name, or with one that looks like it.", "name_taken"
        )


def new_slug(name: str) -> str:
    """The last part of its address. Other names may have the same one: then with random letters."""
    stem = slugify(name) or "team"
    return f"{stem}-{secrets.token_hex(3)}" if Team.objects.filter(slug=stem).exists() else stem
