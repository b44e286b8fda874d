"""From the form of an action to an instruction, and what a page then says of it."""

from collections.abc import Callable
from typing import Any

from django.conf import settings

from backoffice.actions import ActionContext, ActionResult
from backoffice.models import Instruction
from backoffice.resource.page_urls import page_of
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.statuses import InstructionStatus

_FROM_FORM = ("reason", "note", "form_key")


def submit(context: ActionContext, task: str, **values: Any) -> Instruction:
    """Submit an instruction about the row, as the form has it; `values` are the other fields.

    One that moves no money names none: it is of 0 in the default currency.
    """
    no_money: dict[str, Any] = {"amount": 0, "currency": settings.DEFAULT_CURRENCY}
    from_form = {name: context.data.get(name, "") for name in _FROM_FORM}
    about_row = {} if context.row is None else {"subject_id": context.row.pk}
    request = InstructionRequest(task=task, **(no_money | about_row | from_form | values))
    return instruct(staff=context.staff, request=request, now=context.now)


def submitted(message: str) -> Callable[[Instruction], ActionResult]:
    """Return what tells the result of an instruction: done, or waiting for someone else."""

    def result(instruction: Instruction) -> ActionResult:
        if instruction.status == InstructionStatus.CARRIED_OUT:
            return ActionResult(message)
        return ActionResult("This is waiting for a colleague's approval.", url=page_of(instruction))

    return result
