"""Seeded generators of tasks in the official format, at any length."""

from functools import partial

from scoring.generators.code_run import code_run
from scoring.generators.debug.task import code_debug
from scoring.generators.dialogue.task import dialogue
from scoring.generators.example import Recipe
from scoring.generators.mathematics import math_calc, math_find
from scoring.generators.novel.tasks import longbook_choice, longbook_qa, longbook_sum
from scoring.generators.retrieval import kv_retrieval, number_string, passkey

RECIPES: dict[str, Recipe] = {
    "passkey": Recipe(passkey),
    "number_string": Recipe(number_string),
    "kv_retrieval": Recipe(kv_retrieval),
    "code_run": Recipe(code_run),
    "math_calc": Recipe(math_calc),
    "math_find": Recipe(math_find),
    "longbook_sum_eng": Recipe(longbook_sum, shortest=4_000),
    "longbook_qa_eng": Recipe(longbook_qa, shortest=4_000),
    "longbook_choice_eng": Recipe(longbook_choice, shortest=4_000),
    "longbook_qa_chn": Recipe(partial(longbook_qa, speech="chinese"), shortest=4_000),
    "longdialogue_qa_eng": Recipe(dialogue, shortest=4_000),
    "code_debug": Recipe(code_debug, shortest=4_000),
}
