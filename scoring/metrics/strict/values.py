"""``strict`` for Retrieve.KV, Code.Run and the numbers of En.QA and Zh.QA: the one value that a
prediction gives as its answer."""

import re

from scoring.labels import Texts
from scoring.metrics.strict.guess import (
    REACH,
    SENTENCE_END,
    Guess,
    LeadIn,
    OneGuess,
    Options,
    from_end,
    sentence_start,
    whole_words,
    words,
)

# All patterns but those for numbers are for the lower-case copy of the text.
_UUID = re.compile(
    r"(?<![0-9a-z-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z-])"
)
_KEY_CUE = ("key", "value", "键")  # the words with which the next pattern begins
_KEY_BEFORE = re.compile(
    r"(?:\bkeys?\b(?:\s+(?:is|of|was))?|\bvalue\s+(?:associated\s+with|corresponding\s+to|"
    r"mapped\s+to|assigned\s+to|paired\s+with|stored\s+under|for|of|at|under)(?:\s+the)?|键)"
    r"[\s:*_`\"'(\[{]{0,8}\Z"
)
_KEY_AFTER = re.compile(
    r"[\s*_`\"')\]}]{0,6}(?::|=>?|->|\bmaps to\b|\bcorresponds to\b|"
    r"\bis associated with\b|\bhas(?: the)? value\b)"
    r"(?:\s+the)?(?:\s+value)?[\s:*_`\"'(\[{]{0,6}[0-9a-f]{8}-"
)
_KEY_OWNS = re.compile(r"[*_`\"]{0,3}'s\s(?:\w{1,20}\s)?value\b")
_JOINED = re.compile(  # the verb between a key and its value
    r"(?:\b(?:is|was|found|equals|gives|returns)\b)[\s:*_`\"'(\[{]{0,8}\Z"
)
_FINAL = re.compile(r"(?:\banswer\b(?:\s+is)?|答案是?)[\s:*_`\"'(\[{]{0,10}\Z")


def uuid_guess(text: str, _options: Options) -> Guess | None:
    """Retrieve.KV: the UUID called the answer, or else the first that is not called the key."""
    low = text.lower()
    found = list(_UUID.finditer(low))
    keys = {match[0] for match in found if _is_key(low, match)} if len(found) > 1 else ()
    if not keys and _is_joined(low, found):
        keys = {found[0][0]}
    values = [match for match in found if match[0] not in keys] or found[-1:]
    for match in reversed(values):
        if final := _FINAL.search(low, max(0, match.start() - 40), match.start()):
            return _uuid(text, match, "announced", " ".join(final[0].split()))
    return _uuid(text, values[0], "first") if values else None


def _is_joined(low: str, found: list[re.Match[str]]) -> bool:
    """The first UUID is the subject of a verb of which the second is the object."""
    if len(found) < 2 or found[0][0] == found[1][0]:
        return False
    between = low[found[0].end() : found[1].start()]
    if len(between) > 200 or "key" in between or SENTENCE_END.search(between):
        return False
    return bool(_JOINED.search(between))


def _uuid(text: str, match: re.Match[str], way: str, cue: str = "") -> Guess:
    return Guess(text[match.start() : match.end()], *match.span(), way, cue)


def _is_key(low: str, match: re.Match[str]) -> bool:
    if _KEY_AFTER.match(low, match.end()) or _KEY_OWNS.match(low, match.end()):
        return True
    first, end = max(0, match.start() - 60), match.start()
    cue = max(low.rfind(word, first, end) for word in _KEY_CUE)
    return cue >= 0 and bool(_KEY_BEFORE.match(low, cue, end))


_DIGITS = r"[+-]?\d{1,4000}(?:\.0{1,20}(?!\d))?"
_END = r"(?![A-Za-z0-9_]|[.,]\d)"
_NUMBER = rf"(?<![A-Za-z0-9_.,])(?!(?<=[)\]])[+-])(?P<number>{_DIGITS}){_END}"
_GAP = r"[\s*_`\"'(\[{$\\:=]{0,12}(?:(?:exactly|simply|therefore|thus|likely)\s)?"

