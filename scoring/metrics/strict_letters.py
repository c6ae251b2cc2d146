"""``strict``: the letter that a prediction gives as its answer, of the options A to D."""

import re

from scoring.metrics.strict_guess import (
    SHORT,
    Guess,
    LeadIn,
    last_before,
    sentence_start,
    tail,
    words,
)

_OPEN = r"[\s*_`\"'“‘(\[{<#>$\\:：（【「-]"
_CLOSE = r"[*_`\"'”’)\]}>）】」$]{0,8}"
_KEY = r"(?P<key>option|choice|letter|function|answer|选项|選項)"
_EDGE = r"(?![A-Za-z0-9+#&]|_[A-Za-z0-9]|['’][A-Za-z]|[-/][A-Za-z0-9])"
_LETTER = rf"(?P<letter>[A-DＡ-Ｄ]){_EDGE}"

_BOXED = re.compile(
    rf"\\(?:boxed|fbox)\s?\{{{_OPEN}{{0,4}}(?:\\?text\{{)?\s?{_LETTER}", re.IGNORECASE
)
_BARE = re.compile(
    rf"{_OPEN}{{0,12}}(?:{_KEY}(?!_){_OPEN}{{0,4}})?{_LETTER}{_CLOSE}[.。,，]?{_CLOSE}[ \t]{{0,20}}"
    r"(?=[\r\n]|\Z)",
    re.IGNORECASE,
)
_LETTER_LINE = re.compile(rf"(?:\A|\n)\W{{0,8}}{_LETTER}\W{{0,8}}\Z")
_LEADING = re.compile(
    rf"[\s.。,，]{{0,8}}{_OPEN}{{0,12}}(?:{_KEY}(?!_){_OPEN}{{0,4}})?{_LETTER}(?P<close>{_CLOSE})",
    re.IGNORECASE,
)
_MENTION = re.compile(rf"(?P<letter>[A-DＡ-Ｄ]){_EDGE}(?P<close>{_CLOSE})")
_ANY_CASE = re.compile(rf"(?P<letter>[A-Da-dＡ-Ｄ]){_EDGE}(?P<close>{_CLOSE})")

_LEAD_IN = LeadIn(
    links=words("is be was in as with for answer guess choose chose select pick it's it’s"),
    fillers=words(
        "option choice letter function most very likely probably definitely clearly therefore "
        "thus obviously certainly simply just indeed actually also found present the correct "
        "right best"
    ),
    marks=(":", "：", "=", "答案", "选", "選", "是", "为", "為"),
    no_marks=("因为", "因為", "不是", "不选", "不選"),
)
_KEYS = words("option choice letter function answer")

