"""Names that people mistake for one another: names that look alike have the same skeleton.

It serves only warnings to reviewers, so it is coarse on purpose: case, accents, dashes, spaces and
punctuation make no difference, and neither do l, I and 1, or O and 0.
"""

import re
import unicodedata
from functools import lru_cache

# Cyrillic and Greek letters, and the Latin ones that they look like in common fonts: a selection of
# the single letters in the confusables table of Unicode Technical Standard 39.
_LOOK_ALIKES = (
    ("АВЕЅІЈКМНОРСТУХҮԌԚԜЗӀ", "ABESIJKMHOPCTYXYGQW3l"),
    ("аеѕіјорсухүһԁԛԝӏгк", "aesijopcyxyhdqwlrk"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("αικνορτυχγε", "aikvoptuxye"),
)
_LATIN = {
    ord(letter): latin
    for letters, latins in _LOOK_ALIKES
    for letter, latin in zip(letters, latins, strict=True)
}
_ALIKE = str.maketrans("i1|0", "lllo")  # within Latin, after casefolding
_DASHES = "\u2212\u02d7"  # not punctuation to Unicode: the minus sign, and a modifier
_IGNORED = ("P", "Z", "C", "Mn", "Me")  # punctuation, spaces, control, marks on a letter
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"}


@lru_cache(maxsize=65_536)
def skeleton(name: str) -> str:
    """Equal for names that look alike. A name of punctuation alone stays as it is."""
    letters = "".join(
        char
        for char in unicodedata.normalize("NFKD", name)
        if char not in _DASHES and not unicodedata.category(char).startswith(_IGNORED)
    )
    return letters.translate(_LATIN).casefold().translate(_ALIKE) or name


def mixed_script_words(text: str) -> list[str]:
    """Words with letters from several scripts that look alike."""

    def scripts(word: str) -> set[str]:
        # The name of a letter begins with its script.
        return {unicodedata.name(char, "").partition(" ")[0] for char in word} & _SCRIPTS

    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    return [word for word in words if len(scripts(word)) > 1]
