"""The modules of a made-up package: constants, and functions of which some call others."""

import json
from random import Random

from scoring.generators.debug.function import Draft, Function, Scope
from scoring.generators.debug.steps import KINDS, LOOPS, OF_KIND, TOWARDS_NUMBERS, WITH_ARGUMENT
from scoring.generators.debug.words import ARGUMENTS, PROSE, Names
from scoring.generators.draws import between, pick
from scoring.generators.haystack.texts import Text
from scoring.text.tokens import estimate_tokens

_CALLS = 0.5  # of the functions that could call another do so


def make_module(rng: Random, names: Names, functions: int) -> Text:
    """A module with so many functions: a helper is the first, and one that calls helpers the last,
    with a loop, so that there is a place for a bug of any kind."""
    scope = Scope(rng, names)
    for left in reversed(range(functions)):
        makers = [_caller] if not left else [_helper, _caller, _function, _function]
        make = pick(rng, makers) if scope.functions else _helper
        scope.functions.append(make(scope))
    text = f'"""{PROSE.say("module", rng)}"""\n' + "\n" * bool(scope.constants)
    text += "".join(f"{name} = {json.dumps(value)}\n" for name, value in scope.constants.items())
    text += "".join(f"\n\n{one.source}\n" for one in scope.functions)
    return Text(f"{names.module()}.py", text, round(estimate_tokens(text)))


def _helper(scope: Scope) -> Function:
    """A small function with a second argument, which may have a default."""
    step = pick(scope.rng, WITH_ARGUMENT)
    draft = Draft(scope, step.takes, arg=pick(scope.rng, ARGUMENTS))
    draft.take(step)
    default = scope.setting("m") if scope.rng.random() < 0.5 else ""
    return draft.finished(default=default, is_plain=True)


def _caller(scope: Scope) -> Function:
    """A function that calls a helper, and then comes to a loop."""
    rng = scope.rng
    helper = pick(rng, [one for one in scope.functions if one.most > 1])
    draft = Draft(scope, helper.takes)
    if rng.random() < 0.4:
        draft.take(pick(rng, [step for step in OF_KIND[draft.kind] if step.gives == draft.kind]))
    draft.call(helper)
    while draft.kind != "number":
        draft.take(pick(rng, TOWARDS_NUMBERS[draft.kind]))
    draft.take(pick(rng, LOOPS))
    if rng.random() < 0.5:
        draft.take(pick(rng, OF_KIND["number"]))
    return draft.finished()


def _function(scope: Scope) -> Function:
    """Two to four steps from any kind, some of which may be calls."""
    rng = scope.rng
    draft = Draft(scope, pick(rng, tuple(KINDS)))
    for _ in range(between(rng, 2, 4)):
        fitting = [one for one in scope.functions if one.takes == draft.kind]
        if fitting and rng.random() < _CALLS:
            draft.call(pick(rng, fitting))
        else:
            draft.take(pick(rng, OF_KIND[draft.kind]))
    return draft.finished()
