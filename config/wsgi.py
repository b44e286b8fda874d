"""The WSGI entry point: `config.wsgi:application`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

from config.checks import refuse_unsafe  # noqa: E402  # needs the settings

refuse_unsafe()
