"""A person who is to be erased, and how two of staff do it."""

from backoffice.models import Instruction
from backoffice.roles import Role
from customers.models import Customer
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office

PHONE, EMAIL, NAME = "+12423591234", "ada@example.com", "Ada Rolle"
REASON = "Letter of 3 March"


def erase(office: Office, customer: Customer) -> Instruction:
    """Let one of staff ask for it, and another approve."""
    act(office(Role.FINANCE, "ida"), customer, "erase", reason=REASON)
    instruction = Instruction.objects.get(task="erase_customer")
    response = act(office(Role.FINANCE, "otto"), instruction, "approve", note="Checked the letter")
    assert response.status_code == 302, response.content.decode()
    return Instruction.objects.get(task="erase_customer")
