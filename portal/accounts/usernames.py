"""Which usernames are allowed: none that looks like another, and none that speaks for the site."""

import re
from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

# Other scripts, spaces and invisible characters would let two names look alike. An @ would let a
# name be the address of another user, which also signs in.
_RULE = re.compile(r"\A(?=.{3,30}\Z)[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*\Z")
_RESERVED = frozenset({
    "admin", "administrator", "author", "demo", "editor", "everyone", "help", "historical",
    "infinitebench", "leaderboard", "mail", "moderator", "nobody", "official", "owner",
    "postmaster", "reviewer", "root", "security", "site", "staff", "support", "system", "team",
    "webmaster",
})  # fmt: skip


def is_reserved(name: str) -> bool:
    """Such as “admin”, even when written “Ad-min”; and the names of deleted accounts."""
    letters = re.sub(r"[^a-z]", "", name.lower())
    return letters in _RESERVED or letters.startswith("formermember")


def not_reserved(name: str) -> None:
    """Raises ``ValidationError``."""
    if is_reserved(name):
        raise ValidationError("This name is reserved for the people who run the site.")


LONGEST = 30
RULE = "Use 3 to 30 letters a–z and digits, with single dots, hyphens or underscores in between."
BROKEN_RULE = "This name is too short or too long, or has other characters."
well_formed = RegexValidator(_RULE, BROKEN_RULE)
VALIDATORS: list[Callable[[str], None]] = [well_formed, not_reserved]
