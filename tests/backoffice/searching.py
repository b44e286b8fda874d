"""The search of the back office, as staff see its results."""

from backoffice.roles import Role
from tests.backoffice.conftest import Office


def search(office: Office, text: str, role: Role = Role.FINANCE) -> str:
    """Return the page of results, or the address of the one that was found."""
    response = office(role).get("/admin/search/", {"q": text})
    return response.get("Location", "") or response.content.decode()
