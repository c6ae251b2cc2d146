"""The form that submits."""
