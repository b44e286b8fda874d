"""What was made with an API key, and still works once the key has ended: to be found and ended."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.bank_accounts import CLOSE
from backoffice.admin.links import END_LINK
from backoffice.admin.webhook_actions import SWITCH_OFF
from backoffice.admin.webhooks import ENDPOINT_STATE, URL, URL_SET
from backoffice.resource.days import id_at
from backoffice.resource.resource import Related
from backoffice.roles import Right
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.models import ApiKey
from payouts.models import BankAccount
from webhooks.models import Webhook

MOST_AT_ONCE = 100


@dataclass(frozen=True)
class Since:
    """What was made with some of a merchant's keys from an instant on."""

    merchant_id: str
    actors: Sequence[str]
    instant: datetime
    now: datetime


@dataclass(frozen=True)
class Kind:
    """A kind of thing that still works without its key: `rows` finds those, `end` ends one.

    `seen` is the right that is required to see how many there are.
    """

    name: str
    rows: Callable[[Since], QuerySet[Any]]
    end: Action
    seen: Right

    def count(self, since: Since) -> str:
        """Return how many still go on, in words; empty if none does."""
        found = self.rows(since)[: MOST_AT_ONCE + 1].count()
        if found > MOST_AT_ONCE:
            return f"{MOST_AT_ONCE}+ {self.name}s"
        return formats.counted(found, self.name) if found else ""


def _endpoints(since: Since) -> QuerySet[Any]:
    mine = Webhook.objects.switched_on().filter(merchant=since.merchant_id)
    return mine.filter(url_set_by__in=since.actors, url_set_at__gte=since.instant).order_by("pk")


def _accounts(since: Since) -> QuerySet[Any]:
    mine = BankAccount.objects.open().filter(merchant=since.merchant_id)
    return mine.filter(created_by__in=since.actors, created_at__gte=since.instant).order_by("pk")


def _links(since: Since) -> QuerySet[Any]:
    made = PaymentLink.objects.made_by(*since.actors).shown_as(LinkStatus.ACTIVE, since.now)
    return made.filter(pk__gte=id_at("link", since.instant)).order_by("pk")


# Endpoints first: they would be sent what is told of the others.
KINDS = (
    Kind("endpoint", _endpoints, SWITCH_OFF, Right.VIEW_WEBHOOKS),
    Kind("bank account", _accounts, CLOSE, Right.VIEW_PAYOUTS),
    # With the right to revoke the key: it ends no link but those that the key has made.
    Kind("payment link", _links, replace(END_LINK, right=Right.KEYS), Right.VIEW_TRADE),
)


@dataclass(frozen=True)
class MadeKey:
    """A key that was made with another one, directly or through keys in between.

    `may_be_owners`: it may be the owner's rather than a thief's. It replaced the other key, or one
    that was not made with that, or was made with a key that replaced one. A thief locks the owner
    out in this way, and the owner a thief.
    """

    key: ApiKey
    may_be_owners: bool

    @property
    def words(self) -> str:
        """The key as a form lists it, with what matters first: a phone cuts the end off."""
        took = "Replacement " if self.key.replaces_id else ""
        return f"{took}{self.key.hint}, {formats.moment(self.key.created_at)}, “{self.key.name}”"


def keys_made_with(key: ApiKey) -> list[MadeKey]:
    """Return the keys made with a key, with those, and so on, oldest first: in one statement."""
    found = {key.actor: MadeKey(key, may_be_owners=False)}
    sure: set[str | None] = {None}  # as is what replaces one of these; None: what replaces none
    for each in ApiKey.objects.filter(merchant=key.merchant_id, pk__gt=key.pk).order_by("pk"):
        if maker := found.get(each.created_by or ""):
            doubtful = maker.may_be_owners or each.replaces_id not in sure
            found[each.actor] = MadeKey(each, may_be_owners=doubtful)
            if not doubtful:
                sure.add(each.pk)
    return list(found.values())[1:]


def still_working(key: ApiKey, now: datetime, may_see: Callable[[Right], bool]) -> str:
    """Return what was made with a key and goes on, in words; empty if there is nothing."""
    sure = [each.key for each in keys_made_with(key) if not each.may_be_owners]
    active = sum(each.is_active(now) for each in sure)
    keys = formats.counted(active, "key") if active and may_see(Right.VIEW_KEYS) else ""
    return _joined(keys, counts(made_since([key, *sure], key.created_at, now), may_see))


def counts(since: Since, may_see: Callable[[Right], bool]) -> str:
    return _joined(*(kind.count(since) for kind in KINDS if may_see(kind.seen)))


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def made_since(keys: Sequence[ApiKey], instant: datetime, now: datetime) -> Since:
    return Since(keys[0].merchant_id, [key.actor for key in keys], instant, now)


MADE = (
    Related(
        PaymentLink,
        title="Payment links made with it",
        rows=lambda key: PaymentLink.objects.made_by(key.actor),
    ),
    Related(
        Webhook,
        title="Endpoints whose URL it set",
        fields=(URL, ENDPOINT_STATE, URL_SET),
        rows=lambda key: Webhook.objects.filter(merchant=key.merchant_id, url_set_by=key.actor),
        order=("-url_set_at",),
    ),
    Related(
        ApiKey,
        title="Keys made with it",
        rows=lambda key: ApiKey.objects.filter(merchant=key.merchant_id, created_by=key.actor),
    ),
    Related(
        BankAccount,
        title="Bank accounts requested with it",
        rows=lambda key: BankAccount.objects.filter(merchant=key.merchant_id, created_by=key.actor),
    ),
)
