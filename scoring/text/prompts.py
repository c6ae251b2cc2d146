"""The prompt of an example: a line of introduction, the context, the question.

The question follows the context, as in the official runs; the wording is this project's. A prompt
that is too long is cut as in those runs: counted in tokens as a whole, it loses its middle and
keeps both ends, so that the question is never lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.labels import LETTERS
from scoring.text.tokens import ENCODING, TokenCount, fit_tokens

Message = dict[str, str]


class Template(NamedTuple):
    before: str
    after: str  # {question} and {options} are filled in
    question: str = ""  # where the example has none of its own


_ONE_LETTER = "Answer with the letter of one option and its text, nothing else."

TEMPLATES: dict[str, Template] = {
    "passkey": Template(
        "A pass key is hidden somewhere in a long text of no importance. Look for it: you will be"
        " asked for it afterwards.\n\n",
        "\n\nQuestion: {question}",
        "What is the pass key?",
    ),
    "number_string": Template(
        "A sequence of digits is hidden somewhere in a long text of no importance. Look for it: you"
        " will be asked for it afterwards.\n\n",
        "\n\nQuestion: {question}",
        "What is the hidden sequence of digits?",
    ),
    "kv_retrieval": Template(
        "Here is a JSON object. You will be asked for the value of one of its keys.\n\n",
        "\n\nQuestion: {question}",
    ),
    "longbook_sum_eng": Template(
        "Read this book. You will be asked for a summary of it.\n\n",
        "\n\nQuestion: {question}",
        "What happens in the book? Summarize it.",
    ),
    "longbook_qa_eng": Template(
        "Read this book. You will be asked a question about it.\n\n",
        "\n\nQuestion: {question}\nAnswer in as few words as possible.",
    ),
    "longbook_choice_eng": Template(
        "Read this book. You will be asked a question about it, with four options.\n\n",
        f"\n\nQuestion: {{question}}\n{{options}}\n{_ONE_LETTER}",
    ),
    "longbook_qa_chn": Template(
        "请阅读下面这本书，读完后回答一个问题。\n\n",
        "\n\n问题：{question}\n请尽量简短地回答。",
    ),
    "longdialogue_qa_eng": Template(
        "In this script the name of one character has been replaced by $$MASK$$. You will be asked"
        " who it is.\n\n",
        "\n\nQuestion: {question}\nAnswer with the name only.",
        "Which character's name stood where $$MASK$$ is now?",
    ),
    "code_debug": Template(
        "In this code one function has been broken on purpose, so that it obviously cannot work."
        " You will be asked which of four it is.\n\n",
        f"\n\nQuestion: {{question}}\n{{options}}\n{_ONE_LETTER}",
        "Which of these functions has the deliberate error?",
    ),
    "code_run": Template(
        "Here are functions in Python. You will be asked what one call of them returns.\n\n",
        "\n\nQuestion: {question}",
    ),
    "math_calc": Template(
        "Here is a long expression of additions and subtractions.\n\n",
        "\n\nQuestion: {question}",
        "Work the expression out from left to right. Write down the value after each operation, as"
        " a list of numbers and nothing else.",
    ),
    "math_find": Template(
        "Here is a long list of numbers. You will be asked for one of them.\n\n",
        "\n\nQuestion: {question}",
    ),
}


@dataclass(frozen=True, slots=True)
class Prompt:
    before: str
    context: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.context + self.after


@dataclass(frozen=True, slots=True)
class CutPrompt:
    text: str
    lost: tuple[int, int] | None  # [start, end) in characters of the context; None: nothing
    count: TokenCount


def prompt_of(task: str, context: str, question: str, options: Sequence[str] = ()) -> Prompt:
    """The prompt for one example of a task, from the fields of its row in a release.

    ``question`` may be empty where the task is the question (En.Sum, En.Dia, …).
    Raises ``KeyError`` for an unknown task.
    """
    before, after, otherwise = TEMPLATES[task]
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
    asked = after.format(question=question.strip() or otherwise, options=listed)
    return Prompt(before, context, asked)


def messages_of(text: str) -> list[Message]:
    """The text of a prompt for a chat model: all of it as one message of the user."""
    return [{"role": "user", "content": text}]


def cut_prompt(prompt: Prompt, tokens: int, encoding: str = ENCODING) -> CutPrompt:
    """The prompt with its middle removed where it has more than so many tokens.

    Half of them stand before the gap and half after it. A character at the edge of the gap is
    lost if it is cut. The text around the gap is joined unchanged, so that the result may have a
    token more or less. Raises ``ValueError`` for an encoding that tiktoken does not know.
    """
    text = prompt.text
    count, removed = fit_tokens(text, tokens, encoding)
    if removed is None:
        return CutPrompt(text, None, count)
    start, end = removed
    shift, size = len(prompt.before), len(prompt.context)
    lost = (min(max(start - shift, 0), size), min(max(end - shift, 0), size))
    return CutPrompt(text[:start] + text[end:], lost, count)


def gap(text: str, tokens: int, encoding: str = ENCODING) -> tuple[int, int]:
    """The characters ``[start, end)`` to remove from a text to have so many tokens; empty: none.

    The time depends on the tokens that are kept, not on the length of the text.
    """
    if len(text) <= tokens and len(text.encode(errors="replace")) <= tokens:
        return 0, 0  # a token has at least one byte
    return fit_tokens(text, tokens, encoding).gap or (0, 0)
