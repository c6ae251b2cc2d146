"""Evidence is located: in official texts, in generated ones, and in damaged ones."""

import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.release import generate_release
from scoring.labels import Label
from scoring.releases.check import (
    TaskCheck,
    differences_of_lengths,
    differences_of_tasks,
    facets_of_labels,
)
from scoring.releases.evidence import NOTHING, Asked, Found, find_evidence
from scoring.releases.gold import GoldExample, read_gold, read_release, task_gold
from scoring.releases.official import DIFFERENCES, FACTS, HUB_LABELS, PAPER_LABELS
from tests.support.official_rows import NOISE, ROWS, passkey, release_rows
from tests.support.releases import rows as generated_rows

SYNTHETIC = ("passkey", "number_string", "kv_retrieval", "code_run", "math_calc", "math_find")


def find(task: str, context: str, question: str, label: Label) -> Found:
    return find_evidence(task, Asked(context, question, label))


def shown(context: str, found: Found) -> list[str]:
    return [context[start:end] for start, end in found.evidence]


def checked(task: str) -> TaskCheck:
    check = TaskCheck(task)
    for row in release_rows(task):
        check.check_row(row)
    return check


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("generated") / "release"
    generate_release(out, seed=5, tokens=(1_000, 9_000), tasks=SYNTHETIC, examples=11)
    return out


@pytest.mark.parametrize("task", SYNTHETIC)
def test_evidence_found_in_a_generated_release_equals_its_facets(
    generated: Path, task: str
) -> None:
    expected = [row.facets for row in generated_rows(generated, task)]
    for row, facets in zip(read_release(task, generated / f"{task}.jsonl"), expected, strict=True):
        found = find(task, row.context, row.question, row.example.label)
        assert (found.hops, found.kind) == (facets["hops"], facets["kind"])
        if task != "math_find":  # in lists of the official data, every value occurs everywhere
            assert found.depth == facets["depth"]
            assert list(map(list, found.evidence)) == facets["evidence"]
        assert found.answer in (None, row.example.label)


@pytest.mark.parametrize("task", TASKS)
def test_official_rows_differ_in_their_labels_and_lengths_only(task: str) -> None:
    shorter = {"labels_other", "units"} | ({"answer_form"} if task == "math_calc" else set())
    assert {difference.code for difference in checked(task).differences()} <= shorter


@pytest.mark.parametrize("task", ["passkey", "number_string"])
def test_a_key_is_at_the_depth_of_its_id(task: str) -> None:
    facets = list(checked(task).facets().values())
    assert [one.depth for one in facets[::10]] == [round(place / 58, 6) for place in range(59)]
    assert all(one.evidence for one in facets)


def test_the_line_of_a_key_is_found_whole() -> None:
    one = next(islice(passkey(), 300, None))
    found = find("passkey", one["context"], one["input"], one["answer"][0])
    [line] = shown(one["context"], found)
    assert line.startswith("The pass key is")
    assert line.endswith("is the pass key.")


def test_a_key_is_found_in_a_text_of_one_line() -> None:
    noise = NOISE.replace("\n", " ")
    context = (
        noise * 30 + "The pass key is 01234. Remember it. 01234 is the pass key. " + noise * 10
    )
    found = find("passkey", context, "?", "01234")
    assert shown(context, found) == ["The pass key is 01234. Remember it. 01234 is the pass key."]
    assert found.depth == pytest.approx(0.75, abs=0.001)


def test_digits_within_longer_numbers_are_no_key() -> None:
    context = NOISE + "9123456 is not it, and 9123456 neither.\n" + NOISE
    assert find("passkey", context, "?", "12345") == NOTHING


def test_a_key_on_two_lines_has_no_evidence() -> None:
    assert find("passkey", f"12345\n{NOISE}12345\n", "?", "12345") == NOTHING


def test_with_repeated_values_the_pair_of_the_asked_key_is_found() -> None:
    context = '{"a": "v", "b": "v", "c": "w"}'
    found = find("kv_retrieval", context, 'Key: "b"', "v")
    assert shown(context, found) == ['"b": "v"']
    assert (found.depth, found.units) == (0.5, 3)


def test_a_chain_is_followed_to_its_end() -> None:
    context = (
        "def func_2(x):\n    return x - 3\n\ndef func_9(x):\n    return x\n\n"
        "def func_1(x):\n    return func_2(x) + 5\n"
    )
    found = find("code_run", context, "What is func_1(-4)?", -2)
    assert [text.split("(")[0] for text in shown(context, found)] == ["def func_1", "def func_2"]
    assert (found.depth, found.hops, found.answer, found.units) == (1.0, 2, -2, 3)


