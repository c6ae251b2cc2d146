"""How many tokens the English narrator's prose takes, planned without a vocabulary.

Measured with cl100k_base (tiktoken 0.14). Invented names are what an estimate goes wrong with, so
each has its own number of tokens here, with the space before it, in the order of its table.
"""

import re

from scoring.generators.novel.english.names import FAMILIES, MEN, TOWN_NAMES, WOMEN
from scoring.text.tokens import estimate_tokens

_ENGLISH = 1.0155  # tokens for each that is estimated, without names
_NAMES = {
    WOMEN: "33232333233332322233332132232233333223233533233222323233232433323323312333322232",
    MEN: "12323322222223222223212123422322232132122232231212132312231221212122223321122222",
    FAMILIES: (
        "2322422222232342323222222322322322332333331323322232334231232332233321"
        "2443232232342233323323322332333222432322224243223424232223332532222433"
    ),
    TOWN_NAMES: "322232334233333333333333",
}
_NAME = re.compile(r"\b[A-Z][a-z]{2,}")


_MISSING = {  # the tokens of each name beyond the estimate
    name: int(tokens) - estimate_tokens(f" {name}")
    for names, digits in _NAMES.items()
    for name, tokens in zip(names, digits, strict=True)
}


def tokens_of(text: str) -> float:
    """About how many tokens a part of an English book has."""
    names = sum(_MISSING.get(name, 0) for name in _NAME.findall(text))
    return estimate_tokens(text) * _ENGLISH + names
