"""Why a refund fails: the words that the merchant reads."""

from datetime import timedelta

from core.durations import in_words

GIVE_UP_AFTER = timedelta(days=30)
NOT_COVERED = f"The merchant's balance did not cover the refund for {in_words(GIVE_UP_AFTER)}."
SIMULATED = "The refund was simulated to fail."
