"""Tasks from texts that the operator supplies: source trees, plays and novels.

The texts stay where they are: a release has what its questions need of them, and the operator says
under which licence.
"""

from functools import partial

from scoring.generators.example import Recipe
from scoring.generators.haystack import code, novels, plays
from scoring.generators.haystack.texts import Haystack
from scoring.generators.novel.tasks import longbook_choice, longbook_qa


def recipes_of(haystack: Haystack) -> dict[str, Recipe]:
    """Of the tasks that the operator has supplied texts for."""
    found = {}
    distractors = haystack.of_kind("distractors")
    if paths := haystack.of_kind("code"):
        make = partial(code.code_debug_from, paths, distractors=distractors)
        found["code_debug"] = Recipe(make, code.SHORTEST)
    if paths := haystack.of_kind("plays"):
        make = partial(plays.dialogue_from, paths, distractors=distractors)
        found["longdialogue_qa_eng"] = Recipe(make, plays.SHORTEST)
    if paths := haystack.of_kind("novels"):
        write = partial(novels.novel_from, texts=novels.Texts(paths, distractors))
        found["longbook_qa_eng"] = Recipe(partial(longbook_qa, write=write), novels.SHORTEST)
        found["longbook_choice_eng"] = Recipe(
            partial(longbook_choice, write=write), novels.SHORTEST
        )
    return found
