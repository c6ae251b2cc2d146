"""Rules of thumb that answer without understanding: from options, turns, and the look of code."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from scoring.labels import LETTERS
from scoring.text.excerpts import words_of

Rule = Callable[[str, str, Sequence[str]], str]  # context, question, options → the answer

MASK = "$$MASK$$"
_LABEL = re.compile(
    r"^[ \t]*(\$\$MASK\$\$|[A-Z][A-Z0-9 .'’-]{1,30}?)(?:[ \t]*\([^)\n]*\))?(?=[:.]|[ \t]*$)",
    re.MULTILINE,
)
_NUMBER = re.compile(r"\d+")
_NEAR = 4_000  # characters around the mask in which names are counted


def _option(options: Sequence[str], score: Callable[[str], float]) -> str:
    """The option that scores highest, as a reader would write it."""
    if not options:
        return ""
    best = max(options, key=score)
    return f"{LETTERS[options.index(best)]}. {best}"


def _number(option: str) -> float:
    found = _NUMBER.search(option)
    return float(found[0]) if found else 0.0


def _hub(options: Sequence[str]) -> str:
    """The option that the others are variants of: in words, or as the middle one of numbers."""
    if all(map(_NUMBER.search, options)):
        ranked = sorted(map(_number, options))
        middle = (ranked[1] + ranked[-2]) / 2
        return _option(options, lambda one: -abs(_number(one) - middle))
    words = {one: set(words_of(one)) for one in options}
    return _option(options, lambda one: sum(len(words[one] & words[other]) for other in options))


OPTION_RULES: dict[str, Rule] = {
    "first": lambda _text, _asked, options: _option(options, lambda one: -options.index(one)),
    "last": lambda _text, _asked, options: _option(options, options.index),
    "longest": lambda _text, _asked, options: _option(options, len),
    "shortest": lambda _text, _asked, options: _option(options, lambda one: -len(one)),
    "largest": lambda _text, _asked, options: _option(options, _number),
    "smallest": lambda _text, _asked, options: _option(options, lambda one: -_number(one)),
    "hub": lambda _text, _asked, options: _hub(options),
    "most like the question": lambda _text, asked, options: _option(
        options, lambda one: len(set(words_of(one)) & set(words_of(asked)))
    ),
}


def speakers_of(text: str) -> list[tuple[int, str]]:
    """Where each turn of a script begins, and who speaks."""
    return [(one.start(), one[1].strip()) for one in _LABEL.finditer(text)]


def _around(text: str, step: int) -> list[str]:
    """The speakers so many turns before, or after, each turn of the masked one."""
    turns = speakers_of(text)
    return [
        turns[at + step][1]
        for at, (_, name) in enumerate(turns)
        if name == MASK and 0 <= at + step < len(turns) and turns[at + step][1] != MASK
    ]


def _near(text: str) -> list[str]:
    """The speakers around the mask, the most frequent first; without those who speak next to it."""
    first = text.find(MASK)
    nearby = text[max(0, first - _NEAR) : text.rfind(MASK) + _NEAR]
    next_to_it = {*_around(text, -1), *_around(text, 1)}
    counts = Counter(name for _, name in speakers_of(nearby) if name != MASK)
    return [name for name, _ in counts.most_common() if name not in next_to_it] or [*counts]


def _alternating(step: int) -> Rule:
    """The speaker two turns away, otherwise the nearest frequent speaker."""

    def rule(text: str, _asked: str, _options: Sequence[str]) -> str:
        names = [*(name for name, _ in Counter(_around(text, step)).most_common()), *_near(text)]
        return names[0] if names else ""

    return rule


def _off_stage(text: str, _asked: str, _options: Sequence[str]) -> str:
    """The most frequent speaker of the text around who has no turn between the masks."""
    first, last = text.find(MASK), text.rfind(MASK)
    scene = text[text.rfind("\n\n", 0, first) + 1 : text.find("\n\n", last) % (len(text) + 1)]
    here = {name for _, name in speakers_of(scene)}
    nearby = text[max(0, first - 5 * _NEAR) : last + 5 * _NEAR]
    counts = Counter(name for _, name in speakers_of(nearby) if name not in here)
    return next((name for name, _ in counts.most_common()), "")


TURN_RULES: dict[str, Rule] = {
    "two turns before": _alternating(-2),
    "two turns after": _alternating(2),
    "nearest frequent": lambda text, _asked, _options: next(iter(_near(text)), ""),
    "frequent, not on stage": _off_stage,
}

# Code: the text of the four functions, without parsing

_HEADER = re.compile(r"\s*(?:for|if|while|elif|else|def|with|try|except)\b")


def _source(text: str, name: str) -> str:
    """From ``def`` to the next statement that is not indented deeper; empty if it is not there."""
    head = re.search(
        rf"^([ \t]*)(?:async )?def {re.escape(name.rpartition('.')[2])}\b", text, re.MULTILINE
    )
    if not head:
        return ""
    ends = re.compile(rf"^{head[1]}(?:async def|def|class|@)\b|^#+ File", re.MULTILINE)
    end = ends.search(text, head.end())
    source = text[head.start() : end.start() if end else head.end() + 10_000]
    docstring = source.split('"""')
    return docstring[0] + "".join(docstring[2:])


def _open_brackets(source: str) -> int:
    return sum(abs(source.count(a) - source.count(b)) for a, b in ("()", "[]", "{}"))


def _odd_depths(source: str) -> int:
    lines = (line for line in source.splitlines() if line.strip())
    return sum((len(line) - len(line.lstrip())) % 4 > 0 for line in lines)


def _without_colon(source: str) -> int:
    lines = source.splitlines()
    return sum(bool(_HEADER.match(line)) and not line.rstrip().endswith(":") for line in lines)


def _by_look(score: Callable[[str], float]) -> Rule:
    return lambda text, _asked, options: _option(options, lambda one: score(_source(text, one)))


TEXT_RULES: dict[str, Rule] = {
    "shortest function": _by_look(lambda source: -len(source)),
    "longest function": _by_look(len),
    "fewest lines": _by_look(lambda source: -source.count("\n")),
    "open brackets": _by_look(_open_brackets),
    "odd indentations": _by_look(_odd_depths),
    "headers without colons": _by_look(_without_colon),
    "fewest assignments": _by_look(lambda source: -source.count(" = ")),
}
