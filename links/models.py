"""A payment link, and the record of each payment made through it."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import connection, models
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from core.errors import ApiError
from core.ids import PublicIdField
from core.limits import MAX_TEXT, MAX_URL
from core.money import MAX_AMOUNT
from core.queries import Lookups
from links.errors import REFUSAL_BY_STATUS, PaymentLinkNotFound
from links.statuses import ALLOWED, TRANSITIONS, LinkStatus
from merchants.scoping import CallerScoped, Scope

_ACTIVE = Q(status=LinkStatus.ACTIVE)
_RECORDED = Q(created_by__isnull=False)
_LIMITED = Q(max_uses__isnull=False)


class PaymentLinkQuerySet(CallerScoped["PaymentLink"]):
    missing = PaymentLinkNotFound
    searched = ("description",)

    def listed(self, caller: Scope, lookups: Lookups, now: datetime | Value) -> Self:
        others = dict(lookups)
        status = others.pop("status", None)
        rows = self.visible_to(caller)
        return (rows.shown_as(status, now) if status else rows).matching(others, caller).to_show()

    def due_to_expire(self, now: datetime | Value) -> Self:
        """Keep those past their expiry that the sweep has not reached yet."""
        return self.filter(_ACTIVE, expires_at__lte=now)

    def shown_as(self, status: str, now: datetime | Value) -> Self:
        """Keep those that readers see in this status, whether or not the sweep has reached them."""
        overdue = _ACTIVE & Q(expires_at__lte=now)
        if status == LinkStatus.EXPIRED:
            return self.filter(Q(status=status) | overdue)
        stored = self.filter(status=status)
        return stored.exclude(expires_at__lte=now) if status == LinkStatus.ACTIVE else stored

    def made_by(self, *actors: str) -> Self:
        """Keep those that these actors have created."""
        return self.filter(created_by__in=actors)

    def at(self, merchant_slug: str) -> Self:
        """Keep those under this merchant's slug; a link exists only under its own."""
        return self.filter(merchant__slug=merchant_slug)

    def to_show(self) -> Self:
        """Add what a link shows from other rows."""
        return self.select_related("merchant").with_uses()

    def with_uses(self) -> Self:
        """Add what `uses` and `collected` need to be exact: the uses not yet counted on the row."""
        fresh = LinkUse.objects.filter(link=OuterRef("pk"), counted=False).order_by()
        per_link = fresh.values("link")
        return self.annotate(
            fresh_uses=Coalesce(Subquery(per_link.annotate(n=Count("pk")).values("n")), 0),
            fresh_amount=Coalesce(
                Subquery(per_link.annotate(n=Sum("amount")).values("n")),
                0,
                output_field=models.BigIntegerField(),
            ),
        )

    def held_for_use(self, link_id: str) -> "PaymentLink":
        """Lock one link so that it stays limited, or unlimited, until the transaction ends.

        Payments through the same unlimited link share the lock and do not wait for each other;
        `locked_against_use` waits for them. Raises PaymentLinkNotFound.
        """
        link = self._held_side_by_side(link_id)
        return link if link.max_uses is None else self.locked(link_id)

    def _held_side_by_side(self, link_id: str) -> "PaymentLink":
        if connection.vendor != "postgresql":  # SQLite has one writer at a time
            return self.one(link_id)
        found = self.raw(
            f"SELECT * FROM {self.model._meta.db_table} WHERE id = %s FOR KEY SHARE",  # noqa: S608  # a constant
            [link_id],
        )
        for link in found:
            return link
        raise self.missing()

    def locked_against_use(self, link_id: str) -> "PaymentLink":
        """Wait for the payments that use a link, and lock it: until the end, none other uses it.

        Raises PaymentLinkNotFound.
        """
        return self.select_for_update(of=("self",)).one(link_id)


