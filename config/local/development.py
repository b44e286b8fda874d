"""Create `var/development.env`: fresh secrets for this machine, and development mode.

`python -m config.local.development`; the environment takes precedence over this file.
"""

import os

from config.environment import DEVELOPMENT_FILE
from config.secret_values import fresh_secrets


def main() -> None:
    """Create the file, readable by its owner only, or add missing variables to it."""
    DEVELOPMENT_FILE.parent.mkdir(parents=True, exist_ok=True)
    text = DEVELOPMENT_FILE.read_text() if DEVELOPMENT_FILE.exists() else ""
    known = {line.partition("=")[0] for line in text.splitlines()}
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(os.open(DEVELOPMENT_FILE, flags, 0o600), "a") as file:
        missing = {name: value for name, value in values().items() if name not in known}
        file.writelines(f"{name}={value}\n" for name, value in missing.items())


def values() -> dict[str, str]:
    """Return the variables, with freshly generated secrets."""
    return {"DEVELOPMENT_MODE": "true", **fresh_secrets("http://localhost")}


if __name__ == "__main__":
    main()
