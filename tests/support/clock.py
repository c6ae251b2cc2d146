"""The clock of limits in tests."""


class Clock:
    """What ``portal.clock`` tells a test: the same time until the test moves it."""

    def __init__(self) -> None:
        self.seconds = 1_000_000_000

    def seconds_since_epoch(self) -> int:
        return self.seconds
