"""Slots for requests that wait: each holds a thread of the web server meanwhile.

Half of the threads may wait for the outcome of an attempt, a quarter for new events, and few of
them for any one caller; with fewer than four threads, none waits for new events.
"""

from django.conf import settings

from core.concurrency import CallerConcurrencyLimit

WAITING_PER_CALLER = 2

outcome_slots = CallerConcurrencyLimit(
    max(1, settings.WEB_THREADS // 2), per_caller=WAITING_PER_CALLER
)
feed_slots = CallerConcurrencyLimit(settings.WEB_THREADS // 4, per_caller=WAITING_PER_CALLER)
