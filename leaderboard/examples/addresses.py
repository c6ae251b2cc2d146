"""The addresses of lists of examples, and of single examples."""

from leaderboard import example_links
from leaderboard.examples.filters import Filter


def list_address(release: str, task: str, chosen: Filter | None = None) -> str:
    return example_links.list_address(release, task, str(chosen or ""))


def example_address(
    release: str, task: str, key: str, chosen: Filter | None = None, entry: str = ""
) -> str:
    """With the filter that the reader comes from, and the entry whose answer is opened."""
    return example_links.example_address(release, task, key, entry=entry, query=str(chosen or ""))
