"""Dates and numbers as in English, so that a board reads the same in both languages."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i T"
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
