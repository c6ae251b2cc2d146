"""Functions of the package: composed of steps, with an example that says what they return."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from scoring.generators.debug.draft import Draft, Function, Line, Scope, indented
from scoring.generators.debug.helpers import HELPERS
from scoring.generators.debug.number_steps import NUMBER_STEPS
from scoring.generators.debug.step import KINDS, Step, Value
from scoring.generators.debug.text_steps import TEXT_STEPS
from scoring.generators.debug.words import LOCALS, PROSE, THINGS
from scoring.generators.draws import between
from scoring.generators.grammar import capital

_SECOND = ("limit", "size", "by", "least", "steps", "unit_size", "cut", "grain")
_KEPT = ("numbers", "words", "table")  # by classes
_WIDTH = 88  # of a docstring
_THEN = (", then ", "; then it ", "; it ", "; next it ", ", and then ")
_DEEPEST = 4  # functions inside one another
_ASIDES = 0.4  # of the lines with a colon have a comment behind it
_BROKEN = 0.4  # of the heads and results stand on several lines
_CALLS = 0.5  # of the functions that could call another do so

_STEPS = NUMBER_STEPS + TEXT_STEPS
_LOOPS = tuple(step for step in _STEPS if any(mark == "progress" for _, mark in step.lines))
_OF_KIND = {kind: tuple(step for step in _STEPS if step.takes == kind) for kind in KINDS}
_TOWARDS_NUMBERS = {  # the steps that lead on to a number
    kind: tuple(step for step in steps if step.gives in wanted)
    for kind, steps, wanted in (
        (kind, _OF_KIND[kind], ("number", "numbers") if kind != "numbers" else ("number",))
        for kind in KINDS
    )
}


def sample(rng: Random, kind: str) -> Value:
    """An argument of a kind as people would try it: never empty."""
    if kind == "number":
        return between(rng, 14, 400)
    if kind == "numbers":
        return [between(rng, 1, 60) for _ in range(between(rng, 4, 7))]
    words = [THINGS[between(rng, 0, len(THINGS) - 1)] for _ in range(between(rng, 3, 6))]
    if kind == "words":
        return words
    if kind == "table":
        return {word: between(rng, 1, 40) for word in words}
    return ", ".join(words) if rng.random() < 0.5 else " ".join(words)


def docstring(scope: Scope, says: Sequence[str], call: str, value: object) -> tuple[str, ...]:
    """What a function does, and an example: a call, and what it returns."""
    lines = ['"""' + says[0][:1].upper() + says[0][1:]]
    for text in says[1:]:
        then = scope.pick(_THEN)
        if len(lines[-1]) + len(then) + len(text) > _WIDTH:
            lines[-1] += then.rstrip()
            lines.append(text if then.endswith(" ") else then.lstrip() + text)
        else:
            lines[-1] += then + text
    lines[-1] += "."
    purpose = ["", PROSE.say("purpose", scope.rng)] if scope.rng.random() < 0.4 else []
    return (*lines, *purpose, "", f">>> {call}", repr(value), '"""')


def commented(scope: Scope, function: Function) -> Function:
    """With comments of people who number, shout and smile: most have a bracket too many."""
    rng = scope.rng
    comments = tuple(
        (rng.random(), between(rng, 0, 9), PROSE.say("comment", rng))
        for _ in range(between(rng, 0, 3))
    )
    asides = tuple(
        PROSE.say("aside", rng) if rng.random() < _ASIDES else "" for _ in function.lines
    )
    broken = (rng.random() < _BROKEN, rng.random() < _BROKEN)
    return replace(function, comments=comments, asides=asides, broken=broken)


def make_function(scope: Scope) -> Function:
    """Two to four steps from any kind, one of which may be a call."""
    takes = scope.pick(tuple(KINDS))
    draft = _begun(scope, takes)
    for _ in range(between(scope.rng, 2, 4)):
        fitting = [one for one in scope.known if one.takes == draft.kind and one.depth < _DEEPEST]
        if fitting and scope.rng.random() < _CALLS:
            draft.call(scope.pick(fitting))
        else:
            draft.take(scope.pick(_OF_KIND[draft.kind]))
    return _finished(draft, takes)


