"""What the answers of all entries say about the questions: item analysis, with numpy."""
