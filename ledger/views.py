"""What anyone may ask of the ledger: the keys that sign its checkpoints."""

from django.http import HttpRequest, HttpResponse

from ledger.checkpoints import verifiers


def checkpoint_keys(request: HttpRequest) -> HttpResponse:
    """Answer with one public key per line, as signed notes write it; the first signs now."""
    lines = "".join(f"{verifier}\n" for verifier in verifiers())
    return HttpResponse(lines, content_type="text/plain; charset=utf-8")
