"""Files on their way in: how much is taken, and where they are refused."""

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, StopUpload


class NoFiles(FileUploadHandler):
    """Everywhere but on the page that takes predictions: a file ends the reading of the request."""

    def new_file(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as in Django
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None: ...

    def file_complete(self, file_size: int) -> None: ...
