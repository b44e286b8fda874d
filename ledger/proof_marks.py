"""How far a part of a proof has come."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class ProvenUpTo:
    """Everything before this mark is proven: the part can resume from it."""

    mark: str


Finding: TypeAlias = str | ProvenUpTo
