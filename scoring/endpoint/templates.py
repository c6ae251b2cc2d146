"""Templates of prompts: texts with the places ``{context}``, ``{question}`` and ``{options}``.

Every strategy has one for every task, in this project's own words. Where the context stands apart
from the question, the question comes after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import Formatter

from scoring.catalog import TASKS, Kind
from scoring.labels import LETTERS
from scoring.text.prompts import TEMPLATES, Prompt


class Strategy(StrEnum):
    DIRECT = "direct"
    STEPS = "step-by-step"
    RECALL = "context-recalling"
    CLOSED_BOOK = "closed-book"  # without the context: what the model knows, or guesses
    EVIDENCE_ONLY = "evidence-only"  # what decides alone, where it is known

    @property
    def sends_contexts(self) -> bool:
        """Whether prompts have the whole context, as far as it fits."""
        return self not in (Strategy.CLOSED_BOOK, Strategy.EVIDENCE_ONLY)


class TemplateError(ValueError):
    """The template cannot be used; the message is a sentence for its author."""


@dataclass(frozen=True, slots=True)
class Template:
    """A checked template. ``before`` and ``after`` are what stands around the context; without a
    place for a context everything is in ``before``."""

    text: str
    before: str
    after: str
    has_context: bool

    def fill(self, context: str, question: str, options: Sequence[str] = ()) -> Prompt:
        listed = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options))  # noqa: B905 - more than four are never asked
        asked = {"question": question, "options": listed}
        inside = context if self.has_context else ""
        return Prompt(self.before.format(**asked), inside, self.after.format(**asked))


_PLACES = ("context", "question", "options")


def parse_template(task: str, text: str, *, has_context: bool = True) -> Template:
    """A template for a task from its text, in which ``{{`` and ``}}`` are braces.

    Raises ``TemplateError`` where a place is unknown, missing or there twice.
    """
    title = TASKS[task].title
    found = _places(title, text)
    for name in found:
        if name not in _PLACES:
            places = ", ".join(f"{{{place}}}" for place in _PLACES)
            raise TemplateError(f"{title}: there is no {{{name}}}; a template may have {places}.")
    for name, wanted in _wanted(task, has_context=has_context).items():
        if found.count(name) != wanted:
            times = {0: "must not have", 1: "must have exactly one"}[wanted]
            raise TemplateError(f"{title}: this template {times} {{{name}}}.")
    if not has_context:
        return Template(text, text, "", has_context=False)
    before, _, after = _around_context(text)
    return Template(text, before, after, has_context=True)


def _places(title: str, text: str) -> list[str]:
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        wrong = "closed and not opened" if "Single '}'" in str(error) else "opened and not closed"
        raise TemplateError(
            f"{title}: a brace is {wrong}; a brace itself is written twice."
        ) from error
    start, names = 0, []
    for literal, name, _, _ in parts:
        start += _written_length(literal)
        if name is None:
            continue
        if not text.startswith(f"{{{name}}}", start):  # also for “{name:}”, which has no format
            raise TemplateError(f"{title}: write {{{name}}} without “!” and “:”.")
        start += len(name) + 2
        names.append(name)
    return names


def _written_length(literal: str) -> int:
    """Of the text around the places: its braces are written twice."""
    return len(literal) + literal.count("{") + literal.count("}")


def _wanted(task: str, *, has_context: bool) -> dict[str, int]:
    return {
        "context": int(has_context),
        "question": 1,
        "options": int(TASKS[task].kind is Kind.CHOICE),
    }


def _around_context(text: str) -> tuple[str, str, str]:
    """At the place itself: {{context}} is the word in braces, and so is a part of {{{context}}}."""
    start = 0
    for literal, name, _, _ in Formatter().parse(text):
        start += _written_length(literal)
        if name == "context":
            break
        start += len(name) + 2 if name is not None else 0
    return text[:start], "{context}", text[start + len("{context}") :]


def template_of(strategy: Strategy, task: str, own: Mapping[str, str] | None = None) -> Template:
    """The template of a strategy for a task, or one's own. Raises ``TemplateError``."""
    has_context = strategy is not Strategy.CLOSED_BOOK
    if own and task in own:
        return parse_template(task, own[task], has_context=has_context)
    return parse_template(task, built_in(strategy, task), has_context=has_context)


def built_in(strategy: Strategy, task: str) -> str:
    """The text of a strategy's own template for a task."""
    before, after, _ = TEMPLATES[task]
    if strategy in (Strategy.DIRECT, Strategy.EVIDENCE_ONLY):
        return f"{before}{{context}}{after}"
    question = _QUESTION_WITH_OPTIONS if TASKS[task].kind is Kind.CHOICE else _QUESTION
    if task == _CHINESE:
        question = "\n\n问题：{question}"
    if strategy is Strategy.CLOSED_BOOK:
        end = _GUESS_IN_CHINESE if task == _CHINESE else _GUESS
        return f"{_CLOSED_BOOK[task]}{question}\n{end} {_ANSWER_AS[task]}"
    first = (_STEPS if strategy is Strategy.STEPS else _RECALL)[task]
    end = _LAST_LINE_IN_CHINESE if task == _CHINESE else _LAST_LINE
    return f"{before}{{context}}{question}\n{first}\n{end} {_ANSWER_AS[task]}"


