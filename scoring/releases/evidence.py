"""Find the evidence for an answer in its context, in data without recorded positions.

What is found depends on the structure of a context, not on its words, so that the same rules read
the official data, those of ``scoring.generators`` and shorter ones made in the same way:

| task | evidence | depth | also |
|---|---|---|---|
| Retrieve.PassKey, .Number | the line that has the key twice | noise before / all noise | |
| Retrieve.KV | the pair of the key in the question and the value | pairs before / others | |
| Code.Run | the functions that run, in the order of their calls | of the asked one | hops |
| Code.Debug | the function that the label names, if one has its name | in characters | |
| En.Dia | the mask | in characters | |
| Math.Find | the whole list: nothing less shows which is largest | none | kind |
| Math.Calc | the whole calculation | none | |
| En.Sum, En.QA, En.MC, Zh.QA | none: the positions of the answers are not known | none | |

Depth goes from 0 to 1, see ``facets.depth_of``. Everything takes linear time.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from statistics import median

from scoring.catalog import FIND_KINDS
from scoring.labels import Label
from scoring.releases.facets import Span, depth_of


@dataclass(frozen=True, slots=True)
class Asked:
    """A row of the official format, its label in canonical type."""

    context: str
    question: str
    label: Label


@dataclass(frozen=True, slots=True)
class Found:
    evidence: tuple[Span, ...] = ()  # in characters, in the order in which a reader needs them
    depth: float | None = None
    hops: int | None = None
    kind: str | None = None
    units: int | None = None  # lines of noise, pairs, functions, numbers, operands
    answer: Label | None = None  # computed from the context, where the task is a calculation


NOTHING = Found()


def find_evidence(task: str, asked: Asked) -> Found:
    """The facts in the context; ``NOTHING`` where it is not made as the task's are."""
    return _FINDERS[task](asked) if task in _FINDERS else NOTHING


# Retrieval

_LONG_LINE = 1_000  # characters: a line of noise is a tenth of that
_SENTENCE = 300  # characters in which the end of a sentence is searched for
_PAIR = re.compile(r'"([^"\\]*)"\s*:\s*"([^"\\]*)"')


def _key_line(asked: Asked) -> Found:
    context = asked.context
    key = _key_span(context, str(asked.label))
    if key is None:
        return NOTHING
    start, end = context.rfind("\n", 0, key[0]) + 1, context.find("\n", key[1])
    line = (start, len(context) if end < 0 else end)
    if line[1] - line[0] > _LONG_LINE:  # everything is one line: take the sentences
        start = context.rfind(". ", max(0, key[0] - _SENTENCE), key[0])
        end = context.find(".", key[1], key[1] + _SENTENCE)
        span = (start + 2 if start >= 0 else key[0], end + 1 if end >= 0 else key[1])
        return Found((span,), _depth_in_characters(context, span))
    before, after = context[: line[0]].split("\n"), context[line[1] :].split("\n")
    [(noise, count)] = Counter(filter(None, before + after)).most_common(1) or [("", 0)]
    return Found((line,), depth_of(before.count(noise) if count else 0, count), units=count)


def _key_span(context: str, key: str) -> Span | None:
    """From the first to the second occurrence of the key on one line, or its only occurrence."""
    whole_number = rf"(?<![0-9]){re.escape(key)}(?![0-9])"
    spans = [found.span() for found in re.finditer(whole_number, context)] if key else []
    for first, second in pairwise(spans):
        if context.find("\n", first[1], second[0]) < 0:
            return first[0], second[1]
    return spans[0] if len(spans) == 1 else None


def _pair(asked: Asked) -> Found:
    span, index, count = None, 0, 0
    for pair in _PAIR.finditer(asked.context):
        if span is None and pair[2] == asked.label and pair[1] and pair[1] in asked.question:
            span, index = pair.span(), count
        count += 1
    if span is None:
        return Found(units=count)
    return Found((span,), depth_of(index, count - 1), units=count)


# Code

_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?(class|c?p?def)[ \t]+(\w+)", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\([ \t]*(-?[0-9]{1,18})[ \t]*\)")
_RETURN = re.compile(
    r"\breturn[ \t]+(?:(\w+)\([ \t]*[A-Za-z_]\w*[ \t]*\)|[A-Za-z_]\w*)"
    r"(?:[ \t]*([+-])[ \t]*(-?[0-9]{1,18}))?[ \t]*$",
    re.MULTILINE,
)
_CODE_LINE = re.compile(r"^([ \t]*)[^\s)\]}#]", re.MULTILINE)  # not empty, no end of a signature


@dataclass(frozen=True, slots=True)
class _Function:
    index: int  # among all functions
    start: int
    end: int  # the start of the next one


def _chain(asked: Asked) -> Found:
    definitions = list(_DEFINITION.finditer(asked.context))
    spans_of_all = pairwise([*(one.start() for one in definitions), len(asked.context)])
    functions = {
        one[3]: _Function(index, start, end)
        for index, (one, (start, end)) in enumerate(zip(definitions, spans_of_all, strict=True))
    }
    calls = (call for call in _CALL.finditer(asked.question) if call[1] in functions)
    call = next(calls, None)
    if call is None:
        return Found(units=len(functions))
    spans, constants, whole = _followed(asked.context, functions, call[1])
    return Found(
        tuple(spans),
        depth_of(functions[call[1]].index, len(functions) - 1) if spans else None,
        hops=len(spans) if whole else None,
        units=len(functions),
        answer=int(call[2]) + sum(constants) if whole else None,
    )


