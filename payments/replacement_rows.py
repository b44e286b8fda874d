"""The table of replaced payments; its services are in `payments.replacements`."""

from django.db import models


class Replacement(models.Model):
    """A payment that ended unpaid, when its customer asked for a new one, and that new payment.

    Without `requested_at`, the merchant replaced it unasked.
    """

    payment = models.OneToOneField(
        "payments.Payment", on_delete=models.PROTECT, primary_key=True, related_name="replacement"
    )
    requested_at = models.DateTimeField(null=True)
    replaced_by = models.OneToOneField(
        "payments.Payment", on_delete=models.PROTECT, null=True, related_name="in_place_of"
    )

    def __str__(self) -> str:
        return f"{self.payment_id} → {self.replaced_by_id}"