@pytest.mark.parametrize("end", ["return func_1(x)", "return func_7(x)", "return x * 2", ""])
def test_a_chain_without_an_end_has_no_hops(end: str) -> None:
    context = f"def func_1(x):\n    return func_2(x)\n\ndef func_2(x):\n    {end}\n"
    found = find("code_run", context, "func_1(1)", 1)
    assert (found.hops, found.answer) == (None, None)
    assert shown(context, found)[0].startswith("def func_1")


CODE = """Package Name: tools

File:cells.py

class Cell:
    def run(self):
        return 1

class Table(
    Base,
):
    @property
    def run(
        self,
    ):
        # a comment

        return undefined_name

    def stop(self): pass

def stop(): pass
"""


def test_the_function_of_a_label_is_that_of_its_class() -> None:
    found = find("code_debug", CODE, "", ("Table.run", "A"))
    [text] = shown(CODE, found)
    assert text.startswith("def run(\n")
    assert text.endswith("return undefined_name")
    assert found.depth is not None
    assert 0 < found.depth < 1


def test_a_label_without_a_class_is_a_function_of_a_module() -> None:
    found = find("code_debug", CODE, "", ("stop", "B"))
    assert CODE[found.evidence[0][0] - 1] == "\n"


@pytest.mark.parametrize("name", ["run", "Other.run", "absent"])
def test_an_ambiguous_function_has_no_evidence(name: str) -> None:
    assert find("code_debug", CODE, "", (name, "A")) == NOTHING


def test_a_masked_name_is_evidence_and_a_novel_has_none() -> None:
    found = find("longdialogue_qa_eng", "Hi.\n$$MASK$$\nHo.", "", ("ANNA",))
    assert found.evidence == ((4, 12),)
    assert find("longbook_qa_chn", "一本书", "谁", ("他",)) == NOTHING


@pytest.mark.parametrize(
    ("question", "kind"),
    [("The 2nd largest number is:", "2nd max"), ("the third smallest", "3rd min"),
     ("What is the median of this list?", "median"), ("Which?", None)],
)  # fmt: skip
def test_a_kind_is_read_from_the_question(question: str, kind: str | None) -> None:
    found = find("math_find", "[3, 1, 2, 5, 5]", question, 3)
    assert found.kind == kind
    assert found.answer == {"2nd max": 3, "3rd min": 3, "median": 3, None: None}[kind]


@pytest.mark.parametrize(
    ("task", "context"),
    [
        ("passkey", "12345 " * 200_000),
        ("kv_retrieval", '"' * 500_000 + '"a"' + " " * 500_000),
        ("code_run", " " * 500_000 + "def " * 100_000),
        ("code_debug", "def f():\n" * 50_000 + " " * 500_000),
        ("math_calc", " " * 1_000_000),
        ("math_find", "-" * 1_000_000),
        ("longdialogue_qa_eng", "$$MASK$$" * 100_000),
    ],
)
def test_hostile_contexts_take_linear_time(task: str, context: str) -> None:
    label: Label = ("f", "A") if task == "code_debug" else "12345"
    start = time.process_time()
    find(task, context, "x" * 100_000 + "(", label)
    assert time.process_time() - start < 2


_WORDS = st.sampled_from(
    ["12345", "\n", " ", ". ", '"k": "v", ', "def f(x):", "class C:", "    ", "return f(x) + 1",
     "return x", "f(3)", "$$MASK$$", "-7", "+ 4", ",", "(", ")", "中"]
)  # fmt: skip


@given(st.sampled_from(sorted(TASKS)), st.lists(_WORDS), st.lists(_WORDS), _WORDS)
def test_for_any_text_spans_are_inside_it_and_depth_is_from_0_to_1(
    task: str, context: list[str], question: list[str], answer: str
) -> None:
    label: Label = (answer, "A") if task == "code_debug" else answer
    text = "".join(context)
    found = find(task, text, "".join(question), label)
    assert all(0 <= start < end <= len(text) for start, end in found.evidence)
    assert found.depth is None or 0 <= found.depth <= 1


# The check of a release


@pytest.mark.parametrize("release", ["hf", "paper"])
def test_known_labels_are_recognised(real_data: Path, release: str) -> None:
    for task in TASKS:
        check = TaskCheck(task)
        for row in read_release(task, real_data / "gold" / release / f"{task}.jsonl"):
            check.check_row(row)
        codes = {difference.code for difference in check.differences()}
        older = release == "paper" and task in PAPER_LABELS
        assert ("labels_paper" in codes, "labels_other" in codes) == (older, False)
        assert ("ids" in codes, "rows" in codes, "answer_form" in codes) == (older, False, False)


