from django.apps import AppConfig
from django.urls import register_converter

from core.ids import IdConverter


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        # Before anything reads an urls.py: each room's needs it.
        register_converter(IdConverter, "id")
