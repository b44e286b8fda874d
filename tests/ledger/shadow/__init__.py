"""What the service should do, in plain Python: no database, no locks, one counter of money.

Every method that acts returns the code of the refusal that the service should answer with, or the
empty text, and then has changed the shadow as the service should have changed its tables.
"""
