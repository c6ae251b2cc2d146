"""Code.Debug from a source tree: one of four functions of real files has a bug.

After ∞Bench (Zhang et al., ACL 2024, section 3.2). The other three are untouched.
"""

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random

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
from scoring.generators.haystack.functions import File, Function, parsed
from scoring.generators.haystack.prose import first_lines, passages
from scoring.generators.haystack.texts import HaystackError, read_texts
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


def code_debug_from(
    paths: tuple[str, ...], spec: ExampleSpec, *, distractors: tuple[str, ...] = ()
) -> Example:
    """Four files with a function each that is asked about, among others; the depth is that of the
    bug. Raises ``HaystackError`` where there is not enough."""
    files, uniques = _files(paths)
    rng = spec.draws("code_debug", spec.index)
    kind = tuple(BUGS)[permuted_index(spec, "code_debug") % len(BUGS)]
    buggy, lines, kind = _broken(rng, uniques, kind)
    others = _like(rng, uniques, buggy, permuted_index(spec, "code_debug", "length") % len(LETTERS))
    place = balanced_choice(spec, "code_debug", len(LETTERS))
    options = [one.name for one in others]
    options.insert(place, buggy.name)
    text = _listing(buggy.file.name, "\n".join(lines))
    sound = [_listing(one.file.name, one.file.text) for one in others]
    room = lengths.rest(spec.tokens, _QUESTION) - sum(map(estimate_tokens, (text, *sound)))
    asked = {buggy.file.name, *(one.file.name for one in others)}
    padding = spec.draws("code_debug", spec.index, "padding")
    more = passages(padding, distractors, [one.rpartition(".")[2] for one in options])
    texts = [*_padding(padding, [one for one in files if one.name not in asked], room, more)]
    for one in shuffled(padding, sound):
        texts.insert(int(padding.random() * (len(texts) + 1)), one)
    at = even_position(spec, "code_debug", len(texts))
    begin = sum(map(len, texts[:at])) + len(text) - len(_body("\n".join(lines)))
    return Example(
        context=[*texts[:at], text, *texts[at:]],
        question=_QUESTION,
        answer=[buggy.name, LETTERS[place]],
        evidence=tuple((begin + start, begin + end) for start, end in _spans(buggy, lines, kind)),
        options=tuple(options),
        depth=depth_of(at, len(texts)),
        kind=kind,
    )


@lru_cache(maxsize=2)
def _files(paths: tuple[str, ...]) -> tuple[list[File], list[Function]]:
    """All files that compile, and the functions that can be asked about: no two have one name."""
    files = [file for text in read_texts(paths, ".py") if (file := parsed(text))]
    defined = Counter(name for file in files for name in file.definitions)
    found = [
        one
        for file in files
        if file.tokens <= _LARGEST
        for one in file.functions
        if defined[one.node.name] == 1
    ]
    if len({one.file.name for one in found}) < 2 * len(LETTERS):
        raise HaystackError("There are too few functions that can be asked about in the code.")
    return files, found


def _broken(rng: Random, functions: Sequence[Function], kind: str) -> tuple[Function, Lines, str]:
    """A function with a bug, of the kind if there is a place for one; endless loops are rare."""
    drawn = shuffled(rng, functions)[:_TRIES]
    for wanted in (kind, *shuffled(rng, [one for one in BUGS if one != kind])):
        for function in drawn:
            found = shuffled(rng, [*BUGS[wanted](function)])
            for lines in found[:3]:
                if proved(wanted, function, lines):
                    return function, lines, wanted
    raise HaystackError("There is no function in the code that a bug can be put into.")


def _like(
    rng: Random, functions: Sequence[Function], buggy: Function, shorter: int
) -> list[Function]:
    """Three others, each of another file: so many are shorter, but not by much."""
    size, is_method = len(buggy.source), "." in buggy.name
    alike = [one for one in functions if ("." in one.name) == is_method]
    near = sorted(
        shuffled(rng, [one for one in alike if one.file is not buggy.file]),
        key=lambda one: abs(len(one.source) - size),
    )
    chosen: list[Function] = []
    for is_shorter, count in ((True, shorter), (False, len(LETTERS) - 1 - shorter)):
        wanted = count
        for one in near:
            taken = {other.file.name for other in chosen}
            if wanted and (len(one.source) < size) == is_shorter and one.file.name not in taken:
                chosen.append(one)
                wanted -= 1
    rest = [one for one in functions if one.file is not buggy.file]
    for one in (*near, *rest):  # at the ends there are too few on one side
        if len(chosen) < len(LETTERS) - 1 and one.file not in [other.file for other in chosen]:
            chosen.append(one)
    return shuffled(rng, chosen)


def _padding(
    rng: Random, files: Sequence[File], room: float, more: Iterator[tuple[str, str]]
) -> Iterator[str]:
    """Other files, until the room is taken; the last ones end between two statements. Then other
    texts, each as a file of its own."""
    for file in shuffled(rng, files):
        text = _listing(file.name, file.text)
        if (taken := estimate_tokens(text)) > room:
            text = _listing(file.name, _beginning(file, room))
            taken = estimate_tokens(text)
            if taken > room or text.count("\n") < 5:
                continue
        yield text
        room -= taken
        if room < 60:
            return
    for number, (name, text) in enumerate(more):
        listing = _listing(f"texts/{number}_{name.rpartition('/')[2]}", text)
        if (taken := estimate_tokens(listing)) > room:
            yield first_lines(listing, room)
            return
        yield listing
        room -= taken
    if room > 0.05 * _LARGEST:
        raise HaystackError(
            "The code is too short for this length: add other source trees, or distractors."
        )


def _beginning(file: File, room: float) -> str:
    """As many of its statements as fit."""
    parts = ["\n".join(file.lines[: node.end_lineno]) for node in file.tree.body]
    fitting = bisect_left(parts, room - 30, key=estimate_tokens)
    return parts[fitting - 1] if fitting else ""


def _spans(buggy: Function, lines: Lines, kind: str) -> Iterator[Span]:
    """In the text of the file: the function, the class around it, and what it calls wrongly."""
    file = buggy.file
    shift = len(lines) - len(file.lines)
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    yield offsets[buggy.first], offsets[buggy.last + shift] - 1
    for node in file.tree.body:
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        is_around = isinstance(node, ast.ClassDef) and start < buggy.first < end
        if is_around:
            yield offsets[start], offsets[start + 1] - 1
        elif kind == "argument count" and isinstance(node, ast.FunctionDef):
            called = rf"\b{re.escape(node.name)}\("
            if node is not buggy.node and re.search(called, buggy.source):
                moved = shift if start > buggy.first else 0
                first = node.body[0].lineno - 1 + moved
                yield offsets[start + moved], offsets[first] - 1


def _listing(name: str, text: str) -> str:
    return f"# File: {name}\n{_body(text)}"


def _body(text: str) -> str:
    return text.rstrip("\n") + "\n\n\n"
