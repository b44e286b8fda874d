"""The challenges that passkeys answer, as rows: see `customers.challenges`."""

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField


class ChallengePurpose(models.TextChoices):
    """The purposes of a passkey challenge."""

    REGISTER = "register"
    REGISTER_PAY = "register_pay"
    PAY = "pay"
    CONFIRM = "confirm"
    SIGN_IN = "sign_in"


class PasskeyChallenge(models.Model):
    """A single-use challenge and what it is bound to: see `customers.challenges`.

    Without a session it is for a customer on a known device, who pays or signs in.
    """

    challenge = models.CharField(max_length=43, unique=True)
    purpose = models.CharField(max_length=16, choices=ChallengePurpose)
    customer = models.ForeignKey("customers.Customer", on_delete=models.PROTECT, related_name="+")
    session = models.ForeignKey(
        "customers.CustomerSession", on_delete=models.CASCADE, null=True, related_name="+"
    )
    payment_id = PublicIdField(default="")
    amount = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    purpose__in=[ChallengePurpose.PAY, ChallengePurpose.REGISTER_PAY],
                    amount__isnull=False,
                    amount__gt=0,
                )
                & ~Q(payment_id="")
                | Q(
                    purpose__in=[
                        ChallengePurpose.REGISTER,
                        ChallengePurpose.CONFIRM,
                        ChallengePurpose.SIGN_IN,
                    ],
                    amount=None,
                    payment_id="",
                ),
                name="passkey_challenge_is_bound",
            ),
        )

    def __str__(self) -> str:
        return f"{self.purpose} {self.payment_id}".strip()
