"""``strict`` for Retrieve.KV and Code.Run: the one value that a prediction gives as its answer."""

import re

from scoring.labels import Texts
from scoring.metrics.rule import Question
from scoring.metrics.strict_guess import Guess, judged, last_before, read_guess
from scoring.metrics.verdict import Verdict

_UUID = re.compile(
    r"(?i)(?<![0-9a-z-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z-])"
)
_KEY_BEFORE = re.compile(
    r"(?i)(?:\bkeys?\b(?:\s+(?:is|of|was))?|\bvalue\s+(?:associated\s+with|corresponding\s+to|"
    r"mapped\s+to|assigned\s+to|paired\s+with|stored\s+under|for|of|at|under)(?:\s+the)?|键|鍵)"
    r"[\s:：*_`\"'“‘(\[{]{0,8}\Z"
)
_KEY_AFTER = re.compile(
    r"[\s*_`\"'”’)\]}]{0,6}(?::|=>?|->|→|\bmaps to\b|\bcorresponds to\b|\bis associated with\b|\bhas(?: the)? value\b)"
    r"(?:\s+the)?(?:\s+value)?[\s:*_`\"'“‘(\[{]{0,6}[0-9a-fA-F]{8}-"
)
_FINAL = re.compile(r"(?i)\banswer\b(?:\s+is)?[\s:：*_`\"'“‘(\[{]{0,10}\Z|答案是?[:：\s\"'“]{0,6}\Z")


def key_value(prediction: str, label: str | Texts, question: Question) -> Verdict:
    """Retrieve.KV: the first UUID that is not called the key, or the one called the answer."""
    wanted = (label if isinstance(label, str) else label[0]).lower()
    guess = read_guess(prediction, _value)
    return judged(guess, lambda read: read.lower() == wanted, "a UUID")


def _value(text: str) -> Guess | None:
    found = list(_UUID.finditer(text))
    keys = {match[0].lower() for match in found if _is_key(text, match)}
    values = [match for match in found if match[0].lower() not in keys] or found[-1:]
    for match in reversed(values):
        before = text[max(0, match.start() - 40) : match.start()]
        final = _FINAL.search(before)
        if final:
            return Guess(match[0], *match.span(), "announced", " ".join(final[0].split()))
    return Guess(values[0][0], *values[0].span(), "first") if values else None


def _is_key(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 60) : match.start()]
    return bool(_KEY_AFTER.match(text, match.end()) or _KEY_BEFORE.search(before))



_DIGITS = r"[+\-−–‐‑﹣－＋]?\d{1,4000}(?:\.0{1,20}(?!\d))?"
_END = r"(?![A-Za-z0-9_ƒ]|[.,]\d)"
_NUMBER = rf"(?<![A-Za-z0-9_ƒ.,])(?P<number>{_DIGITS}){_END}"
_GAP = r"[\s*_`\"'“‘(\[{$\\:：=]{0,12}(?:(?:exactly|simply|therefore|thus|likely)\s)?"

_CALL = re.compile(r"\b[^\W\d]\w{0,60}\([^()\n]{0,60}\)|\b[^\W\d]\w{0,60}")  # no digit in it counts
_BOXED = re.compile(rf"\\(?:boxed|fbox)\s?\{{\s{{0,4}}{_NUMBER}")
_BARE = re.compile(rf"(?:\s{{0,8}}```\w{{0,10}}\n)?{_GAP}{_NUMBER}[*_`\"'”’)\]}}$.。]{{0,8}}[ \t]{{0,20}}(?=[\r\n]|\Z)")
_LEADING = re.compile(rf"{_GAP}{_NUMBER}(?!\.\s{{1,3}}[A-Zƒ])")
_ANNOUNCED = re.compile(
    rf"(?i)(?:\b(?:is|be|equals?|to|returns?|returned|gives|yields|as|answer)\b|[:：=→]|->|为|是)"
    rf"{_GAP}{_NUMBER}"
)
_SUBJECT = re.compile(
    r"(?i)\b(?P<strong>answer|values?|result|output|return|number)\b|答案|结果|返回值"
    r"|\b(?:returns|returned|yields|gives|equals|evaluates)\b|(?<!\bx)(?<!\bx )="
)
_CHAIN = re.compile(
    rf"(?:[\s*_`]{{0,4}}(?P<sign>[-+*/×−–]|=|→|->)[\s*_`(]{{0,4}}(?P<number>{_DIGITS})"
    rf"{_END}[)`*]{{0,3}}){{1,40}}"
)
_AT_END = re.compile(rf"{_NUMBER}[\s*_`\"'”’)\]}}$.。!]{{0,8}}\Z")
_PART_OF = re.compile(  # of a list or of a calculation
    r"(?:\d\s{0,2}(?:[,;/|]|\s|\bor\b|\band\b){1,3}|[-+*/×−]\s{0,2})\Z"
)
_HEDGED = re.compile(rf"[\s*_`\"']{{0,6}}(?:,|/|\bor\b|\band\b)[\s*_`\"']{{0,6}}{_DIGITS}(?!\w)")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,8}\n")
_INPUT = re.compile(r"(?i)\b(?:inputs?|arguments?|parameters?|pass(?:ed|ing)|when|if|for|with|since|because)\b")
_UNKNOWN = re.compile(
    r"(?i)\b(?:value|answer|result)\s+is[\s:*`\[]{0,6}(?:undefined|unknown|not|n/?a\b|none|null|"
    r"cannot|indeterminate|unavailable)"
)
_REFUSED = re.compile(
    r"(?i)\b(?:cannot|unable|undefined|unknown|not (?:defined|provided|exist|available|possible)|"
    r"no (?:function|definition))\b|n['’]t\b"
)
_SIGNS = str.maketrans("−–‐‑﹣－＋", "------+")


