"""Faults in the portal: submissions, review, permissions, keys, locks, mail, files."""


PORTAL = ()
