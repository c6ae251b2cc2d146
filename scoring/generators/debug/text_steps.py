"""Steps that begin with words, a text or a table."""

from collections import Counter
from itertools import pairwise

from scoring.generators.debug.step import Step


def _runs(text: str) -> str:
    """The text with each letter once where it stands several times in a row."""
    return "".join(after for before, after in pairwise(f"\0{text}") if before != after)


def _shifted(text: str, by: int) -> str:
    lower = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(lower, lower[by:] + lower[:by]))


TEXT_STEPS: tuple[Step, ...] = (
    # Words
    Step("words", "words", "keeps words of more than {m} letters", """
{out} = []  #init
for {word} in {src}:  #reads
    if len({word}) > {m}:
        {out}.append({word})
""", lambda v, m: [w for w in v if not len(w) <= m]),
    Step("words", "words", "sorts the words by length", """
{out} = sorted({src}, key=lambda {word}: (len({word}), {word}))  #reads
""", lambda v: sorted(sorted(v), key=len)),
    Step("words", "words", "drops words that have come before", """
{out} = []  #init
{seen} = set()
for {word} in {src}:  #reads
    if {word} in {seen}:
        continue
    {seen}.add({word})
    {out}.append({word})
""", lambda v: list(dict.fromkeys(v))),
    Step("words", "words", "numbers the words, beginning with {k}", """
{out} = []  #init
for {place}, {word} in enumerate({src}, {k}):  #reads
    {out}.append(f"{{{word}}}-{{{place}}}")
""", lambda v, k: [f"{w}-{k + i}" for i, w in enumerate(v)]),
    Step("words", "words", "joins neighbours in pairs and leaves out a last one alone", """
{out} = []  #init
for {place} in range(0, len({src}) - 1, 2):  #reads
    {out}.append({src}[{place}] + "_" + {src}[{place} + 1])
""", lambda v: [f"{a}_{b}" for a, b in zip(v[::2], v[1::2], strict=False)]),
    Step("words", "words", "reverses every second word", """
{out} = list({src})  #reads
for {place} in range(1, len({out}), 2):
    {out}[{place}] = {out}[{place}][::-1]
""", lambda v: [w[::-1] if i % 2 else w for i, w in enumerate(v)]),
    Step("words", "numbers", "measures the words and adds {k} to each", """
{out} = [len({word}) + {k} for {word} in {src}]  #reads
""", lambda v, k: [k + n for n in map(len, v)]),
    Step("words", "numbers", "counts the vowels of each word, times {m}", """
{out} = []  #init
for {word} in {src}:  #reads
    {total} = 0
    for {letter} in {word}.lower():
        if {letter} in "aeiou":
            {total} += {m}
    {out}.append({total})
""", lambda v, m: [m * sum(map(w.lower().count, "aeiou")) for w in v]),
    Step("words", "table", "counts {m} for each first letter", """
{out} = {{}}  #init
for {word} in {src}:  #reads
    {key} = {word}[:1]
    {out}[{key}] = {out}.get({key}, 0) + {m}
""", lambda v, m: {a: n * m for a, n in Counter(w[:1] for w in v).items()}),
    Step("words", "table", "writes down each new word with its length and its place added", """
{out} = {{}}  #init
for {place}, {word} in enumerate({src}):  #reads
    {out}.setdefault({word}, len({word}) + {place})
""", lambda v: {w: len(w) + v.index(w) for w in dict.fromkeys(v)}),
    Step("words", "text", "joins the words that are not empty with {SIGN}", """
{out} = {SIGN}.join({word} for {word} in {src} if {word})  #reads
""", lambda v, sign: sign.join(filter(None, v))),
    Step("words", "text", "makes a name of the first letters", """
{out} = ""  #init
for {word} in {src}:  #reads
    {out} += {word}[:1].upper()
""", lambda v: "".join(w[:1] for w in v).upper()),
    # Text
    Step("text", "words", "splits the text at spaces and strips its stops", """
{out} = []  #init
for {word} in {src}.split():  #reads
    {out}.append({word}.strip(".,;"))
""", lambda v: [w.strip(".,;") for w in v.split()]),
    Step("text", "words", "reads words letter by letter", """
{out} = []  #init
{word} = ""  #init
for {letter} in {src} + " ":  #reads
    if {letter}.isalpha():
        {word} += {letter}
    elif {word}:
        {out}.append({word})
        {word} = ""
""", lambda v: "".join(c if c.isalpha() else " " for c in v).split()),
    Step("text", "text", "moves each letter on by {m} in the alphabet", """
{out} = ""  #init
for {letter} in {src}:  #reads
    if "a" <= {letter} <= "z":
        {out} += chr((ord({letter}) - 97 + {m}) % 26 + 97)
    else:
        {out} += {letter}
""", _shifted),
    Step("text", "text", "writes equal letters in a row only once", """
{out} = {src}[:1]  #reads
for {letter} in {src}[1:]:  #reads
    if {letter} != {out}[-1]:
        {out} += {letter}
""", _runs),
    Step("text", "text", "puts a bar between groups of {k} letters", """
{out} = "|".join({src}[{place}:{place} + {k}] for {place} in range(0, len({src}), {k}))  #reads
""", lambda v, k: "".join(
        c + ("|" if i % k == k - 1 and i < len(v) - 1 else "") for i, c in enumerate(v)
    )),
    Step("text", "number", "counts the vowels, beginning with {k}", """
{place} = 0  #init
{out} = {k}  #init
while {place} < len({src}):  #reads
    if {src}[{place}] in "aeiou":
        {out} += 1
    {place} += 1
""", lambda v, k: k + sum(map(v.count, "aeiou"))),
    Step("text", "number", "adds up the letters by their place, modulo {P}", """
{out} = 0  #init
for {place}, {letter} in enumerate({src}, 1):  #reads
    {out} = ({out} + {place} * ord({letter})) % {P}
""", lambda v, p: sum(i * ord(c) for i, c in enumerate(v, 1)) % p),
    # Tables
    Step("table", "number", "adds up what is listed, and {k} for each line", """
{out} = 0  #init
for {key} in {src}:  #reads
    {out} += {src}[{key}] + {k}
""", lambda v, k: sum(v.values()) + k * len(v)),
    Step("table", "number", "adds up the values of keys with more than {m} letters", """
{out} = 0  #init
for {key}, {item} in {src}.items():  #reads
    if len({key}) > {m}:
        {out} += {item}
""", lambda v, m: sum(n for key, n in v.items() if len(key) > m)),
    Step("table", "words", "lists the keys, the largest value first", """
{out} = sorted({src}, key=lambda {key}: (-{src}[{key}], {key}))  #reads
""", lambda v: sorted(sorted(v), key=v.__getitem__, reverse=True)),
    Step("table", "words", "lists the keys with at least {k}", """
{out} = []  #init
for {key} in sorted({src}):  #reads
    if {src}[{key}] >= {k}:
        {out}.append({key})
""", lambda v, k: [key for key, n in sorted(v.items()) if n >= k]),
    Step("table", "numbers", "takes the values in the order of their keys, times {m}", """
{out} = []  #init
for {key} in sorted({src}):  #reads
    {out}.append({src}[{key}] * {m})
""", lambda v, m: [n * m for _, n in sorted(v.items())]),
    Step("table", "table", "gives everything a bonus of {m} below {K}", """
{out} = dict({src})  #reads
for {key}, {item} in {src}.items():  #reads
    if {item} < {K}:
        {out}[{key}] = {item} + {m}
""", lambda v, k, m: {key: n + m * (n < k) for key, n in v.items()}),
    Step("numbers", "table", "sorts the numbers into shelves of {k}", """
{out} = {{}}  #init
for {item} in {src}:  #reads
    {key} = f"{{{SHELF}}}{{{item} // {k}}}"
    {out}[{key}] = {out}.get({key}, 0) + 1
""", lambda v, k, shelf: dict(Counter(f"{shelf}{n // k}" for n in v))),
)  # fmt: skip
