"""What other sites show of this one: badges, preview pictures, the sitemap."""
