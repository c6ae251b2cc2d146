"""Lengths matter to these tests."""

from tests.support.measures import real_lengths

__all__ = ["real_lengths"]
