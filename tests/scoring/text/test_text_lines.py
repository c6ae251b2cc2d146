"""Lines by number, and numbers of lines, as in the split text."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import text_lines
from scoring.text.text_lines import byte_of_line, count_lines, line_of_byte


@given(st.text("ab\n文", max_size=50), st.integers(1, 9))
def test_lines_are_those_of_the_split_text(text: str, piece: int) -> None:
    file, data = io.BytesIO(text.encode()), text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "PIECE", piece)
        lines = count_lines(file)
        split = data.split(b"\n")
        assert lines.total == len(split)
        begin = 0
        for number, line in enumerate(split, 1):
            assert byte_of_line(file, lines, number) == begin
            for place in range(begin, begin + len(line) + (number < len(split))):
                assert line_of_byte(file, lines, place) == number
            begin += len(line) + 1
        assert line_of_byte(file, lines, len(data)) == len(split)


@pytest.mark.parametrize("line", [0, 4, -1])
def test_other_lines_are_refused(line: int) -> None:
    file = io.BytesIO(b"one\ntwo\n")
    with pytest.raises(ValueError, match="3"):
        byte_of_line(file, count_lines(file), line)
