"""Seeded generators of tasks in the official format, at any length."""

from scoring.synthetic.code_run import code_run
from scoring.synthetic.example import Generator
from scoring.synthetic.mathematics import math_calc, math_find
from scoring.synthetic.retrieval import kv_retrieval, number_string, passkey

GENERATORS: dict[str, Generator] = {
    "passkey": passkey,
    "number_string": number_string,
    "kv_retrieval": kv_retrieval,
    "code_run": code_run,
    "math_calc": math_calc,
    "math_find": math_find,
}
