"""What anyone may ask of the ledger: the keys that its checkpoints are signed with."""

from django.http import HttpRequest, HttpResponse

from ledger.checkpoints import verifiers


def checkpoint_keys(request: HttpRequest) -> HttpResponse:
    """Answer a public key a line, as signed notes write it; the first one signs now."""
    lines = "".join(f"{verifier}\n" for verifier in verifiers())
    return HttpResponse(lines, content_type="text/plain; charset=utf-8")
