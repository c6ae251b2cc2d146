"""``strict``: the function name that a Code.Debug prediction gives where it gives no letter."""

import re
from itertools import chain, islice

from scoring.metrics.strict.guess import (
    OPTIONS,
    REACH,
    SENTENCE_END,
    SHORT,
    Guess,
    plain,
    tail,
    whole_words,
)

_MOST = 2_000  # phrases that are examined

# All for the lower-case copy of the text.
_NAME = r"(?P<name>[a-z_][a-z0-9_]{0,200}(?:(?:\.|::|->)[a-z0-9_]{1,200}){0,8})"
_SIGN = r"(?P<sign>\([^()\n]{0,200}\)?)?"  # the brackets of a call or a definition
_NO_WORD = (
    r"(?!答案|选|(?:in|is|be|the|an?|th(?:at|is|ese)|not|most|as|o[fn]|to|with|none|which|any|its?|"
    r"here|both|all|unclear|unknown)\b)"
)
_NOUN = r"(?:the\s+)?(?:(?:async\s+)?(?:def|function|method|class|procedure|option)\s+)?"
_FULL = rf"{_NOUN}(?P<tick>[*`\"']{{0,4}}){_NO_WORD}{_NAME}{_SIGN}"

_FENCE = r"(?:\s{0,8}```(?:python|py|text|plaintext|txt)?[ \t]{0,4}\n)?"
_WHOLE = re.compile(
    rf"{_FENCE}[\s*_`\"'>#:]{{0,12}}?{_FULL}[*`\"':;.,!?)\]}}%]{{0,6}}[^\S\n]{{0,8}}(?=\n|\Z)"
)
_LEADING = re.compile(
    rf"{_FENCE}[\s*_`\"'>#:({{\[-]{{0,12}}?{_FULL}(?P<close>[*`\"']{{0,4}})"
    r"(?=[,;:!?)\]}%]|[^\S\n]{1,2}(?:[-(;]|because|since|as\b))"
)
_ANNOUNCED = re.compile(
    r"(?:\b(?:in|as|choose|select|pick|is|be|answer)\b|:|答案是?|选)[\s:*\"'>#-]{0,8}"
    rf"(?:(?:is|in|likely|probably|found in|located in)\s+){{0,2}}{_FULL}"
    r"(?P<close>[*`\"']{0,4})"
)
_ANSWER = re.compile(r"(?:answer|c(?:orrect|hoose)|select|pick|it(?: is|'s)|option(?=\s+is\b))\b")
_CHINESE_ANSWER = re.compile(r"答案|选")
_FAULT = re.compile(r"(?:error|bug|mistake|issue|f(?:law|ault|unction(?=\s+is\b)))\b")
_CLAIM = re.compile(
    r"(?:contains|has|includes)\s+(?:a|an|the)\s+"
    r"(?:(?:most|deliberate|obvious|clear|intentional|and|very)[\s,]+){0,6}(?:error|bug|mistake)\b"
)
_NAME_BEFORE = re.compile(
    rf"(?P<tick>`?)(?<![\w.]){_NAME}{_SIGN}(?P<close>`?)\s{{1,3}}(?:(?:function|method)\s+)?\Z"
)
_REFUSED = re.compile(r"\b(?:no|not|none|neither|without|cannot)\b|n't\b")
_LINE_END = re.compile(r"[.!*\"']{0,4}[ \t]{0,8}(?:[\r\n]|\Z)")
_CLAUSE_END = re.compile(r"[.;:\n]")


def function_name(text: str) -> Guess | None:
    """A first line that is a name; a name announced as the answer; one said to have the error."""
    low = text.lower()
    found = _first(text, low) or _announced(low) or _claimed(low) or _first_sentence(low)
    if not found or text[found.start : found.end] in OPTIONS:
        return None
    return found._replace(text=text[found.start : found.end])


