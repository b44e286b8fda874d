"""An act is what staff can do to an object: its name, its right, its form and its service."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from backoffice.forms import ActionForm
from backoffice.roles import Right
from backoffice.staff import Staff


@dataclass(frozen=True)
class ActionContext:
    """What an act is carried out with. `row` is None for an act on a whole list."""

    staff: Staff
    row: Any
    data: dict[str, Any]
    now: datetime


@dataclass(frozen=True)
class ActionResult:
    """What came of it: words to show, where to go, or a secret to show this once."""

    message: str
    url: str = ""
    secret: str = field(default="", repr=False)
    secret_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Action:
    """`name` is its address, `title` its button, `about` what the page says before it is done.

    `available` says whether it makes sense for an object as it is, `shown_to` to whom its button is
    shown. Both are for the eye: the service is what refuses.
    """

    name: str
    title: str
    right: Right
    form: type[ActionForm]
    carry_out: Callable[[ActionContext], ActionResult]
    about: str = ""
    icon: str = "bolt"
    danger: bool = False
    main: bool = False
    available: Callable[[Any, datetime], bool] = lambda row, now: True
    shown_to: Callable[[Any, Staff], bool] = lambda row, staff: True
