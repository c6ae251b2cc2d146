"""Code.Debug from a source tree: one of four functions of real files has a bug.

After ∞Bench (Zhang et al., ACL 2024, section 3.2). The other three are untouched.
"""

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, product
from random import Random
from typing import NamedTuple

from scoring.generators import lengths
from scoring.generators.draws import shuffled
from scoring.generators.example import (
    Example,
    ExampleSpec,
    balanced_choice,
    even_position,
    permuted_index,
)
from scoring.generators.haystack.bugs import BUGS, Lines, proved
from scoring.generators.haystack.functions import Function, parsed
from scoring.generators.haystack.prose import passages
from scoring.generators.haystack.texts import HaystackError, Text, no_more, read_texts
from scoring.labels import LETTERS
from scoring.releases.facets import Span, depth_of
from scoring.text.tokens import estimate_tokens

SHORTEST = 16_000  # tokens: four real files, and something around them
_LARGEST = 3_000  # tokens of a file that is asked about
_TRIES = 200  # functions in which a place for a bug is looked for

_QUESTION = (
    "Exactly one of the four functions named in the options has a deliberate error: it cannot be "
    "compiled, it reads a name that is not defined, it calls a function with a wrong number of "
    "arguments, or a loop in it never ends. Which one?"
)


class Bug(NamedTuple):
    function: Function
    lines: Lines  # of its whole file, with the bug
    kind: str
    others: list[Function]  # that are asked about with it: three, each of another file


def code_debug_from(
    paths: tuple[str, ...], spec: ExampleSpec, *, distractors: tuple[str, ...] = ()
) -> Example:
    """Four files with a function each that is asked about, among others. Raises ``HaystackError``
    where there is not enough."""
    files, functions = _files(paths)
    bug = draw_bug(spec, functions)
    asked = [bug.function, *bug.others]
    rng = spec.draws("code_debug", spec.index, "padding")
    own = {one.file.name for one in asked}
    padding = shuffled(rng, [one for one in files if one.name not in own])
    more = passages(rng, distractors, [one.node.name for one in asked])
    return ask_about(spec, bug, padding, more)


def ask_about(
    spec: ExampleSpec, bug: Bug, files: Iterable[Text], more: Iterable[tuple[str, str]]
) -> Example:
    """The question, in a context with other files, and then with more texts, each with its name;
    the depth is that of the bug."""
    rng = spec.draws("code_debug", spec.index, "places")
    text = _listing(bug.function.file.name, "\n".join(bug.lines))
    sound = [_listing(one.file.name, one.file.text) for one in bug.others]
    room = lengths.rest(spec.tokens, _QUESTION, text, *sound)
    texts = [*_padding(files, room, more)]
    for one in shuffled(rng, sound):
        texts.insert(int(rng.random() * (len(texts) + 1)), one)
    at = even_position(spec, "code_debug", len(texts))
    begin = sum(map(len, texts[:at])) + len(text) - len(_body("\n".join(bug.lines)))
    place = balanced_choice(spec, "code_debug", len(LETTERS))
    options = [one.name for one in bug.others]
    options.insert(place, bug.function.name)
    return Example(
        context=[*texts[:at], text, *texts[at:]],
        question=_QUESTION,
        answer=[bug.function.name, LETTERS[place]],
        evidence=tuple((begin + start, begin + end) for start, end in _spans(bug)),
        options=tuple(options),
        depth=depth_of(at, len(texts)),
        kind=bug.kind,
    )


@lru_cache(maxsize=2)
def _files(paths: tuple[str, ...]) -> tuple[list[Text], list[Function]]:
    """All files that compile, and the functions that can be asked about: no two have one name."""
    files = {text: file for text in read_texts(paths, ".py") if (file := parsed(text))}
    defined = Counter(name for file in files.values() for name in file.definitions)
    found = [
        one
        for text, file in files.items()
        if text.tokens <= _LARGEST
        for one in file.functions
        if defined[one.node.name] == 1
    ]
    if len({one.file.name for one in found}) < 2 * len(LETTERS):
        raise HaystackError("There are too few functions that can be asked about in the code.")
    return [*files], found


