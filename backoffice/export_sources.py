"""What a background export contains: a list of the back office, or a merchant's statement."""

from typing import cast

from django.apps import apps

from backoffice.models import ExportForm, ExportRun
from backoffice.pages.export import sheet_of_list
from backoffice.registry import office
from backoffice.resource.resource import AdminResource
from backoffice.services.exports import ExportNotReady, ExportRefused
from backoffice.sheets import Worksheet
from backoffice.statement_files import STATEMENT_FILE, statement_pdf, statement_sheet
from payouts.models import AccountStatement


def content_of(run: ExportRun) -> Worksheet | bytes:
    """Return the content of an export's file. Raises ExportRefused, ExportNotReady."""
    if run.resource == STATEMENT_FILE:
        return _of_statement(run)
    resource = office.get_model_admin(apps.get_model(run.resource))
    return sheet_of_list(cast(AdminResource, resource), run)


def _of_statement(run: ExportRun) -> Worksheet | bytes:
    found = AccountStatement.objects.filter(pk=run.query).select_related("merchant").first()
    if found is None:
        raise ExportRefused("The statement has been deleted: ask for it again.")
    if found.ready_at is None:
        raise ExportNotReady
    return statement_pdf(found) if run.form == ExportForm.PDF else statement_sheet(found)
