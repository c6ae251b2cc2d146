"""Counting a text of 128K tokens, and cutting its middle out, beside tiktoken alone."""

from collections.abc import Callable

import tiktoken

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.example import ExampleSpec
from scoring.text.prompts import Prompt, cut_prompt, prompt_of
from scoring.text.tokens import ENCODING, count_tokens
from tests.bench.ratios import Row, medians_in_turn

_TOKENS = 128_000
_LESS = 1_000  # tokens that do not fit: nearly all of the text has to be tokenized
_ROUNDS = 21
_TEXTS = ("longbook_qa_eng", "longbook_qa_chn", "kv_retrieval")  # a word a token, and hardly any


def bench_counting() -> list[Row]:
    return [row for task in _TEXTS for row in _rows(task)]


def _rows(task: str) -> list[Row]:
    title, prompt = TASKS[task].title, _prompt(task)
    text = prompt.text
    encode = tiktoken.get_encoding(ENCODING).encode_ordinary
    limit = len(encode(text)) - _LESS
    timed: dict[str, Callable[[], object]] = {
        "count": lambda: count_tokens(text),
        "count and cut": lambda: cut_prompt(prompt, limit),
    }
    raw, *ours = medians_in_turn(_ROUNDS, lambda: encode(text), *timed.values())
    return [
        Row(f"{title}: {what} 128K tokens / tiktoken", seconds, raw, 1 / 0.9, "s")
        for what, seconds in zip(timed, ours, strict=True)
    ]


def _prompt(task: str) -> Prompt:
    example = RECIPES[task].make(ExampleSpec(1, _TOKENS, 0, 1))
    return prompt_of(task, "".join(example.context), example.question, example.options)
