"""What the site does on the Hub for authors: fetching files to submit."""