_ANY = re.compile(  # _NUMBER as a pattern that can be searched for fast
    rf"(?P<number>[+\d-](?<![A-Za-z0-9_.,].)(?:(?<=\d)|\d)\d{{0,3999}}(?:\.0{{1,20}}(?!\d))?){_END}"
)
_BOXED = re.compile(rf"\\f?box(?:ed)?\s?\{{\s{{0,4}}{_NUMBER}[\s$.*]{{0,4}}[}}\\]")
_BARE = re.compile(
    rf"(?:\s{{0,8}}```\w{{0,10}}\n)?(?:\s{{0,4}}[-*]\s)?"
    rf"{_GAP}{_NUMBER}[*_`\"')\]}}$.!]{{0,8}}[ \t]{{0,20}}(?=[\r\n]|\Z)"
)
_LEADING = re.compile(
    rf"{_GAP}{_NUMBER}(?![.)]\s{{1,3}}(?:[A-Z]|[*`]{{0,3}}func_)|[ \t]{{1,4}}[+-]?\d)"
)
_LEAD_IN = LeadIn(
    links=words("is be equal equals to return returns returned gives yields as answer"),
    fillers=words("exactly simply therefore thus likely indeed then minus negative"),
    marks=(":", "=", "->", "=>", "是", "为"),
    no_marks=("因为", "不是"),
)
_STRONG = re.compile(r"\b(?:answer|values?|result|output|return|number)\b|答案|结果|返回值")
_WEAK = re.compile(r"\b(?:returns|returned|yields|gives|equals|evaluates)\b|=")
_GOES_ON = re.compile(  # the calculation that the number begins, or is in the middle of
    rf"[\s*_`)]{{0,4}}(?:[-+*/=]|->)[\s*_`(]{{0,4}}(?:{_DIGITS}{_END}|[^\W\d]\w{{0,60}}\()"
)
_AT_END = re.compile(rf"{_NUMBER}[\s*_`\"')\]}}$.!]{{0,8}}\Z")
_PART_OF = re.compile(  # of a list, a calculation or a call
    r"(?:\d\s{0,2}(?:[,;/|]|\s|\bor\b|\band\b){1,3}|[-+*/]\s{0,2}|\w\([^()]{0,40}|\bnot\s|n't\s)\Z"
)
_MINUS = re.compile(  # apart from its number
    r"(?:(?:\b(?:is|be|returns?|returned|equals|get)\b|=)[ \t*_`$]{1,4}-[ \t]|"
    r"(?:\A|[^\d)\s][*`]{0,2}\s)(?P<word>minus|negative)\s)[*_`$]{0,3}\Z"
)
_INPUT_DONE = re.compile(  # “with input 3 is”
    r"(?<![\w.(-])-?\d{1,20}[\s*_`\"',]{0,6}(?:is|be|equals|returns|returned|gives|yields|[:=])\Z"
)
_HEDGED = re.compile(rf"[\s*_`\"']{{0,6}}(?:,|/|\bor\b|\band\b)[\s*_`\"']{{0,6}}{_DIGITS}(?!\w)")
_INPUT = re.compile(
    r"\b(?:inputs?|arguments?|parameters?|pass(?:ed|ing)|when|if|for|with|since|because)\b|"
    r"\bx\s?="
)
_INPUT_NOUN = re.compile(r"\b(?:inputs?|arguments?|parameters?)\b")
_UNKNOWN = re.compile(
    r"(?:value|answer|result)\s+is[\s:*`\[]{0,6}(?:undefined|unknown|not|n/?a\b|none|null|"
    r"cannot|indeterminate|unavailable)"
)
_REFUSED = re.compile(
    r"\b(?:cannot|unable|undefined|unknown|not (?:defined|provided|exist|available|possible)|"
    r"no (?:function|definition))\b|n't\b"
)


