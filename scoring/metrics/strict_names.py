"""``strict`` for En.Dia: the one name that a prediction gives for the masked character."""

import re

from scoring.labels import Texts
from scoring.metrics.strict_guess import REACH, Guess, OneGuess, Options, last_before, tail, words

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

_QUOTE = r"[\"“”'‘*_`({\[]"
_PART = (
    r"(?:(?:Dr|Mr|Mrs|Ms|St|Sgt|Lt|Capt|Gen|Col|Prof|Jr|Sr|Rev|Det)\.|(?:[A-Z]\.){1,4}(?!\w)|"
    r"(?:[dO]['’])?[^\Wa-z_][\w'’-]{0,40})"
)
_LINKED = r"[ \t]{1,2}(?:(?:de|da|du|van|von|der|of|the|la|le|di|del)[ \t])?"
_NAME = rf"(?P<name>{_PART}(?:{_LINKED}[\"“]?{_PART}[\"”]?){{0,5}})"
_QUOTED = r"[\"“](?P<quoted>[^\"“”\n$]{1,60})[\"”]"
_MASK = r"\${1,2}\s?MASK\s?\${1,2}|The_Character_To_Inference|\[MASK\]"
_SURELY = (
    r"(?:(?:most|very|quite|indeed|likely|probably|actually|clearly|definitely|possibly|to be|"
    r"named|called|the|a|an|character|name|person|of)[ \t]{1,2}){0,6}"
)
_LINK = r"(?:\b(?:is|was|be|represents?|means|to|as|with|named|called)\b|\b[Ii]t['’]s|[:：=])"
_OPENING = (
    r"(?:(?:[Ii]t['’]s|[Ii]t is|[Ii]s|[Tt]o be|[Mm]ost likely|[Ll]ikely|[Pp]robably|[Mm]aybe|"
    r"[Ss]ure!|"
    r"[Oo]ption|[Tt]he character|[Tt]he name|[Cc]haracter(?: name)?|[Nn]ame)[ \t]?[:：]?[ \t]){0,4}"
)

_BARE = re.compile(
    rf"[\s:：.>#-]{{0,8}}{_QUOTE}{{0,4}}{_OPENING}{_QUOTE}{{0,4}}"
    r"(?P<name>[^\n,;:!?$()–—]{1,60}?)[\"”’'*_`)\].]{0,6}[ \t]{0,8}(?=[\r\n]|\Z)"
)
_LEADING = re.compile(
    rf"[\s:：>#-]{{0,8}}{_OPENING}(?:[Tt]he (?:character )?(?:of |named )?)?"
    rf"(?:{_QUOTED}|{_QUOTE}{{0,4}}{_NAME}{_QUOTE}{{0,4}}"
    r"(?=[.,;:!?()\n–—]|\s[-(–—]|\sis\s(?:the|most|likely)\b|\Z))"
)
_FINAL = re.compile(
    rf"(?i:\b(?:final |my |best )?(?:answer|guess)\b(?: is| would be)?|respond with|答案?是?[:：]?)"
    rf"[\s:：*]{{0,8}}"
    rf"{_SURELY}{_QUOTE}{{0,4}}{_NAME}"
)
_SUBJECT = re.compile(
    rf"(?i){_MASK}|\b(?:character|name|masked|speaker|person|mask)\b|\bit(?=['’]s\b|\sis\b)"
)
_ANNOUNCED = re.compile(rf"{_LINK}[ \t\n]{{0,4}}{_SURELY}(?:{_QUOTED}|{_QUOTE}{{0,4}}{_NAME})")
_NAMED = re.compile(rf"{_QUOTED}|{_NAME}")
_CLAIM = re.compile(
    rf"[ \t](?:is|was|seems to be|appears to be|would be|must be)[ \t]"
    rf"(?:(?:most|likely|probably|indeed|very)[ \t]){{0,3}}"
    rf"(?:[\"“]?(?:{_MASK})|the (?:\w{{1,12}} ){{0,2}}(?:character|name|person|one|speaker)\b)"
)
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[DMS]r)(?<!Mrs)[.!?](?=\s)|\n\s{0,8}\n")
_SENTENCE = re.compile(
    rf"(?i)\s-\s|\b(?:is|was|are|do|can|cannot|refers|and|or)\b|{_MASK}|[.?!]\s[A-Z]?[a-z]+\s"
)
_NICKNAME = re.compile(r"\A[^\"“]{1,60}[\"“](\w+)[\"”](?=\s+\w)")  # Sam "Ace" Rothstein
_POSSESSIVE = re.compile(r"['’]s\s+[a-z]")
_ENDED = re.compile(r"[\"”’'*_`)\]}]{0,4}\s{0,2}(?:[.,;:!?。(\n]|\Z)")
_CONCLUSION = re.compile(r"\b(?:So|Therefore|Thus|Hence|In conclusion|Overall)\b")


