"""The URL under which the back office is mounted."""

from django.urls import path
from django.views.generic import RedirectView

from backoffice.registry import office

urlpatterns = [
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", office.urls),
]
