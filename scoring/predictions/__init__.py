"""Reading prediction files: untrusted archives and many dialects to rows."""
