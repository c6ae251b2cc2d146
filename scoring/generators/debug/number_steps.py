"""Steps that begin with numbers."""

import math
from itertools import accumulate, pairwise

from scoring.generators.debug.step import Step


def _digits(number: int) -> list[int]:
    return [int(digit) for digit in str(number)]


def _turned(values: list[int], by: int) -> list[int]:
    return [values[(place + by) % len(values)] for place in range(len(values))]


def _chunks(values: list[int], size: int) -> list[int]:
    return [sum(values[start : start + size]) for start in range(0, len(values), size)]


def _rise(values: list[int]) -> int:
    """The length of the longest run in which each value is above the one before."""
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
    """The divisions that Euclid needs."""
    return 1 + _rounds(other, one % other) if other else 0


def _triangle(number: int) -> int:
    """How many of 1, 2, 3 … can be taken away one after the other."""
    return (math.isqrt(8 * number + 1) - 1) // 2


NUMBER_STEPS: tuple[Step, ...] = (
    # From numbers to numbers
    Step("numbers", "numbers", "keeps what is above {k} and adds {m} to it", """
{out} = []  #init
for {item} in {src}:  #reads
    if {item} > {k}:
        {out}.append({item} + {m})
""", lambda v, k, m: [n + m for n in v if n > k]),
    Step("numbers", "numbers", "takes running totals", """
{out} = []  #init
{total} = 0
for {item} in {src}:  #reads
    {total} += {item}
    {out}.append({total})
""", lambda v: list(accumulate(v))),
    Step("numbers", "numbers", "turns the list round by {k} places", """
{place} = {k} % max(len({src}), 1)  #reads
{out} = {src}[{place}:] + {src}[:{place}]  #reads
""", _turned),
    Step("numbers", "numbers", "lists the distances between neighbours", """
{out} = []  #init
for {place} in range(1, len({src})):  #reads
    {out}.append(abs({src}[{place}] - {src}[{place} - 1]))
""", lambda v: [abs(b - a) for a, b in pairwise(v)]),
    Step("numbers", "numbers", "leaves out what came before", """
{seen} = set()
{out} = []  #init
for {item} in {src}:  #reads
    if {item} not in {seen}:
        {seen}.add({item})
        {out}.append({item})
""", lambda v: list(dict.fromkeys(v))),
    Step("numbers", "numbers", "adds up groups of {m}", """
{out} = []  #init
{place} = 0  #init
while {place} < len({src}):  #reads
    {out}.append(sum({src}[{place}:{place} + {m}]))
    {place} += {m}
""", _chunks),
    Step("numbers", "numbers", "brings everything between {k} and {k} + {P}", """
{out} = [min(max({item}, {k}), {k} + {P}) for {item} in {src}]  #reads
""", lambda v, k, p: [k if n < k else min(n, k + p) for n in v]),
    Step("numbers", "numbers", "weighs each number by its place, beginning with {K}", """
{out} = []  #init
for {place}, {item} in enumerate({src}, {K}):  #reads
    {out}.append({place} * {item})
""", lambda v, k: [n * (k + i) for i, n in enumerate(v)]),
    Step("numbers", "numbers", "sorts the numbers by their remainder modulo {m}", """
{out} = sorted({src}, key=lambda {item}: ({item} % {m}, {item}))  #reads
""", lambda v, m: [n for r in range(m) for n in sorted(v) if n % m == r]),
    Step("numbers", "numbers", "puts each number into its place from the left", """
{out} = []  #init
for {item} in {src}:  #reads
    {place} = len({out})
    while {place} > 0 and {out}[{place} - 1] > {item}:
        {place} -= 1
    {out}.insert({place}, {item})
""", sorted),
    Step("numbers", "numbers", "reduces what is over {P} to the remainder", """
{out} = list({src})  #reads
for {place}, {item} in enumerate({out}):
    if {item} > {P}:
        {out}[{place}] = {item} % {P}
""", lambda v, p: [n % p if n > p else n for n in v]),
    Step("numbers", "numbers", "mirrors the first {m} numbers at the end", """
{out} = {src} + {src}[:{m}][::-1]  #reads
""", lambda v, m: [*v, *reversed(v[:m])]),
    # From numbers to one
    Step("numbers", "number", "adds up those that {m} does not divide", """
{out} = 0  #init
for {item} in {src}:  #reads
    if {item} % {m} == 0:
        continue
    {out} += {item}
""", lambda v, m: sum(n for n in v if n % m)),
    Step("numbers", "number", "takes the spread, and {k} more", """
{out} = max({src}, default=0) - min({src}, default=0) + {k}  #reads
""", lambda v, k: max((a - b for a in v for b in v), default=0) + k),
    Step("numbers", "number", "folds the list with the factor {m} modulo {P}", """
{out} = 0  #init
for {item} in {src}:  #reads
    {out} = ({out} * {m} + {item}) % {P}
""", _fold),
    Step("numbers", "number", "measures the longest rise", """
{out} = 0  #init
{run} = 0
for {place} in range(1, len({src})):  #reads
    {run} = {run} + 1 if {src}[{place}] > {src}[{place} - 1] else 0
    {out} = max({out}, {run})
""", _rise),
    Step("numbers", "number", "finds where {p} would go into the sorted list", """
{order} = sorted({src})  #reads
{low} = 0  #init
{high} = len({order})
while {low} < {high}:
    {middle} = ({low} + {high}) // 2
    if {order}[{middle}] < {p}:
        {low} = {middle} + 1
    else:
        {high} = {middle}
{out} = {low}
""", lambda v, p: sum(1 for n in v if n < p)),
    Step("numbers", "number", "counts the numbers before the first one above {P}", """
{out} = 0  #init
while {out} < len({src}) and {src}[{out}] <= {P}:  #reads
    {out} += 1
""", lambda v, p: next((i for i, n in enumerate(v) if n > p), len(v))),
    Step("numbers", "number", "compares the two halves", """
{middle} = len({src}) // 2  #reads
{out} = abs(sum({src}[:{middle}]) - sum({src}[{middle}:]))  #reads
""", lambda v: abs(sum(v) - 2 * sum(v[: len(v) // 2]))),
    # From a number to a number; the loops go round at least once
    Step("number", "number", "adds up the digits after adding {k}", """
{rest} = abs({src}) + {k}  #reads
{out} = 0  #init
while {rest}:
    {out} += {rest} % 10
    {rest} //= 10  #progress
""", lambda v, k: sum(_digits(abs(v) + k))),
    Step("number", "number", "adds {M} and {k}, and counts the halvings down to {M}", """
{rest} = abs({src}) + {M} + {k}  #reads
{out} = 0  #init
while {rest} > {M}:
    {out} += 1
    {rest} = {rest} // 2  #progress
""", lambda v, k, m: _halvings(abs(v) + m + k, m)),
    Step("number", "number",
         "adds {k}, finds the greatest common divisor with {P}, and adds {m} a round", """
{rest} = abs({src}) + {k}  #reads
{high} = {P}
{total} = 0  #init
while {rest}:
    {total} += 1
    {high}, {rest} = {rest}, {high} % {rest}  #progress
{out} = {high} + {total} * {m}
""", lambda v, k, m, p: math.gcd(abs(v) + k, p) + m * _rounds(p, abs(v) + k)),
    Step("number", "number", "raises {m} to its remainder by {p} plus {k}, modulo {P}", """
{base} = {m}
{rest} = abs({src}) % {p} + {k}  #reads
{out} = 1  #init
while {rest} > 0:
    if {rest} % 2:
        {out} = {out} * {base} % {P}
    {base} = {base} * {base} % {P}
    {rest} //= 2  #progress
""", lambda v, k, m, p: pow(m, abs(v) % p + k, p)),
    Step("number", "number",
         "takes the remainder by {P}, adds {k}, and adds up the multiples of {m} below", """
{high} = abs({src}) % {P} + {k}  #reads
{out} = 0  #init
{place} = 0  #init
while {place} < {high}:
    {out} += {place}
    {place} += {m}  #progress
""", lambda v, k, m, p: sum(range(0, abs(v) % p + k, m))),
    Step("number", "number", "takes 1, 2, 3 and so on away as long as it can", """
{rest} = abs({src})  #reads
{out} = 0  #init
while {rest} > {out}:
    {out} += 1
    {rest} -= {out}
""", lambda v: _triangle(abs(v))),
    Step("number", "number", "rounds it up to a multiple of {p}", """
{out} = abs({src})  #reads
while {out} % {p}:
    {out} += 1
""", lambda v, p: -(-abs(v) // p) * p),
    Step("number", "number", "takes the whole root", """
{low} = 0  #init
{high} = abs({src}) + 1  #reads
while {high} - {low} > 1:
    {middle} = ({low} + {high}) // 2
    if {middle} * {middle} <= abs({src}):
        {low} = {middle}
    else:
        {high} = {middle}
{out} = {low}
""", lambda v: math.isqrt(abs(v))),
    # From a number to something else
    Step("number", "numbers",
         "takes the remainder by {p}, adds {k}, and lists the divisors from {m} on", """
{out} = []  #init
{high} = abs({src}) % {p} + {k}  #reads
for {item} in range({m}, {high} + 1):
    if {high} % {item} == 0:
        {out}.append({item})
""", lambda v, k, m, p: sorted(
        d for d in range(m, abs(v) % p + k + 1) if not (abs(v) % p + k) % d
    )),
    Step("number", "numbers", "lists its digits, the last one first", """
{out} = []  #init
{rest} = abs({src})  #reads
while {rest} > 0:
    {out}.append({rest} % 10)
    {rest} //= 10
""", lambda v: _digits(abs(v))[::-1] if v else []),
    Step("number", "numbers", "counts down from the remainder by {p} in steps of {m}", """
{out} = list(range(abs({src}) % {p}, 0, -{m}))  #reads
""", lambda v, m, p: [abs(v) % p - m * i for i in range(-(-(abs(v) % p) // m))]),
    Step("number", "text", "writes it with the unit", """
{out} = f"{{{src}}} {{{UNIT}}}"  #reads
""", lambda v, unit: f"{v} {unit}"),
)  # fmt: skip
