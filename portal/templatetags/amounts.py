"""Numbers of tokens on pages."""

from django import template

from scoring.text.amounts import full_amount

register = template.Library()
register.filter("amount", full_amount)
