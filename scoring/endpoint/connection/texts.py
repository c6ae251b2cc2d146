"""The texts of the connection test: the same for everybody, at all times.

Each has one fact somewhere in sentences of no importance. Its length is that of 4,000 tokens of
cl100k_base, 2 % more or less.
"""

import re
from random import Random
from typing import NamedTuple

from scoring.text.tokens import count_tokens, first_tokens


class Fact(NamedTuple):
    sentence: str
    question: str
    answer: str


FACTS = (
    Fact("The brass cupboard opens with 4817.", "With what does the brass cupboard open?", "4817"),
    Fact("The ferry to Ostrey leaves from pier 9.", "From which pier does the ferry leave?", "9"),
    Fact("The spare key lies under the blue pot.", "Under which pot is the spare key?", "blue"),
    Fact("The cat of the lighthouse is called Minnow.", "What is the cat called?", "Minnow"),
    Fact("The choir rehearses on Thursday.", "On which day does the choir rehearse?", "Thursday"),
    Fact("The oldest map of the valley is from 1623.", "From when is the oldest map?", "1623"),
    Fact("Dr. Halloran repairs the organ.", "Who repairs the organ?", "Dr. Halloran"),
    Fact("The third prize was a wooden globe.", "What was the third prize?", "a wooden globe"),
    Fact("The bridge was closed because of ice.", "Why was the bridge closed?", "ice"),
    Fact("The signal for dinner is two bells.", "How many bells call to dinner?", "two"),
    Fact("The letter was posted in Varnholm.", "Where was the letter posted?", "Varnholm"),
    Fact("The well behind the mill is 38 metres deep.", "How deep is the well, in metres?", "38"),
)
_SENTENCES = 305  # of a text
_WHO = (
    "The gardener", "An old sailor", "The baker's daughter", "A clerk from the harbour",
    "The night porter", "One of the painters", "The schoolmaster", "A travelling tinker",
    "The younger brother", "Their neighbour", "The beekeeper", "A quiet guest",
)  # fmt: skip
_DID = (
    "carried", "counted", "forgot", "painted", "mended", "sold", "found", "lost", "borrowed",
    "cleaned", "hid", "showed us",
)  # fmt: skip
_WHAT = (
    "a basket of apples", "the torn sails", "three paper lanterns", "an umbrella",
    "the long ladder", "a box of candles", "the garden chairs", "some fishing nets",
    "a jar of honey", "the old violin", "two woollen coats", "a bundle of newspapers",
)  # fmt: skip
_WHEN = (
    "before the rain began", "after breakfast", "on the way to the market", "without a word",
    "as every year", "while the tide came in", "when nobody was looking", "in the early morning",
    "behind the church", "for the summer fair", "at the end of the street", "with great care",
)  # fmt: skip
_PARTS = (_WHO, _DID, _WHAT, _WHEN)


def fact_prompt(number: int) -> str:
    """The question about one of the facts, after its text."""
    fact = FACTS[number]
    sentences = _filler(Random(number), _SENTENCES)  # noqa: S311 - everybody's are the same
    sentences.insert((2 * number + 1) * _SENTENCES // (2 * len(FACTS)), fact.sentence)
    return (
        "Read this text. You will be asked for one detail of it.\n\n"
        f"{_paragraphs(sentences)}\n\n"
        f"Question: {fact.question}\nAnswer with the detail alone, in as few words as possible."
    )


def long_prompt(tokens: int, encoding: str) -> str:
    """A prompt with so many tokens, ten less at most; the answer to it is one word."""
    random = Random(tokens)  # noqa: S311 - likewise
    each = count_tokens(_paragraphs(_filler(Random(0), 500)), encoding).value / 500  # noqa: S311
    text = _paragraphs(_filler(random, int(1.05 * tokens / each) + 10))
    end = "\n\nThis was the text. Answer with the word “read”, nothing else."
    return text[: first_tokens(text, tokens - 20, encoding)] + end


def is_right(number: int, answer: str) -> bool:
    wanted = re.escape(FACTS[number].answer)
    return bool(re.search(rf"(?<!\w){wanted}(?!\w)", answer, re.IGNORECASE))


def _filler(random: Random, count: int) -> list[str]:
    return [" ".join(map(random.choice, _PARTS)) + "." for _ in range(count)]


def _paragraphs(sentences: list[str]) -> str:
    return "\n".join(" ".join(sentences[at : at + 8]) for at in range(0, len(sentences), 8))
