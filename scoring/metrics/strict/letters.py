"""``strict``: the letter that a prediction gives as its answer, of the options A to D.

Most patterns are for the lower-case copy of the text; where the case of a letter distinguishes the
option A from the article, the text itself is used.
"""

import re
from collections.abc import Iterator

from scoring.metrics.strict.guess import (
    SENTENCE_END,
    SHORT,
    Guess,
    LeadIn,
    from_end,
    is_word,
    sentence_start,
    tail,
    whole_words,
    words,
)

_OPEN = r"[\s*_`\"'(\[{<#>$\\:-]"
_CLOSE = r"[*_`\"')\]}>$]{0,8}"
_KEY = r"(?P<key>option|choice|letter|function|answer|选项)"
_EDGE = r"(?![A-Za-z0-9+#&]|[_'/-][A-Za-z0-9])"
_LOW = rf"(?P<letter>[a-d]){_EDGE}"
_KEYED = rf"{_OPEN}{{0,12}}(?:{_KEY}(?!_){_OPEN}{{0,4}})?{_LOW}"

_BOXED = re.compile(
    rf"\\f?box(?:ed)?\s?\{{{_OPEN}{{0,4}}(?:(?:text|math)?(?:bf|rm|it|sf|tt)?\s?\{{)?"
    rf"[\s*(\[]{{0,4}}(?:option\s)?{_LOW}"
)
_BARE = re.compile(rf"{_KEYED}{_CLOSE}[.,;!]?{_CLOSE}[ \t]{{0,20}}(?=[\r\n]|\Z)")
_LETTER_LINE = re.compile(rf"(?:\A|\n)\W{{0,8}}[A-D]{_EDGE}\W{{0,8}}\Z")
_LEADING = re.compile(rf"[\s.,;!]{{0,8}}{_KEYED}(?P<close>{_CLOSE})")
_MENTION = re.compile(rf"(?P<letter>[A-D]){_EDGE}(?P<close>{_CLOSE})")
_ANY_CASE = re.compile(rf"(?P<letter>[A-Da-d]){_EDGE}(?P<close>{_CLOSE})")

_LEAD_IN = LeadIn(
    links=words(
        "is be was in as with for answer guess choose chose select pick it's say final_answer"
    ),
    fillers=words(
        "option choice letter function most very likely probably definitely clearly "
        "therefore thus obviously certainly simply just indeed actually also found present the "
        "correct right best"
    ),
    marks=(":", "=", "答案", "选", "是", "为"),
    no_marks=("因为", "不是", "不选"),
)
_KEYS = words("option choice letter function")