class PaymentLink(models.Model):
    """A reusable address at which anyone can pay a merchant.

    `amount` is in cents, and null if the customer enters it. For an unlimited link, `uses_count`
    and `amount_collected` lag behind: see LinkUse. `created_by` is null for links from before it
    was recorded.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, db_index=False)
    livemode = models.BooleanField()
    amount = models.BigIntegerField(null=True)
    currency = models.CharField(max_length=3)
    description = models.CharField(max_length=MAX_TEXT, default="", blank=True)
    status = models.CharField(max_length=16, choices=LinkStatus, default=LinkStatus.ACTIVE)
    max_uses = models.IntegerField(null=True)
    uses_count = models.BigIntegerField(default=0)
    amount_collected = models.BigIntegerField(default=0)
    opened_count = models.BigIntegerField(default=0)
    started_count = models.BigIntegerField(default=0)
    success_url = models.CharField(max_length=MAX_URL, default="", blank=True)
    cancel_url = models.CharField(max_length=MAX_URL, default="", blank=True)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100, null=True)  # noqa: DJ001  # older rows have none
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=100, default="", blank=True)

    objects: ClassVar[PaymentLinkQuerySet] = PaymentLinkQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(fields=["merchant", "livemode", "-created_at", "-id"], name="link_newest"),
            models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="link_by_status",
            ),
            models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="link_by_amount",
            ),
            models.Index(fields=["expires_at"], name="link_due", condition=_ACTIVE),
            models.Index(fields=["created_by", "-id"], name="link_made_by", condition=_RECORDED),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__isnull=True) | Q(amount__gte=1, amount__lte=MAX_AMOUNT),
                name="link_amount",
            ),
            models.CheckConstraint(condition=Q(status__in=LinkStatus.values), name="link_status"),
            models.CheckConstraint(
                condition=(_ACTIVE & Q(ended_at__isnull=True))
                | (~_ACTIVE & Q(ended_at__isnull=False)),
                name="link_ended_at",
            ),
            models.CheckConstraint(
                condition=Q(max_uses__isnull=True)
                | Q(max_uses__gte=1, uses_count__lte=F("max_uses")),
                name="link_max_uses",
            ),
            models.CheckConstraint(
                condition=~Q(status=LinkStatus.USED_UP) | Q(_LIMITED, uses_count=F("max_uses")),
                name="link_used_up",
            ),
            models.CheckConstraint(
                condition=Q(uses_count__gte=0, amount_collected__gte=F("uses_count")),
                name="link_counts",
            ),
        )

    def __str__(self) -> str:
        return self.id

    @property
    def url(self) -> str:
        """The absolute address of its page."""
        return f"{settings.CHECKOUT_URL}/pay/{self.merchant.slug}/{self.id}"

    @property
    def uses(self) -> int:
        """How many payments were made through it; exact on rows read `with_uses`."""
        return self.uses_count + int(getattr(self, "fresh_uses", 0))

    @property
    def collected(self) -> int:
        """What they add up to, in cents; exact on rows read `with_uses`."""
        return self.amount_collected + int(getattr(self, "fresh_amount", 0))

    def status_at(self, now: datetime) -> LinkStatus:
        """Return the effective status: expired from `expires_at` on, even before the sweep."""
        overdue = self.expires_at is not None and self.expires_at <= now
        if overdue and self.status == LinkStatus.ACTIVE:
            return LinkStatus.EXPIRED
        return LinkStatus(self.status)

    def refusal(self, now: datetime) -> ApiError:
        """Return the error that explains why the current status does not allow the request."""
        status = self.status_at(now)
        return REFUSAL_BY_STATUS[status](status=f"is {status}; {ALLOWED[status]}")

    def refuse_ended(self, now: datetime) -> None:
        """Raise the error of the current status, unless the link takes payments now."""
        if self.status_at(now) != LinkStatus.ACTIVE:
            raise self.refusal(now)

    def transition_to(self, status: LinkStatus, *, now: datetime, actor: str) -> None:
        """Move to a final status and record who ended it. The row must be locked.

        Raises PaymentLinkExpired for any move but expiry after `expires_at`, and the error of the
        current status if TRANSITIONS has no such move.
        """
        if status not in TRANSITIONS[LinkStatus(self.status)]:
            raise self.refusal(now)
        if status != LinkStatus.EXPIRED and self.status_at(now) == LinkStatus.EXPIRED:
            raise self.refusal(now)
        self.status = status
        self.updated_at = self.ended_at = now
        self.ended_by = actor
        self.save(update_fields=["status", "updated_at", "ended_at", "ended_by"])


class LinkUse(models.Model):
    """One payment made through a link, by its public id `payment_id`, which is unique.

    Through an unlimited link many customers may pay at once, so a use is only inserted, and not
    `counted` until a task adds it to the link's row.
    """

    link = models.ForeignKey(PaymentLink, on_delete=models.PROTECT, related_name="uses_made")
    payment_id = PublicIdField(unique=True)
    amount = models.BigIntegerField()
    used_at = models.DateTimeField()
    counted = models.BooleanField()

    class Meta:
        indexes = (
            models.Index(fields=["link"], name="link_use_fresh", condition=Q(counted=False)),
        )
        constraints = (models.CheckConstraint(condition=Q(amount__gte=1), name="link_use_amount"),)

    def __str__(self) -> str:
        return f"{self.link_id} paid by {self.payment_id}"