def test_without_contexts_facets_come_from_the_official_ids(released: Path) -> None:
    found_facets = {}
    for task in TASKS:
        check = TaskCheck(task)
        for row in read_release(task, released / "gold" / "hf" / f"{task}.jsonl"):
            check.check_row(row)
        found_facets[task] = list(check.facets().values())[-1]
    assert found_facets["passkey"].depth == 1.0
    assert found_facets["kv_retrieval"].depth == 0.998
    assert found_facets["code_run"].hops == 10
    assert found_facets["math_find"].kind == "median"
    assert found_facets["longbook_qa_eng"].depth is None


def test_with_fewer_rows_than_official_ids_give_no_facets(released: Path) -> None:
    check = TaskCheck("passkey")
    rows = read_release("passkey", released / "gold" / "hf" / "passkey.jsonl")
    for row in islice(rows, 100):
        check.check_row(row)
    assert {one.depth for one in check.facets().values()} == {None}


def test_labels_alone_have_the_facets_of_their_ids_if_they_are_official(real_data: Path) -> None:
    gold = read_gold(real_data / "gold" / "hf", ["kv_retrieval", "code_run"])
    assert facets_of_labels(gold["kv_retrieval"])[50].depth == 0.1
    assert facets_of_labels(gold["code_run"])[399].hops == 10
    other = task_gold("code_run", [GoldExample(key, 4) for key in range(400)])
    assert facets_of_labels(other) == {}


def damaged(task: str, **changed: object) -> set[str]:
    """The differences of the task when one of its rows is changed."""
    check = TaskCheck(task)
    for place, one in enumerate(ROWS[task]()):
        [row] = release_rows(task, iter([one | changed if place == 7 else one]))
        check.check_row(row)
    expected = {difference.code for difference in checked(task).differences()}
    return {difference.code for difference in check.differences()} - expected


@pytest.mark.parametrize(
    ("task", "changed", "codes"),
    [
        ("passkey", {"answer": ["00000"]}, {"evidence_missing"}),
        ("passkey", {"answer": "00000"}, {"answer_not_list", "evidence_missing"}),
        ("kv_retrieval", {"answer": "0" * 8 + "-0000" * 3 + "-" + "0" * 12}, {"evidence_missing"}),
        ("passkey", {"answer": ["123456"]}, {"answer_form", "evidence_missing"}),
        ("passkey", {"context": ""}, {"context_empty"}),
        ("passkey", {"input": " "}, {"question_empty"}),
        ("passkey", {"options": ["1", "2"]}, {"options"}),
        ("passkey", {"len": 3}, {"keys_other"}),
        ("passkey", {"id": 9_000}, {"ids"}),
        ("code_run", {"answer": ["12"]}, {"answer_as_text", "answer"}),
        ("math_find", {"input": "The smallest number of the list is: "}, {"kind", "answer"}),
        ("longbook_choice_eng", {"answer": ["red", "B"]}, {"letter"}),
        ("longdialogue_qa_eng", {"answer": ["A", "B", "C", "D"]}, {"answer_form"}),
        ("code_debug", {"context": "pass"}, {"evidence_missing"}),
    ],
)
def test_a_difference_of_one_row_is_reported(
    task: str, changed: dict[str, object], codes: set[str]
) -> None:
    assert damaged(task, **changed) == codes


def test_rows_at_other_positions_than_their_ids_are_counted() -> None:
    check = TaskCheck("number_string")
    contexts = [row.context for row in release_rows("number_string")][::-1]
    labels = [row.example for row in release_rows("number_string")][::-1]
    for row, context, example in zip(release_rows("number_string"), contexts, labels, strict=True):
        turned = example._replace(key=row.example.key)
        check.check_row(row._replace(context=context, example=turned))
    params = {difference.code: difference.params for difference in check.differences()}
    assert params["depth"] == {
        "count": 580,
        "rows": 590,
        "id": "0",
        "found": "1.0",
        "expected": "0.0",
    }
    assert check.facets()[0].depth == 1.0


def test_missing_tasks_and_other_lengths_are_reported() -> None:
    assert len(list(differences_of_tasks({"passkey": None}))) == 11
    [difference] = differences_of_lengths({"passkey": 122_000.0, "math_find": 44_000.0})
    assert (difference.code, difference.task) == ("tokens", "math_find")
    assert (difference.params["found"], difference.params["expected"]) == (44_000, 87_900)


def test_the_tables_know_every_task() -> None:
    assert set(FACTS) == set(HUB_LABELS) == set(TASKS) == set(ROWS)
    assert set(SYNTHETIC) <= set(RECIPES)
    assert all(way.sentence.endswith(".") and way.meaning for way in DIFFERENCES.values())
