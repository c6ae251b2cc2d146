"""The Chinese catalogue: nothing is missing, nothing is left over, nothing is broken."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import read_mo
from django.utils.translation import override

from portal.evaluations.failures import FAILURES
from portal.scores.documents.messages import PHRASES, WORDINGS, message_and_fix
from scoring.metrics import REASONS
from scoring.predictions import rows
from scoring.problems import PROBLEMS
from tests.support.paths import ROOT
from tests.tools.catalogue import MO, all_texts, in_template, read_catalogue, texts_of, untranslated

CHINESE = re.compile(r"[\u4e00-\u9fff]")
# What a translation must contain unchanged: placeholders and HTML.
FIXED = re.compile(r"%\(\w+\)[.\d]*[a-z]|%[.\d]*[a-z]|%%|\{\w*\}|</?\w[^>]*>|https?://[\w./]*\w")
AS_IT_IS = {
    "Grep", "Id", "id", "null", "token",
    "%(held)s of %(tasks)s", "%(right)s of %(all)s", "%(tokens)s tokens",
    "%(rank)s of %(all)s", "{size} of {total}, {percent} %%", "∞Bench, at %(host)s",
    "∞Bench, at %(site)s",
}  # fmt: skip

RENEW = "run “make messages”, and translate what it lists in locale/zh_Hans/LC_MESSAGES/django.po"


def messages() -> list[Message]:
    return [message for message in read_catalogue() if message.id]


def named(message: Message) -> str:
    return texts_of(message.id)[0]


def test_every_text_of_the_site_is_translated() -> None:
    known = {named(message) for message in messages()}
    assert sorted({text.singular for text in all_texts()} - known) == [], RENEW
    assert untranslated(read_catalogue()) == [], RENEW


def test_the_catalogue_has_no_unused_texts() -> None:
    catalog = read_catalogue()
    left_over = {named(message) for message in messages()} - {text.singular for text in all_texts()}
    assert left_over == set(), RENEW
    assert catalog.obsolete == {}, RENEW


def test_no_translation_is_fuzzy() -> None:
    assert [message.id for message in messages() if message.fuzzy] == []


def test_translations_have_the_same_placeholders_and_links() -> None:
    broken = [
        (original, translation)
        for message in messages()
        for original, translation in pairs(message)
        if fixed(original) != fixed(translation)
    ]
    assert broken == []


def pairs(message: Message) -> Iterator[tuple[str, str]]:
    """Each translation with its last original, which is the plural if there is one."""
    original = texts_of(message.id)[-1]
    for translation in texts_of(message.string):
        yield original, translation


def fixed(text: str) -> Counter[str]:
    return Counter(FIXED.findall(text))


def test_translations_are_chinese() -> None:
    latin = {named(one) for one in messages() if not any(map(CHINESE.search, texts_of(one.string)))}
    assert {text for text in latin if re.search(r"[A-Za-z]{2}", FIXED.sub("", text))} == AS_IT_IS


def test_the_compiled_catalogue_is_up_to_date() -> None:
    with MO.open("rb") as file:
        read = {named(one): texts_of(one.string) for one in read_mo(file) if one.id}
    assert read == {named(one): texts_of(one.string) for one in messages()}, RENEW


def test_all_kinds_of_texts_are_extracted() -> None:
    source = (
        "{% load i18n %}{% translate 'One' %}{{ _('Two') }}{% blocktranslate trimmed count n=m %}\n"
        '{{ n }} "of" %\n{% plural %}{{ n }}, many{% endblocktranslate %}'
    )
    found = [(text.singular, text.plural) for text in in_template(source, "here")]
    assert found == [("One", ""), ("Two", ""), ('%(n)s "of" %%', "%(n)s, many")]


# What the scorer says, which knows no language but English


def finding(code: str, /, **params: str | int) -> dict[str, Any]:
    return {"code": code, "task": None, "message": "As it was.", "fix": "Do it.", "params": params}


# Only the command asks questions in findings; the site has a page for them.
@pytest.mark.parametrize("code", sorted(PROBLEMS.keys() - {"alignment_needed"}))
def test_every_problem_is_translated(code: str) -> None:
    kind, wording = PROBLEMS[code], WORDINGS.get(code)
    names = re.findall(r"\{(\w+)\}", f"{kind.message}{kind.fix}{wording and wording.fix}{wording}")
    with override("zh-hans"):
        sentence, fix = message_and_fix(finding(code, **dict.fromkeys(names, "…")))
    assert CHINESE.search(sentence)
    assert CHINESE.search(fix)


def test_every_exit_code_and_reason_is_in_the_catalogue() -> None:
    known = {named(message) for message in messages()}
    sentences = {text for one in FAILURES.values() for text in (one.message, one.fix)}
    assert (sentences | set(REASONS.values())) - known == set()


def test_phrases_inside_findings_are_translated() -> None:
    numbers = {"labelled": 9, "ours": 1, "better": 8}
    with override("zh-hans"):
        sentence, _ = message_and_fix(
            finding("labels_fit_otherwise", method="order", other="id", **numbers)
        )
    assert sentence.startswith("按行序匹配时")


def test_user_input_is_not_translated() -> None:
    with override("zh-hans"):
        assert "id 为 order 的样本" in message_and_fix(finding("id_unknown", id="order"))[0]


@pytest.mark.parametrize("code", ["long gone", "file_too_large"])  # whose parameter is missing
def test_a_finding_of_an_older_scorer_is_shown_as_it_was_stored(code: str) -> None:
    with override("zh-hans"):
        assert message_and_fix(finding(code))[0] == "As it was."


def test_every_text_of_the_scorer_is_in_the_catalogue() -> None:
    said = {phrase for path in (ROOT / "scoring").rglob("*.py") for phrase in phrases_in(path)}
    assert said | set(rows._TYPES.values()) | {"a number"} <= PHRASES


def phrases_in(path: Path) -> Iterator[str]:
    """Texts that are passed as the parameter ``why`` of a problem."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            why = [word.value for word in node.keywords if word.arg == "why"]
            broken = node.args if getattr(node.func, "id", "") == "_broken" else []
            yield from constants([*why, *broken])


def constants(nodes: Sequence[ast.expr]) -> list[str]:
    return [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
