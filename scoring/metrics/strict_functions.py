"""``strict``: the function name that a Code.Debug prediction gives where it gives no letter."""

import re

from scoring.metrics.strict_guess import Guess, last_before

_NAME = r"(?P<name>[^\W\d]\w{0,200}(?:(?:\.|::|->)\w{1,200}){0,8})"
_SIGN = r"(?P<sign>\([^()\n]{0,200}\)?)?"  # the brackets of a call or a definition
_NO_WORD = r"(?!(?:in|is|be|the|a|an|that|this|not|most|as|of|on|to|with|none|which|any)\b)"
_NOUN = r"(?:the\s+)?(?:(?:async\s+)?(?:def|function|method|class|procedure|option)\s+)?"

_WHOLE = re.compile(
    rf"[\s*_`\"'“‘>#:]{{0,12}}?{_NOUN}[*`\"'“‘]{{0,4}}{_NO_WORD}{_NAME}{_SIGN}[*`\"'”’:;.,]{{0,6}}"
    r"[ \t]{0,8}(?=[\r\n]|\Z)",
    re.I,
)
_ANNOUNCED = re.compile(
    rf"(?:\b(?:in|as|choose|select|pick|is|be|answer)\b|[:：]|答案是?|选)"
    rf"[\s:：*\"'“‘>#-]{{0,8}}(?:(?:is|in|likely|probably|found in|located in)\s+){{0,2}}{_NOUN}"
    rf"(?P<tick>[*`\"'“‘]{{0,4}}){_NO_WORD}{_NAME}{_SIGN}(?P<close>[*`\"'”’]{{0,4}})",
    re.I,
)
_SUBJECT = re.compile(
    r"(?i)\b(?:(?P<answer>answer|correct|choose|select|pick)|error|bug|mistake|issue|flaw|fault|"
    r"function(?=\s+is\b))\b"
    r"|(?P<chinese>答案|选)"
)
_CODE_LIKE = re.compile(rf"(?P<tick>`?)(?<![\w.]){_NAME}{_SIGN}(?P<close>`?)")
_CLAIM = re.compile(
    r"\s{1,3}(?:function\s+|method\s+)?(?:contains|has|includes)\s+(?:a|an|the)\s+"
    r"(?:(?:most|deliberate|obvious|clear|intentional|and|very)[\s,]+){0,6}(?:error|bug|mistake)\b"
)
_REFUSED = re.compile(r"(?i)\b(?:no|not|none|neither|without|cannot)\b|n['’]t\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,8}\n")


def name_guess(text: str) -> Guess | None:
    """A first line that is a name; a name announced as the answer; one said to have the error."""
    whole = _WHOLE.match(text)
    if whole:
        return _guess(whole, "line")
    return _announced(text) or _claimed(text)


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    return Guess(match["name"], match.start("name"), match.end("name"), way, " ".join(cue.split()))


def _announced(text: str) -> Guess | None:
    """The last name after a word for the answer, or else the first after a word for the error."""
    subjects = list(_SUBJECT.finditer(text))
    starts = [match.start() for match in subjects]
    answers = dict(zip(starts, (bool(s["answer"] or s["chinese"]) for s in subjects), strict=True))
    last = first = None
    for match in _ANNOUNCED.finditer(text):
        start = last_before(starts, match.start(), 120)
        if start is None or not _looks_like_code(text, match) or not _one_clause(text, start, match):
            continue
        guess = _guess(match, "announced", text[start : match.start("name")])
        last = guess if answers[start] else last
        first = first or guess
    return last or first


def _looks_like_code(text: str, match: re.Match[str]) -> bool:
    name = match["name"]
    if "`" in match["tick"]:
        return "`" in match["close"]
    rest = text[match.end() : match.end() + 10]
    ends = not rest[:2].strip(" .\r\n") or rest.startswith((" function", " method"))
    return bool("_" in name or "." in name or match["sign"] or ends)


def _one_clause(text: str, start: int, match: re.Match[str]) -> bool:
    between = text[start : match.start()]
    before = re.split(r"[.;:\n]", text[max(0, start - 60) : start])[-1]
    return not (_SENTENCE_END.search(between) or _REFUSED.search(before) or _REFUSED.search(between))


def _claimed(text: str) -> Guess | None:
    """The last name directly before “contains a deliberate error”."""
    names = {match.end(): match for match in _CODE_LIKE.finditer(text)}
    guess = None
    for claim in _CLAIM.finditer(text):
        match = names.get(claim.start())
        if match and (match["tick"] or "_" in match["name"] or "." in match["name"]):
            guess = _guess(match, "stated", claim[0])
    return guess


def same_name(read: str, wanted: str) -> bool:
    """The same function, with its class or, if only one of the two names a class, without.

    Underscores around a part do not count: Markdown eats them.
    """
    left, right = _parts(read), _parts(wanted)
    shorter = min(len(left), len(right))
    return bool(shorter) and left[-shorter:] == right[-shorter:] and len(right) - len(left) < 2


def _parts(name: str) -> list[str]:
    parts = re.split(r"\.|::|->", name.strip())
    return [part.strip("_").lower() or part for part in parts if part]
