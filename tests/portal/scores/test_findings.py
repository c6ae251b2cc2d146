"""How a page shows problems with files, and unreliable scores."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Formatter

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from portal.evaluations.failures import FAILURES
from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, EvaluationState, Release, Submission, User
from portal.releases.importer import import_release
from portal.scores.documents.findings import findings_of, group_findings, message_and_fix
from portal.submissions.pages.questions import AlignmentQuestion
from scoring.problems import PROBLEMS
from tests.support.clients import post, submission_html, visit
from tests.support.factories import make_submission, only_evaluation, packed
from tests.support.html import text
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

N = 12
TASKS = ("passkey", "number_string", "kv_retrieval", "math_calc")
KEYS = [f"{key:05}" for key in range(N)]
Row = Mapping[str, object]


@pytest.fixture
def twelve(db: None, tmp_path: Path) -> Release:
    """Four tasks of twelve examples, the first three of which form a domain."""
    for task in TASKS:
        rows = [
            {"id": key, "answer": [1, 2] if task == "math_calc" else [KEYS[key]]}
            for key in range(N)
        ]
        write_rows(tmp_path / "twelve" / f"{task}.jsonl", rows)
    return import_release(tmp_path / "twelve", slug="twelve", title="Twelve")


def lines(rows: Sequence[Row]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def answers(label: str = "", **more: object) -> list[Row]:
    """The right answer to every example, with labels that begin like this."""
    labels = [{"ground_truth": f"{label}{key}"} if label else {} for key in KEYS]
    return [{"id": key, "prediction": KEYS[key], **labels[key], **more} for key in range(N)]


def scored(alice: User, release: Release, files: Mapping[str, bytes]) -> Submission:
    submission = make_submission(alice, release, packed(files))
    score_evaluation(only_evaluation(submission).pk)
    return submission


PageOf = Callable[[Mapping[str, bytes]], str]


@pytest.fixture
def page_of(client: Client, alice: User, twelve: Release) -> PageOf:
    """The page of a submission with these files, after scoring."""
    return lambda files: submission_html(client, alice, scored(alice, twelve, files))


@pytest.fixture
def foreign(alice: User, twelve: Release) -> Submission:
    """A file with labels of other data, and one with the right labels but without one row."""
    right = [{**row, "ground_truth": KEYS[key]} for key, row in enumerate(answers()[:-1])]
    files = {
        "preds_passkey.jsonl": lines(answers("x")),
        "preds_number_string.jsonl": lines(right),
        "preds_kv_retrieval.jsonl": lines(answers()),
    }
    return scored(alice, twelve, files)


MARK = '<a class="partial" href="#doubt-passkey">'


def test_a_score_for_other_data_is_marked_wherever_it_counts(
    client: Client, alice: User, foreign: Submission
) -> None:
    html = submission_html(client, alice, foreign)
    assert html.count(MARK) == 1
    assert html.count('<a class="partial" href="#doubts">') == 1  # the domain
    assert '<p id="doubt-passkey">' in html
    result = visit(client, alice, foreign).result
    assert result
    assert result.table.caveats == 1
    groups = visit(client, alice, foreign).findings.groups
    assert [group.id for group in groups][:2] == ["doubt", "warning"]


def test_the_same_found_in_several_tasks_is_one_table_with_one_advice(page_of: PageOf) -> None:
    files = {f"preds_{task}.jsonl": lines(answers("x")) for task in TASKS[:3]}
    html = page_of(files)
    for task in TASKS[:3]:
        assert html.count(f'<tr id="doubt-{task}">') == 1
    assert html.count('<p class="fix"') == 1
    # next to the button that requests publication
    assert BeautifulSoup(html, "html.parser").select("#standing a[href='#doubts']")


def test_what_is_not_listed_is_counted_with_what_is(page_of: PageOf) -> None:
    broken = b"".join(b'\n{"id": %d, "x"}' % number for number in range(30))
    html = page_of({"preds_passkey.jsonl": lines(answers()) + broken})
    assert "<bdi>preds_passkey.jsonl</bdi>:13–32</code>" in html
    [found] = Evaluation.objects.all()
    [group] = group_findings(findings_of(found, with_agreement=True))
    [row] = [row for kind in group.kinds for row in kind.rows]
    assert row.similar == 11  # 10 are not listed, and one is about another column


def test_of_a_hidden_release_no_score_is_marked(
    client: Client, alice: User, rita: User, foreign: Submission
) -> None:
    Release.objects.update(hidden=True)
    html = submission_html(client, alice, foreign)
    assert not any(mark in html for mark in ('href="#doubt', 'id="doubt'))
    assert MARK in submission_html(client, rita, foreign)


@pytest.mark.parametrize(
    ("name", "content", "mark"),
    [
        ("preds_math_calc.jsonl", b"x", "error-math_calc"),
        ("preds_math_calc.jsonl", b'[{"id": 0}]', "error-math_calc"),
        ("preds_math_calc.jsonl", b"", "error-math_calc"),
        ("more/preds_passkey.jsonl", b"{}", "error-passkey"),
    ],
)
def test_a_file_that_cannot_be_used_is_distinguished_from_a_missing_one(
    page_of: PageOf, name: str, content: bytes, mark: str
) -> None:
    files = {
        "preds_passkey.jsonl": lines(answers()),
        "preds_number_string.jsonl": lines(answers()),
        name: content,
    }
    html = page_of(files)
    assert f'href="#{mark}">' in html
    assert f'<p id="{mark}">' in html
    assert 'id="question"' not in html


def test_what_is_said_of_every_file_is_said_once(page_of: PageOf) -> None:
    rows = lines(answers(context="…"))
    files = {f"preds_{task}.jsonl": rows for task in ("passkey", "number_string", "math_calc")}
    html = page_of(files)
    assert html.count("<bdi>preds_math_calc.jsonl</bdi>") == 1
    [group] = group_findings(findings_of(Evaluation.objects.get(), with_agreement=True))
    [kind] = group.kinds
    assert (kind.code, len(kind.rows)) == ("keys_known", 1)
    assert kind.fix not in html


def test_of_very_many_files_only_some_are_named(page_of: PageOf) -> None:
    extra = {f"notes/{number}.md": b"#" for number in range(30)}
    html = page_of({"preds_passkey.jsonl": lines(answers()), **extra})
    assert html.count("<bdi>notes/") == 20
    [group] = group_findings(findings_of(Evaluation.objects.get(), with_agreement=True))
    assert [row.left_out for kind in group.kinds for row in kind.rows] == [10]


def test_one_answer_ends_the_question_of_every_file(
    client: Client, alice: User, twelve: Release
) -> None:
    ids = [*range(N - 1), 99]
    known = [{**row, "id": key} for key, row in zip(ids, answers(), strict=True)]
    bare = [{"prediction": text} for text in KEYS[:-2]]
    files = {"preds_passkey.jsonl": lines(known), "preds_number_string.jsonl": lines(bare)}
    submission = scored(alice, twelve, files)
    question = visit(client, alice, submission).question
    assert isinstance(question, AlignmentQuestion)
    assert [task.has_ids for task in question.tasks] == [True, False]
    post(client, alice, "submission-answer", submission, align="id")
    score_evaluation(only_evaluation(submission).pk)
    evaluation = only_evaluation(submission)
    assert evaluation.state == EvaluationState.SCORED
    assert evaluation.signature
    assert evaluation.signature["aligned"] == {"passkey": "id", "number_string": "order"}


def test_where_no_row_has_an_id_there_is_one_way_to_agree_to(
    client: Client, alice: User, twelve: Release
) -> None:
    bare = [{"prediction": text} for text in KEYS[:-2]]
    submission = scored(alice, twelve, {"preds_passkey.jsonl": lines(bare)})
    html = submission_html(client, alice, submission)
    assert 'value="order"' in html
    assert 'value="id"' not in html


# Wording


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"mine.jsonl": b"{}"}, "task_unknown"),
        (
            {"preds_passkey.jsonl": lines(answers()), "preds_passkey_again.jsonl": b"{}"},
            "task_another_run",
        ),
        (
            {"preds_passkey.jsonl": lines(answers()), "more.zip": packed({"a": b""})},
            "archive_not_opened",
        ),
        ({"README.md": b"#"}, "nothing_to_score"),
        ({"preds_passkey.jsonl": lines(answers("x"))}, "labels_of_other_data"),
    ],
)
def test_advice_is_about_the_form_not_about_the_command(
    page_of: PageOf, files: dict[str, bytes], code: str
) -> None:
    shown = BeautifulSoup(page_of(files), "html.parser")
    [stored] = [one for one in Evaluation.objects.get().problems if one["code"] == code]
    fix = message_and_fix(stored)[1]
    assert fix in text(shown)
    for command in shown.select("pre"):
        command.decompose()
    assert "--" not in text(shown)
    assert "python -m" not in text(shown)


NEVER = {"alignment_needed", "file_not_found"}  # submissions never have these


@pytest.mark.parametrize("code", sorted(PROBLEMS.keys() - NEVER))
def test_no_finding_speaks_of_the_command(code: str) -> None:
    kind = PROBLEMS[code]
    names = {name for text in (kind.message, kind.fix) for _, name, *_ in Formatter().parse(text)}
    finding = {
        "code": code,
        "message": kind.message,
        "fix": kind.fix,
        "task": "x",
        "params": dict.fromkeys(filter(None, names), "x"),
    }
    assert not any(
        words in text for text in message_and_fix(finding) for words in ("--", "python -m")
    )


def test_what_an_older_scorer_stored_keeps_its_words() -> None:
    old = {
        "code": "task_another_run", "severity": "error", "task": None, "file": "f", "line": None,
        "message": "Said then.", "fix": "Do this.",
    }  # fmt: skip
    [group] = group_findings([old])
    [kind] = group.kinds
    assert (kind.rows[0].message, kind.fix) == ("Said then.", "Do this.")


def test_a_failure_says_its_reason_once(client: Client, alice: User, twelve: Release) -> None:
    submission = scored(alice, twelve, {"preds_passkey.jsonl": b"x"})
    html = submission_html(client, alice, submission)
    assert Evaluation.objects.get().failure == "nothing_to_score"
    assert html.count(str(FAILURES["nothing_to_score"].message)) == 1
    assert str(FAILURES["nothing_to_score"].fix) not in html
    assert len(BeautifulSoup(html, "html.parser").select("#failure a[href='#problems-title']")) == 1
