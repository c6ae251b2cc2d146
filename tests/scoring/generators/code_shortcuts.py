"""Ways to find the broken one of four functions from its text, without parsing it."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

Score = Callable[[str], float]  # a score of a function's source: the highest is taken for broken

_WORD = re.compile(r"[A-Za-z_]\w*")
_INITIAL = re.compile(r"= (?:\d+|\[\]|\{\}|\"\")$", re.MULTILINE)
_ASSIGNED = re.compile(r"(\w+) [-+*/%]*= ")
_HEADER = re.compile(r"\s*(?:for|if|while|elif|else|def)\b")


def body(source: str) -> str:
    """The source without its docstring."""
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
    "fewest initial values": lambda source: -len(_INITIAL.findall(body(source))),
    "fewest names that are assigned": lambda source: -len({*_ASSIGNED.findall(body(source))}),
    "fewest changes in place": lambda source: -len(re.findall(r"[+/-]=", body(source))),
    "fewest comments": lambda source: -body(source).count("#"),
    "most comments": lambda source: body(source).count("#"),
    "steps told and lines": lambda source: (
        4 * source.split('"""')[1].count(" it ") - body(source).count("\n")
    ),
    "fewest digits": lambda source: -len(re.findall(r"\d", body(source))),
}


def learned(examples: Sequence[tuple[str, Sequence[str]]]) -> Score:
    """How much more often the words of a source occur in broken functions than in working ones,
    learned from examples that are not asked about: the broken one of each, and the other three."""
    broken = Counter(word for one, _ in examples for word in {*_WORD.findall(body(one))})
    sound = Counter(
        word for _, others in examples for one in others for word in {*_WORD.findall(body(one))}
    )

    def score(source: str) -> float:
        words = {*_WORD.findall(body(source))}
        return sum(math.log((3 * broken[word] + 1) / (sound[word] + 1)) for word in words)

    return score
