"""Texts that are near copies of each other."""

import pytest

from scoring.item_analysis.near_copies import nearly_equal, normal_form, shingles

TEXT = "She had promised the lighthouse keeper that the letters would never be read aloud."


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (TEXT.upper().replace(".", " !"), True),
        (TEXT.replace("lighthouse", "lighthause").replace("never", "nevar"), True),
        (TEXT.replace("She had", "Well, she had"), True),
        ("The keeper of the lighthouse read her letters aloud, as she had promised.", False),
        (f"{TEXT} {TEXT} {TEXT}", False),
        ("", False),
    ],
)
def test_few_changed_characters_leave_a_text_nearly_the_same(other: str, expected: bool) -> None:
    one, another = (shingles(normal_form(text)) for text in (TEXT, other))
    assert nearly_equal(one, another) is nearly_equal(another, one) is expected


def test_chinese_texts_are_compared_too() -> None:
    text = "他答应过灯塔看守人，这些信永远不会被人大声朗读出来。"
    one, changed, other = (
        shingles(normal_form(each))
        for each in (text, text.replace("永远", "永久"), "看守人把那些信都烧掉了，谁也没有读过。")
    )
    assert nearly_equal(one, changed)
    assert not nearly_equal(one, other)
