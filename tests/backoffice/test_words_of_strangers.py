"""What strangers write on a bank transfer does not turn the text of staff's pages around it."""

from io import BytesIO

import pytest
from openpyxl import load_workbook

from backoffice.models import Instruction
from backoffice.resource.page_urls import address_of, list_of, page_of
from backoffice.roles import Role
from payouts.models import BankEntry
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.nights import ITS_OWN
from tests.payouts.bank_files import entry, read, statement

pytestmark = pytest.mark.django_db
# A browser shows it as "for Ada", and turns what stands behind it, too.
TURNED = "\u202eadA rof"
MARKED = "\ufffdadA rof"
OF_NO_ORDER_KNOWN = f"E-{'7' * 32}"
REMITTANCE = f"""<NtryDtls><TxDtls><Refs><EndToEndId>{OF_NO_ORDER_KNOWN}</EndToEndId></Refs>
    <RmtInf><Ustrd>{TURNED}</Ustrd></RmtInf></TxDtls></NtryDtls>"""


@pytest.fixture
def booked(settings) -> BankEntry:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    read(statement(entry(700, reference="X 1", details=REMITTANCE)))
    return BankEntry.objects.get(message=TURNED)


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_a_stranger_wrote_on_a_transfer_turns_no_page_of_staff(
    office: Office, booked: BankEntry
) -> None:
    browser = office(Role.FINANCE)
    act(browser, booked, "other-by-two", reason="Not ours", note="They will send it back")
    pages = [page_of(booked), list_of(BankEntry), page_of(Instruction.objects.get())]

    for address in pages:
        page = browser.get(address).content.decode()
        assert (MARKED in page, TURNED[0] in page) == (True, False), address


def test_what_a_stranger_wrote_on_a_transfer_turns_no_form_that_credits_it(
    office: Office, settings
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    words = f"<NtryDtls><TxDtls><RmtInf><Ustrd>{TURNED}</Ustrd></RmtInf></TxDtls></NtryDtls>"
    read(statement(entry(700, direction="CRDT", reference="X 1", details=words)))

    form = page_of_act(BankEntry.objects.get(message=TURNED), "credit")
    page = office(Role.FINANCE).get(form).content.decode()

    assert (f"“{MARKED}”" in page, TURNED[0] in page) == (True, False)


def test_what_a_stranger_wrote_on_a_transfer_turns_no_file_of_staff(
    office: Office, booked: BankEntry
) -> None:
    browser = office(Role.FINANCE)

    lines = browser.get(address_of(BankEntry, "export", "csv")).content.decode()
    book = load_workbook(BytesIO(browser.get(address_of(BankEntry, "export", "xlsx")).content))

    cells = {cell for row in book.active.iter_rows(values_only=True) for cell in row}
    assert (MARKED in lines, TURNED in lines) == (True, False)
    assert (MARKED in cells, TURNED in cells) == (True, False)