def make_caller(scope: Scope, helper: Function) -> Function:
    """A function that calls the helper, and then comes to a loop: all six bugs can be put there."""
    draft = _begun(scope, helper.takes)
    if scope.rng.random() < 0.4:
        same = [step for step in _OF_KIND[draft.kind] if step.gives == draft.kind]
        draft.take(scope.pick(same))
    draft.call(helper)
    while draft.kind != "number":
        draft.take(scope.pick(_TOWARDS_NUMBERS[draft.kind]))
    draft.take(scope.pick(_LOOPS))
    if scope.rng.random() < 0.5:
        draft.take(scope.pick(_OF_KIND["number"]))
    return _finished(draft, helper.takes)


def make_helper(scope: Scope) -> Function:
    """A small function with a second argument, which may have a default."""
    step = scope.pick(HELPERS)
    second = scope.pick(_SECOND)
    draft = _begun(scope, step.takes, second)
    default = scope.number("m") if scope.rng.random() < 0.5 else None
    out = draft.add(step, {"arg": second})
    draft.lines.append(Line(f"return {out}", reads=out))
    given, more = sample(scope.rng, step.takes), scope.number("m")
    name, value = scope.name(), step.apply(given, more)
    declared = f"{second}: int" + ("" if default is None else f" = {default}")
    return Function(
        name,
        f"def {name}({draft.argument}: {KINDS[step.takes]}, {declared}) -> {KINDS[step.gives]}",
        docstring(scope, draft.says, f"{name}({given!r}, {more})", value),
        tuple(draft.lines),
        step.takes,
        step.gives,
        _with_default(step, default),
        arguments=2,
        default=default,
    )


def _with_default(step: Step, default: int | None) -> Callable[..., Value]:
    if default is None:
        return step.apply
    return lambda value, second=default: step.apply(value, second)


def _begun(scope: Scope, kind: str, *taken: str) -> Draft:
    return Draft(scope, kind, scope.pick(LOCALS[kind]), taken=taken)


def _finished(draft: Draft, takes: str) -> Function:
    scope, apply, name = draft.scope, draft.end(), draft.scope.name()
    given = sample(scope.rng, takes)
    function = Function(
        name,
        f"def {name}({draft.argument}: {KINDS[takes]}) -> {KINDS[draft.kind]}",
        docstring(scope, draft.says, f"{name}({given!r})", apply(given)),
        tuple(draft.lines),
        takes,
        draft.kind,
        apply,
        depth=draft.depth,
    )
    return commented(scope, function)


# Classes


def make_class(scope: Scope, called: str) -> str:
    """The source of a class that keeps a value, and has two methods about it."""
    kind = scope.pick(_KEPT)
    attribute = scope.pick(LOCALS[kind])
    given = sample(scope.rng, kind)
    methods = [_method(scope, called, kind, attribute, given) for _ in range(2)]
    body = [
        f'"""{capital(PROSE.say("topic", scope.rng))}."""',
        "",
        f"def __init__(self, {attribute}: {KINDS[kind]}) -> None:",
        f"    self.{attribute} = {attribute}",
        *(line for method in methods for line in ("", *method)),
    ]
    return "\n".join([f"class {called}:", *indented(body)]) + "\n"


def _method(scope: Scope, called: str, kind: str, attribute: str, given: Value) -> list[str]:
    draft = Draft(scope, kind, f"self.{attribute}")
    for _ in range(between(scope.rng, 1, 3)):
        draft.take(scope.pick(_OF_KIND[draft.kind]))
    apply, name = draft.end(), scope.method()
    says = docstring(scope, draft.says, f"{called}({given!r}).{name}()", apply(given))
    lines = [*says, *(line.text for line in draft.lines)]
    return [f"def {name}(self) -> {KINDS[draft.kind]}:", *indented(lines)]
