"""Templates: all twelve tasks under every strategy, and what custom templates may contain."""

import pytest

from scoring.catalog import TASKS, Kind
from scoring.endpoint.templates import (
    Strategy,
    TemplateError,
    built_in,
    parse_template,
    question_of,
    template_of,
)
from scoring.text.prompts import prompt_of

OPTIONS = ("a {context}", "b", "c", "d")


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("task", TASKS)
def test_every_strategy_asks_every_task(strategy: Strategy, task: str) -> None:
    template = template_of(strategy, task)
    prompt = template.fill("THE {TEXT}", "THE {question}?", OPTIONS)
    assert (prompt.context == "THE {TEXT}") is (strategy is not Strategy.CLOSED_BOOK)
    assert "THE {question}?" in prompt.text
    assert ("\nA. a {context}\nB. b\nC. c\nD. d\n" in prompt.text) is (
        TASKS[task].kind is Kind.CHOICE
    )


def test_the_templates_of_the_strategies_differ_from_each_other() -> None:
    for task in TASKS:
        texts = [built_in(strategy, task) for strategy in Strategy]
        assert len(set(texts)) == len(Strategy) - 1  # “evidence only” is “direct” with less to read


@pytest.mark.parametrize("task", TASKS)
def test_direct_prompts_are_those_of_the_reference_reader(task: str) -> None:
    asked = question_of(task, "")
    direct = template_of(Strategy.DIRECT, task).fill("text", asked, OPTIONS)
    assert direct == prompt_of(task, "text", "", OPTIONS)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("{context}{question}", "", "Q"),
        ("{{context}} {context} {{ {question} }}", "{context} ", " { Q }"),
        ("{{{{{context}}}}}{question}", "{{", "}}Q"),
        ("{question}: {context}", "Q: ", ""),
    ],
)
def test_braces_that_are_written_twice_are_braces(text: str, before: str, after: str) -> None:
    prompt = parse_template("passkey", text).fill("C", "Q")
    assert (prompt.before, prompt.context, prompt.after) == (before, "C", after)


@pytest.mark.parametrize(
    ("task", "text", "said"),
    [
        ("passkey", "{question}", "exactly one {context}"),
        ("passkey", "{context}", "exactly one {question}"),
        ("passkey", "{context}{context}{question}", "exactly one {context}"),
        ("passkey", "{context}{question}{options}", "must not have {options}"),
        ("code_debug", "{context}{question}", "exactly one {options}"),
        ("passkey", "{context}{question}{answer}", "there is no {answer}"),
        ("passkey", "{context}{question}{}", "there is no {}"),
        ("passkey", "{context.__class__}{question}", "there is no {context.__class__}"),
        ("passkey", "{context[0]}{question}", "there is no {context[0]}"),
        ("passkey", "{context!r}{question}", "without “!” and “:”"),
        ("passkey", "{context:>9999999999}{question}", "without “!” and “:”"),
        ("passkey", "{context}{question:}", "write {question} without “!” and “:”"),
        ("passkey", "{{}} {context:}{question}", "write {context} without “!” and “:”"),
        ("passkey", "{context}{question} {", "a brace itself is written twice"),
        ("passkey", "{context}{question} }", "a brace itself is written twice"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused(task: str, text: str, said: str) -> None:
    with pytest.raises(TemplateError) as refused:
        parse_template(task, text)
    assert said in str(refused.value)


def test_a_template_for_the_closed_book_has_no_context() -> None:
    with pytest.raises(TemplateError):
        parse_template("passkey", "{context} {question}", has_context=False)
    assert parse_template("passkey", "{question}", has_context=False).fill("C", "Q").text == "Q"
