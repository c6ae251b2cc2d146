"""What all entries' answers say about the questions: item analysis, with numpy."""
