"""Names that people type are visible, and none is disguised by invisible characters."""

import pytest
from django.core.exceptions import ValidationError

from portal.web.fields import PlainText

UNSEEN = {
    "a blank of Braille": "\u2800",
    "a filler of Hangul": "\u3164",
    "half a filler": "\uffa0",
    "another filler": "\u115f",
    "a joiner of graphemes": "GPT\u034f-4",
    "a selector of variants": "GPT-4\ufe0f",
    "one of the later selectors": "GPT-4\U000e0100",
    "a vowel of Khmer that is not written": "GPT-4\u17b4",
    "a selector of Mongolian": "GPT-4\u180b",
    "a space without width": "GPT\u200b-4",
    "text turned round": "GPT\u202e4-",
}


def refused(text: str) -> ValidationError:
    with pytest.raises(ValidationError) as error:
        PlainText().clean(text)
    [found] = error.value.error_list
    return found


@pytest.mark.parametrize("name", UNSEEN)
def test_invisible_characters_are_refused_and_named(name: str) -> None:
    error = refused(UNSEEN[name])
    assert error.code == "unseen"
    assert "⟨U+" in error.messages[0]


def test_stacked_combining_marks_are_refused() -> None:
    assert refused("a" + 100 * "\u0489").code == "marks"


def test_combining_marks_without_a_base_are_refused() -> None:
    assert refused("\u0489").code == "nothing"


@pytest.mark.parametrize(
    "name", ["GPT-4", "通义千问", "Llama ✓", "नमस्ते", "ผู้ใหญ่", "Ṩ̄é", "שָׁלוֹם", "ﬁne", "🦙"]
)
def test_names_in_all_scripts_are_accepted(name: str) -> None:
    assert PlainText().clean(name)


def test_an_optional_field_may_be_empty() -> None:
    assert PlainText(required=False).clean(" ") == ""
