"""How long what callers send may be: the same for the field that takes it and the column it fills.

A change here is a migration, too.
"""

MAX_TEXT = 500  # a description, a reason, terms
MAX_NAME = 255  # a name, a reference, the number of an order or an invoice
MAX_EMAIL = 254
MAX_URL = 2_048
MAX_METADATA_KEYS = 20
MAX_METADATA_KEY = 40
MAX_METADATA_VALUE = 500
