"""The form that submits predictions."""
