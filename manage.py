#!/usr/bin/env python
"""The command line of the service: `manage.py help` lists what it can do."""

import os
import sys

NOT_INSTALLED = (
    "The packages are not here: `make run` installs them; then call .venv/bin/python manage.py."
)


def main() -> None:
    """Run a command. Where nothing is set up, say so instead of showing where it failed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from config.first_steps import run_command
    except ModuleNotFoundError as error:
        if error.name in ("django", "environ"):
            sys.exit(NOT_INSTALLED)
        raise
    run_command(sys.argv)


if __name__ == "__main__":
    main()
