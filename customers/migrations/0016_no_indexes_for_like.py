"""No statement looks for the beginning of a hash or a challenge: Django's indexes for LIKE go."""

from django.db import migrations

from core.schema import DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("customers", "0015_paid_by_pin")]

    operations = [
        DropIndexOnline("customers_customersession_token_hash_2766d629_like"),
        DropIndexOnline("customers_passkeychallenge_challenge_d63d8261_like"),
        DropIndexOnline("customers_signincode_handle_hash_93411d7a_like"),
    ]
