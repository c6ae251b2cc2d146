"""The portal: the Django project of ∞Bench's leaderboard, and the one app that owns models."""
