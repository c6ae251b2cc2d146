"""The API's description of itself: OpenAPI, and the pages made from it."""