_ANSWER = re.compile(
    r"(?i)\b(?:answer(?!\s+(?:choice|option)s)|correct|right|best|choice|conclusion|guess|choose|"
    r"chose|select|pick|go(?:ing)? with|opt(?:ing)? for|it['’]s|it is|option(?=\s+is\b))\b"
    r"|答案|选|選|正确|正確"
)
_FAULT = re.compile(
    r"(?i)\b(?:error|bug|mistake|issue|flaw|fault|problem|erroneous|errors(?=\s+is\b))\b"
)
_REFUSED = re.compile(
    r"(?i)(?:\b(?:not|no|none|neither|never|without|cannot|wrong|incorrect|unable)\b|n['’]t\b)"
)
_UNLIKE = re.compile(
    r"(?i)(?:\b(?:wrong|incorrect|if|if the|not the|unlike|than)\s+(?:correct\s+|right\s+)?|"
    r"(?:isn|wasn)['’]t\s+(?:the\s+)?(?:correct\s+|right\s+)?)\Z"
)
_DENIED = re.compile(
    r"(?i)\s{1,4}(?:(?:is|was)\s+(?:not|wrong|incorrect|invalid|false)\b|isn['’]t|wasn['’]t|"
    r"cannot|can['’]t|does not|doesn['’]t)"
)
_HEDGED = re.compile(  # another letter follows: A, B / A or option B / A. B. / A, B on two lines
    r"[*_`\"'”)\]]{0,4}(?:[ \t]{0,4}[,;/&|、?!(–—-]{0,3}[ \t]{0,4}(?:\b(?:or|and)\b|或|和)?"
    r"[ \t]{0,4}"
    r"(?:(?i:option|choice|function)\s)?[*_`\"'“(\[]{0,4}[A-D](?![A-Za-z0-9_])[*_`\"'”)\]]{0,4}"
    r"(?=\s*(?:\Z|[\r\n.,;:/&|、)?!]|or\b|and\b|[A-D]\b))"
    r"|\.[ \t]{1,4}[*(\[]{0,2}[A-D][*)\]]{0,2}(?:\.|[ \t]{0,4}(?:[\r\n]|\Z))"
    r"|\.?[*)\]]{0,4}\s{1,8}[*_`\"'“(\[]{0,4}[A-D][*_`\"'”)\].]{0,4}[ \t]{0,4}(?=[\r\n]|\Z))"
)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)|\n\s{0,8}\n")
_CLAUSE_END = re.compile(r"[.;:,\n]")
_STATED = re.compile(
    r"(?i)\b(?:contains|has|have|includes|is|was|seems|appears|stands)\b"
    r"(?:\s{1,4}(?:to|be|have|contain|out|as|with|the|a|an|one|only|most|more|very|deliberate(?:ly)?|"
    r"obvious|intentional|apparent|clear|likely|probable|clearly|indeed|probably|definitely|also|"
    r"function|option|that|which|contains|has|includes|correct|right|best|final|and)\b,?){0,14}"
    r"\s{1,4}[*_`]{0,3}(?:error|bug|mistake|issue|flaw|answer|correct|option|choice|one|erroneous)\b"
    r"|\b(?:the|as the)\s+(?:most likely\s+)?(?:correct|right|best)\s+(?:answer|option|choice)\b"
)
_NAMED = re.compile(
    rf"(?:\b{_KEY}\b{_OPEN}{{0,6}}|(?<![\w(]))[(\[]?(?<![\w.'’-]){_LETTER}", re.IGNORECASE
)
_ONE_OF = re.compile(r"\b[A-D]\b[\s,/]{1,3}(?:and|or)?\s?[*(`]{0,3}\Z")  # A, B and C
_NO_ANSWER = re.compile(
    r"(?i)\b(?:none|cannot|unable|no (?:obvious|clear|such|error)|not (?:find|see|have|enough))\b|"
    r"n['’]t (?:find|see|have|determine)\b"
)
_PROSE = re.compile(r"[ \t]{1,4}(?!(?:or|and)\b)(?:[a-z]|[A-Z]?['’]?[a-z]{1,20}\b)")
_NAME_AFTER = re.compile(r"[ \t][`\w]{1,60}[._]\w")  # the name of a function
_NEXT_OPTION = re.compile(r"\n[ \t#*_-]{0,8}(?:(?:[Oo]ption|[Ff]unction)\s)?[\W_]{0,4}B[.):：*]")

_TO_ASCII = str.maketrans("ＡＢＣＤ", "ABCD")


def letter_guess(text: str) -> Guess | None:
    """The letter of the strongest kind of evidence; None where no letter is given as an answer."""
    for find in (_boxed, _bare, _announced, _closing, _leading, _stated):
        guess = find(text)
        if guess:
            return guess
    return None


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    letter = match["letter"].upper().translate(_TO_ASCII)
    return Guess(letter, match.start("letter"), match.end("letter"), way, " ".join(cue.split()))


def _boxed(text: str) -> Guess | None:
    guess = None
    for match in _BOXED.finditer(text):
        guess = _guess(match, "boxed")
    return guess


def _bare(text: str) -> Guess | None:
    """A first line that is a letter and nothing else, and no list of letters."""
    match = _BARE.match(text)
    if not match or _HEDGED.match(text, match.end("letter")):
        return None
    return _guess(match, "leading")


def _closing(text: str) -> Guess | None:
    """A last line that is a letter and nothing else, and not the last of a list of letters."""
    lines = text.rstrip().rpartition("\n")
    match = _BARE.match(text, len(lines[0]) + len(lines[1])) if lines[0].strip() else None
    if not match or _LETTER_LINE.search(lines[0][-20:]):
        return None
    return _guess(match, "last")


def _mentions(text: str) -> list[re.Match[str]]:
    """The last letters that stand alone; small ones only in a short text."""
    pattern = _ANY_CASE if len(text) <= SHORT else _MENTION
    matches = pattern.finditer(text, tail(text))
    return [match for match in matches if _stands_alone(text, match.start())]


