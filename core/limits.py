"""Maximum lengths of what callers send: the same for a field and for the column that it fills.

A change here needs a migration, too.
"""

MAX_TEXT = 500  # a description, a reason, terms
MAX_NAME = 255  # a name, a reference, the number of an order or an invoice
MAX_EMAIL = 254
MAX_URL = 2_048
MAX_METADATA_KEYS = 20
MAX_METADATA_KEY = 40
MAX_METADATA_VALUE = 500
