"""What the site says of itself: lines of JSON, the requests that they are about, errors."""
