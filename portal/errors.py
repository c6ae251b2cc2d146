"""What is wrong with a release, in a sentence for whoever imports it or scores with it."""


class ReleaseError(Exception):
    """The release cannot be imported or used; the message says why, and what to do."""
