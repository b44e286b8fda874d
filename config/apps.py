from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # One creates the app that tasks belong to, the others register the checks.
        from config import celery, character_check, checks  # noqa: F401
