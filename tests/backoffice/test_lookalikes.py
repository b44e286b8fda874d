"""A merchant cannot be verified as another one's double without staff being told.

On the form, "Island Coffee" with a Cyrillic letter looked exactly like the shop everyone knows,
and so it would have on each page and in each text message.
"""

import pytest

from backoffice.roles import Role
from backoffice.services.merchant_names import scripts_beside_latin, verified_lookalikes
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from tests.backoffice.acting import page_of_act
from tests.backoffice.conftest import Office
from tests.client import Api
from tests.factories import MerchantFactory

WARNING = "Customers could take it for another verified merchant: Island Coffee"
CYRILLIC = "Isl\u0430nd Coff\u0435e"
pytestmark = pytest.mark.django_db


@pytest.fixture
def known() -> Merchant:
    return MerchantFactory(name="Island Coffee")


@pytest.mark.parametrize("name", [CYRILLIC, "Island Coffee", "lsland coff\u00e9e", "IsIand-Coffee"])
def test_staff_are_told_whose_double_they_verify(
    office: Office, known: Merchant, name: str
) -> None:
    double = MerchantFactory(name=name, status=MerchantStatus.UNVERIFIED)

    page = office(Role.FINANCE).get(page_of_act(double, "verify")).content.decode()

    assert f"{WARNING} ({known.id})" in page


def test_a_verified_merchant_that_takes_the_name_of_another_is_noticed(
    office: Office, api: Api, known: Merchant, merchant: Merchant
) -> None:
    api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {"name": CYRILLIC})

    page = office(Role.FINANCE).get(page_of_act(merchant, "approve-change")).content.decode()

    assert f"{WARNING} ({known.id})" in page


LISU = "\ua4f2\ua4e2\ua4e1\ua4ee\ua4e0\ua4d3 \ua4da\ua4f3\ua4dd\ua4dd\ua4f0\ua4f0"
NOT_LATIN = "The name has letters that are not Latin, though they may look so"


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("name", "scripts"),
    [(LISU, "Lisu"), ("Island C\u0585ff\u0435\u0435", "Armenian, Cyrillic")],
)
def test_staff_are_told_of_letters_whose_doubles_are_not_known(
    office: Office, api: Api, merchant: Merchant, name: str, scripts: str
) -> None:
    double = MerchantFactory(name=name, status=MerchantStatus.UNVERIFIED)
    api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {"name": name})
    browser = office(Role.FINANCE)

    for asked in (page_of_act(double, "verify"), page_of_act(merchant, "approve-change")):
        assert f"{NOT_LATIN}: {scripts}" in browser.get(asked).content.decode()


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("Caf\u00e9 24", []),
        ("\U00010300sland", ["Old Italic"]),
        ("\U00010a80sland", ["Old North Arabian"]),
        ("O\u02bbahu \u0410", ["Cyrillic", "Modifier Letter"]),
        ("\U00017000", ["Unnamed"]),
    ],
)
def test_scripts_have_names_that_say_which(name: str, scripts: list[str]) -> None:
    assert scripts_beside_latin(name) == scripts


def test_accents_and_digits_are_said_to_be_of_no_other_script(
    office: Office, merchant: Merchant
) -> None:
    double = MerchantFactory(name="Caf\u00e9 Se\u00f1or 24 & 3\u00aa", status="unverified")

    assert NOT_LATIN not in office(Role.FINANCE).get(page_of_act(double, "verify")).content.decode()


@pytest.mark.parametrize("name", ["Island Coffees", "Inland Coffee", "Coffee", "岛屿咖啡"])
def test_a_name_of_its_own_is_no_double(known: Merchant, merchant: Merchant, name: str) -> None:
    assert verified_lookalikes(merchant, name) == []


@pytest.mark.usefixtures("known")
def test_what_was_never_verified_deceives_no_one(merchant: Merchant) -> None:
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    assert verified_lookalikes(merchant, "Island Coffee") == []


def test_a_merchant_is_not_its_own_double(known: Merchant) -> None:
    assert verified_lookalikes(known, known.name) == []


def test_no_more_are_named_than_anyone_reads(merchant: Merchant) -> None:
    MerchantFactory.create_batch(7, name="\u039f\u03a1\u0415N 24")

    assert len(verified_lookalikes(merchant, "Open 24")) == 5
