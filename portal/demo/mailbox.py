"""The demo's mail as files, to be read on a page: each mail appears whole, under a name of its own.

Django's own backend names files by second and address in memory, which two workers may share; and
a page could read one that is half written.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.MAIL_DIR)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{time.time_ns():020}_{uuid4()}"
            draft = folder / f"{name}.draft"
            draft.write_bytes(message.message().as_bytes())
            draft.rename(folder / f"{name}.log")
        return len(email_messages)
