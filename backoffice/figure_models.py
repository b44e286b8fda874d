"""Figures that are counted once, when what they count is over."""

from django.db import models


class Endings(models.Model):
    """How many payments ended in each way, and the amount paid."""

    livemode = models.BooleanField()
    completed_count = models.BigIntegerField(default=0)
    completed_amount = models.BigIntegerField(default=0)
    failed_count = models.BigIntegerField(default=0)
    expired_count = models.BigIntegerField(default=0)
    canceled_count = models.BigIntegerField(default=0)

    class Meta:
        abstract = True


class DayFigures(Endings):
    """What ended on one day in the time zone of staff, counted once the day is over."""

    day = models.DateField()
    currency = models.CharField(max_length=3)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["day", "livemode", "currency"], name="figures_once"),
        )

    def __str__(self) -> str:
        return f"{self.day} {self.currency}"


class IntervalFigures(Endings):
    """What ended in ten minutes from `start` on, counted once all of it is committed.

    Each interval has a row without a currency in each mode: of deliveries, and a sign that it is
    counted. There is another for each currency in which payments ended. Intervals are counted in
    order, so none is missing between two. `pin_count` and the like are of paid payments, by the
    proof that their amounts required then.
    """

    start = models.DateTimeField()
    currency = models.CharField(max_length=3, default="", blank=True)
    none_count = models.BigIntegerField(default=0)
    pin_count = models.BigIntegerField(default=0)
    passkey_count = models.BigIntegerField(default=0)
    delivered_count = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["livemode", "currency", "start"], name="interval_figures_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.start} {self.currency}"
