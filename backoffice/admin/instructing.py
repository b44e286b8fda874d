"""What a page says of an instruction: done, or waiting for someone else."""

from django.urls import reverse

from backoffice.acts import Done
from backoffice.models import Instruction
from backoffice.statuses import InstructionStatus


def told(instruction: Instruction, words: str) -> Done:
    """Return what came of an instruction."""
    if instruction.status == InstructionStatus.CARRIED_OUT:
        return Done(words)
    url = reverse("admin:backoffice_instruction_change", args=[instruction.pk])
    return Done("This waits for someone else's approval.", url=url)