def _followed(
    context: str, functions: Mapping[str, _Function], name: str | None
) -> tuple[list[Span], list[int], bool]:
    """The functions of a chain, what each adds, and whether the chain is complete."""
    spans: list[Span] = []
    constants: list[int] = []
    seen: set[str] = set()
    while name is not None:
        function = functions.get(name)
        returned = function and _RETURN.search(context, function.start, function.end)
        if function is None or not returned or name in seen:
            return spans, constants, False
        seen.add(name)
        spans.append((function.start, returned.end()))
        constants.append(int(returned[3] or 0) * (-1 if returned[2] == "-" else 1))
        name = returned[1]
    return spans, constants, True


def _named_function(asked: Asked) -> Found:
    name = asked.label[0] if isinstance(asked.label, tuple) else asked.label
    definition = _the_one(_definitions(asked.context, str(name).rpartition(".")[2]), str(name))
    if definition is None:
        return NOTHING
    context, start = asked.context, definition.start()
    lines = _CODE_LINE.finditer(context, context.find("\n", definition.end()) + 1 or len(context))
    ends = (line.start() for line in lines if _indent(line) <= _indent(definition))
    block = context[start : next(ends, len(context))].rstrip()
    span = (definition.end(1), start + len(block))
    return Found((span,), _depth_in_characters(asked.context, span))


def _definitions(context: str, name: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The functions of this name, each with the class around it, or an empty name."""
    above: list[tuple[int, str]] = []  # indentation and name of each class; "" of a function
    for one in _DEFINITION.finditer(context):
        indent = _indent(one)
        while above and above[-1][0] >= indent:
            above.pop()
        is_class = one[2] == "class"
        if one[3] == name and not is_class:
            yield above[-1][1] if above else "", one
        above.append((indent, one[3] if is_class else ""))


def _the_one(found: Iterator[tuple[str, re.Match[str]]], name: str) -> re.Match[str] | None:
    """The one in the right class, or the only one of its name: a bug may have moved it out."""
    everywhere = list(found)
    owner = name.rpartition(".")[0].rpartition(".")[2]
    inside = [one for one in everywhere if one[0] == owner]
    for candidates in (inside, everywhere):
        if len(candidates) == 1:
            return candidates[0][1]
    return None


def _indent(line: re.Match[str]) -> int:
    return len(line[1].expandtabs())


# Dialogue

_MASK = "$$MASK$$"


def _mask(asked: Asked) -> Found:
    spans = [found.span() for found in re.finditer(re.escape(_MASK), asked.context)]
    if not spans:
        return NOTHING
    return Found(tuple(spans), _depth_in_characters(asked.context, spans[0]))


def _depth_in_characters(context: str, span: Span) -> float:
    return depth_of(span[0], len(context) - (span[1] - span[0]))


# Mathematics

_NUMBER = re.compile(r"-?[0-9]{1,18}")
_OPERAND = re.compile(r"([+-]?)\s{0,9}([0-9]{1,18})")
_END = re.compile(r"(largest|biggest|greatest|highest|\bmax)|(smallest|lowest|\bmin)")
_ORDER = re.compile(r"(second|2nd)|(third|3rd)")


def _number_in_list(asked: Asked) -> Found:
    question = asked.question.lower()
    end, order = _END.search(question), _ORDER.search(question)
    kind = None
    if "median" in question:
        kind = "median"
    elif end:
        rank = "" if order is None else "2nd " if order[1] else "3rd "
        kind = f"{rank}{'max' if end[1] else 'min'}"
    numbers = [int(text) for text in _NUMBER.findall(asked.context)]
    distinct = sorted(set(numbers))
    answer: float | None = None
    if kind and len(distinct) >= 3:
        is_median = kind == "median"
        answer = median(numbers) if is_median else FIND_KINDS[kind][1](distinct, distinct)
    return Found(_everything(asked.context), kind=kind, units=len(numbers), answer=answer)


def _values(asked: Asked) -> Found:
    """After each operation, or at the end of each line where there are several."""
    lines = [
        [-int(value) if sign == "-" else int(value) for sign, value in _OPERAND.findall(line)]
        for line in asked.context.splitlines()
    ]
    lines = [operands for operands in lines if operands]
    if len(lines) > 1:
        values = tuple(accumulate(map(sum, lines)))
    else:
        values = tuple(accumulate(chain.from_iterable(lines)))[1:]
    return Found(_everything(asked.context), units=sum(map(len, lines)), answer=values)


def _everything(context: str) -> tuple[Span, ...]:
    return ((0, len(context)),) if context else ()


_FINDERS: dict[str, Callable[[Asked], Found]] = {
    "passkey": _key_line,
    "number_string": _key_line,
    "kv_retrieval": _pair,
    "code_run": _chain,
    "code_debug": _named_function,
    "longdialogue_qa_eng": _mask,
    "math_find": _number_in_list,
    "math_calc": _values,
}
