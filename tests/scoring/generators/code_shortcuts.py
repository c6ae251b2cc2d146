"""Ways to find the broken one of four functions by its text, without parsing it."""

import itertools
import re
from collections import Counter
from collections.abc import Callable

Score = Callable[[str], float]  # of a function's source: the highest is taken for broken

_WORD = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"\s*(?:for|if|while|elif|else|def)\b")


def body(source: str) -> str:
    """Without the docstring."""
    head, *rest = source.split('"""')
    return head + "".join(rest[1:])


def _open_brackets(text: str) -> int:
    return sum(abs(text.count(a) - text.count(b)) for a, b in ("()", "[]", "{}"))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _odd_indentations(text: str) -> int:
    return sum(_indentation(line) % 4 > 0 for line in text.splitlines() if line.strip())


def _headers_without_colons(text: str) -> int:
    return sum(
        bool(_HEADER.match(line)) and not line.rstrip().endswith(":") for line in text.splitlines()
    )


def _unexpected_depths(text: str) -> int:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(
        (_indentation(after) > _indentation(line)) != line.rstrip().endswith(":")
        for line, after in itertools.pairwise(lines)
    )


def _single_words(text: str) -> int:
    return sum(count == 1 for count in Counter(_WORD.findall(text)).values())


TEXT_RULES: dict[str, Score] = {
    "shortest": lambda source: -len(source),
    "longest": len,
    "fewest lines": lambda source: -source.count("\n"),
    "most lines": lambda source: source.count("\n"),
    "shortest body": lambda source: -len(body(source)),
    "fewest lines of a body": lambda source: -body(source).count("\n"),
    "most lines of a body": lambda source: body(source).count("\n"),
    "open brackets": lambda source: _open_brackets(body(source)),
    "odd indentations": lambda source: _odd_indentations(body(source)),
    "headers without colons": lambda source: _headers_without_colons(body(source)),
    "unexpected depths": lambda source: _unexpected_depths(body(source)),
    "most words that come once": lambda source: _single_words(body(source)),
    "fewest words that come once": lambda source: -_single_words(body(source)),
    "fewest assignments": lambda source: -body(source).count(" = "),
    "most commas": lambda source: body(source).count(","),
    "fewest digits": lambda source: -len(re.findall(r"\d", body(source))),
}
