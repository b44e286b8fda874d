"""The numbers among the variables that have limits: each from the least to the most.

Beyond them a number cannot work (a port), breaks later what adds it to a date, or switches a
defence off that it was meant to set.
"""

from core.money import MAX_AMOUNT

_AMOUNT = range(MAX_AMOUNT)
_HOUR = 3_600
_YEAR_DAYS = 365

RANGES = {
    "CHECKPOINT_BUCKET_DAYS": range(1, 100 * _YEAR_DAYS + 1),
    "CLOCK_TOLERANCE_SECONDS": range(1, _HOUR + 1),
    "FUNDING_CASH_DAY_AMOUNT": _AMOUNT,
    "FUNDING_DAY_AMOUNT": _AMOUNT,
    "GATHER_SECONDS": range(_HOUR + 1),
    "INVOICES_PER_MERCHANT": range(1_000_001),
    "PASSKEY_ABOVE": _AMOUNT,  # the most can be reached: some amount needs a passkey
    "PAYOUT_MINIMUM": range(1, MAX_AMOUNT),
    "PAYOUT_RETURN_DAYS": range(10 * _YEAR_DAYS + 1),
    "PIN_ABOVE": _AMOUNT,
    "PORT": range(1, 65_536),
    "REGISTRATIONS_PER_NETWORK": range(1_000_001),
    "RISK_NEW_PROOF_AMOUNT": _AMOUNT,
    "RISK_NEW_PROOF_HOURS": range(24 * _YEAR_DAYS + 1),
    "RISK_PIN_DAY_AMOUNT": _AMOUNT,
    "RISK_UNPROVEN_AMOUNT": _AMOUNT,
    "RISK_UNPROVEN_PAYMENTS": range(101),
    "TRUSTED_PROXIES": range(11),
    "VISITOR_SECONDS_PER_NETWORK": range(1_000_001),
    "WEBHOOK_TIMEOUT_SECONDS": range(1, 301),
    "WEB_THREADS": range(1, 1_001),
    "WEB_WORKERS": range(1, 1_001),
}
