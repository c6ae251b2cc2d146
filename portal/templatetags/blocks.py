"""The text of a block in a second place: a title is in the head more than once."""

from html import unescape

from django import template
from django.template.context import Context
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.utils.html import escape, strip_tags
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def block_text(context: Context, name: str) -> SafeString:
    """On one line, without tags, for an attribute; empty if the page has no such block.

    The block need not be in the template that the page extends.
    """
    block = context.render_context[BLOCK_CONTEXT_KEY].get_block(name)
    text = strip_tags(block.render(context)) if block else ""
    return escape(" ".join(unescape(text).split()))
