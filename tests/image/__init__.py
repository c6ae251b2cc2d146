"""The images and the compose file, tried with a real engine: ``make image-test``."""
