"""Tasks from texts that the operator supplies: source trees, plays and novels.

The texts stay where they are: a release has what its questions need of them, and the operator says
under which licence.
"""

from functools import partial

from scoring.generators import Recipe
from scoring.generators.haystack import code, plays
from scoring.generators.haystack.texts import Haystack


def recipes_of(haystack: Haystack) -> dict[str, Recipe]:
    """Of the tasks that the operator has supplied texts for."""
    found = {}
    if paths := haystack.of_kind("code"):
        found["code_debug"] = Recipe(partial(code.code_debug_from, paths), code.SHORTEST)
    if paths := haystack.of_kind("plays"):
        found["longdialogue_qa_eng"] = Recipe(partial(plays.dialogue_from, paths), plays.SHORTEST)
    return found
