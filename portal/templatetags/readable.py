"""Texts of others as pages show them."""

from django import template
from django.template.defaultfilters import stringfilter

from scoring.problems import readable

register = template.Library()
register.filter("readable", stringfilter(readable))
