"""An endpoint run beside lm-evaluation-harness: `make bench-lm-eval`."""
