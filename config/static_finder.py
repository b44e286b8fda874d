"""Where static files are found: each once, as the back office's theme replaces two of Django's."""

from collections.abc import Iterable
from typing import Any

from django.contrib.staticfiles.finders import AppDirectoriesFinder

REPLACED = "django.contrib.admin"


class ThemedAdminFinder(AppDirectoriesFinder):
    """Leaves out the files of Django's admin that an application before it replaces.

    They are never served; listed, `collectstatic` would warn of each as of a mistake. It still
    warns of any other two files of one name.
    """

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        seen: set[str] = set()
        for path, storage in super().list(ignore_patterns):
            if storage is self.storages[REPLACED] and path in seen:
                continue
            seen.add(path)
            yield path, storage
