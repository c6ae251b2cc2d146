"""Plainly right answers and plain denials that ``strict`` once misread under attack."""

import re

import pytest

from scoring.labels import Label
from scoring.metrics import METRIC_SETS, judge, verdict_under
from scoring.metrics.rule import Question
from scoring.metrics.strict import rules
from scoring.metrics.strict.guess import OneGuess
from tests.scoring.metrics.test_strict import LETTERS

TEXT = "the old ferryman"
FUNCTION = ("Reader.convert", "B")
ACE = ("ACE", "ACE ROTHSTEIN")
KEY, VALUE = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb", "0ca1ea6d-d4c5-4f1b-9ef5-b8ee585ba083"
LONG = "She looks at the river and thinks about all that was said. " * 12


def _score(task: str, prediction: str, label: Label) -> float:
    return verdict_under("strict", task, prediction, label, Question()).score


THINKING = ("<think>{}</think>\n\n", "◁think▷{}◁/think▷\n", "[THINK]{}[/THINK]", "{}</thinking>")
AFTER = [
    *(("longbook_choice_eng", (TEXT, "B"), x) for x in ("B", "**B**", "Option B", f"B. {TEXT}")),
    *(("code_debug", FUNCTION, x) for x in ("B", "**B**", "Option B", "convert", "`convert`")),
    *(("longdialogue_qa_eng", ACE, x) for x in ("Ace", "ACE", "**Ace**", "It is Ace.")),
    *(("code_run", -4, x) for x in ("-4", "**-4**", "The answer is -4.")),
    ("kv_retrieval", VALUE, VALUE),
]

WITHOUT_A_GUESS = [  # tasks whose rules read the whole answer
    ("passkey", "71432", "71432"),
    ("number_string", "7143271432", "7143271432"),
    ("math_find", 48, "48"),
    ("math_calc", (1, 2, 3), "[1, 2, 3]"),
    ("longbook_qa_eng", ("the crimson quartz",), "crimson quartz"),
    ("longbook_qa_chn", ("红色的石头",), "红色的石头"),
    ("longbook_sum_eng", ("A fox met a dog.",), "A fox met a dog."),
]


@pytest.mark.parametrize("thinking", THINKING)
@pytest.mark.parametrize(("task", "label", "answer"), AFTER)
def test_an_answer_after_long_thinking_is_read_as_if_it_were_alone(
    task: str, label: Label, answer: str, thinking: str
) -> None:
    prediction = thinking.format("It could be A, C or 7, or Nicky. " + LONG) + answer
    verdict = verdict_under("strict", task, prediction, label, Question())
    assert verdict.score == 1
    assert int(verdict.params["start"]) >= len(prediction) - len(answer)


@pytest.mark.parametrize("thinking", THINKING)
@pytest.mark.parametrize(("task", "label", "answer"), WITHOUT_A_GUESS)
def test_strict_scores_what_follows_the_reasoning_in_every_task(
    task: str, label: Label, answer: str, thinking: str
) -> None:
    """The official rules read the whole text, bit for bit as the official code does."""
    prediction = thinking.format("It could be 7 or 12, a plum. " + LONG) + answer
    question = Question()
    verdicts = judge(task, prediction, label, question)
    assert verdicts["strict"] == judge(task, answer, label, question)["strict"]
    assert verdicts["strict"].score == 1
    for name in ("official-2024-06", "official-2024-09"):
        assert verdicts[name] == METRIC_SETS[name][task](prediction, label, question)
        assert verdicts[name].score < 1


@pytest.mark.parametrize(("task", "label", "answer"), AFTER)
def test_white_space_at_the_start_does_not_count(task: str, label: Label, answer: str) -> None:
    assert _score(task, "\n" * 9 + " " * 500 + answer, label) == 1


