"""What runs inside the box: ``python -m scoring.sandbox.worker``, started by ``sandbox.run``."""
