"""Fields that several serializers use."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field(OpenApiTypes.DATE)
class DayField(serializers.DateTimeField):
    """The day (UTC) of a time: the hour would help to identify who is anonymous."""

    def __init__(self, **named: Any) -> None:
        super().__init__(format="%Y-%m-%d", **named)
