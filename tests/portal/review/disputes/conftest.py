"""Previews come from boards, which are kept."""

from tests.leaderboard.conftest import no_kept_regions

__all__ = ["no_kept_regions"]
