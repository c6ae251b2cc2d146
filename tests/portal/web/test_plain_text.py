"""Names that people type: they can be seen, and none hides behind what cannot."""

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


def refused(text: str) -> str:
    with pytest.raises(ValidationError) as error:
        PlainText().clean(text)
    return str(error.value.messages[0])


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_refused_and_spelled_out(name: str) -> None:
    message = refused(UNSEEN[name])
    assert message.startswith("Leave out the characters that cannot be seen: ")
    assert "⟨U+" in message


def test_a_tower_of_marks_is_refused() -> None:
    assert "no more than three" in refused("a" + 100 * "\u0489")


def test_marks_on_nothing_are_no_name() -> None:
    assert "at least one" in refused("\u0489")


@pytest.mark.parametrize(
    "name", ["GPT-4", "通义千问", "Llama ✓", "नमस्ते", "ผู้ใหญ่", "Ṩ̄é", "שָׁלוֹם", "ﬁne", "🦙"]
)
def test_names_of_all_scripts_are_taken(name: str) -> None:
    assert PlainText().clean(name)


def test_nothing_is_nothing_where_it_may_be_left_out() -> None:
    assert PlainText(required=False).clean(" ") == ""
