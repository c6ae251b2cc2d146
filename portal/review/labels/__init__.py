"""Reports of wrong labels: made by readers on the page of an example, decided by reviewers."""
