"""What the checkout keeps of its own."""

from django.db import models

from core.ids import PublicIdField


class VerificationTry(models.Model):
    """One PIN or passkey that was tried on a payment. `error_code` is empty where it was right.

    Staff read it while the customer is on the phone; nothing decides by it.
    """

    payment_id = PublicIdField()
    method = models.CharField(max_length=8)
    error_code = models.CharField(max_length=40, default="", blank=True)
    actor = models.CharField(max_length=100)
    address = models.CharField(max_length=45)
    tried_at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=["payment_id", "tried_at"], name="verification_tries"),)

    def __str__(self) -> str:
        return f"{self.method} on {self.payment_id}"