_ANSWER = re.compile(
    r"\b(?:(?:final_)?answer(?!\s+(?:choice|option)s)|result|must be|"
    r"would say|that fits|correct|right|best|choice|conclusion|guess|choose|"
    r"chose|select|pick|go(?:ing)? with|opt(?:ing)? for|it's|it is|option(?=\s+is\b))\b"
    r"|答案|选|正确"
)
_FAULT = re.compile(
    r"\b(?:error|bug|mistake|issue|flaw|fault|problem|erroneous|errors(?=\s+is\b))\b"
)
_REFUSED = re.compile(
    r"\b(?:not|no|none|neither|never|without|cannot|wrong|incorrect|unable)\b|n't\b"
)
_UNLIKE = re.compile(
    r"(?:\b(?:wrong|incorrect|if|unlike|than|not|never|cannot|least|least likely)|n't)\s+"
    r"(?:(?:think|believe|say)\s+)?"
    r"(?:(?:the|be|a)\s+){0,2}(?:correct\s+|right\s+|best\s+)?\Z"
)
_DENIED = re.compile(
    r"\s{1,4}(?:(?:is|was|seems|must be)\s+(?:not|clearly wrong|wrong|incorrect|invalid|false|"
    r"impossible)\b|isn't|wasn't|can(?:not|'t)|does(?: not|n't))|"
    r"\s{0,2}[:;(-]\s{0,2}(?:not|no|wrong|incorrect|false|impossible)\b"
)
_HEDGED = re.compile(  # another letter follows: A, B / A or option B / A. B. / A, B on two lines
    r"[*_`\"')\]]{0,4}(?:[ \t]{0,4}[,;/&|?!(-]{0,3}[ \t]{0,4}(?:\b(?:or|and)\b|或|和)?[ \t]{0,4}"
    r"(?:(?:[Oo]ption|[Cc]hoice|[Ff]unction)\s)?[*_`\"'(\[]{0,4}[A-D](?![A-Za-z0-9_])"
    r"[*_`\"')\]]{0,4}(?=\s*(?:\Z|[\r\n.,;:/&|)}?!]|or\b|and\b|[A-D]\b))"
    r"|\.[ \t]{1,4}[*(\[]{0,2}[A-D][*)\]]{0,2}(?:\.|[ \t]{0,4}(?:[\r\n]|\Z))"
    r"|\.?[*)\]]{0,4}\s{1,8}[*_`\"'(\[]{0,4}[A-D][*_`\"')\].]{0,4}[ \t]{0,4}(?=[\r\n]|\Z))"
)
_SENTENCE_BREAK = re.compile(r"[.!?;](?=\s)|\n")
_CLAUSE_END = re.compile(r"[.;:,\n]")
_STATED = re.compile(
    r"(?:contains|ha(?:s|ve)|i(?:ncludes|s)|was|s(?:eems|tands)|appears|"
    r"the(?=\s+(?:most likely\s+)?(?:correct|right|best)\s+(?:answer|option|choice)\b))\b"
    r"(?:\s{1,4}(?:to|be|have|contain|out|as|with|the|a|an|one|only|most|more|very|deliberate(?:ly)?|"
    r"obvious|intentional|apparent|clear|likely|probable|clearly|indeed|probably|definitely|also|"
    r"function|option|that|which|contains|has|includes|correct|right|best|final|and)\b,?){0,14}"
    r"\s{1,4}[*_`]{0,3}(?:error|bug|mistake|issue|flaw|answer|correct|option|choice|one|erroneous)\b"
)
_NAMED = re.compile(rf"(?:\b{_KEY}\b{_OPEN}{{0,6}}|(?<![\w(]))[(\[]?(?<![\w.'-]){_LOW}")
_ONE_OF = re.compile(r"\b[A-D]\b[\s,/;]{1,3}(?:and|or)?\s?[*(`]{0,3}\Z")  # A, B and C
_NO_ANSWER = re.compile(
    r"\b(?:none|cannot|unable|no (?:obvious|clear|such|error)|not (?:find|see|have|enough))\b|"
    r"n't (?:find|see|have|determine)\b"
)
_PROSE = re.compile(r"[ \t]{1,4}(?!(?:or|and)\b)(?:[a-z]|[A-Z]?'?[a-z]{1,20}\b)")
_NO_NOUN = re.compile(  # words that never follow an article
    r"[ \t]{1,4}(?:is|was|has|seems|contains|must|would|should|fits|because|since|as|for|due|"
    r"given|the|it|this|in)\b"
)
_DENIES = re.compile(
    r"\b(?:not|never|cannot|wrong|incorrect|false|least|unlikely|except|rule[sd]? out|ruling out|"
    r"eliminate[sd]?|exclude[sd]?|impossible)\b|n't\b|不|非|错"
)
_NEGATED = re.compile(r"\b(?:not|never|cannot|least|unlikely)\b|n't\b")
_NEXT_CLAUSE = re.compile(r"[,;.\n]|\b(?:but|so|rather|answer is|it's|it is)\b")
_CONCLUSION = re.compile(
    r"\s{0,8}(?:(?:so|therefore|thus|hence|actually|finally|overall|ultimately|no|wait|"
    r"in conclusion)"
    rf"\b[\s,:;]{{0,4}}){{1,3}}(?:(?:it|that)(?:'s| is| must be)\s)?(?:the\s)?{_KEYED}"
    rf"{_CLOSE}[.!]?{_CLOSE}\s{{0,20}}\Z"
)
_CLOSING = re.compile(
    rf"[ \t]{{0,8}}[*_`\"#>(\[]{{0,5}}(?:{_KEY}\s)?{_LOW}[*_`]{{0,4}}[.):\]]"
    r"[*_`]{0,4}[ \t]{1,4}\S"
)
_OPTION_LINE = re.compile(
    r"(?:\A|\n)[ \t]{0,8}[*_`\"#>(\[-]{0,5}(?:[Oo]ption\s)?([A-D])[*_`]{0,4}[.):\]]"
)
_SMALL_ANSWER = re.compile(r"\banswer(?:\sis|:)[\s*(\"'`]{1,4}\Z")
_NAME_AFTER = re.compile(r"[ \t][`\w]{1,60}[._]\w")  # the name of a function
_NEXT_OPTION = re.compile(r"\n[ \t#*_-]{0,8}(?:(?:[Oo]ption|[Ff]unction)\s)?[\W_]{0,4}B[.):*]")


