"""The results of the functions' steps, computed by other means than the steps themselves."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any


def _digits(number: int) -> list[int]:
    return [int(digit) for digit in str(number)]


def _turned(values: list[int], by: int) -> list[int]:
    return [values[(place + by) % len(values)] for place in range(len(values))]


def _chunks(values: list[int], size: int) -> list[int]:
    return [sum(values[start : start + size]) for start in range(0, len(values), size)]


def _rise(values: list[int]) -> int:
    """The length of the longest strictly increasing run."""
    best = run = 0
    for before, after in pairwise(values):
        run = run + 1 if after > before else 0
        best = max(best, run)
    return best


def _halvings(number: int, limit: int) -> int:
    count = 0
    while number > limit:
        number, count = number // 2, count + 1
    return count


def _fold(values: list[int], factor: int, modulus: int) -> int:
    folded = 0
    for value in values:
        folded = (folded * factor + value) % modulus
    return folded


def _rounds(one: int, other: int) -> int:
    """The number of divisions that Euclid's algorithm needs."""
    return 1 + _rounds(other, one % other) if other else 0


def _triangle(number: int) -> int:
    """How many of 1, 2, 3 … can be subtracted in turn."""
    return (math.isqrt(8 * number + 1) - 1) // 2


def _runs(text: str) -> str:
    """The text with each run of a letter collapsed to one."""
    return "".join(after for before, after in pairwise(f"\0{text}") if before != after)


def _shifted(text: str, by: int) -> str:
    lower = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(lower, lower[by:] + lower[:by]))


def _divided(number: int, k: int, m: int, p: int) -> int:
    return math.gcd(abs(number) + k, p) + m * _rounds(p, abs(number) + k)


def _multiples(number: int, k: int, m: int, p: int) -> int:
    return sum(range(0, abs(number) % p + k, m))


