"""``strict``: the letter that a prediction gives as its answer to a question with options A to D."""

import re

from scoring.metrics.strict_guess import Guess, last_before

_WRAP = r"[\s*_`\"'“”‘’(\[{<#>$\\:：（【「-]"  # between an announcement and its letter
_CLOSE = r"[*_`\"'”’)\]}>）】」$]{0,8}"
_WORDS = (
    r"(?:(?:most|very|quite)\s+)?(?:likely|probably|definitely|clearly|therefore|thus|obviously|"
    r"certainly|simply|just|indeed|actually|also|found|present|located|identified)\s+(?:in\s+)?"
)
_KEY = r"(?P<key>option|choice|letter|function|answer|选项|選項)"
_EDGE = r"(?![A-Za-z0-9_+#&]|['’][A-Za-z]|[-/][A-Za-z0-9])"
_LETTER = rf"(?P<letter>[A-DＡ-Ｄ]){_EDGE}"

_BOXED = re.compile(rf"\\(?:boxed|fbox)\s?\{{{_WRAP}{{0,4}}(?:\\?text\{{)?\s?{_LETTER}", re.I)
_BARE = re.compile(
    rf"{_WRAP}{{0,12}}(?:{_KEY}{_WRAP}{{0,4}})?{_LETTER}{_CLOSE}[.。,，]?{_CLOSE}[ \t]{{0,20}}"
    r"(?=[\r\n]|\Z)",
    re.I,
)
_LEADING = re.compile(
    rf"[\s.。,，]{{0,8}}(?P<wrap>{_WRAP}{{0,12}})(?:{_KEY}{_WRAP}{{0,4}})?{_LETTER}(?P<close>{_CLOSE})",
    re.I,
)
_ANNOUNCED = re.compile(
    rf"(?:\b(?P<link>is|be|was|in|as|answer|choose|chose|select|pick|with|for|it['’]s)\b|[:：=]|"
    rf"答案是?|应选|應選|选|選|是|为)"
    rf"{_WRAP}{{0,12}}(?:{_WORDS})?(?:the\s+)?(?:(?:correct|right|best)\s+)?"
    rf"(?:{_KEY}{_WRAP}{{0,6}})?{_LETTER}(?P<close>{_CLOSE})",
    re.I,
)
_SUBJECT = re.compile(
    r"(?i)\b(?:answer(?!\s+(?:choice|option)s)|correct|right|best|choice|conclusion|guess|error|bug|mistake|issue|flaw|fault|"
    r"problem|erroneous|option(?=\s+is\b)|choose|chose|select|pick|go(?:ing)? with|opt(?:ing)? for|it['’]s|it is)\b"
    r"|答案|选|選|正确|正確"
)
_REFUSED = re.compile(
    r"(?i)(?:\b(?:not|no|none|neither|never|without|cannot|wrong|incorrect|unable)\b|n['’]t\b)"
)
_FAULT = re.compile(r"(?i)error|bug|mistake|issue|flaw|fault|problem|choose|select|pick")
_UNLIKE = re.compile(
    r"(?i)(?:\b(?:wrong|incorrect|if|if the|not the|unlike|than)\s+(?:correct\s+|right\s+)?|"
    r"(?:isn|wasn)['’]t\s+(?:the\s+)?(?:correct\s+|right\s+)?)\Z"
)
_DENIED = re.compile(
    r"(?i)\s{1,4}(?:(?:is|was)\s+(?:not|wrong|incorrect|invalid|false)\b|isn['’]t|wasn['’]t|"
    r"cannot|can['’]t|does not|doesn['’]t)"
)
_HEDGED = re.compile(
    r"(?:[ \t]{0,4}[.,;/&|、)]?[ \t]{0,4}(?:\b(?:or|and)\b|或|和)?[ \t]{0,4}[*_`\"'“(\[]{0,4}"
    r"[A-D](?![A-Za-z0-9_])[*_`\"'”)\]]{0,4}(?=\s*(?:\Z|[\r\n.,;:/&|、)]|or\b|and\b|[B-D]\b))"
    r"|\s{1,8}[*_`\"'“(\[]{0,4}[A-D][*_`\"'”)\].]{0,4}[ \t]{0,4}(?=[\r\n]|\Z))"
)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)|\n\s{0,8}\n")
_STATED = re.compile(
    r"(?i)\b(?:contains|has|have|includes|is|was|seems|appears|stands)\b"
    r"(?:\s{1,4}(?:to|be|have|contain|out|as|with|the|a|an|one|only|most|more|very|deliberate(?:ly)?|obvious|"
    r"intentional|apparent|clear|likely|probable|clearly|indeed|probably|definitely|also|function|"
    r"option|that|which|contains|has|includes|correct|right|best|final|and|an?d|,)\b,?){0,14}"
    r"\s{1,4}[*_`]{0,3}(?:error|bug|mistake|issue|flaw|answer|correct|option|choice|one|erroneous)\b"
    r"|(?i:\b(?:the|as the)\s+(?:most likely\s+)?(?:correct|right|best)\s+(?:answer|option|choice))\b"
)
_NAMED = re.compile(rf"(?:\b{_KEY}\b{_WRAP}{{0,6}}|(?<![\w(]))[(\[]?(?<![\w.'’-]){_LETTER}", re.I)
_SOLE = re.compile(r"(?<![A-Za-z0-9_'’.-])([A-DＡ-Ｄ])" + _EDGE)
_PROSE = re.compile(r"[ \t]{1,4}(?:[a-z]|[A-Z]?['’]?[a-z]{1,20}\b)")
_NEXT_OPTION = re.compile(r"\n[ \t#*_-]{0,8}(?:(?:[Oo]ption|[Ff]unction)\s)?[\W_]{0,4}B[.):：*]")

