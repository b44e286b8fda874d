"""Static files, sent without a thread that waits for a slow reader.

A file that is streamed holds a thread of the web server until its reader has taken the last piece,
however long that takes: anyone could hold them all. Files are handed over whole instead, as other
responses are. A few are too large to be held in memory for each reader: source maps, and the script
of the API reference where a browser takes no compressed files. Those are streamed to few at once.
"""

from contextlib import ExitStack
from typing import BinaryIO

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]  # it has no types
from whitenoise.responders import Response, StaticFile  # type: ignore[import-untyped]  # nor here

from core.concurrency import ConcurrencyLimit, ConcurrencyLimitReached
from core.errors import RateLimited

MOST_WHOLE_BYTES, PIECE_BYTES = 384 * 1024, 64 * 1024

streams = ConcurrencyLimit(max(1, settings.WEB_THREADS // 4))


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # it has no types
    """WhiteNoise, except that files are handed over whole, or streamed to few readers at once."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        found = static_file.get_response(request.method, request.META)
        if found.file is None:  # it has not changed, or only its headers are asked for
            return _with_headers(HttpResponse(status=int(found.status)), found)
        if int(dict(found.headers)["Content-Length"]) > MOST_WHOLE_BYTES:
            return _streamed_to_few(found)
        with found.file:
            contents = found.file.read()
        return _with_headers(HttpResponse(contents, status=int(found.status)), found)


class Pieces:
    """A file in pieces. `held` is released once it has been sent, or its reader has gone."""

    def __init__(self, file: BinaryIO, held: ExitStack) -> None:
        self._read, self._held = file.read, held

    def __iter__(self) -> "Pieces":
        return self

    def __next__(self) -> bytes:
        if piece := self._read(PIECE_BYTES):
            return piece
        raise StopIteration

    def close(self) -> None:
        self._held.close()


def _streamed_to_few(found: Response) -> HttpResponseBase:
    """Stream a file, in a slot that is held until its end; 429 if all slots are taken."""
    held = ExitStack()
    held.enter_context(found.file)
    try:
        held.enter_context(streams.hold())
    except ConcurrencyLimitReached:
        held.close()
        refusal = RateLimited()  # a server error would raise the alarm, for what anyone may do
        words = f"{refusal.message}\n"
        return HttpResponse(words, "text/plain", refusal.status, headers=refusal.headers)
    pieces = Pieces(found.file, held)
    return _with_headers(StreamingHttpResponse(pieces, status=int(found.status)), found)


def _with_headers(response: HttpResponseBase, found: Response) -> HttpResponseBase:
    """Give a response the headers of WhiteNoise, and no others."""
    del response["Content-Type"]
    for name, value in found.headers:
        response[name] = value
    return response