def letter_guess(text: str) -> Guess | None:
    """The letter of the strongest kind of evidence; None where no letter is given as an answer."""
    low = text.lower()
    for find in (_boxed, _bare, _concluded, _announced, _closing, _leading, _stated):
        guess = find(text, low)
        if guess:
            return guess
    return None


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    return Guess(match["letter"].upper(), *match.span("letter"), way, " ".join(cue.split()))


def _boxed(text: str, low: str) -> Guess | None:
    matches = list(_BOXED.finditer(low))
    if not matches or _HEDGED.match(text, matches[-1].end("letter")):
        return None
    return _guess(matches[-1], "boxed")


def _bare(text: str, low: str) -> Guess | None:
    """A first line that is a letter and nothing else, and no list of letters."""
    match = _BARE.match(low)
    if not match or _HEDGED.match(text, match.end("letter")):
        return None
    return _guess(match, "leading")


def _concluded(text: str, low: str) -> Guess | None:
    """A last sentence such as “So B.” or “Actually, C.” that holds nothing but a letter."""
    end = len(low.rstrip())
    start = max(0, end - 100)
    for stop in _SENTENCE_BREAK.finditer(low, start, max(start, end - 1)):
        start = stop.end()
    match = _CONCLUSION.match(low, start)
    return _guess(match, "last", low[start : match.start("letter")]) if match else None


def _closing(text: str, low: str) -> Guess | None:
    """A last line that is a letter or begins with a marked one, and does not end a list."""
    before, _, _ = text.rstrip().rpartition("\n")
    if not before.strip():
        return None
    match = _BARE.match(low, len(before) + 1)
    if match:
        return None if _LETTER_LINE.search(before[-20:]) else _guess(match, "last")
    match = _CLOSING.match(low, len(before) + 1)
    if not match or _DENIED.match(low, match.end("letter")):
        return None
    listed = _OPTION_LINE.findall(before, tail(before))
    small = _is_small(text, match) or (
        listed and ord(listed[-1]) + 1 == ord(match["letter"].upper())
    )
    return None if small else _guess(match, "last")


