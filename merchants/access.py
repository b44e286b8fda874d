"""What a key may do: everything, or the scopes that were chosen when it was created.

A scope is a resource of the reference with `read` or `write`: `payments:read`, `refunds:write`.
Write includes read. No scope creates keys: a key that could create others could choose theirs.
"""

EVERYTHING = "*"
READ_ONLY = "*:read"
RESOURCES = (
    *("merchants", "api_keys", "payments", "refunds", "payment_links", "balances", "payouts"),
    *("bank_accounts", "statements", "ledger_proofs", "webhooks", "deliveries", "events"),
    *("test_clocks", "tills", "inquiries"),
)
NOT_GRANTED = "api_keys:write"
MAX_SCOPES = 500
SCOPES = (
    READ_ONLY,
    *(
        scope
        for resource in RESOURCES
        for scope in (f"{resource}:read", f"{resource}:write")
        if scope != NOT_GRANTED
    ),
)


def needed_scope(resource: str, *, writes: bool) -> str:
    """Return the scope that a request for a resource needs."""
    return f"{resource}:{'write' if writes else 'read'}"


def allows(granted: str, resource: str, *, writes: bool) -> bool:
    """Return whether a key may read, or write, a resource. `granted` is its `scopes` column."""
    if granted == EVERYTHING:
        return True
    scopes = granted.split()
    if needed_scope(resource, writes=True) in scopes:
        return True
    return not writes and (READ_ONLY in scopes or needed_scope(resource, writes=False) in scopes)
