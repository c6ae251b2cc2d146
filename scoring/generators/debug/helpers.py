"""Small functions with a second argument, which the others call."""

from scoring.generators.debug.step import Step

# ``{arg}`` is the second argument; ``apply`` gets it after the value.
HELPERS: tuple[Step, ...] = (
    Step("numbers", "numbers", "multiplies everything by {arg}", """
{out} = [{item} * {arg} for {item} in {src}]  #reads
""", lambda v, a: [a * n for n in v]),
    Step("numbers", "numbers", "takes {arg} from everything, down to nothing", """
{out} = []  #init
for {item} in {src}:  #reads
    {out}.append(max({item} - {arg}, 0))
""", lambda v, a: [n - a if n > a else 0 for n in v]),
    Step("numbers", "numbers", "takes every number from {arg} on", """
{out} = []  #init
for {item} in {src}:  #reads
    if {item} < {arg}:
        continue
    {out}.append({item})
""", lambda v, a: [n for n in v if n >= a]),
    Step("numbers", "numbers", "adds the place, counted from {arg}", """
{out} = [{item} + {place} for {place}, {item} in enumerate({src}, {arg})]  #reads
""", lambda v, a: [n + a + i for i, n in enumerate(v)]),
    Step("numbers", "number", "adds up the remainders modulo {arg}", """
{out} = 0  #init
for {item} in {src}:  #reads
    {out} += {item} % {arg}
""", lambda v, a: sum(n % a for n in v)),
    Step("numbers", "number", "adds up the {arg} largest numbers", """
{order} = sorted({src}, reverse=True)  #reads
{out} = sum({order}[:{arg}])
""", lambda v, a: sum(sorted(v)[-a:])),
    Step("number", "number", "takes the next multiple of {arg} below or at the number", """
{out} = {src} - {src} % {arg}  #reads
""", lambda v, a: v // a * a),
    Step("number", "number", "adds {arg} as often as it has digits", """
{out} = {src}  #reads
for {letter} in str(abs({src})):  #reads
    {out} += {arg}
""", lambda v, a: v + a * len(str(abs(v)))),
    Step("words", "words", "cuts each word after {arg} letters", """
{out} = [{word}[:{arg}] for {word} in {src}]  #reads
""", lambda v, a: ["".join(c for i, c in enumerate(w) if i < a) for w in v]),
    Step("words", "words", "repeats the first {arg} words at the end", """
{out} = list({src})  #reads
for {word} in {src}[:{arg}]:  #reads
    {out}.append({word})
""", lambda v, a: [*v, *v[:a]]),
    Step("words", "numbers", "measures the words, each at most {arg}", """
{out} = []  #init
for {word} in {src}:  #reads
    {out}.append(min(len({word}), {arg}))
""", lambda v, a: [len(w[:a]) for w in v]),
    Step("text", "text", "leaves out every letter at a multiple of {arg}", """
{out} = ""  #init
for {place}, {letter} in enumerate({src}, 1):  #reads
    if {place} % {arg}:
        {out} += {letter}
""", lambda v, a: "".join(c for i, c in enumerate(v) if i % a != a - 1)),
    Step("text", "words", "cuts the text into pieces of {arg} letters", """
{out} = []  #init
for {place} in range(0, len({src}), {arg}):  #reads
    {out}.append({src}[{place}:{place} + {arg}])
""", lambda v, a: [v[i * a : i * a + a] for i in range(-(-len(v) // a))]),
    Step("table", "table", "keeps what is worth {arg} at least", """
{out} = {{}}  #init
for {key}, {item} in {src}.items():  #reads
    if {item} >= {arg}:
        {out}[{key}] = {item}
""", lambda v, a: {key: n for key, n in v.items() if n >= a}),
    Step("table", "numbers", "lists the values, each divided by {arg}", """
{out} = [{item} // {arg} for {item} in {src}.values()]  #reads
""", lambda v, a: [(n - n % a) // a for n in v.values()]),
)  # fmt: skip
