"""What may be wrong with a witness."""


class WitnessRefused(Exception):
    """A witness has another log than we have."""


class WitnessAway(Exception):
    """A witness could not be reached: it is caught up when it is back."""
