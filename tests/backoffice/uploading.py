"""Upload a file of the bank as Finance does, and the request that then waits."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from backoffice.models import Instruction
from backoffice.roles import Role
from tests.backoffice.acting import fields_of
from tests.backoffice.conftest import Office

PAYOUT_RUNS = "admin:payouts_payoutbatch_list_act"


def upload(office: Office, content: str, role: Role = Role.FINANCE) -> Any:
    browser, page = office(role), reverse(PAYOUT_RUNS, args=["import"])
    values = fields_of(browser.get(page).content.decode()) | {"mode": "live", "reason": "By SFTP"}
    file = SimpleUploadedFile("answer.xml", content.encode(), "application/xml")
    return browser.post(page, {**values, "file": file}, follow=True)


def waiting() -> Instruction:
    """Return the file that waits for a second person."""
    return Instruction.objects.get(task="bank_file", status="waiting")
