"""Published results: a table of numbers, imported whole or not at all."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal.entries.reported import ReportedError, import_reported, read_reported
from portal.language_models.known import KNOWN_MODELS
from portal.models import LanguageModel, ReportedEntry, ReportedScore, User
from scoring.catalog import TASKS
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db

OURS = ROOT / "portal" / "data" / "published_results.csv"
TABLE = "model,source,passkey,code_run,avg_as_published,note\n"
ROWS = "GPT-4,a paper,100,23.25,45.68,\nGPT-4,a card,,20,,other prompt\nYi,a paper,92.5,0,,\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "results.csv"
    file.write_text(TABLE + ROWS)
    return file


def scores() -> dict[tuple[str, str, str], float]:
    rows = ReportedScore.objects.select_related("entry__language_model")
    return {(s.entry.language_model.name, s.entry.source, s.task): s.percent for s in rows}


def test_every_number_is_stored_with_its_model_and_source(table: Path) -> None:
    assert import_reported(table) == Counter({"new": 3})
    assert scores() == {
        ("GPT-4", "a paper", "passkey"): 100.0,
        ("GPT-4", "a paper", "code_run"): 23.25,
        ("GPT-4", "a card", "code_run"): 20.0,
        ("Yi", "a paper", "passkey"): 92.5,
        ("Yi", "a paper", "code_run"): 0.0,
    }
    assert ReportedEntry.objects.get(source="a paper", average__isnull=False).average == 45.68
    assert ReportedEntry.objects.get(source="a card").note == "other prompt"


def test_one_language_model_may_have_several_entries_and_belongs_to_the_site(
    table: Path, alice: User
) -> None:
    LanguageModel.objects.create(name="GPT-4", slug="gpt-4", owner=alice)
    import_reported(table)
    model = LanguageModel.objects.get(owner=None, name="GPT-4")
    assert model.slug == "gpt-4-2"
    assert model.reported_entries.count() == 2


def test_importing_it_again_changes_nothing(table: Path) -> None:
    import_reported(table)
    before = list(ReportedScore.objects.values_list("pk", flat=True))
    assert import_reported(table) == Counter({"as before": 3})
    assert list(ReportedScore.objects.values_list("pk", flat=True)) == before


def test_changed_numbers_are_updated_and_reported(table: Path) -> None:
    import_reported(table)
    table.write_text(TABLE + ROWS.replace("23.25,45.68", ",45.7"))
    lines: list[str] = []
    counts = import_reported(table, report=lines.append)
    assert counts == Counter({"changed": 1, "as before": 2})
    assert "GPT-4: Code.Run was 23.25, is ·" in lines
    assert "GPT-4: average was 45.68, is 45.7" in lines
    assert ("GPT-4", "a paper", "code_run") not in scores()


def test_rows_missing_from_the_table_are_kept(table: Path) -> None:
    import_reported(table)
    table.write_text(TABLE + "New,a paper,1,,,\n")
    import_reported(table)
    assert ReportedEntry.objects.count() == 4


FAULTY = """\
GPT-4,a paper,100.5,abc,-1,
,a paper,1,,,
GPT-4,"two
lines",,,,
GPT-4,a paper,1,2

