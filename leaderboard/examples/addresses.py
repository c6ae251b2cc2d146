"""The addresses of lists of examples, and of single ones."""

from urllib.parse import quote, urlencode

from django.urls import reverse

from leaderboard.examples.filters import Filter


def list_address(release: str, task: str, chosen: Filter | None = None) -> str:
    query = str(chosen or "")
    address = reverse("examples", args=[release, task])
    return f"{address}?{urlencode({'q': query})}" if query else address


def example_address(
    release: str, task: str, key: str, chosen: Filter | None = None, entry: str = ""
) -> str:
    """With the filter that the reader comes from, and the entry whose answer is opened."""
    pairs = {"entry": entry, "q": str(chosen or "")}
    query = urlencode({name: value for name, value in pairs.items() if value})
    address = f"{reverse('examples', args=[release, task])}{quote(key, safe='')}/"
    return f"{address}?{query}" if query else address
