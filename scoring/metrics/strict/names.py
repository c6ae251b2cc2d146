"""``strict`` for En.Dia: the one name that a prediction gives for the masked character."""

import re
from collections.abc import Iterator

from scoring.labels import Texts
from scoring.metrics.strict.guess import (
    REACH,
    Guess,
    OneGuess,
    Options,
    last_before,
    plain,
    tail,
    words,
)

_TITLES = words(
    "mr mister mrs ms miss dr doctor prof professor sir lady lord madame madam general colonel col "
    "captain capt commander lieutenant lt sergeant sgt major admiral detective inspector officer "
    "agent judge father sister brother mother king queen prince princess president senator count "
    "countess coach private corporal uncle aunt reverend rev"
)
_MEN, _WOMEN = frozenset({"mr", "mister"}), frozenset({"mrs", "ms", "miss"})
_ARTICLES = frozenset({"the", "a", "an", "da"})
_NO_NAMES = words(
    "unfortunately however sorry yes no well sure okay ok based in as after i it here he she "
    "answer option they this that who what there so therefore thus since because"
)

# A name is recognised by its capital letters; the words around it are searched for in the
# lower-case copy of the text.
_QUOTES = "\"'*_`({["
_PART = (
    r"(?:(?:D[Rr]|M[Rr]|M[Rr][Ss]|M[Ss]|S[Tt]|Sgt|SGT|Lt|LT|Capt|CAPT|Gen|Col|Prof|[JS][Rr]|Rev|Det)\.|"
    r"(?:[A-Z]\.){1,4}(?!\w)|"
    r"(?:[dO]')?[^\Wa-z_][\w'-]{0,40})"
)
_LINKED = r"[ \t]{1,2}(?:(?:de|da|du|van|von|der|of|the|la|le|di|del)[ \t])?"
_NAMED = re.compile(
    rf"\"(?P<quoted>[^\"\n$]{{1,60}})\"|(?P<name>{_PART}(?:{_LINKED}\"?{_PART}\"?){{0,5}})"
)
_MASK = r"\${1,2}\s?mask\s?\${1,2}|the_character_to_inference|\[mask\]"
_MASKED = re.compile(_MASK)
_SURELY = re.compile(
    r"(?:(?:most|very|quite|indeed|likely|probably|actually|clearly|definitely|possibly|to be|"
    r"named|called|the|a|an|character|name|person|of)[ \t]{1,2}){0,6}"
)
_OPENING = re.compile(
    r"(?:[\s:.>#-]{1,8}|```[a-z]{0,10}\n|\\boxed\{|\\(?:text|math)(?:bf|rm|it)?\{|\d[.)]\s|"
    r"<(?:final_)?answer>){0,6}[\"'*_`({\[]{0,4}"
    r"(?:(?:it(?:'s| is| must be)|that(?:'s| is)|i(?: think| believe| would say|'d say)|so|thus|"
    r"hence|therefore|certainly|is|to be|most likely|likely|probably|maybe|sure!|option|"
    r"the (?:masked )?(?:character|name)|character(?: name)?|name)[ \t]?[:,]?[ \t]){0,6}"
)
_THE = re.compile(r"(?:the (?:character )?(?:of |named )?)?")
_BARE = re.compile(
    r"[\"'*_`({\[]{0,4}(?P<name>[^\n,;:!?$()<{}\\]{1,60}?)[\"'*_`)\].!}$]{0,6}"
    r"(?:</(?:final_)?answer>)?[ \t]{0,8}(?=[\r\n]|\Z)"
)
_CLOSED = re.compile(r"[\"'*_`({\[]{0,4}(?:[.,;:!?()\n]|\s[-(;]|\sis\s(?:the|most|likely)\b|\Z)")
_FINAL = re.compile(
    r"(?:\b(?:answer|guess)\b(?: is| would be)?|respond with|答案?是?:?)[\s:*>]{0,8}"
)
_SUBJECT = re.compile(
    rf"{_MASK}|\b(?:character|name|masked|speaker|person|mask)\b|\bit(?='s\b|\sis\b)"
)
_LINK = re.compile(
    r"(?:\b(?:is|was|be|represents?|means|stands for|to|as|with|named|called|"
    r"it's)\b|[:=])[ \t\n]{0,4}"
)
_CLAIM = re.compile(
    r"[ \t](?:is|was|seems to be|appears to be|would be|must be)[ \t]"
    r"(?:(?:most|likely|probably|indeed|very)[ \t]){0,3}"
    rf"(?:\"?(?:{_MASK})|the (?:\w{{1,12}} ){{0,2}}(?:character|name|person|one|speaker)\b)"
)
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[DMS][rR])(?<!M[rR][sS])[.!?](?=\s)|\n\s{0,8}\n")
_SENTENCE = re.compile(
    rf"\s-\s|\b(?:is|was|are|do|can|cannot|refers|and|or)\b|{_MASK}|"
    r"(?<!\b[a-z])(?<!\b[dms][rst])(?<!mrs)[.?!]\s[a-z]+\s"
)
_NICKNAME = re.compile(r"\A[^\"]{1,60}\"(\w+)\"(?=\s+\w)")  # Sam "Ace" Rothstein
_POSSESSIVE = re.compile(r"'s\s+[a-z]")
_ENDED = re.compile(r"[\"'*_`)\]}]{0,4}\s{0,2}(?:[.,;:!?(\n]|\Z)")
_CONCLUSION = re.compile(r"\b(?:So|Therefore|Thus|Hence|In conclusion|Overall)\b")


