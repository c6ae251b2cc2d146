"""The site under an open load: readers and authors who do not wait for one another."""