def _name(text: str, _options: Options) -> Guess | None:
    """En.Dia: the name given for the masked character."""
    for find in (_final, _bare, _leading, _concluded, _announced, _backward, _first_sentence):
        guess = find(text)
        if guess:
            return guess
    return None


def _guess(match: re.Match[str], way: str, cue: str = "") -> Guess:
    group = "name" if "quoted" not in match.re.groupindex or match["name"] else "quoted"
    return Guess(match[group], *match.span(group), way, " ".join(cue.split()))


def _final(text: str) -> Guess | None:
    """The last name after “the answer is” or so."""
    guess = None
    for match in _FINAL.finditer(text, tail(text)):
        found = _guess(match, "announced", text[match.start() : match.start("name")])
        guess = found if _is_name(found.text) else guess
    return guess


def _bare(text: str) -> Guess | None:
    """A first line of up to five words and nothing else."""
    match = _BARE.match(text)
    if match and 0 < len(match["name"].split()) <= 5 and not _SENTENCE.search(match["name"]):
        return _guess(match, "leading")
    return None


def _concluded(text: str) -> Guess | None:
    """The name announced after the last “So” or “Therefore”, if its sentence has one."""
    for conclusion in reversed(list(_CONCLUSION.finditer(text, tail(text)))[-20:]):
        guess = _announced_between(text, conclusion.start(), conclusion.start() + 400)
        if guess:
            return guess
    return None


def _announced(text: str) -> Guess | None:
    """The first name that a sentence about the mask or the character leads up to."""
    return _announced_between(text, 0, REACH)


def _announced_between(text: str, begin: int, end: int) -> Guess | None:
    subjects = [match.start() for match in _SUBJECT.finditer(text, begin, end)]
    for match in _ANNOUNCED.finditer(text, begin, end):
        start = last_before(subjects, match.start(), 160)
        if start is not None and not _SENTENCE_END.search(text, start, match.start()):
            guess = _guess(match, "announced", text[start : match.start()])
            if _is_name(guess.text) and not _POSSESSIVE.match(text, guess.end - 2):
                return guess
    return None


def _first_sentence(text: str) -> Guess | None:
    """The name that a short first sentence ends on, as in “The thief is Ace.”"""
    start = len(text) - len(text.lstrip())
    for match in _ANNOUNCED.finditer(text, start, start + 80):
        guess = _guess(match, "announced", text[start : match.start()])
        ended = _ENDED.match(text, match.end())
        if ended and _is_name(guess.text) and not _SENTENCE_END.search(text, start, guess.start):
            return guess
    return None


def _is_name(read: str) -> bool:
    return read.split(maxsplit=1)[0].lower() not in _NO_NAMES and not re.search(_MASK, read)


def _backward(text: str) -> Guess | None:
    """The first name of which a sentence says that it is the mask or the character."""
    for claim in _CLAIM.finditer(text, 0, REACH):
        offset = max(0, claim.start() - 80)
        names = list(_NAMED.finditer(text, offset, claim.start()))
        if names and names[-1].end() == claim.start():
            guess = _guess(names[-1], "announced", text[names[-1].start() : claim.end()])
            if _is_name(guess.text):
                return guess
    return None


def _leading(text: str) -> Guess | None:
    match = _LEADING.match(text)
    guess = _guess(match, "leading") if match else None
    return guess if guess and _is_name(guess.text) else None


def same_person(read: str, labels: Texts) -> bool:
    """The name is one of the labels, is made of their words, or starts with the only one.

    Titles and articles do not count, but Mr. and Mrs. differ. A single word must be a label as a
    whole. Where the labels are single words, a longer name stands for its first word alone: one
    guess, although a script may call a person by the last.
    """
    name = _words(read)
    if not name or any(_clash(read, label) for label in labels):
        return False
    known = [_words(label) for label in labels]
    if name in known:
        return True
    if len(name) < 2:
        return False
    if all(len(words) == 1 for words in known):
        return _first(name) in [words[0] for words in known]
    parts = {word for words in known for word in words}
    return parts.issuperset(name) and len(set(name)) == len(name)


def _first(name: list[str]) -> str:
    """The first word that is more than an initial."""
    return next((word for word in name if len(word) > 1), name[0])


def _words(name: str) -> list[str]:
    """Lower-case words from the nickname on, without titles and articles before them."""
    called = _NICKNAME.sub(r"\1", name).lower().replace("’", "'")
    words = re.findall(r"\w+(?:'\w+)*", called)
    words = [word.removesuffix("'s") for word in words]
    kept = 0
    while kept < len(words) - 1 and (words[kept] in _TITLES or words[kept] in _ARTICLES):
        kept += 1
    return words[kept:]


def _clash(read: str, label: str) -> bool:
    """One is called Mr. and the other Mrs., Ms. or Miss."""
    left, right = (set(name.lower().replace(".", " ").split()) for name in (read, label))
    return bool((left & _MEN and right & _WOMEN) or (left & _WOMEN and right & _MEN))


dialogue = OneGuess(_name, same_person, "a name")
