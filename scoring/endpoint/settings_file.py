"""The file of settings: YAML with the settings of a run and what its page asks for besides.

The site fills in its page from it, and the command takes the settings. In the API the other fields
stand beside the settings, as on the page.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import yaml

from scoring.endpoint.settings import (
    HALVES,
    PAGE_FIELDS,
    RunSettings,
    SettingsError,
    settings_document,
    settings_of,
    short_name,
    text_reader,
)

LARGEST_FILE = 1 << 18  # characters of YAML; twelve long templates have a tenth of it


@dataclass(frozen=True, slots=True)
class PageFields:
    """No prompt and no answer depends on them. Empty: the file does not say it."""

    release: str = ""  # by its name in addresses, as is the next
    language_model: str = ""
    method: str = ""
    note: str = ""
    same_questions_as: str = ""  # the id of a run of the site


class SettingsFile(NamedTuple):
    settings: RunSettings
    page: PageFields


def settings_text(settings: RunSettings, page: PageFields | None = None) -> str:
    """As YAML; ``read_settings_file`` restores the same settings."""
    around = {name: text for name, text in asdict(page or PageFields()).items() if text}
    document = {**around, **settings_document(settings)}
    return yaml.dump(document, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True)


def read_settings(text: str) -> RunSettings:
    """The settings alone. Raises ``SettingsError``, which names what is wrong."""
    return read_settings_file(text).settings


def read_settings_file(text: str) -> SettingsFile:
    """Raises ``SettingsError``, which names what is wrong."""
    page, document = split_document(yaml_document(text))
    return SettingsFile(settings_of(document), page)


def split_document(document: object) -> tuple[PageFields, object]:
    """The fields that only the page asks for, and the document of the settings alone, which is not
    checked. Raises ``SettingsError``."""
    if not isinstance(document, dict):
        return PageFields(), document
    found = {}
    for name, longest in PAGE_FIELDS.items():
        try:
            found[name] = text_reader(longest)(document.get(name) or "")
        except ValueError as error:
            raise SettingsError(f"“{name}” {error}.") from error
    return PageFields(**found), {
        name: value for name, value in document.items() if name not in PAGE_FIELDS
    }


def yaml_document(text: str) -> object:
    """The content of the YAML, unchecked. Raises ``SettingsError``."""
    if len(text) > LARGEST_FILE:
        raise SettingsError(f"The settings are longer than {LARGEST_FILE:,} characters.")
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a safe loader that refuses even more
    except RecursionError as error:
        raise SettingsError("The settings are nested too deeply.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        what = getattr(error, "problem", None) or "it cannot be read"
        raise SettingsError(f"This is not YAML as it is used here{where}: {what}.") from error
    except ValueError as error:  # of a date or a number that is none
        raise SettingsError(f"This is not YAML as it is used here: {error}.") from error
    except (LookupError, AttributeError, ArithmeticError) as error:  # where PyYAML trips over one
        raise SettingsError(
            "This is not YAML as it is used here: a value is not of its type."
        ) from error


class _Loader(yaml.SafeLoader):
    """Refuses aliases, which can stand for more than any memory holds, halves of characters, and
    names given twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not read")
        return super().compose_node(parent, index)

    def compose_scalar_node(self, anchor: dict[Any, yaml.Node]) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if HALVES.search(node.value):
            raise yaml.MarkedYAMLError(
                problem="a text has half of a character", problem_mark=node.start_mark
            )
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for name, times in names.most_common(1):
            if times > 1:
                raise yaml.MarkedYAMLError(
                    problem=f"“{short_name(name)}” is there twice", problem_mark=node.start_mark
                )
        return super().construct_mapping(node, deep)