def _guess(match: re.Match[str], way: str, cue: str = "", offset: int = 0) -> Guess:
    start, end = match.span("name")
    return Guess(match["name"], offset + start, offset + end, way, " ".join(cue.split()))


def _first(text: str, low: str) -> Guess | None:
    """A name that is the first line, or one that looks like code at the start of the text."""
    whole = _WHOLE.match(low)
    if whole and text[slice(*whole.span("name"))] not in OPTIONS:
        return _guess(whole, "line")
    leading = _LEADING.match(low)
    return _guess(leading, "leading") if leading and _looks_like_code(leading) else None


def _announced(low: str) -> Guess | None:
    """The last name after a word for the answer, or else the first after a word for the error."""
    answers = list(whole_words(_ANSWER, low, tail(low), len(low)))
    if not low.isascii():
        answers.extend(_CHINESE_ANSWER.finditer(low, tail(low)))
        answers.sort(key=lambda match: match.start())
    faults = islice(whole_words(_FAULT, low, 0, REACH), _MOST)
    for subject in chain(reversed(answers[-_MOST:]), faults):
        match = _ANNOUNCED.search(low, subject.start(), subject.start() + 200)
        if match and _says(low, subject, match):
            return _guess(match, "announced", low[subject.start() : match.start("name")])
    return None


def _says(low: str, subject: re.Match[str], match: re.Match[str]) -> bool:
    """Subject and name are in one sentence that denies nothing, and the name looks like code."""
    between = low[subject.end() : match.start()]
    before = _CLAUSE_END.split(low[max(0, subject.start() - 60) : subject.start()])[-1]
    if SENTENCE_END.search(between) or _REFUSED.search(before) or _REFUSED.search(between):
        return False
    if _looks_like_code(match) or between.strip():
        return _looks_like_code(match)
    if len(low) > SHORT:
        return subject[0] == "answer" and bool(_LINE_END.match(low, match.end()))
    rest = low[match.end() : match.end() + 10]
    return not rest[:2].strip(" .!*\r\n") or rest.startswith((" function", " method"))


def _looks_like_code(match: re.Match[str]) -> bool:
    if "`" in match["tick"]:
        return "`" in match["close"]
    return "_" in match["name"] or "." in match["name"] or bool(match["sign"])


def _claimed(low: str) -> Guess | None:
    """The last name directly before “contains a deliberate error”."""
    for claim in reversed(list(_CLAIM.finditer(low, tail(low)))[-_MOST:]):
        offset = max(0, claim.start() - 100)
        match = _NAME_BEFORE.search(low[offset : claim.start()])
        if match and (match["tick"] or "_" in match["name"] or "." in match["name"]):
            return _guess(match, "stated", claim[0], offset)
    return None


def _first_sentence(low: str) -> Guess | None:
    """The code-like name that a short text's first sentence leads up to, as in “I suspect: a.b”."""
    match = _ANNOUNCED.search(low) if len(low) <= SHORT else None
    if not match or match.start() > 80 or not _looks_like_code(match):
        return None
    before = low[: match.start()]
    if SENTENCE_END.search(before) or _REFUSED.search(before):
        return None
    return _guess(match, "announced", before)


def same_name(read: str, wanted: str) -> bool:
    """The same function, with its class or, if only one of the two names a class, without.

    Underscores around a part do not count: Markdown eats them.
    """
    if _letters(read) == _letters(wanted) != "":
        return True
    left, right = _parts(read), _parts(wanted)
    shorter = min(len(left), len(right))
    return bool(shorter) and left[-shorter:] == right[-shorter:] and len(right) - len(left) < 2


def _letters(name: str) -> str:
    """Some labels have lost the dot before the method."""
    return re.sub(r"[\W_]", "", name).lower()


def _parts(name: str) -> list[str]:
    parts = re.split(r"\.|::|->", plain(name).strip())
    return [part.strip("_").lower() or part for part in parts if part]
