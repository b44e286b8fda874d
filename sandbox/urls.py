from django.urls import path

from sandbox.views import ClockViewSet, LinkClockViewSet, SimulationViewSet

urlpatterns = [
    path(
        "payments/<id:payment_id>/simulate",
        SimulationViewSet.as_view({"post": "simulate"}),
        name="payment-simulate",
    ),
    path(
        "payments/<id:payment_id>/expire",
        SimulationViewSet.as_view({"post": "expire"}),
        name="payment-expire",
    ),
    path(
        "payment-links/<id:link_id>/expire",
        LinkClockViewSet.as_view({"post": "expire"}),
        name="payment-link-expire",
    ),
    path("test/advance", ClockViewSet.as_view({"post": "advance"}), name="test-advance"),
]
