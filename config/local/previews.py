"""The URLs of the service, and those of `manage.py preview`."""

from config.urls import handler400, handler403, handler404, handler500
from config.urls import urlpatterns as product
from sandbox.screen_pages import urlpatterns as previews

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns = [*previews, *product]
