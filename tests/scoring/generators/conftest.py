"""Here lengths matter."""

from tests.support.measures import real_lengths

__all__ = ["real_lengths"]
