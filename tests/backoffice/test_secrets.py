"""No page shows a secret, a hash, a key or a whole phone number, nor answers questions on one."""

from base64 import b32encode

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.urls import reverse

from backoffice.authenticators import Authenticator
from backoffice.models import AuditEntry
from backoffice.registry import ADMINS
from backoffice.registry import office as site
from backoffice.roles import Role
from customers.models import Customer, Passkey
from merchants.models import ApiKey
from payouts.models import BankAccount
from tests.backoffice.acting import acts_of, address
from tests.backoffice.conftest import Office
from tests.nights import ITS_OWN
from webhooks.models import Webhook

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Rows = dict[type[Model], Model]

PIN_HASH = "$argon2id$the-hash-of-a-pin"
PHONE = "+12425550100"
MAIL = "pat@example.com"
# What each row must not show: fields by model, and texts that stand in no field.
SECRET_FIELDS: dict[type[Model], tuple[str, ...]] = {
    ApiKey: ("hash",),
    BankAccount: ("encrypted_number",),
    Customer: ("pin_hash", "phone", "email"),
    Passkey: ("credential_id",),
    User: ("password",),
    Webhook: ("secret", "previous_secret"),
}


def plant(rows: Rows) -> set[str]:
    """Give every secret a value worth finding, and return them all."""
    Customer.objects.update(pin_hash=PIN_HASH)
    Webhook.objects.update(
        previous_secret="the-previous-secret", previous_secret_expires_at="2030-01-01T00:00:00Z"
    )
    secrets = {"public-key-of-the-tests", PHONE, MAIL}
    for model, names in SECRET_FIELDS.items():
        row = model._default_manager.get(pk=rows[model].pk)
        secrets |= {str(getattr(row, name)) for name in names}
    account = rows[BankAccount]
    assert isinstance(account, BankAccount)
    secrets.add(account.decrypt_number())
    for device in Authenticator.objects.all():
        secrets |= {device.sealed_key, device.key.hex(), b32encode(device.key).decode()}
    return secrets - {""}


@pytest.mark.night_on_postgres("what pages show is declared once for both databases")
def test_no_page_shows_a_secret(rows: Rows, office: Office) -> None:
    browser = office(Role.ADMINISTRATOR)
    secrets = plant(rows)
    assert len(secrets) > 10
    found = []
    pages = ["/admin/", "/admin/views/", "/admin/search/?q=12.50", "/admin/two-factor/account/"]
    for model, row in rows.items():
        pages += [f"{address(model, 'changelist')}?mode=both", address(model, "change", row.pk)]
        pages += [page for _, page in acts_of(model, row)]
        if ADMINS[model].exported:
            pages.append(f"{address(model, 'export', 'csv')}?mode=both")
    for page in pages:
        text = browser.get(page).content.decode()
        found += [(page, secret) for secret in secrets if secret in text]

    assert found == []


LOOKUPS = ("", "__startswith", "__gt", "__isnull", "__regex", "__in")


def test_a_list_answers_no_question_about_a_hidden_field() -> None:
    """Django would filter by any field: `?pin_hash__startswith=a` reads a hash letter by letter."""
    answered = []
    for model, admin in site._registry.items():
        known = {item.parameter_name for item in admin.list_filter}
        for field in model._meta.get_fields():
            for lookup in LOOKUPS:
                asked = f"{field.name}{lookup}"
                if asked not in known and admin.lookup_allowed(asked, "a"):
                    answered.append((model.__name__, asked))

    assert answered == []


@pytest.mark.parametrize("asked", ["pin_hash__startswith", "phone__endswith", "phone", "id__gt"])
def test_such_a_question_is_refused(rows: Rows, office: Office, asked: str) -> None:
    response = office(Role.ADMINISTRATOR).get(address(Customer, "changelist"), {asked: "+1"})

    assert response.status_code == 400
    assert "This list has no such filter." in response.content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_secret_is_shown_once(rows: Rows, office: Office) -> None:
    browser = office(Role.ADMINISTRATOR)
    key = rows[ApiKey]
    ApiKey.objects.filter(pk=key.pk).update(livemode=False)
    page = reverse("admin:merchants_apikey_act", args=[key.pk, "roll"])

    response = browser.post(page, {"form_key": "1", "overlap_hours": "1", "reason": "Leaked"})

    text = response.content.decode()
    assert "sk_test_" in text
    secret = text.split('id="bo-secret">')[1].split("<")[0]
    assert len(secret) == 57
    later = browser.get(address(ApiKey, "changelist"), {"mode": "both"}).content.decode()
    assert secret not in later
    assert secret not in browser.get("/admin/").content.decode()


def test_a_phone_is_revealed_on_record(rows: Rows, office: Office) -> None:
    browser = office(Role.SUPPORT)
    customer = rows[Customer]
    page = reverse("admin:customers_customer_act", args=[customer.pk, "reveal"])

    response = browser.post(page, {"form_key": "1", "reason": "To call back"})

    assert PHONE in response.content.decode()
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.subject_id) == ("reveal contact", customer.pk)
    assert (entry.actor, entry.reason) == ("support", "To call back")
