"""The sentences that explain a score."""

from scoring.metrics import Verdict


def test_characters_that_nobody_sees_are_visible_in_a_reason() -> None:
    assert "⟨U+202E⟩b⟨U+0007⟩" in Verdict(0.0, "\u202eb\x07", "mismatch").reason
