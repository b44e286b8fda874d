"""The periods paid out by schedule, and the bank holidays."""

from django.db import models


class SettledPeriod(models.Model):
    """The day up to which a merchant's payouts by schedule are served.

    No period that begins by `first_day` is paid out again, whatever the schedule.
    """

    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    first_day = models.DateField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["merchant", "livemode", "currency"], name="settled_period_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.merchant_id} {self.currency}: {self.first_day}"


class BankHoliday(models.Model):
    """A bank holiday other than a weekend. Staff maintain the list."""

    date = models.DateField(primary_key=True)
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        return f"{self.date} {self.name}"
