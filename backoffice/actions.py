"""The actions of staff on an object, declared as data, and the function that carries them out."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.text import slugify

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.forms import ActionForm, ReasonForm
from backoffice.page_parts import Table
from backoffice.roles import Right
from backoffice.staff import Staff
from merchants.callers import Caller

# Who acts, on what and when: a field of a form never replaces these.
FROM_CONTEXT = frozenset(
    {"actor", "caller", "context", "livemode", "now", "row", "staff", "subject_type"}
)
ROW_ID = "_id"


@dataclass(frozen=True)
class ActionContext:
    """What an action is carried out with. `row` is None for an action on a whole list."""

    staff: Staff
    row: Any
    data: dict[str, Any]
    now: datetime

    @property
    def livemode(self) -> bool:
        """The mode that the form asks for, or else that of the row."""
        return bool(self.data["mode"] == "live" if "mode" in self.data else self.row.livemode)

    @property
    def caller(self) -> Caller:
        """Staff as a caller of the other rooms' services."""
        return self.staff.caller(livemode=self.livemode)

    @property
    def actor(self) -> str:
        """The name under which the other rooms' services record who acted."""
        return self.staff.actor

    @property
    def subject_type(self) -> str:
        """What the row is, as the audit trail and notes name it."""
        return str(self.row._meta.model_name)

    def argument(self, name: str) -> Any:
        """Return the value of a service's parameter: from the context, the row's id, or the form.

        A parameter ending in `_id` is the id of the row. Raises KeyError if the form has no such
        field.
        """
        if name in FROM_CONTEXT:
            return self if name == "context" else getattr(self, name)
        return self.row.pk if name.endswith(ROW_ID) else self.data[name]


@dataclass(frozen=True)
class ActionResult:
    """The result: a message, the next page, a secret to show once, a file, or a table to read.

    A table is shown below the form, which can be sent again.
    """

    message: str
    is_warning: bool = False
    url: str = ""
    secret: str = field(default="", repr=False)
    secret_name: str = ""
    file: bytes = field(default=b"", repr=False)
    file_name: str = ""
    table: Table | None = None


def as_returned(done: ActionResult) -> ActionResult:
    """Return the result that the service of an action returned itself."""
    return done


@dataclass(frozen=True, kw_only=True)
class Action:
    """One action. `title` is its button, `about` what its page says beforehand.

    `name` is its part of the URL, by default the title. `service` carries the action out: it is
    called with `given`, and its other parameters get their values from `ActionContext.argument`.
    `message` is what the page says afterwards, or a function from the service's return value to a
    result: `as_returned` if the service returns one itself. `audited_as` is the name in the audit
    trail, whose entry has the fields `watches` of the row before and of the return value, and the
    form's field `reason`; without it the service writes its own entry. `limited`: thirty an hour
    for each member of staff.

    `asked_once` is the task that it requests, if nothing is left to request while that waits for a
    colleague: as much is said on the page then, instead of offering it again.

    `available` decides if the action makes sense for the object as it is, `shown_to` who sees its
    button. Both only affect the display: it is the service that refuses.
    """

    title: str
    right: Right
    service: Callable[..., Any]
    message: str | Callable[[Any], ActionResult]
    form: type[ActionForm] = ReasonForm
    name: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    audited_as: str = ""
    watches: Sequence[str] = ()
    reason: str = "reason"
    limited: bool = False
    about: str = ""
    icon: str = "bolt"
    danger: bool = False
    main: bool = False
    asked_once: str = ""
    available: Callable[[Any, datetime], bool] = lambda row, now: True
    shown_to: Callable[[Any, Staff], bool] = lambda row, staff: True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or slugify(self.title))


def run(action: Action, context: ActionContext) -> ActionResult:
    """Carry out an action, in one transaction with its audit entry.

    Raises Forbidden without the right, and what the service raises.
    """
    done = _audited(action, context) if action.audited_as else _call(action, context)
    return ActionResult(action.message) if isinstance(action.message, str) else action.message(done)


def _audited(action: Action, context: ActionContext) -> Any:
    entry = AuditAction(
        act=action.audited_as,
        right=action.right,
        subject_type=context.subject_type,
        subject_id=context.row.pk,
        reason=context.data.get(action.reason, ""),
        limited=action.limited,
    )
    with audited(staff=context.staff, action=entry, now=context.now) as record:
        before = type(context.row)._default_manager.get(pk=context.row.pk)
        record.before = snapshot(before, *action.watches)
        done = _call(action, context)
        record.after = snapshot(done, *action.watches)
    return done


def _call(action: Action, context: ActionContext) -> Any:
    names = inspect.signature(action.service).parameters.keys() - action.given.keys()
    arguments = {name: context.argument(name) for name in names}
    return action.service(**arguments, **action.given)
