"""Data for scripts, in attributes: pages have no inline scripts, not even for data."""

import json

from django import template
from django.core.serializers.json import DjangoJSONEncoder

register = template.Library()


@register.filter
def as_json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder)