_TO_ASCII = str.maketrans("ＡＢＣＤ", "ABCD")


def letter_guess(text: str) -> Guess | None:
    """The letter of the strongest kind of evidence, or None where no letter is given as an answer."""
    for find in (_boxed, _bare, _announced, _leading, _stated):
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


def _announced(text: str) -> Guess | None:
    """The last letter that a sentence about the answer, or about the error, leads up to."""
    subjects = [match.start() for match in _SUBJECT.finditer(text)]
    guess = None
    for match in _ANNOUNCED.finditer(text):
        start = last_before(subjects, match.start(), 200)
        if start is not None and _solid(text, match) and _leads_up(text, start, match):
            guess = _guess(match, "announced", text[start : match.start("letter")])
    return guess


def _leads_up(text: str, start: int, match: re.Match[str]) -> bool:
    """Subject and letter stand in one sentence that denies neither."""
    between = text[start : match.start()]
    if _SENTENCE_END.search(between) or _UNLIKE.search(text[max(0, start - 24) : start]):
        return False
    if not _FAULT.match(text, start):
        return True
    if _lists_options(text, match):
        return False
    clause = re.split(r"[.;:,\n]", text[max(0, start - 80) : start])[-1]
    return not _REFUSED.search(clause)


def _solid(text: str, match: re.Match[str]) -> bool:
    """A letter, not the article, not the first of several, not one that is then denied."""
    end = match.end()
    if _HEDGED.match(text, match.end("letter")) or _DENIED.match(text, end):
        return False
    letter = match["letter"]
    if letter not in "Aa" or match["close"]:
        return letter.isupper() or not _PROSE.match(text, end)
    if letter == "A" and match["key"]:
        return True
    return not _PROSE.match(text, end) and not text[end : end + 2].strip().isalnum()


def _leading(text: str) -> Guess | None:
    """A letter at the start that is marked as one, and is not the first of a list of options."""
    match = _LEADING.match(text)
    if not match or _HEDGED.match(text, match.end("letter")):
        return None
    after = text[match.end() : match.end() + 1]
    marked = bool(after) and (after in ".:,;)、。，：；）\n" or bool(match["close"] or match["key"]))
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
    named = list(_NAMED.finditer(text))
    starts = [match.start("letter") for match in named]
    by_start = dict(zip(starts, named, strict=True))
    guess = None
    for claim in _STATED.finditer(text):
        start = last_before(starts, claim.start() - 1, 120)
        if start is not None and _says_of(text, by_start[start], claim.start()):
            guess = _guess(by_start[start], "stated", claim[0])
    return guess


def _says_of(text: str, match: re.Match[str], claim: int) -> bool:
    """Option and claim stand on one line and in one sentence that denies nothing."""
    between = text[match.end() + 2 : claim]
    if "\n" in between or _SENTENCE_END.search(between) or _REFUSED.search(between):
        return False
    if match["letter"] in "Aaabcd" and not match["key"]:
        return match["letter"] == "A" and text[match.end() : match.end() + 1] in (".", ")", ":")
    clause = re.split(r"[.;\n]", text[max(0, match.start() - 80) : match.start()])[-1]
    return not _REFUSED.search(clause)


def sole_letter(text: str) -> Guess | None:
    """The only option that a short text, or a text with the word option, ever names."""
    if len(text) > 400:
        return None
    found: dict[str, Guess] = {}
    for match in _SOLE.finditer(text):
        article = match[1] == "A" and _PROSE.match(text, match.end())
        if not article:
            letter = match[1].translate(_TO_ASCII)
            found.setdefault(letter, Guess(letter, match.start(), match.end(), "only"))
    return next(iter(found.values())) if len(found) == 1 else None
