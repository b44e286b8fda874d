"""The OpenAPI document, and the API reference at /docs, all served from our own host."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularRedocView

from core.concurrency import drawing_slot
from core.pictures import with_etag

_KEY = "openapi"
_generate = SpectacularJSONAPIView.as_view(renderer_classes=[OpenApiJsonRenderer])

# ReDoc writes inline styles, and searches in a worker that it creates from a blob.
_POLICY = {
    "style-src": [UNSAFE_INLINE],
    "worker-src": ["blob:"],
    "img-src": ["data:"],
}


@method_decorator(csp_update(_POLICY), name="dispatch")
class ReferenceView(SpectacularRedocView):
    template_name = "reference.html"


def openapi_document(request: HttpRequest) -> HttpResponseBase:
    """Return the OpenAPI document, cached: building it takes a thousand times as long.

    Each process caches its own, that of the release it runs.
    """
    content = cache.get(_KEY) or _made(request)
    response = HttpResponse(content, content_type=OpenApiJsonRenderer.media_type)
    return with_etag(request, response)


def _made(request: HttpRequest) -> bytes:
    """Make the document, unless another has made it meanwhile. Raises ConcurrencyLimitReached."""
    with drawing_slot():
        content: bytes | None = cache.get(_KEY)
        if content is None:
            content = _generate(request).render().content
            cache.set(_KEY, content, timeout=None)
        return content
