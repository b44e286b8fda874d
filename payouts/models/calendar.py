"""Which periods were paid out, and on which days banks rest."""

from django.db import models


class SettledPeriod(models.Model):
    """Up to which day, week or month a merchant's schedule has been served, by its first day."""

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
    """A day beside weekends on which banks move no money. Staff keep the list."""

    date = models.DateField(primary_key=True)
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        return f"{self.date} {self.name}"
