"""``make messages``: the Chinese catalogue, brought up to date with the code and compiled.

What is found here is also what the tests of languages compare with. Nothing of the system is
needed: templates are taken apart by Django, Python by itself, catalogues are Babel's.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from portal.evaluations.failures import FAILURES
from scoring.endpoint.connection.report import SENTENCES
from scoring.metrics import REASONS
from scoring.problems import PROBLEMS
from tests.support.paths import ROOT

LANGUAGE = "zh_Hans"
PO = ROOT / "locale" / LANGUAGE / "LC_MESSAGES" / "django.po"
MO = PO.with_suffix(".mo")

_FOLDERS = ("leaderboard", "portal")
# Name of a function → how many of its first arguments are texts.
_FUNCTIONS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2}
_CALL = re.compile(r"\b(?:n?gettext|_)\((?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^()'\"])*\)")
_WIDTH = 100


class Text(NamedTuple):
    """Something that a page says."""

    place: str  # the file, as the catalogue names it
    singular: str
    plural: str = ""


# What packages say on our pages, and do not say in Chinese, or in other words than we do.
_OF_PACKAGES = [
    Text("allauth/account/forms.py", "Username or email"),
    Text(
        "django/contrib/auth/password_validation.py",
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    Text("django/core/validators.py", "Enter a valid email address."),
]
# The scorer knows of no language but English: its sentences are translated where pages show them.
_OF_THE_SCORER: Mapping[str, list[str]] = {
    "portal/evaluations/failures.py": [
        text for one in FAILURES.values() for text in (one.message, one.fix)
    ],
    "scoring/endpoint/connection/report.py": list(SENTENCES.values()),
    "scoring/metrics/verdict.py": list(REASONS.values()),
    "scoring/problems.py": [
        text for one in PROBLEMS.values() for text in (one.message, one.fix, one.one) if text
    ],
}


def all_texts() -> list[Text]:
    """Every text of templates, code and scorer; one that is used twice is there twice."""
    of_the_scorer = _OF_THE_SCORER.items()
    found = [
        *_OF_PACKAGES,
        *(Text(place, text) for place, texts in of_the_scorer for text in texts),
    ]
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found += _in_code(path.read_text(encoding="utf-8"), _name(path))
    for path in sorted((ROOT / "templates").rglob("*.*")):
        found += in_template(path.read_text(encoding="utf-8"), _name(path))
    return sorted(found)


def in_template(source: str, place: str) -> Iterator[Text]:
    """Django turns it into calls of gettext with much between them that is not Python."""
    for call in _CALL.findall(templatize(source, origin=place)):
        yield from _in_code(call, place)


def _in_code(source: str, place: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            arguments = node.args[: _FUNCTIONS.get(node.func.id, 0)]
            texts = [str(one.value) for one in arguments if isinstance(one, ast.Constant)]
            if texts:
                yield Text(place, *texts)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read_catalogue() -> Catalog:
    with PO.open("rb") as file:
        return read_po(file, locale=LANGUAGE)


def compiled(catalog: Catalog) -> bytes:
    """The file that Django reads."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def brought_up_to_date(old: Catalog) -> Catalog:
    """With every text of today and no other; what is new has no translation yet."""
    new = Catalog(locale=LANGUAGE, fuzzy=False)
    for place, singular, plural in all_texts():
        known = old.get(singular)
        text = (singular, plural) if plural else singular
        new.add(text, known.string if known else None, locations=[(place, 0)])
    return new


def untranslated(catalog: Catalog) -> list[str]:
    return [texts_of(message.id)[0] for message in catalog if not all(texts_of(message.string))]


def texts_of(texts: str | Sequence[str] | None) -> list[str]:
    """One, or those of singular and plural."""
    return [texts] if isinstance(texts, str) else list(texts or [""])


def main() -> None:
    # The glossary, and what Babel has to know.
    head = PO.read_text(encoding="utf-8").split("\n\n")[0]
    if "Content-Type:" not in head:
        raise SystemExit(f"{PO} has lost its header: take it from an older version.")
    catalog = brought_up_to_date(read_catalogue())
    body = BytesIO()
    write_po(body, catalog, width=_WIDTH, omit_header=True, include_lineno=False)
    PO.write_text(f"{head}\n\n{body.getvalue().decode().strip()}\n", encoding="utf-8")
    MO.write_bytes(compiled(read_catalogue()))
    missing = untranslated(catalog)
    print(f"{len(catalog)} texts, {len(missing)} without a translation", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
