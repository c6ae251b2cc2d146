"""Single questions: verdicts, their reasons, the best and worst answers, what guessing scores."""
