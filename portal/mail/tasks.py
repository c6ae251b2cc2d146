"""The Celery task that sends mail."""

from portal.celery import app
from portal.mail.outbox import send_notice
from portal.queue import SEND

# A mail server that answers byte by byte is cut off before the first of RETRY_DELAYS is over.
app.task(send_notice, name=SEND, soft_time_limit=40, time_limit=50)
