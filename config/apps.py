from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # One makes the app that tasks belong to, the other registers the checks of a start.
        from config import celery, checks  # noqa: F401
