"""What a page says of an instruction: done, or waiting for someone else."""

from django.urls import reverse

from backoffice.actions import ActionResult
from backoffice.models import Instruction
from backoffice.statuses import InstructionStatus


def result_of(instruction: Instruction, words: str) -> ActionResult:
    """Return what came of an instruction."""
    if instruction.status == InstructionStatus.CARRIED_OUT:
        return ActionResult(words)
    url = reverse("admin:backoffice_instruction_change", args=[instruction.pk])
    return ActionResult("This waits for someone else's approval.", url=url)
