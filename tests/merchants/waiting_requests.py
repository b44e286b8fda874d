"""Requests that wait for their merchant's lock while something ends."""

from merchants.models import MerchantQuerySet


def meanwhile(monkeypatch, change):
    """Let something happen between the look at the caller's key and the merchant's lock."""
    locked = MerchantQuerySet.locked

    def locked_after(rows, pk):
        change()
        return locked(rows, pk)

    monkeypatch.setattr(MerchantQuerySet, "locked", locked_after)
