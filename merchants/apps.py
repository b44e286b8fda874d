from django.apps import AppConfig


class MerchantsConfig(AppConfig):
    name = "merchants"

    def ready(self) -> None:
        from merchants import openapi  # noqa: F401  # registers how keys are documented
