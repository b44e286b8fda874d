"""The errors of top-ups. Pages show them in their own words."""

from core.errors import NotFound, ValidationFailed


class TopUpNotFound(NotFound):
    message = "There is no such top-up."


class TopUpStatusUnfit(ValidationFailed):
    message = "The top-up's status does not allow this."


class WayNotOffered(ValidationFailed):
    message = "Money cannot be added in this way."


class FundingLimitReached(ValidationFailed):
    """`left` is how much the customer can still add today, in the smallest unit."""

    message = "This is more than a customer may add in a day."

    def __init__(self, left: int) -> None:
        self.left = left
        super().__init__(f"left today: {left}")


class CashLimitReached(ValidationFailed):
    message = "This is more cash than one person may take in a day."


class CashCodeMissing(ValidationFailed):
    message = "Send the customer a code first."
