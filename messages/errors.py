"""Why a message did not go out, and whether it may be sent again."""

from enum import Enum

from core.errors import ServiceUnavailable


class Fault(Enum):
    """What a failed attempt says of the next one."""

    REFUSED = "refused"  # for good: this address, or this message, will never be taken
    TEMPORARY = "temporary"  # surely not taken now; later it may be
    UNKNOWN = "unknown"  # perhaps taken all the same: to send again may be to send twice


class MessageNotSent(ServiceUnavailable):
    """`cause` is for staff, and holds neither a secret nor the recipient."""

    message = "The message could not be sent. Try again shortly."

    def __init__(self, fault: Fault = Fault.UNKNOWN, cause: str = "") -> None:
        super().__init__()
        self.fault, self.cause = fault, cause
