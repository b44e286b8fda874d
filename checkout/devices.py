"""The name by which customers and staff recognize a device."""

from django.http import HttpRequest

DEVICES = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux")


def device_of(request: HttpRequest) -> str:
    """Return the kind of device that sends a request; empty if it does not say."""
    agent = request.headers.get("User-Agent", "")
    found = next((device for device in DEVICES if device in agent), "")
    return found.replace("Macintosh", "Mac")
