"""Who people are: sign-up, sign-in, profile, and their choices."""
