from django.apps import AppConfig


class BackofficeConfig(AppConfig):
    name = "backoffice"

    def ready(self) -> None:
        from django.contrib.auth.models import User

        from backoffice.passwords import is_password

        User.add_to_class("check_password", is_password)  # for whatever asks, Django's forms too
