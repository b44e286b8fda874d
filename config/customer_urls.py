"""The addresses that customers open, found alone: those of other rooms are not tried first."""

from django.urls import include, path

urlpatterns = [path("", include(urls)) for urls in ("links.image_urls", "checkout.urls")]
