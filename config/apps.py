from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # One creates the app that tasks belong to, the other registers the start-up checks.
        from config import celery, checks  # noqa: F401
