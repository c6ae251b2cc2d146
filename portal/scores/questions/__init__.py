"""Single questions: verdicts, their reasons, the best and worst answers, what chance scores."""
