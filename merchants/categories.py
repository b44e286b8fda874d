"""The lines of business the service knows, each with its code of ISO 18245."""

OTHER = "other"

CODES: dict[str, str] = {
    "retail": "5999",
    "restaurant": "5812",
    "grocery": "5411",
    "gas_station": "5541",
    "pharmacy": "5912",
    "hotel": "7011",
    "professional_services": "8999",
    "healthcare": "8099",
    "education": "8299",
    "entertainment": "7999",
    "transportation": "4789",
    "utilities": "4900",
    "nonprofit": "8398",
    OTHER: "7299",
}


def category_code(category: str) -> str | None:
    """Return the ISO 18245 code of a category; None for a free-text one."""
    return CODES.get(category)
