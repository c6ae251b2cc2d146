"""``make samples``: docs/samples.md, a piece of every kind of generated text for people to read."""

import sys
from collections.abc import Iterator
from pathlib import Path

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.example import GENERATOR, Example, ExampleSpec
from scoring.generators.variety import variety

_SEED, _TOKENS, _COUNT = 11, 64_000, 8
_OPENING = 1_400  # characters
_SHOWN = {  # task → which of its examples, and whether its text's opening is shown
    "longbook_qa_eng": ((0, 2), True),
    "longbook_choice_eng": ((1,), False),
    "longbook_sum_eng": ((0,), False),
    "longbook_qa_chn": ((0, 1), True),
    "longdialogue_qa_eng": ((3,), True),
    "code_debug": ((1,), True),
}
_VARIETY = 128_000  # tokens


def main(place: Path) -> None:
    place.write_text("\n".join(_document()), encoding="utf-8")


def _document() -> Iterator[str]:
    yield "# Samples of generated texts\n"
    yield (
        f"Made by `make samples`: seed {_SEED}, generator {GENERATOR}, {_TOKENS:,} tokens. "
        "What the tasks are is told in [releases.md](releases.md).\n"
    )
    for task, (indices, with_opening) in _SHOWN.items():
        yield f"## {TASKS[task].title}\n"
        for index in indices:
            example = RECIPES[task].make(ExampleSpec(_SEED, _TOKENS, index, _COUNT))
            context = "".join(example.context)
            if with_opening and index == indices[0]:
                yield "The text begins:\n"
                yield _quoted(context[:_OPENING].rpartition("\n")[0] + "\n…")
            yield from _asked(example, context)
    yield from _varieties()


def _asked(example: Example, context: str) -> Iterator[str]:
    depth = "" if example.depth is None else f", depth {example.depth:.2f}"
    hops = "" if example.hops is None else f", {example.hops} hops"
    yield f"**Asked** ({example.kind or 'one kind'}{depth}{hops}): {example.question}\n"
    if example.options:
        yield f"Options: {'; '.join(example.options)}\n"
    yield f"**Answer:** {example.answer}\n"
    if example.kind or example.hops:
        yield "Its evidence, in the order in which a reader needs it:\n"
        yield _quoted("\n".join(context[start:end] for start, end in example.evidence))


def _quoted(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines()) + "\n"


def _varieties() -> Iterator[str]:
    yield "## How varied they are\n"
    yield (
        f"Of {_VARIETY:,} tokens: to how much of its size a text compresses (zlib, level 9), and "
        "how many of its sentences, or lines of code, are different ones.\n"
    )
    yield "| | compressed to | distinct sentences |"
    yield "|---|---|---|"
    for task, recipe in RECIPES.items():
        found = variety(recipe.make(ExampleSpec(_SEED, _VARIETY, 0, _COUNT)).context)
        yield f"| {TASKS[task].title} | {found.compressed:.1%} | {found.distinct:.1%} |"
    yield ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