def name_guess(text: str, _options: Options) -> Guess | None:
    """En.Dia: the name given for the masked character."""
    low = text.lower()
    for find in (_final, _leading, _concluded, _last_line, _announced, _backward, _first_sentence):
        guess = find(text, low)
        if guess:
            return guess
    return None


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    group = match.lastgroup or "name"
    return Guess(match[group], *match.span(group), way, " ".join(cue.split()))


def _named(text: str, start: int) -> re.Match[str] | None:
    """The name at this place, in quotes or not."""
    wrapped = text[start : start + 4]
    bare = start + len(wrapped) - len(wrapped.lstrip(_QUOTES))
    return _NAMED.match(text, start) or _NAMED.match(text, bare)


def _past(pattern: re.Pattern[str], text: str, start: int) -> int:
    """The offset after the words that the pattern skips."""
    match = pattern.match(text, start)
    return match.end() if match else start


def _is_name(read: str) -> bool:
    low = read.lower()
    words = low.split(maxsplit=1)
    return bool(words) and words[0] not in _NO_NAMES and not _MASKED.search(low)


def _after(
    cues: re.Pattern[str], text: str, low: str, begin: int, end: int
) -> Iterator[tuple[int, Guess]]:
    """The names that one of the cues leads up to, each with the offset of its cue."""
    for cue in cues.finditer(low, begin, end):
        match = _named(text, _past(_SURELY, text, cue.end()))
        guess = match and _guess(match, "announced", text[cue.start() : match.start()])
        if guess and _is_name(guess.text):
            yield cue.start(), guess


def _final(text: str, low: str) -> Guess | None:
    """The last name after “the answer is” or so."""
    guesses = [guess for _, guess in _after(_FINAL, text, low, tail(text), len(text))]
    return guesses[-1] if guesses else None


def _leading(text: str, low: str) -> Guess | None:
    """A first line of up to five words and nothing else, or a name with which the text begins."""
    start = _past(_OPENING, low, 0)
    bare = _BARE.match(text, start)
    if bare and 0 < len(bare["name"].split()) <= 5 and not _SENTENCE.search(bare["name"].lower()):
        return _guess(bare, "leading")
    match = _named(text, _past(_THE, low, start))
    guess = _guess(match, "leading") if match else None
    if not match or not guess or not _is_name(guess.text):
        return None
    return guess if match["quoted"] or _CLOSED.match(text, match.end()) else None


