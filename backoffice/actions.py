"""What staff can do to an object, as data, and the one function that does it and audits it."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.text import slugify

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.forms import ActionForm, ReasonForm
from backoffice.roles import Right
from backoffice.staff import Staff
from merchants.callers import Caller

# Who acts, on what and when: a field of a form never replaces these.
FROM_CONTEXT = frozenset({"actor", "caller", "context", "now", "row", "staff"})
ROW_ID = "_id"


@dataclass(frozen=True)
class ActionContext:
    """What an action is carried out with. `row` is None for an action on a whole list."""

    staff: Staff
    row: Any
    data: dict[str, Any]
    now: datetime

    @property
    def caller(self) -> Caller:
        """Staff as the services of the other rooms know them, in the mode of the row."""
        return self.staff.caller(livemode=self.row.livemode)

    @property
    def actor(self) -> str:
        """The name under which the services of the other rooms keep who did it."""
        return self.staff.actor

    def argument(self, name: str) -> Any:
        """Return the value of a service's parameter: of the context, the row's id, or the form's.

        The id of the row is whatever ends in `_id`. Raises KeyError where the form has nothing of
        the name.
        """
        if name in FROM_CONTEXT:
            return self if name == "context" else getattr(self, name)
        return self.row.pk if name.endswith(ROW_ID) else self.data[name]


@dataclass(frozen=True)
class ActionResult:
    """What came of it: a message, where to go, a secret to show this once, or a file."""

    message: str
    is_warning: bool = False
    url: str = ""
    secret: str = field(default="", repr=False)
    secret_name: str = ""
    file: bytes = field(default=b"", repr=False)
    file_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Action:
    """`title` is its button, `name` its address where that is another word, and `about` what the
    page says before it is done.

    `service` does it, with `given` and with what its other parameters name, as
    `ActionContext.argument` has them. `message` is what the page says then, or makes the result
    from what the service returned.
    `audited_as` is its name in the audit trail, which keeps the fields `watches` of the row before
    and of what the service returned, and the field `reason` of the form; without it the service
    writes its own entry. `limited`: thirty an hour by one member of staff.

    `available` tells if it makes sense for an object as it is, `shown_to` to whom its button is
    shown. Both are for the eye: the service is what refuses.
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
    available: Callable[[Any, datetime], bool] = lambda row, now: True
    shown_to: Callable[[Any, Staff], bool] = lambda row, staff: True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or slugify(self.title))


def run(action: Action, context: ActionContext) -> ActionResult:
    """Carry out an action, in one transaction with its entry of the audit trail.

    Raises Forbidden without the right, and what the service raises.
    """
    done = _audited(action, context) if action.audited_as else _call(action, context)
    return ActionResult(action.message) if isinstance(action.message, str) else action.message(done)


def _audited(action: Action, context: ActionContext) -> Any:
    model = type(context.row)
    entry = AuditAction(
        act=action.audited_as,
        right=action.right,
        subject_type=str(model._meta.model_name),
        subject_id=context.row.pk,
        reason=context.data.get(action.reason, ""),
        limited=action.limited,
    )
    with audited(staff=context.staff, action=entry, now=context.now) as record:
        before = model._default_manager.get(pk=context.row.pk)
        record.before = snapshot(before, *action.watches)
        done = _call(action, context)
        record.after = snapshot(done, *action.watches)
    return done


def _call(action: Action, context: ActionContext) -> Any:
    names = inspect.signature(action.service).parameters.keys() - action.given.keys()
    arguments = {name: context.argument(name) for name in names}
    return action.service(**arguments, **action.given)
