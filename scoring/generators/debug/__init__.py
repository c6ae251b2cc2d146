"""Code.Debug: a Python package in which one of four functions has a real bug."""