def _stands_alone(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    return not before or not (
        is_word(before[-1]) or (before[-1] in "'./-" and len(before) > 1 and is_word(before[0]))
    )


def _mentions(text: str) -> Iterator[re.Match[str]]:
    """Single letters, last first; in a long text lower-case ones only if announced."""
    is_short = len(text) <= SHORT
    for match in from_end(_ANY_CASE, text):
        start = match.start()
        if not is_short and match["letter"].islower():
            before = text[max(0, start - 20) : start].lower()
            if "answer" not in before or not _SMALL_ANSWER.search(before):
                continue
        if _stands_alone(text, start):
            yield match


def _announced(text: str, low: str) -> Guess | None:
    """The last letter that a sentence about the answer, or about the error, leads up to."""
    for match in _mentions(text):
        lead = _LEAD_IN.before(low, match.start())
        if lead and _solid(text, low, match, lead[1]):
            subject = _subject(text, low, lead[0], match)
            if subject is not None:
                return _guess(match, "announced", text[subject : match.start()])
    return None


def _solid(text: str, low: str, match: re.Match[str], lead: tuple[str, ...]) -> bool:
    """A letter, not the article, not the first of several, not one that is then denied."""
    end = match.end()
    if _HEDGED.match(text, match.end("letter")) or _DENIED.match(low, end):
        return False
    letter, after = match["letter"], text[end : end + 1]
    if match["close"] or not _KEYS.isdisjoint(lead):
        return True
    if letter.islower():
        return after in ".,)\r\n" or (letter != "a" and "answer" in lead)
    return not _is_article(text, match)


def _is_article(text: str, match: re.Match[str]) -> bool:
    """The A of “A kiss”, not that of “A is right” or “A because …”."""
    end = match.end()
    return bool(
        match["letter"] in "Aa" and _PROSE.match(text, end) and not _NO_NOUN.match(text, end)
    )


def _subject(text: str, low: str, link: int, match: re.Match[str]) -> int | None:
    """The offset of the word for the answer or the error in the sentence up to the link."""
    start = sentence_start(text, link, 200)
    for subject in _ANSWER.finditer(low, start, link):
        if _UNLIKE.search(low[max(start, subject.start() - 24) : subject.start()]):
            continue
        if not _negated(low[subject.end() : match.start()]):
            return subject.start()
    faults = list(_FAULT.finditer(low, start, link))
    if not faults or _lists_options(text, match):
        return None
    fault = faults[-1]
    if _negated(low[fault.end() : match.start()]):
        return None
    clause = _CLAUSE_END.split(low[max(start, fault.start() - 80) : fault.start()])[-1]
    return None if _REFUSED.search(clause) else fault.start()


def _negated(between: str) -> bool:
    return bool(_NEGATED.search(_NEXT_CLAUSE.split(between)[-1]))


def _leading(text: str, low: str) -> Guess | None:
    """A letter at the start that is marked as one, and is not the first of a list of options."""
    match = _LEADING.match(low)
    if not match or _HEDGED.match(text, match.end("letter")):
        return None
    after = text[match.end() : match.end() + 1]
    article = _is_article(text, match)
    keyed = bool(match["key"]) and not (article and match["key"] == "answer")
    marked = keyed or bool(match["close"] or (after and after in ".:,;)!\n"))
    marked = marked or bool(_NAME_AFTER.match(text, match.end()))
    if not marked and (match["letter"] == "a" or _PROSE.match(text, match.end())):
        return None
    if _is_small(text, match) and after not in ".)" and ")" not in match["close"]:
        return None
    if _DENIED.match(low, match.end()) or _lists_options(text, match):
        return None
    return _guess(match, "leading")


def _is_small(text: str, match: re.Match[str]) -> bool:
    return text[match.start("letter")].islower()


def _lists_options(text: str, match: re.Match[str]) -> bool:
    return match["letter"] in "Aa" and bool(_NEXT_OPTION.search(text, match.end()))


def _stated(text: str, low: str) -> Guess | None:
    """The last option that a sentence states to have the error or to be the answer."""
    for claim in reversed(list(whole_words(_STATED, low, tail(low), len(low)))):
        start = max(0, claim.start() - 120)
        named = list(_NAMED.finditer(low, start, claim.start()))
        if named and _says_of(text, low, named[-1], claim.start()):
            return _guess(named[-1], "stated", text[claim.start() : claim.end()])
    return None


def _says_of(text: str, low: str, match: re.Match[str], claim: int) -> bool:
    """Option and claim are on one line and in one sentence that denies nothing."""
    between = low[match.end() + 2 : claim]
    if _ONE_OF.search(text[max(0, match.start() - 12) : match.start("letter")]):
        return False
    if "\n" in between or SENTENCE_END.search(between) or _REFUSED.search(between):
        return False
    small = _is_small(text, match)
    if (match["letter"] == "a" or small) and not match["key"]:
        marked = text[match.end() : match.end() + 1] in (".", ")", ":")
        return not small and (marked or bool(_NO_NOUN.match(text, match.end())))
    clause = re.split(r"[.;\n]", low[max(0, match.start() - 80) : match.start()])[-1]
    return not _REFUSED.search(clause)


def sole_letter(text: str) -> Guess | None:
    """The only letter that a short text names, unless the text denies something."""
    low = text.lower()
    if len(text) > SHORT or _NO_ANSWER.search(low) or _DENIES.search(low):
        return None
    found = _letters(text)
    return _guess(next(iter(found.values())), "only") if len(found) == 1 else None


def names_letter(text: str) -> bool:
    """Whether the letter of an option, and no article, stands alone in the text."""
    return bool(_letters(text))


def _letters(text: str) -> dict[str, re.Match[str]]:
    found: dict[str, re.Match[str]] = {}
    for match in _MENTION.finditer(text):
        if _stands_alone(text, match.start()) and not _is_article(text, match):
            found.setdefault(match["letter"], match)
    return found
