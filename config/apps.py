from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # The first creates the app that tasks belong to, the second registers the start-up checks.
        from config import celery, checks  # noqa: F401
