"""The page on which a label is reported, the list of reviewers, and what the example shows."""

import pytest
from django.test import Client

from portal.models import Example, LabelReport, LabelVerdict, Release, User
from portal.review.labels.services import decide_label_report
from tests.portal.review.conftest import GOLD, answered
from tests.portal.review.labels.test_services import KEYS, REASON, WHY, reported
from tests.support import html
from tests.support.clients import signed_in

NEW = f"/labels/report/?release=texts&task={KEYS}&key={KEYS}/3"
LIST = "/review/labels/"
EXAMPLE = f"/examples/texts/{KEYS}/{KEYS}%2F3/"


def notices(client: Client, address: str = EXAMPLE) -> list[str]:
    found = html.page(client.get(address)).select("[data-code='reported label']")
    return [str(one["data-verdict"]) for one in found]


def test_a_label_is_reported_decided_and_the_example_says_so(
    client: Client, tasks_of_text: Release, alice: User, rita: User
) -> None:
    entry = answered(alice, tasks_of_text, "Entry", {KEYS: GOLD[KEYS]})
    author, reviewer = signed_in(alice), signed_in(rita)
    [link] = html.page(author.get(EXAMPLE)).select("a[data-report]")
    sent = author.post(str(link["href"]), {"proposed_answer": "4711", "reason": REASON})
    assert sent.headers["Location"] == EXAMPLE
    assert notices(client) == ["open"]
    assert not html.page(author.get(EXAMPLE)).select("a[data-report]")
    [row] = html.page(reviewer.get(LIST)).select("[data-report]")
    assert row["data-answers"] == "1"
    assert html.text(row.select("[data-proposed]")[0]) == "4711"
    [form] = row.select("form")
    decided = reviewer.post(str(form["action"]), {"verdict": "wrong", "explanation": WHY})
    assert decided.headers["Location"] == LIST
    assert notices(client) == ["wrong"]
    assert WHY in client.get(EXAMPLE).content.decode()
    [scores] = entry.evaluations.get().task_scores.filter(metric_set="strict")
    assert scores.mean == 100


@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({}, {("proposed_answer", "required"), ("reason", "required")}),
        (
            {"proposed_answer": "x" * 1_001, "reason": "word " * 61},
            {("proposed_answer", "max_length"), ("reason", "too_many_words")},
        ),
    ],
)
def test_what_cannot_be_reported_comes_back_with_its_errors(
    tasks_of_text: Release, alice: User, sent: dict[str, str], errors: set[tuple[str, str]]
) -> None:
    answer = signed_in(alice).post(NEW, sent)
    assert answer.status_code == 422
    assert html.form_errors(answer) == errors
    assert not LabelReport.objects.exists()


def test_sixty_words_are_a_reason(tasks_of_text: Release, alice: User) -> None:
    sent = {"proposed_answer": "4711", "reason": " ".join(60 * ["word"])}
    assert signed_in(alice).post(NEW, sent).status_code == 302


@pytest.mark.parametrize(
    "query", ["", "?release=none&task=passkey&key=1", "?release=texts&task=x&key=passkey/1",
              "?release=texts&task=passkey&key=nothing"],
)  # fmt: skip
def test_what_is_not_there_cannot_be_reported(
    tasks_of_text: Release, alice: User, query: str
) -> None:
    assert signed_in(alice).get(f"/labels/report/{query}").status_code == 404


def test_a_refused_decision_comes_back_on_the_list(
    tasks_of_text: Release, alice: User, rita: User
) -> None:
    report, other = (reported(tasks_of_text, index, alice) for index in (3, 4))
    address, reviewer = f"{LIST}{report.pk}/", signed_in(rita)
    answer = reviewer.post(address, {"explanation": ""})
    assert answer.status_code == 422
    [shown] = html.page(answer).select(f"[data-report='{report.pk}']")
    assert len(shown.select("[data-error=required]")) == 2
    assert not html.page(answer).select(f"[data-report='{other.pk}'] [data-error]")
    sent = {"verdict": "unclear", "explanation": WHY}
    assert reviewer.post(address, sent).status_code == 302
    again = reviewer.post(address, sent | {"verdict": "right"})
    assert again.status_code == 422
    assert LabelReport.objects.get(pk=report.pk).verdict == LabelVerdict.UNCLEAR


def test_the_list_is_for_reviewers_and_names_its_people_there_alone(
    client: Client, tasks_of_text: Release, alice: User, rita: User
) -> None:
    decide_label_report(
        reported(tasks_of_text, 3, alice), LabelVerdict.RIGHT, explanation=WHY, by=rita
    )
    assert signed_in(alice).get(LIST).status_code == 403
    [row] = html.page(signed_in(rita).get(LIST)).select("[data-report]")
    assert row["data-verdict"] == "right"
    names = {html.text(one) for one in html.page(client.get(EXAMPLE)).select("main bdi")}
    assert not {"alice", "rita"} & names


def test_of_a_hidden_release_others_see_neither_label_nor_report(
    client: Client, tasks_of_text: Release, alice: User, rita: User
) -> None:
    Release.objects.update(hidden=True)
    reported(tasks_of_text, 3, rita)
    for reader in (client, signed_in(alice)):
        page = reader.get(EXAMPLE)
        assert not html.page(page).select("[data-code='reported label'], a[data-report]")
        assert GOLD[KEYS][3] not in page.content.decode()
        assert "4711" not in page.content.decode()
    assert signed_in(alice).get(NEW).status_code == 404
    assert notices(signed_in(rita)) == ["open"]


def test_long_labels_and_questions_are_cut(tasks_of_text: Release, rita: User) -> None:
    Example.objects.filter(data_set__task=KEYS, index=3).update(
        question="why " * 50_000, label=["x" * 100_000]
    )
    reported(tasks_of_text, 3, rita)
    assert len(signed_in(rita).get(LIST).content) < 40_000