def draw_bug(spec: ExampleSpec, functions: Sequence[Function]) -> Bug:
    """A bug of the kind whose turn it is, in one of the functions, and three others like it.

    Where there is no place for one it is of another kind: endless loops are rare. Raises
    ``HaystackError``.
    """
    rng = spec.draws("code_debug", spec.index, "bug")
    kind = tuple(BUGS)[permuted_index(spec, "code_debug") % len(BUGS)]
    shorter = permuted_index(spec, "code_debug", "length") % len(LETTERS)
    kinds = (kind, *shuffled(rng, [one for one in BUGS if one != kind]))
    drawn = shuffled(rng, functions)[:_TRIES]
    for rank, wanted in product((shorter, *range(len(LETTERS))), kinds):
        for function in drawn:
            for lines in shuffled(rng, [*BUGS[wanted](function)])[:3]:
                if proved(wanted, function, lines):
                    size = len(function.source) + len("\n".join(lines)) - len(function.file.text)
                    if others := _like(rng, functions, function, size, rank):
                        return Bug(function, lines, wanted, others)
    raise HaystackError("There is no function in the code that a bug can be put into.")


def _like(
    rng: Random, functions: Sequence[Function], own: Function, size: int, shorter: int
) -> list[Function]:
    """Three others, each of another file, that do not differ much: so many are shorter than the
    size. Empty where there are too few."""
    alike = [
        one
        for one in functions
        if one.file is not own.file and ("." in one.name) == ("." in own.name)
    ]
    chosen: dict[str, Function] = {}
    near = sorted(shuffled(rng, alike), key=lambda one: abs(len(one.source) - size))
    for is_shorter, most in ((True, shorter), (False, len(LETTERS) - 1)):
        for one in near:
            if (len(one.source) < size) == is_shorter and len(chosen) < most:
                chosen.setdefault(one.file.name, one)
        if len(chosen) < most:
            return []
    return shuffled(rng, [*chosen.values()])


def _padding(files: Iterable[Text], room: float, more: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Files until the room is taken; the last ones end between two statements. Then other texts,
    each as a file of its own."""
    for file in files:
        text = _listing(file.name, file.text)
        if (taken := estimate_tokens(text)) > room:
            text = _listing(file.name, _beginning(file.text, room))
            taken = estimate_tokens(text)
            if taken > room or text.count("\n") < 5:
                continue
        yield text
        room -= taken
        if room < lengths.FEW:
            return
    named = ((f"texts/{at}_{name.rpartition('/')[2]}", one) for at, (name, one) in enumerate(more))
    yield from lengths.filled(chain((_listing(*one) for one in named), no_more()), room)


def _beginning(text: str, room: float) -> str:
    """As many of its statements as fit."""
    lines = text.split("\n")
    parts = ["\n".join(lines[: node.end_lineno]) for node in ast.parse(text).body]
    fitting = bisect_left(parts, room - 30, key=estimate_tokens)
    return parts[fitting - 1] if fitting else ""


def _spans(bug: Bug) -> Iterator[Span]:
    """In the text of the file: the function, the class around it, and what it calls wrongly."""
    own, file = bug.function, bug.function.file
    shift = len(bug.lines) - len(file.lines)
    offsets = [0, *accumulate(len(line) + 1 for line in bug.lines)]
    yield offsets[own.first], offsets[own.last + shift] - 1
    for node in file.tree.body:
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        if isinstance(node, ast.ClassDef) and start < own.first < end:
            yield offsets[start], offsets[start + 1] - 1
        elif bug.kind == "argument count" and isinstance(node, ast.FunctionDef):
            called = rf"\b{re.escape(node.name)}\("
            if node is not own.node and re.search(called, own.source):
                moved = shift if start > own.first else 0
                first = node.body[0].lineno - 1 + moved
                yield offsets[start + moved], offsets[first] - 1


def _listing(name: str, text: str) -> str:
    return f"# File: {name}\n{_body(text)}"


def _body(text: str) -> str:
    return text.rstrip("\n") + "\n\n\n"
