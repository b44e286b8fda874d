"""The readable reference at /docs, from our own host."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularRedocView

# The reader writes its styles into the page and searches in a worker that it makes itself.
_POLICY = {
    "style-src": [UNSAFE_INLINE],
    "worker-src": ["blob:"],
    "img-src": ["data:"],
}


@method_decorator(csp_update(_POLICY), name="dispatch")
class ReferenceView(SpectacularRedocView):
    template_name = "reference.html"
