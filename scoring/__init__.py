"""The scoring core of ∞Bench: plain Python, also the command ``infinitebench``."""

__version__ = "0.2.0"
