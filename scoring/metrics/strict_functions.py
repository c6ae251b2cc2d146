"""``strict``: the function name that a Code.Debug prediction gives where it gives no letter."""

import re

from scoring.metrics.strict_guess import REACH, SHORT, Guess, tail

_MOST = 2_000  # phrases that are followed up
_NAME = r"(?P<name>[^\W\d]\w{0,200}(?:(?:\.|::|->)\w{1,200}){0,8})"
_SIGN = r"(?P<sign>\([^()\n]{0,200}\)?)?"  # the brackets of a call or a definition
_NO_WORD = r"(?!(?:in|is|be|the|a|an|that|this|not|most|as|of|on|to|with|none|which|any)\b)"
_NOUN = r"(?:the\s+)?(?:(?:async\s+)?(?:def|function|method|class|procedure|option)\s+)?"

_WHOLE = re.compile(
    rf"[\s*_`\"'“‘>#:]{{0,12}}?{_NOUN}[*`\"'“‘]{{0,4}}{_NO_WORD}{_NAME}{_SIGN}[*`\"'”’:;.,!?。)\]}}%]{{0,6}}"
    r"[^\S\n]{0,8}(?=\n|\Z)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"[\s*_`\"'“‘>#:({{\[-]{{0,12}}?{_NOUN}(?P<tick>[*`\"'“‘]{{0,4}}){_NO_WORD}{_NAME}{_SIGN}"
    r"(?P<close>[*`\"'”’]{0,4})(?=[,;:!?。)\]}%]|[^\S\n]{1,2}(?:[-(–—]|because|since|as\b))",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    rf"(?:\b(?:in|as|choose|select|pick|is|be|answer)\b|[:：]|答案是?|选)"
    rf"[\s:：*\"'“‘>#-]{{0,8}}(?:(?:is|in|likely|probably|found in|located in)\s+){{0,2}}{_NOUN}"
    rf"(?P<tick>[*`\"'“‘]{{0,4}}){_NO_WORD}{_NAME}{_SIGN}(?P<close>[*`\"'”’]{{0,4}})",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?i)\b(?:answer|correct|choose|select|pick|it is|it['’]s|option(?=\s+is\b))\b|答案|选"
)
_FAULT = re.compile(r"(?i)\b(?:error|bug|mistake|issue|flaw|fault|function(?=\s+is\b))\b")
_CLAIM = re.compile(
    r"(?:contains|has|includes)\s+(?:a|an|the)\s+"
    r"(?:(?:most|deliberate|obvious|clear|intentional|and|very)[\s,]+){0,6}(?:error|bug|mistake)\b"
)
_NAME_BEFORE = re.compile(
    rf"(?P<tick>`?)(?<![\w.]){_NAME}{_SIGN}(?P<close>`?)\s{{1,3}}(?:(?:function|method)\s+)?\Z"
)
_REFUSED = re.compile(r"(?i)\b(?:no|not|none|neither|without|cannot)\b|n['’]t\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,8}\n")
_CLAUSE_END = re.compile(r"[.;:\n]")


def name_guess(text: str) -> Guess | None:
    """A first line that is a name; a name announced as the answer; one said to have the error."""
    whole = _WHOLE.match(text)
    if whole and whole["name"] not in ("A", "B", "C", "D"):
        return _guess(whole, "line")
    leading = _LEADING.match(text)
    if leading and _looks_like_code(leading):
        return _guess(leading, "leading")
    return _announced(text) or _claimed(text) or _first_sentence(text)


def _guess(match: re.Match[str], way: str, cue: str = "", offset: int = 0) -> Guess:
    start, end = match.span("name")
    return Guess(match["name"], offset + start, offset + end, way, " ".join(cue.split()))


def _announced(text: str) -> Guess | None:
    """The last name after a word for the answer, or else the first after a word for the error."""
    answers = list(_ANSWER.finditer(text, tail(text)))[-_MOST:]
    faults = list(_FAULT.finditer(text, 0, REACH))[:_MOST]
    for subject in (*reversed(answers), *faults):
        match = _ANNOUNCED.search(text, subject.start(), subject.start() + 200)
        if match and _says(text, subject, match):
            return _guess(match, "announced", text[subject.start() : match.start("name")])
    return None


def _says(text: str, subject: re.Match[str], match: re.Match[str]) -> bool:
    """Subject and name stand in one sentence that denies nothing, and the name looks like one."""
    between = text[subject.end() : match.start()]
    before = _CLAUSE_END.split(text[max(0, subject.start() - 60) : subject.start()])[-1]
    if _SENTENCE_END.search(between) or _REFUSED.search(before) or _REFUSED.search(between):
        return False
    if _looks_like_code(match) or len(text) > SHORT or between.strip():
        return _looks_like_code(match)
    return _ends_clause(text, match.end())


def _looks_like_code(match: re.Match[str]) -> bool:
    if "`" in match["tick"]:
        return "`" in match["close"]
    return "_" in match["name"] or "." in match["name"] or bool(match["sign"])


def _ends_clause(text: str, end: int) -> bool:
    rest = text[end : end + 10]
    return not rest[:2].strip(" .\r\n") or rest.startswith((" function", " method"))


def _claimed(text: str) -> Guess | None:
    """The last name directly before “contains a deliberate error”."""
    for claim in reversed(list(_CLAIM.finditer(text, tail(text)))[-_MOST:]):
        offset = max(0, claim.start() - 100)
        match = _NAME_BEFORE.search(text[offset : claim.start()])
        if match and (match["tick"] or "_" in match["name"] or "." in match["name"]):
            return _guess(match, "stated", claim[0], offset)
    return None


def _first_sentence(text: str) -> Guess | None:
    """The code-like name that a short text's first sentence leads up to, as in “I suspect: a.b”."""
    match = _ANNOUNCED.search(text) if len(text) <= SHORT else None
    if not match or match.start() > 80 or not _looks_like_code(match):
        return None
    before = text[: match.start()]
    if _SENTENCE_END.search(before) or _REFUSED.search(before):
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
    parts = re.split(r"\.|::|->", name.strip())
    return [part.strip("_").lower() or part for part in parts if part]
