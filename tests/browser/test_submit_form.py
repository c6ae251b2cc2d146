"""What the form of the submit page does by itself, before anything is sent and while it is."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, Route, expect

from tests.browser.people import sign_in
from tests.support.servers import Site


@pytest.fixture(scope="module")
def author(chromium: Browser, site: Site) -> Mapping[str, str]:
    """The cookies of an author who has signed in once."""
    context = chromium.new_context(base_url=site.address)
    sign_in(context.new_page(), site, "author")
    cookies = {one["name"]: one["value"] for one in context.cookies()}
    context.close()
    return cookies


@pytest.fixture
def form(page: Page, site: Site, author: Mapping[str, str]) -> Page:
    page.context.add_cookies(
        [{"name": name, "value": value, "url": site.address} for name, value in author.items()]
    )
    page.goto("/submit/")
    return page


def choose(page: Page, *files: Path) -> None:
    page.get_by_label("Choose files").set_input_files(list(files))


def doubt(page: Page) -> Locator:
    return page.locator("[data-doubt]")


def task_menu(page: Page, path: str) -> Locator:
    return page.locator(f"[data-task-for='{path}']")


def chosen(page: Page) -> list[str]:
    return page.locator("[data-chosen] tbody th").all_inner_texts()


def file_in(folder: Path, name: str, content: bytes = b"x") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def press_send(page: Page) -> None:
    page.get_by_role("button", name="Upload and score").click()


def models(page: Page) -> Locator:
    return page.locator("[name=language_model]:not([value=new])")


def test_the_language_model_is_searched_for_while_its_name_is_typed(
    form: Page, tmp_path: Path
) -> None:
    choose(form, file_in(tmp_path, "preds_passkey.jsonl"))
    before = models(form).count()
    form.locator("#id_model_search").press_sequentially("llama3.1 8b")
    expect(form.get_by_label("Llama-3.1-8B-Instruct")).to_be_visible()
    form.get_by_label("Llama-3.1-8B-Instruct").check()
    expect(form.locator(".new-model")).to_be_hidden()
    form.locator("#id_model_search").fill("no such model")
    expect(form.locator("[data-empty=models]")).to_be_visible()
    expect(form.get_by_label("Llama-3.1-8B-Instruct")).to_be_checked()  # what is chosen stays
    form.locator("#id_model_search").fill("")
    expect(models(form)).to_have_count(before + 1)
    form.locator("#id_model_search").press("Enter")  # does not load the page again
    assert chosen(form) == ["preds_passkey.jsonl"]


def test_the_language_model_is_found_without_a_script(chromium: Browser, site: Site) -> None:
    context = chromium.new_context(base_url=site.address, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site, "author")
    page.goto("/submit/")
    page.locator("#id_model_search").fill("llama3.1 8b")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_label("Llama-3.1-8B-Instruct")).to_be_visible()
    context.close()


def test_a_single_file_without_a_task_needs_a_choice(form: Page, tmp_path: Path) -> None:
    choose(form, file_in(tmp_path, "answers.jsonl"))
    press_send(form)
    expect(doubt(form)).to_contain_text("does not show its task. Choose it in the list")
    expect(task_menu(form, "answers.jsonl")).to_be_focused()
    expect(form.locator("#id_task")).to_be_hidden()
    expect(form.locator("[data-sending]")).to_be_hidden()
    task_menu(form, "answers.jsonl").select_option(label="Retrieve.PassKey")
    expect(doubt(form)).to_be_hidden()


def test_each_file_without_a_task_has_a_menu_whose_choice_is_sent(
    form: Page, tmp_path: Path
) -> None:
    names = ("a.jsonl", "b.txt", "c.jsonl", "preds_passkey.jsonl")
    choose(form, *(file_in(tmp_path, name) for name in names))
    expect(form.locator("[data-task-for]")).to_have_count(3)
    task_menu(form, "a.jsonl").select_option(label="Code.Run")
    task_menu(form, "b.txt").select_option(label="Math.Find")
    expect(doubt(form)).to_contain_text("Files without a task: 1.")
    choose(form, file_in(tmp_path, "math_calc.jsonl"))  # what was chosen stays
    expect(task_menu(form, "a.jsonl").locator("option:checked")).to_have_text("Code.Run")
    form.evaluate("() => { XMLHttpRequest.prototype.send = (data) => { window.sent = data; }; }")
    press_send(form)
    sent = form.evaluate("() => [...window.sent].filter(([name]) => name.startsWith('task-for:'))")
    assert sent == [["task-for:a.jsonl", "code_run"], ["task-for:b.txt", "math_find"]]


def test_two_files_of_one_task_are_pointed_out(form: Page, tmp_path: Path) -> None:
    choose(form, file_in(tmp_path, "En.QA.jsonl"), file_in(tmp_path, "preds_en_qa.json"))
    expect(doubt(form)).to_contain_text("There are two files for En.QA: En.QA.jsonl and")
    form.get_by_role("button", name="Remove: preds_en_qa.json").click()
    expect(doubt(form)).to_be_hidden()
    parts = ("passkey_0-9.jsonl", "passkey_9-20.jsonl")
    choose(form, *(file_in(tmp_path, name) for name in parts))
    expect(doubt(form)).to_be_hidden()


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"%PDF-1.7", "PDF"), (b"<!doctype html>", "HTML"), (b"PAR1", "Parquet")],
)
def test_a_file_of_another_format_is_not_uploaded(
    form: Page, tmp_path: Path, content: bytes, kind: str
) -> None:
    choose(form, file_in(tmp_path, "preds_passkey.jsonl", content))
    expect(form.get_by_role("row", name="preds_passkey")).to_contain_text(kind)
    press_send(form)
    expect(doubt(form)).to_contain_text(f"its format is {kind}")
    expect(doubt(form)).to_be_focused()
    expect(form.locator("[data-sending]")).to_be_hidden()


def test_with_an_archive_a_task_can_be_chosen_for_the_file_in_it(
    form: Page, tmp_path: Path
) -> None:
    choose(form, file_in(tmp_path, "mine.zip", b"PK\x03\x04"))
    expect(form.locator("#id_task")).to_be_visible()


def test_several_files_without_a_task_are_not_sent(form: Page, tmp_path: Path) -> None:
    choose(form, file_in(tmp_path, "t.pdf"), file_in(tmp_path, "answers.jsonl"))
    expect(form.get_by_role("row", name="t.pdf")).to_contain_text("not predictions")
    expect(task_menu(form, "answers.jsonl")).to_be_visible()
    press_send(form)
    expect(doubt(form)).to_contain_text("None of these files has a task")
    expect(task_menu(form, "answers.jsonl")).to_be_focused()
    expect(form.locator("[data-sending]")).to_be_hidden()


def test_files_are_listed_in_the_order_of_the_tasks(form: Page, tmp_path: Path) -> None:
    names = ["preds_code_run.jsonl", "a.jsonl", "preds_passkey.jsonl", "archive-of-mine"]
    contents = [b"x", b"x", b"x", b"PK\x03\x04"]
    choose(form, *(file_in(tmp_path, *one) for one in zip(names, contents, strict=True)))
    expect(form.locator("[data-chosen] tbody th")).to_have_count(4)
    assert chosen(form) == [
        "preds_passkey.jsonl", "preds_code_run.jsonl", "archive-of-mine", "a.jsonl"
    ]  # fmt: skip
    expect(doubt(form)).to_contain_text("Files without a task: 1.")


def test_on_a_phone_every_file_can_be_removed(form: Page, tmp_path: Path) -> None:
    form.set_viewport_size({"width": 390, "height": 800})
    choose(form, file_in(tmp_path, f"preds_passkey_0-{'9' * 9}.jsonl"))
    box = form.get_by_role("button", name="Remove").bounding_box()
    assert box
    assert box["x"] + box["width"] <= 390
    assert form.evaluate("document.documentElement.scrollWidth") == 390


def test_changing_the_theme_keeps_typed_text(form: Page) -> None:
    form.get_by_label("Prompt strategy").fill("as typed")
    form.locator("[data-menu=theme] summary").click()
    with form.expect_response("**/theme/"):
        form.get_by_role("button", name="Dark").click()
    expect(form.locator("html")).to_have_attribute("data-theme", "dark")
    dark = form.locator("[data-menu=theme] [value=dark]")
    expect(dark).to_have_attribute("aria-pressed", "true")
    expect(dark).to_be_hidden()  # the menu has closed
    expect(form.get_by_label("Prompt strategy")).to_have_value("as typed")
    form.reload()
    expect(form.locator("html")).to_have_attribute("data-theme", "dark")


def test_leaving_a_page_with_unsaved_input_asks_first(form: Page, tmp_path: Path) -> None:
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    form.on("dialog", leave)
    form.get_by_role("button", name="中文").click()
    form.get_by_role("button", name="English").click()
    expect(form.get_by_role("button", name="中文")).to_be_visible()
    assert asked == []
    form.get_by_label("New model").check()
    form.get_by_label("Name", exact=True).fill("Somebody's")
    form.get_by_role("button", name="中文").click()
    expect(form.get_by_role("button", name="English")).to_be_visible()
    assert asked == ["beforeunload"]
    form.get_by_role("button", name="English").click()
    choose(form, file_in(tmp_path, "preds_passkey.jsonl"))
    form.goto("/formats/")
    assert asked == ["beforeunload"] * 2


def test_a_file_with_an_archive_s_name_but_no_archive_is_not_uploaded(
    form: Page, tmp_path: Path
) -> None:
    choose(form, file_in(tmp_path, "rand.zip", b"\x99\0noise" * 700))
    expect(form.get_by_role("row", name="rand.zip")).to_contain_text("not a readable archive")
    press_send(form)
    expect(doubt(form)).to_contain_text("rand.zip is not a readable archive.")
    expect(doubt(form)).to_be_focused()
    expect(form.locator("[data-sending]")).to_be_hidden()


def test_sizes_have_the_same_format_as_on_the_submission_page(form: Page, tmp_path: Path) -> None:
    choose(form, file_in(tmp_path, "preds_passkey.jsonl", b"x" * 45_363))
    expect(form.get_by_role("row", name="preds_passkey")).to_contain_text("44.3\u00a0KB")


def test_leaving_during_an_upload_asks_first(form: Page, site: Site, tmp_path: Path) -> None:
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    def hold(route: Route) -> None:
        if route.request.method != "POST":  # what is sent gets no answer
            route.continue_()

    form.on("dialog", leave)
    form.route("**/submit/", hold)
    choose(form, file_in(tmp_path, "preds_passkey.jsonl"))
    press_send(form)
    expect(form.locator("[data-sending]")).to_be_visible()
    form.goto("/formats/")
    assert asked == ["beforeunload"]
    form.goto("/submit/")
    expect(form.locator("[data-sending]")).to_be_hidden()
    assert site.address in form.url
