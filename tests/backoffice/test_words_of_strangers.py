"""What strangers write on a bank transfer does not turn the text of staff's pages around it."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from backoffice.models import Instruction
from backoffice.payout_answer import answer_of
from backoffice.resource.page_urls import address_of, list_of, page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payouts.models import BankEntry
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, scheduled_payout
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


def test_what_a_bank_says_of_a_failed_payout_turns_no_answer(merchant: Merchant) -> None:
    paid_payment(merchant, 5_000)
    failed = scheduled_payout(merchant)
    failed.status, failed.failed_at, failed.failure_message = "failed", utc_now(), f"{TURNED}."

    assert answer_of(failed, utc_now()).words[0] == f"Failed: {MARKED}."


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


def test_no_number_of_a_character_is_read_as_that_character_by_a_spreadsheet(
    office: Office, settings
) -> None:
    """Excel and LibreOffice show `_x202E_` as the character that turns the text behind it."""
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    words = "_x202E_adA rof _x0041 _x005f_x003D_"
    details = f"<NtryDtls><TxDtls><RmtInf><Ustrd>{words}</Ustrd></RmtInf></TxDtls></NtryDtls>"
    read(statement(entry(700, direction="CRDT", reference="X 1", details=details)))

    book = office(Role.FINANCE).get(address_of(BankEntry, "export", "xlsx")).content
    sheet = ZipFile(BytesIO(book)).read("xl/worksheets/sheet1.xml").decode()

    stored = "_x005F_x202E_adA rof _x0041 _x005F_x005f_x005F_x003D_"
    assert (f">{stored}<" in sheet, words in sheet) == (True, False)
    # ECMA-376, 22.9.2.19: how a reader takes what is stored.
    read_as = re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), stored)
    assert read_as == words
