"""The images at the addresses in `qr_code`: not part of the API."""

from django.urls import path

from links.views import qr_image

urlpatterns = [
    path("pay/<slug:merchant_slug>/<id:link_id>/qr.png", qr_image, {"form": "png"}, "link-qr-png"),
    path("pay/<slug:merchant_slug>/<id:link_id>/qr.svg", qr_image, {"form": "svg"}, "link-qr-svg"),
]
