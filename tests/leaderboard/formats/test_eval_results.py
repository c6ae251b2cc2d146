"""What goes to the Hub: scores for model cards and the benchmark that they name, as the Hub's own
client reads them."""

from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from django.urls import reverse
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml, parse_eval_result_entries

from portal.models import Release, Submission
from scoring.metrics import PAPER_SET
from scoring.releases.official import REPOSITORY
from tests.leaderboard.formats.conftest import ROWS
from tests.support import html


def document(client: Client, address: str) -> Any:
    response = client.get(address)
    assert response.status_code == 200
    return yaml.safe_load(response.content)


def results(client: Client, entry: Submission) -> list[EvalResultEntry]:
    found = document(client, reverse("entry-eval-results", args=[entry.entry_id]))
    parsed = parse_eval_result_entries(found)
    assert eval_result_entries_to_yaml(parsed) == found
    return parsed


def test_the_hub_s_client_reads_the_scores_of_the_api(client: Client, files: Submission) -> None:
    Submission.objects.filter(pk=files.pk).update(
        method="InfLLM", prompt_strategy="2026-01-01: 'a' \"b\"\n- c: !!python/name:os.system ∞"
    )
    mean, *tasks = results(client, files)
    public = client.get(f"/api/v1/entries/{files.entry_id}/").json()
    scores = public["scores"][PAPER_SET]
    assert {one.task_id: one.value for one in tasks} == {
        f"made/{task}": pytest.approx(scores[task]["mean"], abs=0.006) for task in ROWS
    }
    assert (mean.task_id, mean.dataset_id) == ("made/overall", REPOSITORY)
    assert mean.value == pytest.approx(public["overall"][PAPER_SET]["mean"], abs=0.006)
    assert {one.date for one in (mean, *tasks)} == {
        public["scoring"]["finished"].partition(".")[0] + "Z"
    }
    assert mean.source_url == f"{settings.SITE_URL}/entries/{files.entry_id}/"
    assert "method: InfLLM; prompt: 2026-01-01: 'a' \"b\"\n- c: !!python/name:os.system" in str(
        mean.notes
    )
    assert [one.notes for one in tasks if "answered" in str(one.notes)] != []
    assert (
        public["exports"]["eval_results"]
        in client.get(f"/entries/{files.entry_id}/").content.decode()
    )


def test_of_a_part_of_the_questions_it_says_so(client: Client, asked: Submission) -> None:
    found = {one.task_id: str(one.notes) for one in results(client, asked)}
    assert "estimated from 1 of 3 examples" in found["made/passkey"]


def test_every_result_is_of_a_task_of_the_benchmark(
    client: Client, files: Submission, made: Release, kept: Release
) -> None:
    about = document(client, "/releases/made/eval.yaml")
    assert (about["name"], about["evaluation_framework"]) == ("∞Bench: Made", "infinitebench")
    assert [one["id"] for one in about["tasks"]] == [one.task_id for one in results(client, files)]
    assert not any("split" in one for one in about["tasks"])
    Release.objects.filter(pk=made.pk).update(official=True)
    overall, *tasks = document(client, "/releases/made/eval.yaml")["tasks"]
    assert "split" not in overall
    assert {one["split"] for one in tasks} == set(ROWS)
    assert html.page(client.get("/releases/made/")).select("[data-eval] a[href='eval.yaml']")
    assert client.get("/api/v1/releases/made/").json()["eval_yaml"].endswith("/made/eval.yaml")
    # Entries with hidden labels have nothing for model cards.
    assert client.get("/releases/kept/eval.yaml").status_code == 404
    assert not html.page(client.get("/releases/kept/")).select("[data-eval]")
    assert client.get("/api/v1/releases/kept/").json()["eval_yaml"] is None


def test_historical_entries_have_nothing_for_model_cards(client: Client, files: Submission) -> None:
    one = Submission.objects.filter(pk=files.pk)
    address = reverse("entry-eval-results", args=[files.entry_id])
    assert client.get(address).status_code == 200
    one.update(origin="historical")
    assert client.get(address).status_code == 404
    assert address not in client.get(f"/entries/{files.entry_id}/").content.decode()
    exports = client.get(f"/api/v1/entries/{files.entry_id}/").json()["exports"]
    assert "eval_results" not in exports
