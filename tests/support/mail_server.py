"""A mail server on loopback that behaves, or misbehaves, as a test demands."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Event, Thread

from pytest_django import Settings

from tests.support.processes import DEADLINE


class MailServer(ThreadingTCPServer):
    """The part of SMTP that Django uses. ``manner`` can be changed between connections."""

    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), _Visit)
        self.manner = "takes"  # or "refuses", "refuses people", "hangs", "forgets"
        self.visits = 0
        self.mails: list[str] = []
        self.closing = Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Visit(StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.server.visits += 1
        if self.server.manner == "hangs":
            self.server.closing.wait()
        elif self.server.manner == "refuses":
            self._say("554 nobody is served here")
        else:
            self._say("220 mail.test")
            self._converse()

    def _converse(self) -> None:
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"QUIT":
                return self._say("221 bye")
            if verb == b"RCPT" and self.server.manner == "refuses people":
                self._say(f"550 {line[8:].strip().decode()} is unknown here")
            elif verb == b"DATA":
                self._take()
                if self.server.manner == "forgets":  # the connection breaks before the reply
                    return None
                self._say("250 taken")
            else:
                self._say("250 go on")
        return None

    def _take(self) -> None:
        self._say("354 go on")
        lines = iter(self.rfile.readline, b".\r\n")
        self.server.mails.append(b"".join(lines).decode())

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server(host: str = "127.0.0.1") -> Iterator[MailServer]:
    with MailServer(host) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


def mail_goes_to(server: MailServer, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_TIMEOUT = DEADLINE
