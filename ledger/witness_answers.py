"""What may be wrong with a witness."""


class WitnessRefused(Exception):
    """A witness has a log other than ours."""


class WitnessAway(Exception):
    """A witness could not be reached; it is brought up to date once it is back."""
