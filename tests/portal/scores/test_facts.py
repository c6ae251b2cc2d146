"""Summaries of generated novels by facts: stored with their scores and shown next to them, but not
for a hidden release."""

import json
from argparse import ArgumentParser
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import pytest
from django.test import Client

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Evaluation,
    EvaluationState,
    FactScore,
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.releases.importer import import_release
from portal.scores.documents.reports import report_bytes, report_document
from portal.scores.documents.table import table_of
from portal.scores.facts import facts_by_evaluation
from scoring.cli.local.score import add_arguments, run
from scoring.generators.release import generate_release
from scoring.plot_facts import read_facts, score_facts
from tests.support import html
from tests.support.factories import make_submission, only_evaluation, packed

pytestmark = pytest.mark.django_db

TASK = "longbook_sum_eng"
EXAMPLES = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated release with one task and its facets."""
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=2**70, tokens=[4_000], examples=EXAMPLES, tasks=[TASK])
    return out


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def answers_of(made: Path) -> bytes:
    """The first summary is right, the second another book's, the third half of one; none follow."""
    references = [row["answer"][0] for row in lines_of(made / f"{TASK}.jsonl")]
    texts = [references[0], references[0], references[2][: len(references[2]) // 2]]
    ids = [row["id"] for row in lines_of(made / f"{TASK}.jsonl")]
    rows = zip(ids, texts, strict=False)
    return "\n".join(json.dumps({"id": key, "prediction": text}) for key, text in rows).encode()


def imported(made: Path, *, hidden: bool = False) -> Release:
    return import_release(made, slug="made", title="Made", hidden=hidden)


def scored(owner: User, release: Release, made: Path) -> Evaluation:
    submission = make_submission(owner, release, packed({f"preds_{TASK}.jsonl": answers_of(made)}))
    score_evaluation(only_evaluation(submission).pk)
    evaluation = only_evaluation(submission)
    assert evaluation.state == EvaluationState.SCORED
    return evaluation


def public(evaluation: Evaluation) -> str:
    """The id of the published entry."""
    Submission.objects.update(state=SubmissionState.PUBLISHED)
    return str(evaluation.submission_id)


def test_facts_are_kept_with_the_examples_and_scored_in_the_box(alice: User, made: Path) -> None:
    release = imported(made)
    evaluation = scored(alice, release, made)
    [row] = evaluation.fact_scores.all()
    facets = [read_facts(one["facts"]) for one in lines_of(made / "facets" / f"{TASK}.jsonl")]
    texts = [json.loads(line)["prediction"] for line in answers_of(made).splitlines()] + [""]
    wanted = [score_facts(text, facts) for text, facts in zip(texts, facets, strict=True)]
    assert row.examples == {
        "recall": [one.recall for one in wanted],
        "precision": [one.precision for one in wanted],
    }
    assert row.mean == pytest.approx(25 * sum(one.score for one in wanted))
    assert row.size == EXAMPLES
    assert row.low is not None
    assert wanted[0].score == 1
    assert wanted[1].score < 0.3


def test_official_scores_are_those_without_facts(alice: User, made: Path, tmp_path: Path) -> None:
    plain = import_release(copy_without_facts(made, tmp_path), slug="plain", title="Plain")
    without = scored(alice, plain, made)
    with_facts = scored(alice, imported(made), made)
    assert not without.fact_scores.exists()
    means = [
        list(one.task_scores.values_list("metric_set", "mean").order_by("metric_set"))
        for one in (with_facts, without)
    ]
    assert means[0] == means[1]


def copy_without_facts(made: Path, folder: Path) -> Path:
    out = folder / "plain"
    out.mkdir()
    (out / f"{TASK}.jsonl").write_bytes((made / f"{TASK}.jsonl").read_bytes())
    return out


def test_the_report_is_that_of_the_command(alice: User, made: Path, tmp_path: Path) -> None:
    evaluation = scored(alice, imported(made), made)
    (tmp_path / f"preds_{TASK}.jsonl").write_bytes(answers_of(made))
    parser = ArgumentParser()
    add_arguments(parser)
    out = tmp_path / "report.json"
    arguments = [str(tmp_path / f"preds_{TASK}.jsonl"), "--gold", str(made), "--json", str(out)]
    assert run(parser.parse_args(arguments)) == 0
    document = report_document(evaluation, with_examples=True)
    assert json.loads(out.read_bytes())["tasks"][TASK]["facts"] == document["tasks"][TASK]["facts"]
    assert b'"facts"' in report_bytes(document)
    hidden = report_document(evaluation, with_examples=False)
    assert "facts" not in hidden["tasks"][TASK]


def test_pages_files_and_the_api_show_them_beside_the_metrics(
    alice: User, made: Path, client: Client
) -> None:
    evaluation = scored(alice, imported(made), made)
    entry = public(evaluation)
    mean = FactScore.objects.get().mean
    page = client.get(f"/entries/{entry}/").content.decode()
    assert f'data-facts="{mean:.2f}"' in page
    assert "data-facts=" in client.get("/models/model-of-alice/").content.decode()
    board = client.get("/board/made/").content.decode()
    assert f">{mean:.1f}</td>" in board
    tables = (f"/tasks/{TASK}/?release=made", f"/board/made/metrics/?task={TASK}",
              f"/entries/{entry}/metrics/")  # fmt: skip
    for address in tables:
        assert f'data-facts="{mean:.2f}"' in client.get(address).content.decode(), address
    found = client.get(f"/api/v1/entries/{entry}/").json()["facts"][TASK]
    assert found["mean"] == pytest.approx(mean)
    [line] = client.get("/api/v1/entries/?release=made").json()["entries"]
    assert line["facts"][TASK] == found
    [exported] = client.get("/board/made/board.json").json()["entries"]
    assert exported["facts"][TASK]["percent"] == pytest.approx(mean)
    latex, markdown = (
        client.get(f"/board/made/board.{ending}").content.decode() for ending in ("tex", "md")
    )
    for table in (latex, markdown):
        assert table.count("Facts") == 1
        assert f"{mean:.1f}" in table
    head, _, row = (line.strip("| ").split(" | ") for line in markdown.splitlines()[:3])
    assert row[head.index("Facts")].strip("*") == f"{mean:.1f}"
    with_intervals = client.get("/board/made/board.md?errors=on").content.decode()
    assert f"{mean:.1f}** ({FactScore.objects.get().low:.1f}–" in with_intervals
    header = client.get("/board/made/board.csv").content.decode().splitlines()[0].split(",")
    assert f"{TASK}_facts_recall" in header


def test_comparisons_show_them_of_both(alice: User, bob: User, made: Path, client: Client) -> None:
    release = imported(made)
    both = [public(scored(one, release, made)) for one in (alice, bob)]
    page = html.page(client.get("/compare/", {"a": both[0], "b": both[1]}))
    [section] = page.select("section[data-facts-of]")
    assert [row["data-entry"] for row in section.select("[data-entry]")] == both
    shown = {cell["data-facts"] for cell in section.select("[data-facts]")}
    assert shown == {f"{FactScore.objects.earliest('pk').mean:.2f}"}


def test_claims_and_the_api_compare_them(
    alice: User, bob: User, made: Path, client: Client
) -> None:
    release = imported(made)
    both = [public(scored(one, release, made)) for one in (alice, bob)]
    FactScore.objects.exclude(evaluation__submission=UUID(both[0])).delete()
    query = {"a": both[0], "b": both[1], "task": TASK}
    found = client.get("/api/v1/compare/", query).json()
    assert found["facts_a"] == client.get(f"/api/v1/entries/{both[0]}/").json()["facts"][TASK]
    assert found["facts_b"] is None  # scored before facts existed
    assert client.get("/api/v1/compare/", {**query, "task": "overall"}).json()["facts_a"] is None
    [section] = html.page(client.get("/claims/", query)).select("section[data-facts-of]")
    shown = [cell["data-facts"] for cell in section.select("[data-facts]")]
    assert shown == [f"{FactScore.objects.get().mean:.2f}", ""]


def test_every_eval_ever_has_them_as_a_result_of_their_own(
    alice: User, made: Path, client: Client
) -> None:
    entry = public(scored(alice, imported(made), made))
    answer = client.get(f"/entries/{entry}/every-eval-ever.zip")
    archive = ZipFile(BytesIO(answer.getvalue()))
    [name] = [one for one in archive.namelist() if one.endswith(f"/{entry}.json")]
    results = json.loads(archive.read(name))["evaluation_results"]
    [found] = [one for one in results if one["evaluation_result_id"] == f"{TASK}/facts"]
    row = FactScore.objects.get()
    details = found["score_details"]
    assert details["score"] == pytest.approx(row.mean / 100)
    assert float(details["details"]["recall"]) == pytest.approx(row.recall / 100)
    assert details["uncertainty"]["confidence_interval"]["method"] == row.interval_method


def test_the_page_of_an_example_shows_which_facts_an_answer_tells(
    alice: User, made: Path, client: Client
) -> None:
    evaluation = scored(alice, imported(made), made)
    entry = public(evaluation)
    examples = FactScore.objects.get().examples
    rows = lines_of(made / "facets" / f"{TASK}.jsonl")
    for place, row in enumerate(rows[:3]):
        address = f"/examples/made/{TASK}/{row['id']}/?entry={entry}"
        page = html.page(client.get(address))
        [section] = page.select("section[data-facts]")
        told, facts, telling, statements = map(int, str(section["data-facts"]).split())
        assert facts == len(row["facts"]) == len(page.select("[data-told]"))
        assert told / facts == pytest.approx(examples["recall"][place])
        assert telling / statements == pytest.approx(examples["precision"][place])
        assert len(page.select("[data-told=yes]")) == told
        assert len(page.select("[data-beside]")) == statements - telling
    missing = client.get(f"/examples/made/{TASK}/{rows[3]['id']}/?entry={entry}")
    assert not html.page(missing).select("section[data-facts]")


def test_the_documents_of_an_example_list_the_facts_that_its_page_lists(
    alice: User, made: Path, client: Client
) -> None:
    entry = public(scored(alice, imported(made), made))
    examples = FactScore.objects.get().examples
    rows = lines_of(made / "facets" / f"{TASK}.jsonl")
    for place, row in enumerate(rows[:3]):
        address = f"/examples/made/{TASK}/{row['id']}"
        [prediction] = client.get(f"{address}.json?entry={entry}").json()["predictions"]
        found = prediction["facts"]
        assert found["recall"] == pytest.approx(100 * examples["recall"][place])
        assert found["precision"] == pytest.approx(100 * examples["precision"][place])
        page = html.page(client.get(f"{address}/?entry={entry}"))
        shown = [one["data-told"] == "yes" for one in page.select("[data-told]")]
        assert [fact["told"] for fact in found["plot"]] == shown
        assert len(found["beside"]) == len(page.select("[data-beside]"))
        markdown = client.get(f"{address}.md?entry={entry}").content.decode()
        assert markdown.count("\n- told: ") == sum(shown)
        assert markdown.count("\n- not told: ") == len(shown) - sum(shown)
        [by_api] = client.get(f"/api/v1{address}/?entry={entry}").json()["predictions"]
        assert by_api == prediction
    missing = client.get(f"/examples/made/{TASK}/{rows[3]['id']}.json?entry={entry}").json()
    assert "facts" not in missing["predictions"][0]


def test_what_was_scored_before_has_none(alice: User, made: Path, client: Client) -> None:
    evaluation = scored(alice, imported(made), made)
    entry = public(evaluation)
    FactScore.objects.all().delete()
    assert 'data-facts=""' in client.get(f"/entries/{entry}/").content.decode()
    assert client.get(f"/api/v1/entries/{entry}/").json()["facts"] == {}
    [exported] = client.get("/board/made/board.json").json()["entries"]
    assert exported["facts"][TASK]["percent"] is None


def test_a_hidden_release_discloses_none(alice: User, made: Path, client: Client) -> None:
    evaluation = scored(alice, imported(made, hidden=True), made)
    assert evaluation.fact_scores.exists()
    assert facts_by_evaluation([evaluation.pk]) == {}
    assert table_of(evaluation, verdicts=False).facts_title is None
    assert table_of(evaluation, verdicts=True).facts_title is not None
    entry = public(evaluation)
    for address in (f"/entries/{entry}/", "/board/made/", "/models/model-of-alice/"):
        page = client.get(address).content.decode()
        assert "data-facts" not in page
        assert 'data-metric-set="facts"' not in page
    assert client.get(f"/api/v1/entries/{entry}/").json()["facts"] == {}
    assert client.get(f"/releases/made/facets/{TASK}.jsonl").status_code == 404
    [key] = [row["id"] for row in lines_of(made / f"{TASK}.jsonl")][:1]
    for ending in ("json", "md"):
        document = client.get(f"/examples/made/{TASK}/{key}.{ending}?entry={entry}")
        assert b"acts" not in document.content


def test_facts_of_a_known_data_set_come_with_the_next_import(made: Path) -> None:
    [data_set] = imported(made).data_sets.all()
    data_set.examples.update(facts=None)
    imported(made)
    assert not data_set.examples.filter(facts=None).exists()
