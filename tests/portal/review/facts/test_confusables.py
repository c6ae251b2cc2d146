"""Names that people can confuse."""

import pytest

from portal.review.facts.confusables import mixed_script_words, skeleton


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("GPT-4", "G\u0420\u0422-4"),  # Cyrillic
        ("GPT-4", "GPT\u20114"),  # a non-breaking hyphen
        ("GPT-4", "\uff27\uff30\uff34\uff0d\uff14"),  # full-width
        ("ChatGLM3-6B-128K", "ChatGLM3\u20136B\u2013128K"),
        ("OpenAI", "Open\u0410I"),
        ("OpenAI", "\u039fpen\u0391\u0399"),  # Greek
        ("Llama 3", "LIama 3"),
        ("Llama 3", "L\u200blama\u00a03"),
        ("Gemini", "Ge\u0301mini"),
        ("Claude 2", "CLAUDE_2"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("GPT-4", "GPT-3"), ("Command R", "Command R+"), ("通义千问", "通义万相"), ("Yi", "Y"),
        ("...", "!!!"), ("Кандинский", "Kandinsky"),
    ],
)  # fmt: skip
def test_different_names_have_different_skeletons(name: str, other: str) -> None:
    assert skeleton(name) != skeleton(other)


def test_a_name_without_letters_is_its_own_skeleton() -> None:
    assert skeleton("∞") == "∞"
    assert skeleton("...") == "..."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("G\u0420T-4", ["G\u0420T"]),
        ("Open\u0410I of K\u03bfrea", ["Open\u0410I", "K\u03bfrea"]),
        ("通义Qwen 7B", []),
        ("Llama β", []),
        ("ГигаЧат Max", []),
        ("", []),
    ],
)
def test_words_of_several_scripts_are_found(text: str, words: list[str]) -> None:
    assert mixed_script_words(text) == words
