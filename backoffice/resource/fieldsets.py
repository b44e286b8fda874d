"""Fields that belong together on the page about an object."""

from typing import Any

from backoffice.page_parts import Section, facts
from backoffice.resource.shown import Field


class Fieldset:
    """A title, and the fields below it in their order."""

    def __init__(self, title: str, *fields: Field) -> None:
        self.title, self.fields = title, fields

    def section(self, row: Any) -> Section:
        """Return what they say about a row; a field without anything to say is left out."""
        pairs = ((field.title, field.fact(row)) for field in self.fields)
        return Section(self.title, facts(*pairs))
