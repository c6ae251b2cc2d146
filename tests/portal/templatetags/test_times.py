"""Relative times include the exact one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.templatetags.times import ago


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(seconds=-20), "just now"),  # two machines' clocks differ
        (timedelta(minutes=2, seconds=5), "2\xa0minutes ago"),
        (timedelta(hours=5, minutes=59), "5\xa0hours ago"),
        (timedelta(days=3), "3\xa0days ago"),
    ],
)
def test_what_was_lately_says_how_long_ago(age: timedelta, shown: str) -> None:
    moment = timezone.now() - age
    html = ago(moment)
    assert html.endswith(f">{shown}</time>")
    assert f'datetime="{moment.isoformat(timespec="seconds")}"' in html
    assert f'title="{moment:%Y-%m-%d %H:%M} UTC"' in html


def test_what_is_older_has_its_day() -> None:
    moment = timezone.now() - timedelta(days=40)
    assert ago(moment).endswith(f">{moment:%Y-%m-%d}</time>")
    assert ago(None) == ""
