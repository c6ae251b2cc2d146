"""Faults of what readers see: boards, ranks, exports, pages, the API, templates, scripts."""


LEADERBOARD = ()
