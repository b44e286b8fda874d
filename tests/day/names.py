"""What the page calls things: `<counter>` is an id that the first answer with it tells."""

import re
from typing import Any

NAME = re.compile(r"<([a-z_]+)>")


class Names(dict[str, str]):
    """The ids and secrets by their names on the page."""

    def fill(self, text: str) -> str:
        """Write a text with the things themselves in place of their names."""
        return NAME.sub(lambda found: self[found[1]], text)

    def meet(self, expected: Any, actual: Any, path: str = "") -> None:
        """Hold what the page shows against what there is, which may be more; learn new names."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                assert key in actual, f"{path}.{key} is not there"
                self.meet(value, actual[key], f"{path}.{key}")
        elif isinstance(expected, list):
            assert len(actual) == len(expected), f"{path}: {len(actual)} instead of {len(expected)}"
            for place, (left, right) in enumerate(zip(expected, actual, strict=True)):
                self.meet(left, right, f"{path}.{place}")
        elif isinstance(expected, str):
            self.meet_text(expected, actual, path)
        else:
            assert (type(actual), actual) == (type(expected), expected), path

    def meet_text(self, expected: str, actual: str, path: str = "") -> None:
        """Compare texts; a name that is not known yet stands for one word."""
        pattern = "".join(
            part if place % 2 == 0 else self._known(part)
            for place, part in enumerate(self._split(expected))
        )
        found = re.fullmatch(pattern, actual)
        assert found, f"{path}: {actual!r} instead of {expected!r}"
        self.update(found.groupdict())

    def _split(self, expected: str) -> list[str]:
        texts = NAME.split(expected)
        return [re.escape(text) if place % 2 == 0 else text for place, text in enumerate(texts)]

    def _known(self, name: str) -> str:
        return re.escape(self[name]) if name in self else rf"(?P<{name}>[\w-]+)"
