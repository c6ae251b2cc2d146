"""The metric set ``strict``: plainly right answers count, hedges don't, verdicts have reasons."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.labels import Label
from scoring.metrics import judge, official_2024_06, score_example, verdict_under
from scoring.metrics.rule import Question
from scoring.metrics.strict import rules
from scoring.metrics.strict.guess import OneGuess, plain
from tests.support.official_rows import released_rows

BOOK = ("Walking Georgie", "B")
CODE = ("Walking.georgie_run", "B")
KEY, VALUE = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb", "0ca1ea6d-d4c5-4f1b-9ef5-b8ee585ba083"
ACE = ("ACE", "ACE ROTHSTEIN")

# {text} is the text of option B: the words of En.MC's option, the function of Code.Debug's.
LETTERS = r"""
B|b|(B)|**B**|B.|B)|b.|b)|(b)|[B]|{B}|<B>|`B`|"B"|'B'|“B”|__B__|B;|B!|B?|B:|Ｂ| B |- B|* B|> B|#B
Option B|option (B)|option b|**Option B**|Option **B**|Option: B|Choice B|Letter B|B - {text}
B</s>|The answer is B.|the answer is b.|Answer: B|answer: b|ANSWER IS B|Ans: B|Answer is B
answer B|Answer - B|The correct answer is option B: {text}|\boxed{B}|$\boxed{\text{B}}$
B. {text}|B) {text}|(B) {text}|**B. {text}**|**B**. {text}|B: {text}|B, {text}|B {text}
B ({text})|B.{text}|Option B. {text}|B\n\nExplanation: A is wrong because it is.|B.\n\n|B\r\n
B\n\nA and C are wrong.|B because of the text
A is wrong, C is impossible. Therefore, the answer is B.
Let's think. A: no. B: yes. The answer is B|The answer isn't A, it's B
The answer is not A but B.|It's B.|It is B|So B.|Probably B|I'd say B
A dog barked at C while D slept, so the answer is B.|Based on the text, the answer is B.
I choose B|I would go with option B.|I would guess option B, but am not sure|My answer is: **B**
Answer:\nB|Answer:\n\nB. {text}|### Answer\n\nB|**Answer:** B|**Answer: B**
The answer is:\n\n**B. {text}**|The answer is **B**.|The answer is (B).|The answer is “B”.
The answer is `B`.|<answer>B</answer>|answer=B|choice (B) is correct|B is the correct answer.
Option B is correct.|B is correct|Thus, B is the correct option.
The answer to the question is B.|The right choice would be B|The answer must be B
Final answer: B|The passage says A. The correct answer is B.
Based on this, the correct answer is:\n\nB. {text}\n\nA is not.
B. {text}\n\nQuestion: What is this?\nA. x\nB. y\nAnswer: C|B. {text}\nC. other\nD. another
She walked the dog in the story of the farm, twice.\n\nB|<think>A or C? C.</think>\nB|答案是B|选B
答案：B|应该选B。|【答案】B|故选B|选项B|B选项|因此答案是(B)|我认为答案是B，因为A不对|B、{text}
"""

HEDGES = r"""
A or B|A/B/C/D|A answer is: B C|D A|A B C D|A, B, C, D|(A)(B)(C)(D)|A. B. C. D.|A and B|B or C
B;C|B & C|The answer is A or B|The answer is A, B or C.|The answer is B and C.|A\nB\nC\nD|B.\nC.
option A or option B|Option A, Option B, Option C|either A or B|B (or C)|B/C|B - C|AB|ABCD|B C D
C D A|It's B or C|A. one\nB. two\nC. three\nD. four|None of A, B, C or D has an error.
I cannot choose between A and B.
Please show me A, B, C, and D, and I tell you which one contains the most obvious error.
"""

NAMES = r"""
Walking.georgie_run|georgie_run|`Walking.georgie_run`|`georgie_run`|georgie_run()
Walking.georgie_run.|def georgie_run(self, x):|`def georgie_run(`|def georgie_run(
**Walking.georgie_run**|"Walking.georgie_run"|The bug is in `Walking.georgie_run`.
The bug is in Walking.georgie_run.|The error is in `georgie_run()`.
The function with the deliberate error is `Walking.georgie_run`.
The answer is Walking.georgie_run|The answer is `georgie_run`.|Answer: georgie_run
The answer is:\n\n**Walking.georgie_run**|The function georgie_run
`Walking.georgie_run` contains a deliberate error.|module.Walking.georgie_run
Walking.georgie_run\n\nQuestion: x|Walking.georgie_run\n\nThe function has a bug
WALKING.GEORGIE_RUN|Walking.georgie_run, because it is.|I think it is: Walking.georgie_run!
答案是：Walking.georgie_run
"""

TEXTS = r"""
Walking Georgie|walking georgie|Walking Georgie.|"Walking Georgie"|**Walking Georgie**
'Walking Georgie'.| Walking  Georgie \n|“Walking Georgie”|The answer is Walking Georgie.
Answer: Walking Georgie|The correct answer is "Walking Georgie".
Walking Georgie, because she did.|A Walking Georgie|Walking Georgie\n\nQuestion: what
Walking Georgie (her dog)|Walking Georgie is the answer|The answer is\nWalking Georgie
Option: Walking Georgie|So the option is Walking Georgie|E. Walking Georgie
"""

VALUES = r"""
{v}|"{v}"|'{v}'.|{V}|`{v}`|**{v}**|[{v}]|({v})|<{v}>|{v}。|{v}</s>|\boxed{{v}}|UUID:{v}|value={v}
The value associated with key {k} is {v}.|The value associated with key "{k}" is "{v}".
{"{k}": "{v}"}|"{k}": "{v}"|{k}: {v}|{k} -> {v}|{v} is the value for key {k}
The key {k} has the value {v}.|Its value is {v}
"{v}" is the value associated with the key "{k}".|The value {v} is associated with the key {k}.
{v}\n\nKey: {k}\nThe value is: {k}|The value for {k} is {v}|The answer is {v}
Key: {k}\nValue: {v}|{k} = {v}|```json\n{"{k}": "{v}"}\n```|键{k}的值是{v}|答案是{v}
{k} is associated with {v}|{k} maps to the value {v}|For the key {k}, the value is {v}
I found the key {k}. The value is {v}.|The key "{k}" is mapped to "{v}".
"""

NUMBERS = r"""
-4|−4|－４|-4.|-4.0|`-4`|**-4**|$-4$|$$-4$$|\boxed{-4}|\(-4\)|'-4'|(-4)|[-4]|= -4|- -4|-4</s>
-4\n7\n8|The answer is -4|the return value is -4.|func_12(3) = -4.|func_6351(3) returns -4
func_6351(10): -4|返回值是-4|The return value of `func_6351(-3)` is `-4`.|func_6351(3)\n= -4
```\n-4\n```|```python\n-4\n```|Answer: -4
-4\n\nPlease give me the exact number of the return value of func_3(9).|-4\n\nfunc_1(3) is 7.
答案：-4|func_1(2) = 5 - 9 = -4|So the answer is 5 - 9 = -4.|First 3, then 7, finally -4
x = 3, so f(3) = 5 and g(3) = -4|-4 is the return value of func_6351(3).
The function returns -4 when called with 3.|The return value is:\n-4
The return value is: -4.\n\nThe return value is:
1. f(3) returns 8\n2. g(3) = -4\n\nThe return value is -4
The return value is -4, since func_2(3) is 8.|Thus, func_6351(3) will return -4.|Therefore -4.
I get -4
"""

NO_NUMBERS = r"""
func_6351|func_6351(-4)|The return value is: func_1(-5) - 4.
I cannot determine it for the input -4.|The return value is 7.\n\nThe return value is: undefined
It is 4 or -4|We need the value when the input is -4.
"""

PEOPLE = r"""
ACE ROTHSTEIN|Ace Rothstein|ace rothstein|ACE|Ace.|"Ace"|**ACE**|'ACE'|`ACE`|ACE!
Mr. Ace Rothstein|to be Ace.|The $$MASK$$ is ACE ROTHSTEIN.|$$MASK$$ is Ace|$$MASK$$: ACE
$$MASK$$ = Ace|"$$MASK$$" refers to Ace Rothstein.
Based on the script, the masked character is most likely Ace Rothstein, because he runs it.
It's Ace Rothstein.|ACE ROTHSTEIN.\n\nExplanation: NICKY is x|Answer: ACE
The answer is Ace Rothstein.|The character is Ace.
The character whose name was replaced is ACE ROTHSTEIN.
Ace Rothstein is the character whose name is masked.
The character that is called "Ace" is most likely "$$MASK$$".|Name: Ace|Ace, the casino boss
Sam "Ace" Rothstein|Ace\n\nNicky: hello\nQuestion: who|ACE - because
Ace Rothstein (Robert De Niro)|My guess is Ace.|likely Ace.
$$MASK$$ is Nicky. Later it is shown that Nicky slept. So $$MASK$$ refers to the character Ace.
The boss is Ace.
"""


def _lines(table: str) -> list[str]:
    cells = [cell for line in table.strip("\n").split("\n") for cell in line.split("|")]
    return [cell.replace(r"\n", "\n").replace(r"\r", "\r") for cell in cells]


def _cases() -> list[tuple[str, Label, str]]:
    filled = [cell.replace("{v}", VALUE).replace("{V}", VALUE.upper()).replace("{k}", KEY)
              for cell in _lines(VALUES)]  # fmt: skip
    return [
        *(("longbook_choice_eng", BOOK, x.replace("{text}", BOOK[0])) for x in _lines(LETTERS)),
        *(("code_debug", CODE, x.replace("{text}", CODE[0])) for x in _lines(LETTERS)),
        *(("longbook_choice_eng", BOOK, x) for x in _lines(TEXTS)),
        *(("code_debug", CODE, x) for x in _lines(NAMES)),
        *(("kv_retrieval", VALUE, x) for x in filled),
        *(("code_run", -4, x) for x in _lines(NUMBERS)),
        *(("longdialogue_qa_eng", ACE, x) for x in _lines(PEOPLE)),
    ]


@pytest.mark.parametrize(("task", "label", "prediction"), _cases())
def test_a_plainly_right_answer_is_never_missed(task: str, label: Label, prediction: str) -> None:
    verdict = verdict_under("strict", task, prediction, label, Question())
    assert verdict.score == 1, (verdict.code, verdict.extracted)


@pytest.mark.parametrize("task", ["longbook_choice_eng", "code_debug"])
@pytest.mark.parametrize("prediction", _lines(HEDGES))
@pytest.mark.parametrize("letter", "ABCD")
def test_several_letters_are_no_answer(task: str, prediction: str, letter: str) -> None:
    assert rules.RULES[task](prediction, ("some.thing", letter), Question()).score == 0


@pytest.mark.parametrize("prediction", _lines(NO_NUMBERS))
def test_digits_of_names_calls_and_inputs_are_no_return_value(prediction: str) -> None:
    for label in (-4, 4, 6351, 7, 5):
        assert rules.RULES["code_run"](prediction, label, Question()).score == 0


@pytest.mark.parametrize(
    ("labels", "right", "wrong"),
    [
        (("THE BRIDE",), "Bride", "Beatrix Kiddo"),
        (("MR. PINK",), "Pink", "Mrs. Pink"),
        (("HUNSECKER",), "J.J. Hunsecker", "Walter Hunsecker"),  # a longer name is its first word
        (("FRANK",), "Frank Lucas", "Lucas Frank"),
        (("LISA", "LISA COHEN"), "Lisa", "Lisa Templeton"),
        (("STU", "STUART SHEPARD"), "Stu Shepard", "Stuart"),
        (("PAUL", "PAUL D. GARNER", "Paul D."), "Paul Garner", "Paul Smith"),
        (("LEON", "Count Leon d'Algout"), "Leon d’Algout", "Algout"),
        (("WARDEN", "MILTON WARDEN"), "Sergeant Warden", "Warden Norton"),
        (("DAD",), "Dad", "Mason"),
    ],
)
def test_a_name_is_the_label_or_made_of_its_parts(
    labels: tuple[str, ...], right: str, wrong: str
) -> None:
    dialogue = rules.RULES["longdialogue_qa_eng"]
    assert dialogue(right, labels, Question()).score == 1
    assert dialogue(wrong, labels, Question()).score == 0


@pytest.mark.parametrize(
    "text", ['The answer is " "', '$$MASK$$ is "  ", I think', 'Therefore: " ".']
)
def test_a_quoted_space_is_not_a_name(text: str) -> None:
    assert rules.RULES["longdialogue_qa_eng"](text, ("ACE",), Question()).score == 0


@pytest.mark.parametrize(
    ("task", "label", "prediction", "drop_first", "score"),
    [
        ("math_find", 48, "48.0", False, 1),
        ("math_find", 48.5, "it is 48.5", False, 1),
        ("math_find", 48.0, "48", False, 1),
        ("math_find", 4, "-4", False, 1),
        ("math_find", 4, "４", False, 1),
        ("math_find", 4, "4." + "9" * 5000, False, 0),
        ("math_find", 4, "4" * 5000, False, 0),
        ("math_calc", (1, 2, 3), "[1, 2, 3]", False, 1),
        ("math_calc", (1, 2, 3), "[9, 1, 2, 3]", True, 1),
        ("math_calc", (1, 2, 3), "[-9, 1, 2, 3]", True, 1),
        ("math_calc", (1, 2), "[1, -2]", False, 0.5),
        ("math_calc", (1, 2), "1 −2", False, 0.5),
        ("math_calc", (76, 79), "76-79", False, 1),
        ("math_calc", (76, 79), "76 - 79", False, 1),
        ("math_calc", (76, 79), "- 76\n- 79", False, 1),
        ("math_calc", (76, 79), "76->79", False, 1),
        ("math_calc", (1, 2), "1, " + "9" * 5000, False, 0.5),
    ],
)
def test_numbers_are_read_without_the_official_crashes(
    task: str, label: Label, prediction: str, drop_first: bool, score: float
) -> None:
    verdict = rules.RULES[task](prediction, label, Question(drop_first=drop_first))
    assert verdict.score == score


def test_rules_with_one_guess_already_are_the_official_functions() -> None:
    same = {t for t, rule in rules.RULES.items() if rule is official_2024_06.RULES[t]}
    assert same == {
        "passkey", "number_string", "longbook_qa_eng", "longbook_qa_chn", "longbook_sum_eng",
    }  # fmt: skip


@pytest.mark.parametrize(("task", "label", "prediction"), _cases())
def test_the_reason_points_at_the_characters_that_decided(
    task: str, label: Label, prediction: str
) -> None:
    verdict = rules.RULES[task](prediction, label, Question())
    start, end = verdict.params["start"], verdict.params["end"]
    read = prediction[int(start) : int(end)]
    assert verdict.extracted in (read, read.upper(), "B")
    assert (verdict.params["start"], verdict.params["end"]) == (start, end)


def test_plain_characters_and_their_lower_case_leave_every_offset_where_it_was() -> None:
    text = "".join(map(chr, range(0x110000)))
    assert len(plain(text)) == len(plain(text).lower()) == len(text)
    assert plain(text)[:128].isascii()
    assert plain(text[:128]) == text[:128]


@pytest.mark.parametrize(
    ("task", "label", "prediction", "extracted"),
    [
        ("code_run", -4, "The value is “−4”。因为", "−4"),
        ("code_run", 4, "答案是4。5是输入", "4"),
        ("longdialogue_qa_eng", ("LEON", "Leon d'Algout"), "Leon d’Algout", "Leon d’Algout"),
        ("longbook_choice_eng", ("The dog’s bone", "B"), "The dog's bone.", "The dog's bone."),
        ("code_debug", CODE, "答案是Walking.georgie_run。因为", "Walking.georgie_run"),
        ("longbook_choice_eng", BOOK, "（Ｂ）", "B"),
    ],
)
def test_typographic_and_full_width_characters_are_read_as_plain_and_shown_as_written(
    task: str, label: Label, prediction: str, extracted: str
) -> None:
    verdict = rules.RULES[task](prediction, label, Question())
    assert (verdict.score, verdict.extracted) == (1, extracted)


HEAVY = r"""
(|A|1|'|"|`|\n|9|-|é|A.A.|d'|answer is|B|is B|error in option B|option A has an error|= 1|`a_b`|So
$$MASK$$ is|is Ace|</think>|\n\nQuestion:|</s>|key|answer|The return value is|func_1(|\boxed{B}
选B|The bug is in|0ca1ea6d-d4c5-4f1b-9ef5-b8ee585ba083|"Nick" is the character|Dr.|5 -|1.
So B.|answer is a.|is - 1|Actually,|B. x\n|◁/think▷a|I think|not B|{v} is|minus|```\n
"""


LABELS: dict[str, Label] = {
    "passkey": "12345", "number_string": "1234567890", "kv_retrieval": VALUE, "math_find": 7,
    "longbook_choice_eng": BOOK, "code_debug": CODE, "longdialogue_qa_eng": ACE, "code_run": 7,
    "math_calc": tuple(range(99)),
}  # fmt: skip


def seconds_of(task: str, prediction: str) -> float:
    """The processor time that judging it takes."""
    started = time.process_time()
    rules.RULES[task](prediction, LABELS[task], Question())
    return time.process_time() - started


@pytest.mark.parametrize("task", LABELS)
def test_a_quarter_of_a_megabyte_takes_less_than_half_a_second(task: str) -> None:
    for word in _lines(HEAVY):
        unit = word if len(word) < 2 else word + " "
        prediction = (unit * (1 + (1 << 18) // len(unit)))[: 1 << 18]
        assert any(seconds_of(task, prediction) < 0.5 for _ in range(3)), unit  # on a busy machine


WORDS = st.sampled_from(_lines(LETTERS) + _lines(PEOPLE) + _lines(NUMBERS) + _lines(VALUES))
PREDICTIONS = st.one_of(
    st.text(st.characters(codec=None)),
    st.lists(st.one_of(WORDS, st.text()), max_size=8).map("".join),
)


@given(PREDICTIONS)
def test_no_text_raises_and_the_guess_is_part_of_it(prediction: str) -> None:
    for task, label in LABELS.items():
        verdict = score_example("strict", task, prediction, label)
        assert 0 <= verdict.score <= 1
        assert verdict.reason
        rule = rules.RULES[task]
        if isinstance(rule, OneGuess) and (guess := rule.read(prediction)):
            assert prediction[guess.start : guess.end].strip() != ""


def test_real_files_score_as_listed_in_the_documentation(real_data: Path) -> None:
    listed = {
        ("kv_retrieval", "gpt4"): 445, ("kv_retrieval", "claude2"): 327,
        ("kv_retrieval", "kimi"): 268,
        ("code_run", "gpt4"): 105, ("code_run", "claude2"): 10, ("code_run", "kimi"): 7,
        ("longbook_choice_eng", "gpt4"): 154, ("longbook_choice_eng", "claude2"): 154,
        ("longbook_choice_eng", "kimi"): 166,
        ("code_debug", "gpt4"): 196, ("code_debug", "claude2"): 23, ("code_debug", "kimi"): 109,
        ("longdialogue_qa_eng", "gpt4"): 16, ("longdialogue_qa_eng", "claude2"): 91,
        ("longdialogue_qa_eng", "kimi"): 21,
    }  # fmt: skip
    counted = {
        (task, model): sum(
            rules.RULES[task](prediction, label, Question()).score
            for prediction, label in released_rows(real_data, model, task)
        )
        for task, model in listed
    }
    assert counted == listed


BOOK_OPTIONS = ("a silver key", "two days", "the ferryman", "the ferryman's son")
CODE_OPTIONS = ("Reader.close", "parse_header", "_flush", "Pool.join")


@pytest.mark.parametrize(
    ("task", "options", "prediction", "letter"),
    [
        ("longbook_choice_eng", BOOK_OPTIONS, "I think it was the ferryman.", "C"),
        (
            "longbook_choice_eng",
            BOOK_OPTIONS,
            "It must have been the ferryman's son who did it",
            "D",
        ),
        ("longbook_choice_eng", BOOK_OPTIONS, "She carried a silver key", "A"),
        ("longbook_choice_eng", BOOK_OPTIONS, "It was not the ferryman.", None),
        ("longbook_choice_eng", BOOK_OPTIONS, "Perhaps two days, perhaps a silver key", None),
        ("longbook_choice_eng", BOOK_OPTIONS, "B. I think it was the ferryman.", "B"),
        ("code_debug", CODE_OPTIONS, "I would look at parse_header first", "B"),
        ("code_debug", CODE_OPTIONS, "Between Reader.close and parse_header", None),
    ],
)
def test_the_only_known_option_that_a_short_answer_names_is_its_guess(
    task: str, options: tuple[str, ...], prediction: str, letter: str | None
) -> None:
    right = [
        name
        for name, option in zip("ABCD", options, strict=True)
        if score_example("strict", task, prediction, [option, name], options=options).score
    ]
    assert right == ([letter] if letter else [])


@given(st.permutations(BOOK_OPTIONS), st.sampled_from([", ", "\n", " or ", "; "]))
def test_a_list_of_all_known_options_is_at_most_its_first_line(
    listed: list[str], separator: str
) -> None:
    scores = [
        score_example(
            "strict",
            "longbook_choice_eng",
            separator.join(listed),
            [option, name],
            options=BOOK_OPTIONS,
        ).score
        for name, option in zip("ABCD", BOOK_OPTIONS, strict=True)
    ]
    assert sum(scores) <= 1


NUMBERS = """
171|171.|**171**|171 crowns|The answer is 171.|She spent 171 crowns in all.|A total of 171 crowns.
Sum: 171|一共171克朗|171克朗|答案是171。|他一共花了171克朗。|１７１|12 + 159 = 171|\\boxed{171}
"""


@pytest.mark.parametrize("task", ["longbook_qa_eng", "longbook_qa_chn"])
@pytest.mark.parametrize(
    "prediction", [one for line in NUMBERS.split("\n") for one in line.split("|") if one]
)
def test_a_number_of_a_novel_is_compared_as_one(task: str, prediction: str) -> None:
    def score(label: str) -> float:
        answers = [label]
        return score_example("strict", task, prediction, answers, answer_type="number").score

    assert score("171") == 1
    assert [score(other) for other in ("71", "17", "172", "1710")] == [0, 0, 0, 0]


@pytest.mark.parametrize("prediction", ["170, 171, 172", "171 or 172", "172 crowns", "crowns", ""])
def test_several_numbers_or_another_one_are_no_answer(prediction: str) -> None:
    for task in ("longbook_qa_eng", "longbook_qa_chn"):
        found = score_example("strict", task, prediction, ["171"], answer_type="number")
        assert found.score == 0


def test_thousands_may_have_commas() -> None:
    for text in ("1,171", "1,171 crowns", "In all she spent 1,171 crowns.", "1171"):
        found = score_example("strict", "longbook_qa_eng", text, ["1171"], answer_type="number")
        assert found.score == 1, text


def test_only_strict_and_only_novels_compare_numbers_by_the_type_of_an_answer() -> None:
    for name in ("official-2024-06", "official-2024-09"):
        typed = score_example(name, "longbook_qa_chn", "942", ["249"], answer_type="number")
        assert typed == score_example(name, "longbook_qa_chn", "942", ["249"])
        assert typed.score == 1
    question = Question(answer_type="number")
    assert judge("longbook_qa_chn", "942", ("249",), question)["strict"].score == 0
    assert judge("code_run", "9", 9, question) == judge("code_run", "9", 9, Question())
