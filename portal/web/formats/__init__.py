"""How dates are written where a page does not say it, as in Django's admin."""
