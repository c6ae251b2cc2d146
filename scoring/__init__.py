"""The scoring core of ∞Bench: plain Python, also the command ``python -m scoring``."""

__version__ = "0.1.0"
