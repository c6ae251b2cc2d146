"""The commands of ``python -m scoring``, one module each, loaded when it is asked for."""
