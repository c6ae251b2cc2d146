"""Any window of a stored context, however long, in any storage."""

import io
import multiprocessing
from random import Random

import pytest
from django.core.files.storage import default_storage
from pytest_django import Settings

from portal.models import Context
from portal.releases.context_store import ContextStore
from portal.releases.context_windows import window_by_characters, window_by_tokens
from scoring.text.text_index import IndexedText, WindowError
from scoring.text.tokens import token_lengths
from tests.support.releases import TEXTS, chinese

pytestmark = pytest.mark.django_db
MANY = 200_000  # tokens


def stored(text: str) -> Context:
    with ContextStore(1) as store:
        store.add("0" * 64, text)
        store.finish()
        return Context.objects.get(pk=store.context("0" * 64).pk)


@pytest.mark.parametrize("make", TEXTS, ids=lambda make: make.__name__)
def test_windows_are_what_slices_are(make: object) -> None:
    random = Random(5)
    text = make(random, MANY)  # type: ignore[operator]  # one of TEXTS
    context = stored(text)
    assert (context.characters, context.size) == (len(text), len(text.encode()))
    for _ in range(20):
        start = random.randrange(len(text) - 500)
        window = window_by_characters(context, start, start + 500)
        assert window.text == text[start : start + 500]
        again = window_by_tokens(context, *window.tokens)
        assert window.text in again.text
        assert text[slice(*again.characters)] == again.text


def test_a_token_window_is_what_the_tokenizer_says() -> None:
    text = chinese(Random(1), 20_000)
    lengths = token_lengths(text)
    assert lengths
    context, data = stored(text), text.encode()
    assert context.tokens == len(lengths)
    begin = sum(lengths[:9_000])
    wanted = data[begin : begin + sum(lengths[9_000:9_100])].decode(errors="ignore")
    assert wanted in window_by_tokens(context, 8_999, 9_101).text


class CountedFile(io.BytesIO):
    bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.bytes_read += len(data)
        return data


def test_of_a_long_text_little_is_read_for_a_window() -> None:
    context = stored(chinese(Random(2), MANY))
    for share in range(10):
        with context.text.open("rb") as text, context.index.open("rb") as index:
            files = [CountedFile(file.read()) for file in (text, index)]
        start = share * context.tokens // 10
        IndexedText(*files).by_tokens(start, start + 800)
        assert 0 < sum(file.bytes_read for file in files) < 20_000


def test_what_is_not_there_is_refused() -> None:
    context = stored("short")
    with pytest.raises(WindowError, match="the text has 5"):
        window_by_characters(context, 0, 6)


def test_a_lost_file_is_an_error_of_files() -> None:
    context = stored("short")
    default_storage.delete(context.index.name)
    with pytest.raises(FileNotFoundError):
        window_by_characters(context, 0, 1)


def test_any_storage_that_can_seek_will_do(settings: Settings) -> None:
    memory = "django.core.files.storage.InMemoryStorage"
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": memory}}
    text = chinese(Random(3), 5_000)
    assert window_by_characters(stored(text), 2_000, 2_010).text == text[2_000:2_010]
    assert default_storage.exists(Context.objects.get().text.name)


def test_a_text_is_stored_and_counted_once() -> None:
    with ContextStore(1) as store:
        for _ in range(3):
            store.add("1" * 64, "the same text")
        store.finish()
        counted = store.counted
    with ContextStore(1) as store:
        store.add("1" * 64, "the same text")
        assert multiprocessing.active_children() == []
    context = Context.objects.get()
    assert counted == context.tokens == 3
    assert len(default_storage.listdir("contexts")[1]) == 2


def test_what_is_finished_needs_no_more_waiting() -> None:
    """Any later waiting would happen within a transaction."""
    questions = [f"Who is {number}?" for number in range(50)]
    with ContextStore(1) as store:
        for question in questions:
            store.count(question)
        store.finish()
    assert all(store.question(question).tokens for question in questions)


def test_the_quicker_of_two_imports_wins_and_the_other_leaves_no_file() -> None:
    with ContextStore(1) as slow, ContextStore(1) as quick:
        for store in (slow, quick):
            store.add("2" * 64, "the same text")
        quick.finish()
        slow.finish()
        assert slow.context("2" * 64) == quick.context("2" * 64)
    context = Context.objects.get()
    assert {f"contexts/{name}" for name in default_storage.listdir("contexts")[1]} == {
        context.text.name,
        context.index.name,
    }
