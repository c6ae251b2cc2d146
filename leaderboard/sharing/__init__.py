"""What other sites show of this one: badges, pictures of links, the map for search engines."""
