"""Code.Debug: which of four functions of a package has a bug?

After ∞Bench (Zhang et al., ACL 2024, section 3.2): there one bug of six kinds is put into a package
from a registry. Here the package is made, too. Every function shows a call and what it returns, and
all of them return it but one, which does not compile, raises an exception or never comes to an end.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from scoring.generators import lengths
from scoring.generators.debug.bugs import BUGS
from scoring.generators.debug.draft import Function
from scoring.generators.debug.package import Module, Names, make_module
from scoring.generators.debug.words import PACKAGES, PROSE
from scoring.generators.draws import between, shuffled
from scoring.generators.example import (
    Example,
    ExampleSpec,
    balanced_choice,
    even_position,
    permuted_index,
)
from scoring.labels import LETTERS
from scoring.releases.facets import Span, depth_of
from scoring.text.tokens import estimate_tokens

_TOKENS = 1.069  # for each that is estimated: measured on a million
_RECENT = 2  # modules that the next one may import from
_PARTS = 7  # functions and classes of a module, at most

_QUESTION = (
    "Exactly one of the four functions named in the options has a deliberate error: it cannot be "
    "compiled, or the call shown in its documentation raises an exception or never ends. Which one?"
)


class _Core(NamedTuple):
    """What is the same at every length."""

    names: Names
    support: Module  # from which the others import
    modules: list[Module]  # in the order of their letters; each has one of the candidates
    buggy: int  # which of them
    text: str  # of the buggy one, with the bug
    evidence: tuple[Span, ...]  # in that text
    kind: str


def code_debug(spec: ExampleSpec) -> Example:
    """Four modules with a candidate each, among others; the depth is that of the bug."""
    core = _core(spec)
    sound = [module for place, module in enumerate(core.modules) if place != core.buggy]
    fixed = [*(module.text for module in sound), core.support.text, core.text]
    rng = spec.draws("code_debug", spec.index, "padding")
    room = lengths.rest(spec.tokens, _QUESTION) - sum(map(_tokens, map(_file, fixed)))
    texts = list(_others(rng, core, room))
    _insert(spec, texts, sound, core.support)
    place = even_position(spec, "code_debug", len(texts))
    start = sum(map(len, texts[:place]))
    options = tuple(_candidate(module).name for module in core.modules)
    return Example(
        context=[*texts[:place], _file(core.text), *texts[place:]],
        question=_QUESTION,
        answer=[options[core.buggy], LETTERS[core.buggy]],
        evidence=tuple((start + first, start + last) for first, last in core.evidence),
        options=options,
        depth=depth_of(place, len(texts)),
        kind=core.kind,
    )


def _core(spec: ExampleSpec) -> _Core:
    rng = spec.draws("code_debug", spec.index)
    names = Names(rng, PACKAGES[between(rng, 0, len(PACKAGES) - 1)])
    support = make_module(rng, names, (), parts=2)
    modules = [make_module(rng, names, [support], parts=between(rng, 2, 3)) for _ in LETTERS]
    kind = tuple(BUGS)[permuted_index(spec, "code_debug") % len(BUGS)]
    buggy = balanced_choice(spec, "code_debug", len(LETTERS))
    rank = permuted_index(spec, "code_debug", "length") % len(LETTERS)
    wrongs = [one.source(BUGS[kind](rng, one)) for one in map(_candidate, modules)]
    # A bug may cost a line: which one is broken must not follow from which one is short.
    place = min(range(len(LETTERS)), key=lambda one: abs(_rank(modules, wrongs, one) - rank))
    modules[buggy], modules[place] = modules[place], modules[buggy]
    candidate, wrong = _candidate(modules[buggy]), wrongs[place]
    right = modules[buggy].text
    start = right.index(candidate.source())
    text = right[:start] + wrong + right[start + len(candidate.source()) :]
    spans = [(start, start + len(wrong) - 1)]
    if kind == "argument count":  # what it should be is said where the called one is defined
        called = modules[buggy].functions[0]
        spans.append((at := text.index(called.signature), at + len(called.signature)))
    return _Core(names, support, modules, buggy, text, tuple(spans), kind)


def _candidate(module: Module) -> Function:
    """The second of a module: it calls the first one, and has a loop."""
    return module.functions[1]


def _rank(modules: list[Module], wrongs: list[str], place: int) -> int:
    """How many candidates would be shorter than this one, if it had the bug."""
    sound = (_candidate(one).source() for at, one in enumerate(modules) if at != place)
    return sum(len(one) < len(wrongs[place]) for one in sound)


def _file(text: str) -> str:
    return f"{text}\n\n"


def _tokens(text: str) -> float:
    return estimate_tokens(text) * _TOKENS


def _others(rng: Random, core: _Core, room: float) -> Iterator[str]:
    """Modules until the room is taken: the last ones are small, and the very last is notes."""
    names = core.names.others(rng)
    recent: list[Module] = [core.support]
    most = _PARTS
    while most:
        module = make_module(rng, names, recent, parts=between(rng, min(3, most), most))
        text = _file(module.text)
        if (taken := _tokens(text)) > room:
            most //= 2
            continue
        yield text
        recent = [*recent[1 - _RECENT :], module]
        room -= taken
    notes = list(_notes(rng, names, room))
    if notes:
        yield "".join(notes)


def _notes(rng: Random, names: Names, room: float) -> Iterator[str]:
    """A module that is nothing but a list of changes."""
    opening, closing = f'# File: {names.module()}\n"""Changes.\n\n', '"""\n\n\n'
    room -= _tokens(opening) + _tokens(closing)
    if room < 0:
        return
    yield opening
    while True:
        note = PROSE.say("note", rng) + "\n"
        room -= (taken := _tokens(note))
        if -room > taken / 2:
            break
        yield note
    yield closing


def _insert(spec: ExampleSpec, texts: list[str], sound: list[Module], support: Module) -> None:
    """Put the sound candidates into the quarters of the package in which the bug will not be.

    The support stands anywhere.
    """
    rng = spec.draws("code_debug", spec.index, "places")
    quarter = len(LETTERS) * permuted_index(spec, "code_debug") // spec.count
    free = [part for part in range(len(LETTERS)) if part != quarter]
    length = len(texts)
    for before, (part, module) in enumerate(zip(free, shuffled(rng, sound), strict=True)):
        share = (part + rng.random()) / len(LETTERS)
        texts.insert(before + round(share * length), _file(module.text))
    texts.insert(between(rng, 0, len(texts)), _file(support.text))