def _stands_alone(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    return not before or not (
        _is_word(before[-1]) or (before[-1] in "'’./-" and len(before) > 1 and _is_word(before[0]))
    )


def _is_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def _announced(text: str) -> Guess | None:
    """The last letter that a sentence about the answer, or about the error, leads up to."""
    for match in reversed(_mentions(text)):
        lead = _LEAD_IN.before(text, match.start())
        if lead and _solid(text, match, keyed=not _KEYS.isdisjoint(lead[1])):
            subject = _subject(text, lead[0], match)
            if subject is not None:
                return _guess(match, "announced", text[subject : match.start()])
    return None


def _solid(text: str, match: re.Match[str], *, keyed: bool) -> bool:
    """A letter, not the article, not the first of several, not one that is then denied."""
    end = match.end()
    if _HEDGED.match(text, match.end("letter")) or _DENIED.match(text, end):
        return False
    letter, after = match["letter"], text[end : end + 1]
    if letter.islower():
        return bool(match["close"]) or keyed or after in ".,)\r\n"
    return letter != "A" or bool(match["close"]) or keyed or not _PROSE.match(text, end)


def _subject(text: str, link: int, match: re.Match[str]) -> int | None:
    """Where the word for the answer or the error stands in the sentence up to the link."""
    start = sentence_start(text, link, 200)
    for subject in _ANSWER.finditer(text, start, link):
        if not _UNLIKE.search(text[max(start, subject.start() - 24) : subject.start()]):
            return subject.start()
    faults = list(_FAULT.finditer(text, start, link))
    if not faults or _lists_options(text, match):
        return None
    fault = faults[-1]
    clause = _CLAUSE_END.split(text[max(start, fault.start() - 80) : fault.start()])[-1]
    return None if _REFUSED.search(clause) else fault.start()


def _leading(text: str) -> Guess | None:
    """A letter at the start that is marked as one, and is not the first of a list of options."""
    match = _LEADING.match(text)
    if not match or _HEDGED.match(text, match.end("letter")):
        return None
    after = text[match.end() : match.end() + 1]
    marked = bool(after and after in ".:,;)、。，：；）\n") or bool(match["close"] or match["key"])
    marked = marked or bool(_NAME_AFTER.match(text, match.end()))
    if not marked and (match["letter"] in "Aa" or _PROSE.match(text, match.end())):
        return None
    if match["letter"].islower() and after not in ".)" and ")" not in match["close"]:
        return None
    if _DENIED.match(text, match.end()) or _lists_options(text, match):
        return None
    return _guess(match, "leading")


def _lists_options(text: str, match: re.Match[str]) -> bool:
    return match["letter"] in "Aa" and bool(_NEXT_OPTION.search(text, match.end()))


def _stated(text: str) -> Guess | None:
    """The last option of which a sentence says that it has the error or is the answer."""
    claims = list(_STATED.finditer(text, tail(text)))
    named = list(_NAMED.finditer(text, tail(text))) if claims else []
    starts = [match.start("letter") for match in named]
    by_start = dict(zip(starts, named, strict=True))
    for claim in reversed(claims):
        start = last_before(starts, claim.start() - 1, 120)
        if start is not None and _says_of(text, by_start[start], claim.start()):
            return _guess(by_start[start], "stated", claim[0])
    return None


def _says_of(text: str, match: re.Match[str], claim: int) -> bool:
    """Option and claim stand on one line and in one sentence that denies nothing."""
    between = text[match.end() + 2 : claim]
    if _ONE_OF.search(text[max(0, match.start() - 12) : match.start("letter")]):
        return False
    if "\n" in between or _SENTENCE_END.search(between) or _REFUSED.search(between):
        return False
    if match["letter"] in "Aaabcd" and not match["key"]:
        return match["letter"] == "A" and text[match.end() : match.end() + 1] in (".", ")", ":")
    clause = re.split(r"[.;\n]", text[max(0, match.start() - 80) : match.start()])[-1]
    return not _REFUSED.search(clause)


def sole_letter(text: str) -> Guess | None:
    """The only letter that a short text names, unless the text says that it has no answer."""
    if len(text) > SHORT or _NO_ANSWER.search(text):
        return None
    found: dict[str, re.Match[str]] = {}
    for match in _MENTION.finditer(text):
        article = match["letter"] == "A" and _PROSE.match(text, match.end())
        if _stands_alone(text, match.start()) and not article:
            found.setdefault(match["letter"].translate(_TO_ASCII), match)
    return _guess(next(iter(found.values())), "only") if len(found) == 1 else None
