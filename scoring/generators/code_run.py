"""Code.Run: what does a chain of small functions return, among thousands of other chains?

Recipe: Zhang et al., ACL 2024, section 3.2.2, and the constants of the released data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from scoring.generators import lengths
from scoring.generators.draws import between, shuffled
from scoring.generators.example import Example, ExampleSpec, even_position, permuted_index
from scoring.releases.facets import depth_of

HOPS = (2, 4, 6, 8, 10)  # functions that run, the asked one included
_CONSTANTS = (-12, 17)
_ARGUMENTS = (-10, 10)
_SHORTEST_NAME = 100_000  # six digits serve up to five million tokens, so names stay the same
_FUNCTIONS = 1_000  # in one piece

_QUESTION = "What does {call} return? Answer with the number only."


@dataclass(frozen=True, slots=True)
class _Function:
    name: int
    constant: int
    calls: int | None = None  # the name of a function, or nothing: then it starts from x

    @property
    def source(self) -> str:
        value = "x" if self.calls is None else f"func_{self.calls}(x)"
        sign = "-" if self.constant < 0 else "+"
        return f"def func_{self.name}(x):\n    return {value} {sign} {abs(self.constant)}\n\n"

    @property
    def tokens(self) -> int:
        if self.calls is None:
            return lengths.LAST_FUNCTION + lengths.number(self.name)
        called = lengths.number(self.calls)
        return lengths.CALLING_FUNCTION + lengths.number(self.name) + called


def code_run(spec: ExampleSpec) -> Example:
    """A chain of 2 to 10 functions, scattered among chains of the same make.

    No chain reaches into another, so every function has one value. The depth is that of the asked
    function; the rest of its chain stands anywhere.
    """
    rng = spec.draws("code_run", spec.index)
    hops = HOPS[permuted_index(spec, "code_run") % len(HOPS)]
    argument = between(rng, *_ARGUMENTS)
    constants = [between(rng, *_CONSTANTS) for _ in range(hops)]
    names = _names(rng, spec.tokens)
    asked, *called = chain = _chain(names, constants)
    question = _QUESTION.format(call=f"func_{asked.name}({argument})")
    room = lengths.rest(spec.tokens, question) - sum(function.tokens for function in chain)
    others = shuffled(rng, [*called, *_distractors(rng, names, room)])
    place = even_position(spec, "code_run", len(others))
    functions = [*others[:place], asked, *others[place:]]
    return Example(
        context=_source(functions),
        question=question,
        answer=[argument + sum(constants)],
        evidence=_spans(functions, chain),
        depth=depth_of(place, len(others)),
        hops=hops,
    )


def _names(rng: Random, tokens: int) -> Iterator[int]:
    """Different numbers of six digits and more, from a range with twice as many as are needed."""
    beyond = 10 * _SHORTEST_NAME
    while beyond < 2 * tokens // lengths.LAST_FUNCTION:
        beyond *= 10
    seen: set[int] = set()
    while True:
        name = between(rng, _SHORTEST_NAME, beyond - 1)
        if name not in seen:
            seen.add(name)
            yield name


def _chain(names: Iterator[int], constants: list[int]) -> list[_Function]:
    """Functions that call one another in turn, the last of which starts from x."""
    functions: list[_Function] = []
    called: int | None = None
    for constant in reversed(constants):
        functions.append(_Function(next(names), constant, called))
        called = functions[-1].name
    return functions[::-1]


def _distractors(rng: Random, names: Iterator[int], room: float) -> Iterator[_Function]:
    """Chains of 1 to 10 functions, until the room is taken to the nearest function."""
    while True:
        constants = [between(rng, *_CONSTANTS) for _ in range(between(rng, 1, max(HOPS)))]
        for function in reversed(_chain(names, constants)):
            if room < function.tokens / 2:
                return
            yield function
            room -= function.tokens


def _source(functions: list[_Function]) -> Iterator[str]:
    for start in range(0, len(functions), _FUNCTIONS):
        yield "".join(function.source for function in functions[start : start + _FUNCTIONS])


def _spans(functions: list[_Function], chain: list[_Function]) -> tuple[tuple[int, int], ...]:
    """Where the functions of a chain stand, in the order in which they are called."""
    wanted = {function.name for function in chain}
    ends = accumulate(len(function.source) for function in functions)
    found = {
        function.name: (end - len(function.source), end - 2)
        for function, end in zip(functions, ends, strict=True)
        if function.name in wanted
    }
    return tuple(found[function.name] for function in chain)