def integer_guess(text: str, _options: Options) -> Guess | None:
    """Code.Run: the whole number given as the return value; never part of a name or a call."""
    low = text.lower()
    if boxed := list(_BOXED.finditer(low)):
        guess: Guess | None = _guess(boxed[-1], "boxed")
    elif whole_line := _BARE.match(low):
        guess = _guess(whole_line, "leading")
    else:
        guess = _announced(low) or _leading(text) or _last(low)
    return guess and _signed(low, guess)


def _signed(low: str, guess: Guess) -> Guess:
    """Including a minus that is separate from the number, as in “is - 4” and “minus 4”."""
    offset = max(0, guess.start - 30)
    minus = _MINUS.search(low[offset : guess.start])
    if not minus or guess.text[0] in "+-":
        return guess
    word = minus.start("word")
    start = offset + (word if word >= 0 else minus[0].rindex("-") + minus.start())
    return guess._replace(text=f"-{guess.text}", start=start)


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    return Guess(match["number"], *match.span("number"), way, " ".join(cue.split()))


def _announced(low: str) -> Guess | None:
    """The last number that a phrase about the answer or the returned value leads up to."""
    guess = _last_after(low, _STRONG)
    unknown = guess and next(whole_words(_UNKNOWN, low, guess.end, len(low)), None)
    return None if unknown else guess


def _last_after(low: str, subjects: re.Pattern[str]) -> Guess | None:
    """The last number with a link and one of the subjects before it in its sentence."""
    for match in from_end(_ANY, low):
        lead = _LEAD_IN.before(low, match.start())
        if not lead or _GOES_ON.match(low, match.end()) or _HEDGED.match(low, match.end()):
            continue
        start = sentence_start(low, lead[0], 120)
        found = list(subjects.finditer(low, start, lead[0]))
        if not found:
            continue
        # The link must give the value of the subject, not that of an input named after it.
        subject, link = found[-1].start(), lead[0]
        before_link = low[max(subject, link - 60) : link]
        if not _INPUT.search(low, subject, link) or _INPUT_DONE.search(before_link):
            return _guess(match, "announced", low[subject : match.start()])
    return None


def _leading(text: str) -> Guess | None:
    match = _LEADING.match(text)
    if not match or _HEDGED.match(text, match.end("number")):
        return None
    return None if _GOES_ON.match(text, match.end("number")) else _guess(match, "leading")


def _last(low: str) -> Guess | None:
    """The last number that something is said to return or to equal, or else the last word.

    None in a text that says that it has no answer.
    """
    if _REFUSED.search(low) or next(whole_words(_UNKNOWN, low, 0, len(low)), None):
        return None
    if guess := _last_after(low, _WEAK):
        return guess
    match = _AT_END.search(low, max(0, len(low.rstrip()) - 80))
    before = low[max(0, match.start() - 60) : match.start("number")] if match else ""
    if not match or _PART_OF.search(before) or _INPUT_NOUN.search(before):
        return None
    return _guess(match, "last")


_THOUSANDS = re.compile(
    r"(?<![A-Za-z0-9_.,-])(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,4000})(?![a-z0-9_]|[.,]\d)"
)


def number_guess(text: str, options: Options) -> Guess | None:
    """En.QA and Zh.QA: the number given as the answer, or else the only one in the text."""
    if guess := integer_guess(text, options):
        return guess
    low = text.lower()[:REACH]
    found = list(_THOUSANDS.finditer(low))
    if not found or len({match[0] for match in found}) > 1:
        return None
    return Guess(found[0][0], *found[0].span(), "number")


def _whole(read: str) -> int:
    return int(read.replace(",", "").partition(".")[0])


key_value: OneGuess[str | Texts] = OneGuess(
    uuid_guess,
    lambda read, label: read.lower() == (label if isinstance(label, str) else label[0]).lower(),
    "a UUID",
)
code_run: OneGuess[int] = OneGuess(
    integer_guess, lambda read, label: _whole(read) == label, "a whole number"
)
number: OneGuess[Texts] = OneGuess(
    number_guess,
    lambda read, label: any(one.isdecimal() and int(one) == _whole(read) for one in label),
    "a whole number",
)
