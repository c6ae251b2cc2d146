"""Retrieve.PassKey, Retrieve.Number and Retrieve.KV: one thing to find in a lot that is alike.

Recipes: Zhang et al., ACL 2024, section 3.2.1; the noise is that of Mohtashami and Jaggi, 2023.
"""

from collections.abc import Iterator
from itertools import chain
from random import Random

from scoring.generators import lengths
from scoring.generators.draws import between, digits, uuid
from scoring.generators.example import Example, ExampleSpec, even_position
from scoring.releases.facets import depth_of

_NOISE = (
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\n"
)
_LINES = 500  # in one piece
_NOISE_PIECE = _NOISE * _LINES

_PASSKEY = "The pass key is {key}. Remember it. {key} is the pass key.\n"
_PASSKEY_QUESTION = (
    "Which pass key does the text tell you to remember? Answer with its five digits."
)
_NUMBER = "The hidden number is {key}. Remember it. {key} is the hidden number.\n"
_NUMBER_QUESTION = (
    "Which hidden number does the text tell you to remember? Answer with its ten digits."
)

# The official code that builds prompts takes characters 6 to 43 of the question for the key.
_PAIR_QUESTION = (
    'Find: "{key}"\nWhich value belongs to this key in the JSON object? Answer with the value only.'
)
_PAIRS = 500  # in one piece


def passkey(spec: ExampleSpec) -> Example:
    """Five digits in a line between lines of noise."""
    key = digits(spec.draws("passkey", spec.index), 5)
    return _hidden(spec, "passkey", _PASSKEY.format(key=key), _PASSKEY_QUESTION, key)


def number_string(spec: ExampleSpec) -> Example:
    """The same with ten digits, half of which repeat the digit before, so that runs are long."""
    rng = spec.draws("number_string", spec.index)
    key = digits(rng, 5)
    for _ in range(5):
        place = between(rng, 0, len(key) - 1)
        key = key[:place] + key[place] + key[place:]
    return _hidden(spec, "number_string", _NUMBER.format(key=key), _NUMBER_QUESTION, key)


def _hidden(spec: ExampleSpec, task: str, line: str, question: str, key: str) -> Example:
    lines = round(lengths.rest(spec.tokens, line, question) / lengths.NOISE_LINE)
    before = even_position(spec, task, lines)
    start = before * len(_NOISE)
    return Example(
        context=chain(_noise(before), [line], _noise(lines - before)),
        question=question,
        answer=[key],
        evidence=((start, start + len(line) - 1),),
        depth=depth_of(before, lines),
    )


def _noise(lines: int) -> Iterator[str]:
    """The same piece again and again: one object, whose tokens the writer counts once."""
    for _ in range(lines // _LINES):
        yield _NOISE_PIECE
    yield _NOISE * (lines % _LINES)


def kv_retrieval(spec: ExampleSpec) -> Example:
    """One of many pairs of UUIDs in a JSON object."""
    rng = spec.draws("kv_retrieval", spec.index)
    key, value = uuid(rng), uuid(rng)
    question = _PAIR_QUESTION.format(key=key)
    asked = f'"{key}": "{value}"'
    others = [*_pairs(rng, lengths.rest(spec.tokens, question) - lengths.pair(asked))]
    place = even_position(spec, "kv_retrieval", len(others))
    start = 1 + place * (len(asked) + 2)
    return Example(
        context=_object([*others[:place], asked, *others[place:]]),
        question=question,
        answer=value,
        evidence=((start, start + len(asked)),),
        depth=depth_of(place, len(others)),
    )


def _pairs(rng: Random, tokens: float) -> Iterator[str]:
    """As many pairs as come nearest to a number of tokens."""
    while True:
        pair = f'"{uuid(rng)}": "{uuid(rng)}"'
        taken = lengths.pair(pair)
        if tokens < taken / 2:
            return
        yield pair
        tokens -= taken


def _object(pairs: list[str]) -> Iterator[str]:
    for start in range(0, len(pairs), _PAIRS):
        last = start + _PAIRS >= len(pairs)
        opening, ending = " " if start else "{", "}" if last else ","
        yield opening + ", ".join(pairs[start : start + _PAIRS]) + ending
