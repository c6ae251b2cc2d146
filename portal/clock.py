"""The time by which limits are counted and kept pages expire. Tests hold it still."""

import time


def seconds_since_epoch() -> int:
    return int(time.time())