def question_of(task: str, question: str) -> str:
    """The question of an example, or that of its task where it has none."""
    return question.strip() or TEMPLATES[task].question


_CHINESE = "longbook_qa_chn"
_QUESTION = "\n\nQuestion: {question}"
_QUESTION_WITH_OPTIONS = "\n\nQuestion: {question}\n{options}"
_LAST_LINE = "Then write a last line that begins with “Answer:” and has the answer after it."
_LAST_LINE_IN_CHINESE = "最后另起一行，以“答案：”开头写出答案。"
_GUESS = "If you do not know, give your best guess."
_GUESS_IN_CHINESE = "如果不知道，请给出最可能的答案。"

_ANSWER_AS = {
    "passkey": "The answer is the digits alone.",
    "number_string": "The answer is the digits alone.",
    "kv_retrieval": "The answer is the value alone.",
    "longbook_sum_eng": "The answer is the whole summary.",
    "longbook_qa_eng": "The answer has as few words as possible.",
    "longbook_choice_eng": "The answer is the letter of one option and its text.",
    "longbook_qa_chn": "答案应尽量简短。",
    "longdialogue_qa_eng": "The answer is the name alone.",
    "code_debug": "The answer is the letter of one option and its text.",
    "code_run": "The answer is the number alone.",
    "math_calc": "The answer is the list of all values, in brackets.",
    "math_find": "The answer is the number alone.",
}

_STEPS = {
    "passkey": "First say where in the text the key stands and copy that sentence.",
    "number_string": "First say where in the text the digits stand and copy that sentence.",
    "kv_retrieval": "First copy the pair of this key from the object, with key and value.",
    "longbook_sum_eng": "First note the main events of each part of the book, one line for each.",
    "longbook_qa_eng": "First note what the book says that bears on the question, and what follows"
    " from it.",
    "longbook_choice_eng": "First go through the options one by one, and say what in the book"
    " speaks for or against each.",
    "longbook_qa_chn": "请先列出书中与问题有关的内容，再一步一步地推出答案。",
    "longdialogue_qa_eng": "First say who takes part in the scene with the mask, and who of them"
    " could say or do what stands there.",
    "code_debug": "First look at the four functions one by one, and say of each whether its code"
    " can work.",
    "code_run": "First follow the calls one by one, and write down what each function adds or"
    " takes away.",
    "math_calc": "First say which number the expression begins with.",
    "math_find": "First write down the candidates that you find on the way through the list.",
}

_RECALL = {
    "passkey": "First copy, word for word, the sentence of the text that has the key.",
    "number_string": "First copy, word for word, the sentence of the text that has the digits.",
    "kv_retrieval": "First copy the pair with this key and the pairs on both sides of it.",
    "longbook_sum_eng": "First copy one sentence from each chapter that carries its story.",
    "longbook_qa_eng": "First copy, word for word, the passages of the book that the answer rests"
    " on.",
    "longbook_choice_eng": "First copy, word for word, the passages of the book that decide"
    " between the options.",
    "longbook_qa_chn": "请先逐字抄写书中与问题有关的段落，再作答。",
    "longdialogue_qa_eng": "First copy the lines of the script around the mask.",
    "code_debug": "First copy the code of the four functions as it stands above.",
    "code_run": "First copy the code of each function that runs, in the order of the calls.",
    "math_calc": "First copy the beginning and the end of the expression.",
    "math_find": "First copy the numbers of the list that come closest to what is asked.",
}

_CLOSED_BOOK = {
    "passkey": "Somebody has hidden a pass key of five digits in a text that you cannot see.",
    "number_string": "Somebody has hidden ten digits in a text that you cannot see.",
    "kv_retrieval": "A JSON object that you cannot see has random UUIDs as keys and values.",
    "longbook_sum_eng": "This is about a novel whose text is not given here.",
    "longbook_qa_eng": "This is about a novel whose text is not given here; you may know it.",
    "longbook_choice_eng": "This is about a novel whose text is not given here; you may know it.",
    "longbook_qa_chn": "以下问题关于一本书，书的正文不在这里，但你可能读过。",
    "longdialogue_qa_eng": "In the script of a film or a series, which is not given here, the name"
    " of one character has been replaced by $$MASK$$ in one place.",
    "code_debug": "In a package of Python code, which is not given here, one function has been"
    " broken on purpose.",
    "code_run": "Functions in Python, which are not given here, call each other and add or take"
    " away small numbers.",
    "math_calc": "An expression of additions and subtractions is not given here; its values stay"
    " between 0 and 99.",
    "math_find": "A long list of whole numbers between 0 and 99 is not given here.",
}
