"""What all of the API says of itself: OpenAPI, and the page made from it."""
