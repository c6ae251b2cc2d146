"""The sample predictions of the demo: what they are, and that one press submits them."""

from pathlib import Path

import orjson
import pytest
from django.test import Client
from pytest_django import Settings

from portal.demo.samples import sample_predictions, write_samples
from portal.demo.small_release import SLUG
from portal.demo.state_folder import samples_folder
from portal.models import LanguageModel, Submission, User
from portal.releases.importer import import_release
from tests.support.releases import build_release

WORDS = ("amber", "basin", "cellar", "drover", "ember", "ferry", "gorge", "kiln")
CHINESE = "磨坊主把那封信藏在了塔楼的第三级台阶下面"
GOLD = [f"The {word} was hidden by the miller under the third step of the tower" for word in WORDS]


def test_samples_paste_no_long_gold_answers() -> None:
    """Reviewers would get a warning in every demo."""
    golds = [*GOLD, CHINESE]
    release = b"\n".join(
        orjson.dumps({"id": index, "answer": [gold], "options": []})
        for index, gold in enumerate(golds)
    )
    said = [str(row["prediction"]) for row in sample_predictions("longbook_sum_eng", release)]
    assert len(said) == len(golds)
    assert not [text for text in said for gold in golds if gold in text]
    partly = [set(text.split()) < set(gold.split()) for text, gold in zip(said, golds, strict=True)]
    assert sum(partly) >= 4


@pytest.fixture
def samples(db: None, tmp_path: Path, settings: Settings) -> Path:
    """The folder of a demo whose small release has one task."""
    settings.DEMO, settings.STATE_DIR = True, tmp_path / "state"
    built = build_release(tmp_path / "built", examples=10, tokens=300, tasks=["passkey"])
    import_release(built, slug=SLUG, title="Short texts, 4K–16K")
    folder = samples_folder(settings.STATE_DIR)
    folder.parent.mkdir()
    write_samples(built, folder)
    return folder


def test_one_press_submits_the_files_as_they_are(
    client: Client, alice: User, samples: Path
) -> None:
    client.force_login(alice)
    first = client.post("/demo/samples/")
    (samples / "preds_passkey.jsonl").write_text('{"id": 0, "prediction": "changed"}\n')
    client.post("/demo/samples/")
    changed, submitted = Submission.objects.order_by("-created")
    assert first.headers["Location"] == f"/submissions/{submitted.pk}/"
    assert LanguageModel.objects.get() == submitted.language_model == changed.language_model
    sizes = [one.files.get().original.size for one in (changed, submitted)]
    assert sizes[0] < sizes[1]


def test_the_submit_page_of_the_demo_says_where_the_files_are(
    client: Client, alice: User, samples: Path
) -> None:
    client.force_login(alice)
    body = client.get("/submit/").content.decode()
    assert str(samples) in body
    assert 'action="/demo/samples/"' in body


def test_outside_the_demo_there_are_no_samples(
    client: Client, alice: User, samples: Path, settings: Settings
) -> None:
    settings.DEMO = False
    client.force_login(alice)
    assert "data-samples" not in client.get("/submit/").content.decode()
    assert client.post("/demo/samples/").status_code == 404


def test_samples_are_at_the_top_of_the_checkout_or_with_the_state() -> None:
    checkout = Path(__file__).parents[3]
    assert samples_folder(checkout / ".demo") == checkout / "demo-samples"
    assert samples_folder(Path("/elsewhere")) == Path("/elsewhere/demo-samples")
