"""Markdown of people on the site."""

from django import template
from django.template.defaultfilters import stringfilter

from portal.web.markdown import as_html

register = template.Library()
register.filter("markdown", stringfilter(as_html))
