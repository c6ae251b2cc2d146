"""Code.Debug: which of four functions of a package has a bug?

After ∞Bench (Zhang et al., ACL 2024, section 3.2): there one bug of six kinds is put into a package
from a registry. Here the package is made, too; the bug is put into it, and asked about, as with the
source trees of operators.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from scoring.generators.debug.package import make_module
from scoring.generators.debug.words import PROSE, Names
from scoring.generators.draws import between
from scoring.generators.example import Example, ExampleSpec
from scoring.generators.haystack.code import ask_about, draw_bug
from scoring.generators.haystack.functions import File, Function
from scoring.generators.haystack.texts import Text

_TOKENS = 1.043  # for each that is estimated: measured on a million
_DRAWN = 6  # modules of which four are asked about
_FUNCTIONS = (3, 7)  # of another module
_NOTES = 60  # lines, of which as many are kept as there is room for


def code_debug(spec: ExampleSpec) -> Example:
    """Four modules with a function each that is asked about, among others."""
    spec = replace(spec, tokens=round(spec.tokens / _TOKENS))
    rng = spec.draws("code_debug", spec.index)
    names = Names(rng)
    modules = [make_module(rng, names, 2) for _ in range(_DRAWN)]
    bug = draw_bug(spec, [_last_function(one) for one in modules])
    padding = spec.draws("code_debug", spec.index, "padding")
    room = spec.tokens - sum(one.file.tokens for one in (bug.function, *bug.others))
    others = _others(padding, names.others(padding), room)
    return ask_about(spec, bug, others, _notes(padding))


def _last_function(module: Text) -> Function:
    tree = ast.parse(module.text)
    *_, last = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return Function(last.name, last, File(module, tree))


def _others(rng: Random, names: Names, tokens: int) -> Iterator[Text]:
    while tokens > 0:
        module = make_module(rng, names, between(rng, *_FUNCTIONS))
        tokens -= module.tokens
        yield module


def _notes(rng: Random) -> Iterator[tuple[str, str]]:
    """A list of changes."""
    yield "changes.txt", "".join(PROSE.say("note", rng) + "\n" for _ in range(_NOTES))