GPT-4,a paper,nan,2,,
"""


def test_all_problems_are_reported_at_once_with_their_lines(table: Path) -> None:
    table.write_text(TABLE + FAULTY)
    with pytest.raises(ReportedError) as caught:
        import_reported(table)
    assert str(caught.value).splitlines()[1:] == [
        "  line 2: passkey is “100.5”; write 0 to 100, or nothing.",
        "  line 2: code_run is “abc”; write 0 to 100, or nothing.",
        "  line 2: avg_as_published is “-1”; write 0 to 100, or nothing.",
        "  line 3: “model” is empty.",
        "  line 4: there is no score in it.",
        "  line 6: 4 cells, and the header has 6.",
        "  line 8: passkey is “nan”; write 0 to 100, or nothing.",
        "  line 6: same model and source as line 2.",
        "  line 8: same model and source as line 2.",
    ]


def test_one_invalid_row_stops_the_whole_import(table: Path) -> None:
    table.write_text(TABLE + ROWS + "GPT-4o,a paper,101,,,\n")
    with pytest.raises(ReportedError):
        import_reported(table)
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no column “model”"),
        ("model,source,pass\n", "unknown column “pass”"),
        ("model,source,model\n", "the column “model” appears 2 times"),
        (TABLE, "It has no rows"),
        (TABLE + 'GPT-4,"a paper,1,,,\n', "line 2: unexpected end of data"),
        (TABLE + f"GPT-4,{'s' * 201},1,,,\n", "“source” is longer than 200"),
        (TABLE + "GPT\0-4,s,1,,,\n", "contains a NUL"),
    ],
)
def test_a_table_of_another_format_is_refused_with_a_message(
    table: Path, text: str, sentence: str
) -> None:
    table.write_text(text)
    with pytest.raises(ReportedError, match=sentence):
        import_reported(table)


def test_a_table_that_is_not_utf_8_is_refused_with_a_message(table: Path) -> None:
    table.write_bytes(b"model,source,passkey\nCaf\xe9,a,1\n")
    with pytest.raises(ReportedError, match="not UTF-8"):
        import_reported(table)


def test_one_model_has_one_spelling_and_its_methods_apart(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(
        "model,source,passkey\n"
        "LLaMa-3.1-8B + EM-LLM_S,one,1\n"
        "Llama 3.1 8B Instruct,two,2\n"
        "Llama3.1-8B-Instruct,three (arXiv:2407.21783),3\n"
    )
    import_reported(file)
    model = LanguageModel.objects.get()
    assert model.name == "Llama-3.1-8B-Instruct"
    entries = {entry.source: entry for entry in model.reported_entries.all()}
    assert entries["one"].method == "EM-LLM"
    assert entries["two"].method == ""
    assert "LLaMa-3.1-8B + EM-LLM_S" in entries["one"].note
    assert entries["three (arXiv:2407.21783)"].link == "https://arxiv.org/abs/2407.21783"


def test_facts_about_a_model_have_the_address_where_they_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("model,source,passkey\nYi-9B-200K,one,1\nUnheard-of,one,1\n")
    import_reported(file)
    model = LanguageModel.objects.get(name="Yi-9B-200K")
    assert (model.organisation, model.context_window, model.weights) == ("01.AI", 200_000, "open")
    assert set(model.sources()) == set(KNOWN_MODELS["Yi-9B-200K"].facts())
    model.licence = "another one"
    assert "licence" not in model.sources()
    unknown = LanguageModel.objects.get(name="Unheard-of")
    assert (unknown.organisation, unknown.weights, unknown.sources()) == ("", "", {})


def test_every_model_of_the_site_s_table_is_known_and_has_linked_sources() -> None:
    import_reported(OURS)
    names = set(LanguageModel.objects.values_list("name", flat=True))
    assert names == set(KNOWN_MODELS)
    assert not ReportedEntry.objects.filter(link="").exists()
    assert all(model.sources() for model in LanguageModel.objects.all())


def test_the_site_s_table_is_complete_and_contains_the_paper_s_numbers() -> None:
    import_reported(OURS)
    gpt4 = ReportedEntry.objects.get(language_model__name="GPT-4 (1106-preview)")
    assert (gpt4.scores.count(), gpt4.average) == (12, 45.68)
    assert "arXiv:2402.13718" in gpt4.source
    assert ReportedEntry.objects.count() == 44


def test_the_table_of_the_site_has_the_numbers_that_were_collected(real_data: Path) -> None:
    """The same rows in the same order; only sources and notes are spelled out."""
    with (real_data / "published_results.csv").open(encoding="utf-8", newline="") as file:
        collected = list(csv.DictReader(file))
    for row, line in zip(read_reported(OURS), collected, strict=True):
        assert row.model == line["model"]
        assert row.scores == {task: float(line[task]) for task in TASKS if line[task]}


def test_the_collected_table_itself_can_be_imported(real_data: Path) -> None:
    counts = import_reported(real_data / "published_results.csv")
    assert counts["new"] == ReportedEntry.objects.count() == 44


def test_the_command_reports_what_it_does(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_reported", str(table))
    assert "3 rows: 3 new, 0 changed, 0 as before" in capsys.readouterr().out


def test_the_command_reports_errors(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_reported", str(tmp_path / "none.csv"))
