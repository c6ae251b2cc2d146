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
from scoring.generators.debug.function import Function
from scoring.generators.debug.package import Module, make_module
from scoring.generators.debug.words import PROSE, Names
from scoring.generators.draws import between, pick, shuffled
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
    evidence: list[Span]  # in that text
    kind: str


def code_debug(spec: ExampleSpec) -> Example:
    """Four modules with a candidate each, among others; the depth is that of the bug."""
    core = _core(spec)
    sound = [module for place, module in enumerate(core.modules) if place != core.buggy]
    fixed = [*(module.text for module in (*sound, core.support)), core.text]
    rng = spec.draws("code_debug", spec.index, "padding")
    room = lengths.rest(spec.tokens, _QUESTION) - sum(map(_tokens, map(_file, fixed)))
    texts = shuffled(rng, [*_others(rng, core, room)])  # the last ones are small
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
    names = Names(rng)
    support = make_module(rng, names, (), parts=2)
    modules = [make_module(rng, names, [support], parts=between(rng, 2, 3)) for _ in LETTERS]
    kind = tuple(BUGS)[permuted_index(spec, "code_debug") % len(BUGS)]
    buggy = balanced_choice(spec, "code_debug", len(LETTERS))
    candidates = [_candidate(module) for module in modules]
    wrongs = [one.source(pick(rng, [*BUGS[kind](one.lines)])) for one in candidates]
    # A bug may cost a line: which one is broken must not follow from which one is short.
    rank = permuted_index(spec, "code_debug", "length") % len(LETTERS)
    shorter = [
        sum(len(one.source()) < len(wrong) for one in candidates if one is not own)
        for own, wrong in zip(candidates, wrongs, strict=True)
    ]
    place = min(range(len(LETTERS)), key=lambda one: abs(shorter[one] - rank))
    modules[buggy], modules[place] = modules[place], modules[buggy]
    candidate, wrong = candidates[place], wrongs[place]
    before, _, after = modules[buggy].text.partition(candidate.source())
    text = f"{before}{wrong}{after}"
    spans = [(len(before), len(before) + len(wrong) - 1)]
    if kind == "argument count":  # what it should be is said where the called one is defined
        head = modules[buggy].functions[0].head
        spans.append((at := text.index(head), at + len(head) - 1))
    return _Core(names, support, modules, buggy, text, spans, kind)


def _candidate(module: Module) -> Function:
    """The second of a module: it calls the first one, and has a loop."""
    return module.functions[1]


def _file(text: str) -> str:
    return f"{text}\n\n"


def _tokens(text: str) -> float:
    return estimate_tokens(text) * _TOKENS


def _others(rng: Random, core: _Core, room: float) -> Iterator[str]:
    """Modules until the room is taken; of what is left over at the end, a list of changes."""
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
    opening, closing = f'# File: {names.module()}.py\n"""Changes.\n\n', '"""\n\n\n'
    room -= _tokens(opening + closing)
    notes: list[str] = []
    while room > 0:
        notes.append(PROSE.say("note", rng) + "\n")
        room -= _tokens(notes[-1])
    if notes:
        yield "".join([opening, *notes, closing])


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
