"""What runs inside the box: ``python -m scoring.boxed``, started by ``scoring.sandbox`` only."""
