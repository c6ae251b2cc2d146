"""The time to generate a text of each task, and to answer it, relative to counting its tokens."""

from scoring.baseline import read
from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.example import Example, ExampleSpec
from scoring.text.prompts import prompt_of
from scoring.text.tokens import count_tokens
from tests.bench.ratios import Row, best_of

_TOKENS = 200_000
_WINDOW = 32_768


def bench_texts() -> list[Row]:
    count_tokens("the vocabulary is loaded")
    return [row for task in RECIPES for row in _rows(task)]


def _rows(task: str) -> list[Row]:
    title, context = TASKS[task].title, _text(_made(task, 0))
    counted = best_of(2, lambda: count_tokens(context))
    seeds = iter(range(1, 4))  # recent books are cached
    made_in = best_of(3, lambda: _text(_made(task, next(seeds))))
    prompt = prompt_of(task, context, _made(task, 0).question, _made(task, 0).options).text
    answered = best_of(2, lambda: read(prompt, _WINDOW))
    return [
        Row(f"{title}: make 200K tokens / count them", made_in, counted, 8, "s"),
        Row(f"{title}: answer from 32K of them / count them", answered, counted, 2, "s"),
    ]


def _made(task: str, seed: int) -> Example:
    return RECIPES[task].make(ExampleSpec(seed, _TOKENS, 0, 1))


def _text(example: Example) -> str:
    return "".join(example.context)