# By the description of a step: a function of the value and of the step's settings in the order k,
# m, p, unit, sign, shelf; for functions with a second argument, of that one.
RESULTS: dict[str, Callable[..., Any]] = {
    "keeps what is above {k} and adds {m} to it": lambda v, k, m: [n + m for n in v if n > k],
    "takes running totals": lambda v: list(accumulate(v)),
    "turns the list round by {k} places": _turned,
    "lists the distances between neighbours": lambda v: [abs(b - a) for a, b in pairwise(v)],
    "leaves out what came before": lambda v: list(dict.fromkeys(v)),
    "adds up groups of {m}": _chunks,
    "brings everything between {k} and {k} + {P}": lambda v, k, p: [
        k if n < k else min(n, k + p) for n in v
    ],
    "weighs each number by its place, beginning with {K}": lambda v, k: [
        n * (k + i) for i, n in enumerate(v)
    ],
    "sorts the numbers by their remainder modulo {m}": lambda v, m: [
        n for r in range(m) for n in sorted(v) if n % m == r
    ],
    "puts each number into its place from the left": sorted,
    "reduces what is over {P} to the remainder": lambda v, p: [n % p if n > p else n for n in v],
    "mirrors the first {m} numbers at the end": lambda v, m: [*v, *reversed(v[:m])],
    "adds up those that {m} does not divide": lambda v, m: sum(n for n in v if n % m),
    "takes the spread, and {k} more": lambda v, k: (
        max((a - b for a in v for b in v), default=0) + k
    ),
    "folds the list with the factor {m} modulo {P}": _fold,
    "measures the longest rise": _rise,
    "finds where {p} would go into the sorted list": lambda v, p: sum(1 for n in v if n < p),
    "counts the numbers before the first one above {P}": lambda v, p: next(
        (i for i, n in enumerate(v) if n > p), len(v)
    ),
    "compares the two halves": lambda v: abs(sum(v) - 2 * sum(v[: len(v) // 2])),
    "adds up the digits after adding {k}": lambda v, k: sum(_digits(abs(v) + k)),
    "adds {M} and {k}, and counts the halvings down to {M}": lambda v, k, m: _halvings(
        abs(v) + m + k, m
    ),
    "adds {k}, finds the greatest common divisor with {P}, and adds {m} a round": _divided,
    "raises {m} to its remainder by {p} plus {k}, modulo {P}": lambda v, k, m, p: pow(
        m, abs(v) % p + k, p
    ),
    "takes the remainder by {P}, adds {k}, and adds up the multiples of {m} below": _multiples,
    "adds {k}, and takes 1, 2, 3 and so on away as long as it can": lambda v, k: _triangle(
        abs(v) + k
    ),
    "rounds it up to a multiple of {p}": lambda v, p: -(-abs(v) // p) * p,
    "adds {k}, and takes the whole root": lambda v, k: math.isqrt(abs(v) + k),
    "takes the remainder by {p}, adds {k}, and lists the divisors from {m} on": lambda v, k, m, p: (
        sorted(d for d in range(m, abs(v) % p + k + 1) if not (abs(v) % p + k) % d)
    ),
    "lists its digits, the last one first": lambda v: _digits(abs(v))[::-1] if v else [],
    "counts down from the remainder by {p} in steps of {m}": lambda v, m, p: [
        abs(v) % p - m * i for i in range(-(-(abs(v) % p) // m))
    ],
    "writes it with the unit": lambda v, unit: f"{v} {unit}",
    "keeps words of more than {m} letters": lambda v, m: [w for w in v if not len(w) <= m],
    "sorts the words by length": lambda v: sorted(sorted(v), key=len),
    "drops words that have come before": lambda v: list(dict.fromkeys(v)),
    "numbers the words, beginning with {k}": lambda v, k: [f"{w}-{k + i}" for i, w in enumerate(v)],
    "joins neighbours in pairs and leaves out a last one alone": lambda v: [
        f"{a}_{b}" for a, b in zip(v[::2], v[1::2], strict=False)
    ],
    "reverses every second word": lambda v: [w[::-1] if i % 2 else w for i, w in enumerate(v)],
    "measures the words and adds {k} to each": lambda v, k: [k + n for n in map(len, v)],
    "counts the vowels of each word, times {m}": lambda v, m: [
        m * sum(map(w.lower().count, "aeiou")) for w in v
    ],
    "counts {m} for each first letter": lambda v, m: {
        a: n * m for a, n in Counter(w[:1] for w in v).items()
    },
    "writes down each new word with its length and its place added": lambda v: {
        w: len(w) + v.index(w) for w in dict.fromkeys(v)
    },
    "joins the words that are not empty with {SIGN}": lambda v, sign: sign.join(filter(None, v)),
    "makes a name of the first letters": lambda v: "".join(w[:1] for w in v).upper(),
    "splits the text at spaces and strips its stops": lambda v: [w.strip(".,;") for w in v.split()],
    "reads words letter by letter": lambda v: "".join(c if c.isalpha() else " " for c in v).split(),
    "moves each letter on by {m} in the alphabet": _shifted,
    "writes equal letters in a row only once": _runs,
    "puts a bar between groups of {k} letters": lambda v, k: "".join(
        c + ("|" if i % k == k - 1 and i < len(v) - 1 else "") for i, c in enumerate(v)
    ),
    "counts the vowels, beginning with {k}": lambda v, k: k + sum(map(v.count, "aeiou")),
    "adds up the letters by their place, modulo {P}": lambda v, p: (
        sum(i * ord(c) for i, c in enumerate(v, 1)) % p
    ),
    "adds up what is listed, and {k} for each line": lambda v, k: sum(v.values()) + k * len(v),
    "adds up the values of keys with more than {m} letters": lambda v, m: sum(
        n for key, n in v.items() if len(key) > m
    ),
    "lists the keys, the largest value first": lambda v: sorted(
        sorted(v), key=v.__getitem__, reverse=True
    ),
    "lists the keys with at least {k}": lambda v, k: [
        key for key, n in sorted(v.items()) if n >= k
    ],
    "takes the values in the order of their keys, times {m}": lambda v, m: [
        n * m for _, n in sorted(v.items())
    ],
    "gives everything a bonus of {m} below {K}": lambda v, k, m: {
        key: n + m * (n < k) for key, n in v.items()
    },
    "sorts the numbers into shelves of {k}": lambda v, k, shelf: dict(
        Counter(f"{shelf}{n // k}" for n in v)
    ),
    "multiplies everything by {arg}": lambda v, a: [a * n for n in v],
    "takes {arg} from everything, down to nothing": lambda v, a: [n - a if n > a else 0 for n in v],
    "takes every number from {arg} on": lambda v, a: [n for n in v if n >= a],
    "adds the place, counted from {arg}": lambda v, a: [n + a + i for i, n in enumerate(v)],
    "adds up the remainders modulo {arg}": lambda v, a: sum(n % a for n in v),
    "adds up the {arg} largest numbers": lambda v, a: sum(sorted(v)[-a:]),
    "takes the next multiple of {arg} below or at the number": lambda v, a: v // a * a,
    "adds {arg} as often as it has digits": lambda v, a: v + a * len(str(abs(v))),
    "cuts each word after {arg} letters": lambda v, a: [
        "".join(c for i, c in enumerate(w) if i < a) for w in v
    ],
    "repeats the first {arg} words at the end": lambda v, a: [*v, *v[:a]],
    "measures the words, each at most {arg}": lambda v, a: [len(w[:a]) for w in v],
    "leaves out every letter at a multiple of {arg}": lambda v, a: "".join(
        c for i, c in enumerate(v) if i % a != a - 1
    ),
    "cuts the text into pieces of {arg} letters": lambda v, a: [
        v[i * a : i * a + a] for i in range(-(-len(v) // a))
    ],
    "keeps what is worth {arg} at least": lambda v, a: {key: n for key, n in v.items() if n >= a},
    "lists the values, each divided by {arg}": lambda v, a: [(n - n % a) // a for n in v.values()],
}
