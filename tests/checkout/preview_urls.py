"""The product's addresses and /preview/<name>."""

from django.urls import path

from config.urls import urlpatterns as product
from tests.checkout.preview import preview

urlpatterns = [*product, path("preview/<slug:name>", preview)]