def _concluded(text: str, low: str) -> Guess | None:
    """The name announced after the last “So” or “Therefore”, if its sentence has one."""
    for conclusion in reversed(list(_CONCLUSION.finditer(text, tail(text)))[-20:]):
        guess = _announced(text, low, conclusion.start(), conclusion.start() + 400)
        if guess:
            return guess
    return None


def _last_line(text: str, low: str) -> Guess | None:
    """A last line that is a name and nothing else."""
    line = text.rstrip().rfind("\n") + 1
    bare = _BARE.match(text, _past(_OPENING, low, line)) if line else None
    if not bare or text[bare.end() :].strip(" \r\n`") or not _NAMED.fullmatch(bare["name"]):
        return None
    guess = _guess(bare, "last")
    return guess if _is_name(guess.text) and len(guess.text.split()) <= 4 else None


def _announced(text: str, low: str, begin: int = 0, end: int = REACH) -> Guess | None:
    """The first name that a sentence about the mask or the character leads up to."""
    subjects = [match.start() for match in _SUBJECT.finditer(low, begin, end)]
    for link, guess in _after(_LINK, text, low, begin, end) if subjects else ():
        start = last_before(subjects, link, 160)
        if start is None or _SENTENCE_END.search(text, start, link):
            continue
        if not _POSSESSIVE.match(text, guess.end - 2):
            return guess._replace(cue=" ".join(text[start : guess.start].split()))
    return None


def _first_sentence(text: str, low: str) -> Guess | None:
    """The name that a short first sentence ends on, as in “The thief is Ace.”"""
    start = len(text) - len(text.lstrip())
    for _, guess in _after(_LINK, text, low, start, start + 80):
        ended = _ENDED.match(text, guess.end)
        if ended and not _SENTENCE_END.search(text, start, guess.start):
            return guess._replace(cue=" ".join(text[start : guess.start].split()))
    return None


def _backward(text: str, low: str) -> Guess | None:
    """The first name that a sentence states to be the mask or the character."""
    for claim in _CLAIM.finditer(low, 0, REACH):
        offset = max(0, claim.start() - 80)
        names = list(_NAMED.finditer(text, offset, claim.start()))
        if names and names[-1].end() == claim.start():
            guess = _guess(names[-1], "announced", text[names[-1].start() : claim.end()])
            if _is_name(guess.text):
                return guess
    return None


def same_person(read: str, labels: Texts) -> bool:
    """The name is one of the labels, is made of their words, or starts with the only one.

    Titles and articles do not count, but Mr. and Mrs. differ. A single word must be a label as a
    whole. Where the labels are single words, a longer name stands for its first word alone: one
    guess, although a script may call a person by the last.
    """
    name = _words(read)
    if not name or any(_titles_clash(read, label) for label in labels):
        return False
    known = [_words(label) for label in labels]
    if name in known:
        return True
    if len(name) < 2:
        return False
    if all(len(words) == 1 for words in known):
        first = next((word for word in name if len(word) > 1), name[0])  # no initial
        return first in [words[0] for words in known]
    parts = {word for words in known for word in words}
    return parts.issuperset(name) and len(set(name)) == len(name)


def _words(name: str) -> list[str]:
    """Lower-case words from the nickname on, without titles and articles before them."""
    called = _NICKNAME.sub(r"\1", plain(name)).lower()
    words = re.findall(r"\w+(?:'\w+)*", called)
    words = [word.removesuffix("'s") for word in words]
    kept = 0
    while kept < len(words) - 1 and (words[kept] in _TITLES or words[kept] in _ARTICLES):
        kept += 1
    return words[kept:]


def _titles_clash(read: str, label: str) -> bool:
    """Whether one is a Mr. and the other a Mrs., Ms. or Miss."""
    left, right = (set(name.lower().replace(".", " ").split()) for name in (read, label))
    return bool((left & _MEN and right & _WOMEN) or (left & _WOMEN and right & _MEN))


dialogue = OneGuess(name_guess, same_person, "a name")
