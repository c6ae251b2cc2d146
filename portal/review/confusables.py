"""Names that people take for one another: folded, so that those that look alike are equal.

For remarks to reviewers only. It is coarse on purpose: what differs only in case, accents, dashes,
spaces and punctuation is the same, and so are l, I and 1, or O and 0.
"""

import re
import unicodedata
from functools import lru_cache

# Cyrillic and Greek letters, and the Latin ones that they are taken for in common fonts. Chosen
# among the single letters in the table of confusables of Unicode Technical Standard 39.
_DOUBLES = (
    ("АВЕЅІЈКМНОРСТУХҮԌԚԜЗӀ", "ABESIJKMHOPCTYXYGQW3l"),
    ("аеѕіјорсухүһԁԛԝӏгк", "aesijopcyxyhdqwlrk"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("αικνορτυχγε", "aikvoptuxye"),
)
_LATIN = {
    ord(letter): double
    for letters, doubles in _DOUBLES
    for letter, double in zip(letters, doubles, strict=True)
}
_ALIKE = str.maketrans("i1|0", "lllo")  # within Latin, after small letters are made
_DASHES = "\u2212\u02d7"  # signs that are no punctuation to Unicode: minus, and a modifier
_UNSEEN = ("P", "Z", "C", "Mn", "Me")  # punctuation, spaces, control, marks on a letter
_ONE_WORD = re.compile(r"[^\W\d_]+")
_CONFUSED = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")


@lru_cache(maxsize=65_536)
def folded(name: str) -> str:
    """Equal for names that look alike. A name of nothing but signs stays as it is."""
    letters = unicodedata.normalize("NFKD", name)
    seen = "".join(sign for sign in letters if not _is_unseen(sign))
    return seen.translate(_LATIN).casefold().translate(_ALIKE) or name


def of_several_scripts(text: str) -> list[str]:
    """The words of it in which letters of alphabets stand together that look alike."""
    words = _ONE_WORD.findall(unicodedata.normalize("NFKC", text))
    return [word for word in words if len(_scripts(word)) > 1]


def _scripts(word: str) -> set[str]:
    """As the names of its letters begin."""
    named = {unicodedata.name(letter, "").partition(" ")[0] for letter in word}
    return named.intersection(_CONFUSED)


def _is_unseen(sign: str) -> bool:
    return sign in _DASHES or unicodedata.category(sign).startswith(_UNSEEN)
