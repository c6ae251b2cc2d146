"""``strict`` for En.MC and Code.Debug: one letter, or, where no letter is given, one text.

The order of evidence, first found counts: a boxed letter; a first line that is nothing but a
letter; a last sentence that concludes with a letter; the last letter announced as the answer; a
last line that is a letter or begins with a marked one (``_closing``); a letter at the start; the
last letter said to have the error or to be right; the only option that a short text names, where
the options of the example are known; a text announced as the answer (before that option in
Code.Debug: a name); the only letter of a short text; the first line.
Where letter and text are both given the letter decides, so that no constant can be a letter for
one example and a text for another.
"""

import re
from collections.abc import Callable
from itertools import islice

from scoring.labels import Choice
from scoring.metrics.strict.function_names import function_name, same_name
from scoring.metrics.strict.guess import OPTIONS, Guess, OneGuess, Options, plain, tail
from scoring.metrics.strict.letters import letter_guess, sole_letter
from scoring.metrics.strict.options import CODE, PROSE, sole_option

TEXT_LIMIT = 1000  # characters; the longest option of the public release has 153

_TEXT_CUE = re.compile(  # in lower case
    r"(?:\b(?:answer(?!\s(?:options|choices))|option|choice)\b[^.\n:]{0,60}?(?:\b(?:is|was|be)\b|:)|"
    r"答案?(?:应该)?(?:是|为|:))[\s:*_`#>]{0,8}"
)
_OPTION_MARK = re.compile(
    r"(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s?:?\s{0,4})?(?:[(\[]?[A-Z][.):][ \t]{0,4})?"
)
_CLAUSE = re.compile(  # what may follow the text of an option
    r"[\s*_`\"'.)\]}]*(?:\Z|(?<=[.)\]\"*`])|[!?;:,(\[\n]|-\s|"
    r"(?:because|since|as|which|who|that|is|was|and|but|so)\b)"
)
_ARTICLES = ("a", "an", "the")


def option_guess(text: str, options: Options) -> Guess | None:
    """En.MC: the letter, or else the text."""
    return (
        letter_guess(text)
        or sole_option(text, options, PROSE)
        or _announced_text(text)
        or sole_letter(text)
        or _first_line(text)
    )


def says(read: str, wanted: str) -> bool:
    """The text read is the wanted one, word by word, up to the end of one of its clauses.

    Case, punctuation, marks of emphasis and an article at the start do not count.
    """
    words = [word for word, _ in _words(plain(wanted), len(wanted))]
    found = _words(read, len(words))
    return [word for word, _ in found] == words != [] and bool(_CLAUSE.match(read, found[-1][1]))


def _words(text: str, count: int) -> list[tuple[str, int]]:
    """The first lower-case words, each with its end, without an article at the start."""
    found = [(word[0].lower(), word.end()) for word in islice(PROSE.finditer(text), count + 1)]
    if len(found) > 1 and found[0][0] in _ARTICLES:
        del found[0]
    return found[:count]


def _announced_text(text: str) -> Guess | None:
    """The rest of the line after the last phrase like “the answer is”."""
    for match in reversed(list(_TEXT_CUE.finditer(text.lower(), tail(text)))):
        found = _line_from(text, match.end())
        if found:
            return Guess(*found[:3], "announced", " ".join(match[0].split()))
    return None


def _first_line(text: str) -> Guess | None:
    """The first line, without a mark such as “E.” before it."""
    start = len(text) - len(text.lstrip())
    mark = _OPTION_MARK.match(text, start)
    found = _line_from(text, mark.end() if mark else start)
    return Guess(*found, "line") if found and found[0] not in OPTIONS else None


def _line_from(text: str, start: int) -> tuple[str, int, int] | None:
    end = text.find("\n", start, start + TEXT_LIMIT)
    line = text[start : end if end >= 0 else start + TEXT_LIMIT].rstrip()
    return (line, start, start + len(line)) if line else None


def function_guess(text: str, options: Options) -> Guess | None:
    """Code.Debug: the letter, or else the name of the function."""
    return (
        letter_guess(text)
        or function_name(text)
        or sole_option(text, options, CODE)
        or sole_letter(text)
    )


def _is_right(same_text: Callable[[str, str], bool]) -> Callable[[str, Choice], bool]:
    """A letter is compared with the label's letter, anything else with its text."""
    return lambda read, label: read == label[1] if read in OPTIONS else same_text(read, label[0])


multiple_choice = OneGuess(option_guess, _is_right(says), "an option")
code_debug = OneGuess(function_guess, _is_right(same_name), "an option")
