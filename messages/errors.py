"""Why a message was not sent, and whether it may be retried."""

from enum import Enum

from core.errors import ServiceUnavailable


class Fault(Enum):
    """Whether a failed attempt may be repeated."""

    REFUSED = "refused"  # for good: retrying cannot help
    TEMPORARY = "temporary"  # certainly not accepted: safe to retry
    UNREACHED = "unreached"  # the server was not reached: no other message can be sent either
    UNKNOWN = "unknown"  # perhaps accepted: a retry may be a duplicate


class MessageNotSent(ServiceUnavailable):
    """`reason` is for staff, and holds neither a secret nor the recipient."""

    message = "The message could not be sent. Try again shortly."

    def __init__(self, fault: Fault = Fault.UNKNOWN, reason: str = "") -> None:
        super().__init__()
        self.fault, self.reason = fault, reason


class NumberRefused(MessageNotSent):
    """The gateway has refused the number, which is no fault of ours: anyone can enter any."""