CONCLUSIONS = r"""
So B.|Therefore, B.|Hence, B.|Thus B|B. the old ferryman|**B. the old ferryman**
(B) the old ferryman|It must be B.|Result: B|I would say B.|The answer is b.
The answer is: B|**Answer: B**|Actually, B.|B|**B**|Option B|So it's B.|So, option B.
\boxed{B}|\boxed{\text{B}}|\boxed{\text{(B)}}|\boxed{\mathrm{B}}|\boxed{\mathbf{B}}
<final_answer>B</final_answer>|<answer>B</answer>|The only option that fits is B.
"""
DENIALS = r"""
B is wrong.|B is not the answer.|Not B.|I would not choose B.|The answer can't be B.
The least likely answer is B.|B: wrong|Rule out B|答案不是B|The answer is not B.
The answer isn't B.|B isn't the answer.|I can rule out B.|It is not B.|It can't be B.|B - wrong
The correct answer is not B.|B cannot be right.|I don't think it is B.|B is incorrect.
Never choose B.|B is clearly wrong.|Anything except B.|不选B
"""
OTHERS = r"""
B is correct.|B is the correct answer.|I believe B is correct.|B is the best answer.
B because the text says so.|B since she did.|B is right|Choose B because it fits.
The answer is B because it fits.|{"answer": "B"}|{"final_answer": "B"}|选择B|我选择B。
Final Answer: B|My final answer is B.|B seems correct.|B has the most obvious error.
"""


def _lines(table: str) -> list[str]:
    cells = [cell for line in table.strip("\n").split("\n") for cell in line.split("|")]
    return [cell.replace(r"\n", "\n") for cell in cells]


def _with(letter: str, form: str) -> str:
    """The form with another letter in place of its B, where that is a word of its own."""
    small = re.sub(r"(?<![A-Za-z\\])b(?![A-Za-z]|'[a-z])", letter.lower(), form)
    return re.sub(r"(?<![A-Za-z\\])B(?![A-Za-z]|'[a-z])", letter, small)


CHOICES = ("longbook_choice_eng", "code_debug")
_ONLY_B = re.compile(r"(?<![A-Za-z])[AaCD](?![A-Za-z])|\{text\}|Ｂ")
ONE_LETTER = [form for form in _lines(LETTERS) if not _ONLY_B.search(form)]


@pytest.mark.parametrize("task", CHOICES)
@pytest.mark.parametrize("letter", "ABCD")
@pytest.mark.parametrize("form", [*ONE_LETTER, *_lines(OTHERS)])
def test_every_letter_is_read_in_every_form(task: str, letter: str, form: str) -> None:
    assert _score(task, _with(letter, form), ("some.thing", letter)) == 1


@pytest.mark.parametrize("task", CHOICES)
@pytest.mark.parametrize("letter", "ABCD")
@pytest.mark.parametrize("form", _lines(CONCLUSIONS))
def test_the_conclusion_of_a_long_text_is_read(task: str, letter: str, form: str) -> None:
    for prediction in (LONG + "\n\n" + form, LONG + "\n" + form + "\n"):
        assert _score(task, _with(letter, prediction), ("some.thing", letter)) == 1


@pytest.mark.parametrize("task", CHOICES)
@pytest.mark.parametrize("letter", "ABCD")
@pytest.mark.parametrize("form", _lines(DENIALS))
def test_a_denial_is_no_answer(task: str, letter: str, form: str) -> None:
    assert _score(task, _with(letter, form), ("some.thing", letter)) == 0


@pytest.mark.parametrize("task", CHOICES)
def test_two_letters_in_a_box_are_no_answer(task: str) -> None:
    for letter in "BC":
        assert _score(task, r"\boxed{B, C}", ("some.thing", letter)) == 0


@pytest.mark.parametrize("task", CHOICES)
def test_after_a_change_of_mind_the_second_letter_counts(task: str) -> None:
    assert _score(task, "B. Actually, C.", ("some.thing", "C")) == 1
    assert _score(task, "B. Actually, C.", ("some.thing", "B")) == 0


@pytest.mark.parametrize("form", ["Answer: A kiss", '{"answer": "A kiss"}', "A kiss", "A kiss."])
def test_an_article_is_no_letter(form: str) -> None:
    assert _score("longbook_choice_eng", form, ("A kiss", "C")) == 1
    assert _score("longbook_choice_eng", form, ("some thing", "A")) == 0


@pytest.mark.parametrize("task", CHOICES)
@pytest.mark.parametrize(
    "constant",
    ["d; ii7; uniq; where; _init; Group.child; B; tea", "d; uniq; tea", "B, with a d and tea"],
)
def test_a_list_with_a_letter_is_the_same_guess_whatever_the_options(
    task: str, constant: str
) -> None:
    rule = rules.RULES[task]
    assert isinstance(rule, OneGuess)
    without = rule.read(constant)
    for name in ("d", "ii7", "uniq", "where", "_init", "Group.child", "tea"):
        if "B" in constant or task == "code_debug":
            assert rule.read(constant, (name, "x.y", "an owl", "p_q")) == without


