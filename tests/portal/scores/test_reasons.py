"""The reasons of verdicts in both languages."""

import re

from django.utils import translation

from portal.scores.questions.reasons import reason_text
from scoring.metrics import METRIC_SETS, Verdict, score_example

ANSWERS = [
    ("passkey", "no idea", "12345"),
    ("kv_retrieval", "", "b"),
    ("code_run", "", 4),
    ("math_find", "none", 4),
    ("code_debug", "…", ["f", "B"]),
    ("longdialogue_qa_eng", "", ["BOB"]),
    ("longbook_qa_chn", "好", ["好人"]),
    ("math_calc", "1, 2", [1, 3]),
]


def test_reasons_are_the_scorer_s_sentences() -> None:
    for metric_set in METRIC_SETS:
        for task, prediction, answer in ANSWERS:
            verdict = score_example(metric_set, task, prediction, answer)
            assert reason_text(verdict) == verdict.reason


def test_control_characters_of_an_answer_are_visible() -> None:
    said = reason_text(Verdict(0.0, "\u202eb\x07", "mismatch"))
    assert "⟨U+202E⟩b⟨U+0007⟩" in said


def test_no_phrase_stays_english() -> None:
    with translation.override("zh-hans"):
        for metric_set in METRIC_SETS:
            for task, prediction, answer in ANSWERS:
                said = reason_text(score_example(metric_set, task, prediction, answer))
                words = re.findall("[A-Za-z]{2,}", re.sub("“[^”]*”", "", said))
                assert not set(words) - {"UUID", "token"}, said