def code_run(prediction: str, label: int, question: Question) -> Verdict:
    """Code.Run: the whole number given as the return value; no digit of a name or an argument."""
    guess = read_guess(prediction, _integer)
    return judged(guess, lambda read: _as_int(read) == label, "a whole number")


def _as_int(read: str) -> int:
    return int(read.translate(_SIGNS).partition(".")[0])


def _integer(text: str) -> Guess | None:
    bare = _CALL.sub(lambda match: _masked(match[0]), text)
    for find in (_boxed, _whole_line, _announced, _leading, _last):
        guess = find(bare)
        if guess:
            return guess
    return None


def _masked(call: str) -> str:
    """A call as a word of its length; other words as they are, for the cues."""
    return "ƒ" * len(call) if call[-1] == ")" or any(map(str.isdigit, call)) else call


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    return Guess(match["number"], *match.span("number"), way, " ".join(cue.split()))


def _boxed(text: str) -> Guess | None:
    matches = list(_BOXED.finditer(text))
    return _guess(matches[-1], "boxed") if matches else None


def _whole_line(text: str) -> Guess | None:
    match = _BARE.match(text)
    return _guess(match, "leading") if match else None


def _announced(text: str) -> Guess | None:
    """The last number that a phrase about the answer or the returned value leads up to."""
    guess = _last_announced(text, strong=True)
    unknown = guess and _UNKNOWN.search(text, guess.end)
    return None if unknown else guess


def _last_announced(text: str, *, strong: bool) -> Guess | None:
    subjects = [s.start() for s in _SUBJECT.finditer(text) if s["strong"] or not strong]
    guess = None
    for match in _ANNOUNCED.finditer(text):
        start = last_before(subjects, match.start(), 120)
        if start is not None and _leads_up(text[start : match.start()]):
            guess = _worked_out(text, match, text[start : match.start("number")]) or guess
    return guess


def _leads_up(between: str) -> bool:
    return not (_SENTENCE_END.search(between) or _INPUT.search(between))


def _worked_out(text: str, match: re.Match[str], cue: str) -> Guess | None:
    """The number, or the end of the calculation that it starts; None for one of several."""
    if _HEDGED.match(text, match.end("number")):
        return None
    chain = _CHAIN.match(text, match.end("number"))
    if not chain:
        return _guess(match, "announced", cue)
    return _guess(chain, "announced", cue) if chain["sign"] in "=→->" and chain["sign"] != "-" else None


def _leading(text: str) -> Guess | None:
    match = _LEADING.match(text)
    if not match or _HEDGED.match(text, match.end("number")):
        return None
    return None if _CHAIN.match(text, match.end("number")) else _guess(match, "leading")


def _last(text: str) -> Guess | None:
    """The last number that something is said to return or to equal, or else the last word.

    Never in a text that says that it has no answer.
    """
    if _REFUSED.search(text) or _UNKNOWN.search(text):
        return None
    return _last_announced(text, strong=False) or _last_word(text)


def _last_word(text: str) -> Guess | None:
    tail = text.rstrip()[-80:]
    offset = len(text.rstrip()) - len(tail)
    match = _AT_END.search(tail)
    if not match or _PART_OF.search(tail[: match.start("number")]):
        return None
    start, end = match.span("number")
    return Guess(match["number"], offset + start, offset + end, "last")