def test_no_list_of_names_picks_the_one_that_an_example_knows() -> None:
    rule = rules.RULES["code_debug"]
    constant = "_init Group.child x.y parse_it"
    assert rule(constant, ("Group.child", "A"), Question(("Group.child", "q", "r", "s"))).score == 0


CODE_NAMES = r"""
```\nReader.convert\n```|```python\nconvert\n```|```python\nReader.convert()\n```
The function `convert` has a bug in it.|答案是convert|答案是 convert。|The answer is convert.
Answer: convert|`convert` has a bug in it.|The answer is `convert`.
The function with the bug is `convert`, look at it.
"""
LONG_NAMES = r"""
The answer is convert.|Answer: convert|**Answer: convert**|Answer: `convert`
The answer is Reader.convert.|The final answer is convert
"""


@pytest.mark.parametrize("form", _lines(CODE_NAMES))
def test_a_function_is_read_by_its_name(form: str) -> None:
    assert _score("code_debug", form, FUNCTION) == 1


@pytest.mark.parametrize("form", _lines(LONG_NAMES))
def test_a_plain_name_after_a_long_text_is_read(form: str) -> None:
    assert _score("code_debug", f"{LONG}\n\n{form}", FUNCTION) == 1


PEOPLE = r"""
That's Ace.|I think it's ACE.|So it's ACE.|It must be ACE.|I'd say Ace.|Hence, the name is ACE.
Certainly, the masked character is Ace.|\boxed{ACE}|\boxed{\text{ACE}}|<answer>ACE</answer>
Therefore, Ace.|$$MASK$$ stands for ACE.|1. ACE|```\nACE\n```|So, Ace.|Thus, it is Ace.
"""
PEOPLE_LAST = r"""
ACE|**Ace**|Ace.|Therefore, Ace.|So it's ACE.|\boxed{ACE}|<answer>ACE</answer>|Answer: ACE
"""


@pytest.mark.parametrize("form", _lines(PEOPLE))
def test_a_person_is_read_in_short_forms(form: str) -> None:
    assert _score("longdialogue_qa_eng", form, ACE) == 1


@pytest.mark.parametrize("form", _lines(PEOPLE_LAST))
def test_a_last_line_that_is_a_name_is_read(form: str) -> None:
    prediction = LONG.replace("She", "Nicky") + "\n\n" + form
    assert _score("longdialogue_qa_eng", prediction, ACE) == 1


@pytest.mark.parametrize("name", ["DR. HENRY SANGER", "MR. PINK", "F.B.", "MRS. O'BRIEN"])
@pytest.mark.parametrize(
    "form", ["{}", "Answer: {}", "$$MASK$$ is {}.", "The answer is {}.", "The character is {}."]
)
def test_a_label_with_full_stops_is_read_as_written(name: str, form: str) -> None:
    assert _score("longdialogue_qa_eng", form.format(name), (name,)) == 1


KEYS = r"""
For {k}, the value is {v}.|{k} is {v}|{k}'s value is {v}|`{k}` is `{v}`.|{v} is {k}'s value.
The value that corresponds to {k} is {v}.|I searched for {k} in the data and found {v}.
The value of the requested key, {k}, is {v}.|{v} is the value of {k}.
"""


@pytest.mark.parametrize("form", _lines(KEYS))
def test_the_key_is_distinguished_from_the_value(form: str) -> None:
    prediction = form.replace("{k}", KEY).replace("{v}", VALUE)
    assert _score("kv_retrieval", prediction, VALUE) == 1


NUMBERS = r"""
The answer is - 4|The answer is minus 4|The answer is negative 4|minus 4
The return value of func_10 with input 3 is -4.|The return value of func_10 for the input 3 is -4.
1. func_20(3) = 8\n2. func_10(3) = -4|1. func_20(3) = 8\n2. func_10(3) returns -4.
"""
NO_FOUR = r"""
The return value is func_20(3)+4|\boxed{4+5}|\boxed{4, 5}|4 5 6|not 4|The answer is not 4.
"""


@pytest.mark.parametrize("form", _lines(NUMBERS))
def test_a_return_value_is_read_with_its_sign(form: str) -> None:
    assert _score("code_run", form, -4) == 1


@pytest.mark.parametrize("form", _lines(NO_FOUR))
def test_a_calculation_a_list_or_a_denial_is_no_return_value(form: str) -> None:
    for number in (4, 5, 6):
        assert _score("code_run", form, number) == 0
