"""All faults."""

from tests.tools.faults.leaderboard import LEADERBOARD
from tests.tools.faults.portal import PORTAL
from tests.tools.faults.scoring import SCORING

FAULTS = (*SCORING, *PORTAL, *LEADERBOARD)
