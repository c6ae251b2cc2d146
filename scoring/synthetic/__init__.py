"""Seeded generators of tasks in the official format, at any length."""

from typing import NamedTuple

from scoring.synthetic.code_run import code_run
from scoring.synthetic.example import Generator
from scoring.synthetic.mathematics import math_calc, math_find
from scoring.synthetic.retrieval import kv_retrieval, number_string, passkey


class Recipe(NamedTuple):
    make: Generator
    shortest: int = 1_000  # tokens: below, a unit more or less misses the length by over 5 %


RECIPES: dict[str, Recipe] = {
    "passkey": Recipe(passkey),
    "number_string": Recipe(number_string),
    "kv_retrieval": Recipe(kv_retrieval),
    "code_run": Recipe(code_run),
    "math_calc": Recipe(math_calc),
    "math_find": Recipe(math_find),
}
