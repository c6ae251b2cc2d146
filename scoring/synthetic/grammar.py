"""Sentences composed from a table, in which a name in braces stands for one of several texts.

A few hundred short texts that hold one another make millions of sentences, so that a text of any
length hardly says the same thing twice.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random

_NAME = re.compile(r"\{(\w+)\}")
_NOTHING: Mapping[str, str] = {}


class Grammar:
    """A table ``{name: texts}``; each text may hold ``{names}``, and is as likely as the others.

    ``{Name}`` is the same as ``{name}`` with a capital letter first.
    """

    def __init__(self, *tables: Mapping[str, Sequence[str]]) -> None:
        self._texts = {
            name: [_NAME.split(text) for text in texts]
            for table in tables
            for name, texts in table.items()
        }

    def tell(self, rng: Random, name: str, words: Mapping[str, str] = _NOTHING) -> str:
        """One of the texts of a name, in full. ``words`` come before the table's.

        Raises ``KeyError`` for a name that neither has.
        """
        parts: list[str] = []
        self._tell(rng, name, words, parts)
        return "".join(parts)

    def _tell(self, rng: Random, name: str, words: Mapping[str, str], parts: list[str]) -> None:
        if name in words:
            parts.append(words[name])
            return
        texts = self._texts.get(name)
        if texts is None and name != name.lower():
            parts.append(capital(self.tell(rng, name.lower(), words)))
            return
        if texts is None:
            raise KeyError(name)
        text = texts[int(rng.random() * len(texts))]
        for place, part in enumerate(text):
            if place % 2:
                self._tell(rng, part, words, parts)
            else:
                parts.append(part)


def capital(text: str) -> str:
    """With a capital letter first, and the rest as it is."""
    return text[:1].upper() + text[1:]
