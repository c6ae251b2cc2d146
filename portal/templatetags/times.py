"""When something was: how long ago, with the exact time behind it."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

register = template.Library()
_RECENT = timedelta(days=30)


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """A ``<time>`` such as “2 hours ago”; older ones have their day. Not for pages that are kept in
    a cache, where it would grow wrong."""
    if moment is None:
        return ""
    now = timezone.now()
    day = f"{moment:%Y-%m-%d}"
    if timedelta(minutes=1) <= now - moment < _RECENT:
        shown = f"{timesince(moment, now, depth=1)} ago"
    else:
        shown = "just now" if abs(now - moment) < timedelta(minutes=1) else day
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(timespec="seconds"),
        f"{moment:%Y-%m-%d %H:%M}",
        shown,
    )
