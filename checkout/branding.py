"""Make a merchant's colour readable: pages keep enough contrast with any choice.

Pure functions of six hexadecimal digits. The button keeps the colour as it is, and its label is
white or black, whichever reads better. Its edge, and any text in the colour, is darkened or
lightened to a contrast of 4.5 for text and 3 for edges (WCAG 2.2, 1.4.3 and 1.4.11).
"""

import re
from dataclasses import dataclass

TEXT_CONTRAST = 4.6
EDGE_CONTRAST = 3.1
STEPS = 50
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_Color = tuple[int, int, int]


@dataclass(frozen=True)
class Scheme:
    """The surfaces of checkout.css that a brand colour has to stand out from."""

    page: _Color
    paper: _Color
    toward: _Color
    wash: int


LIGHT = Scheme(page=(0xEA, 0xF0, 0xF1), paper=_WHITE, toward=_BLACK, wash=12)
DARK = Scheme(page=(0x0B, 0x14, 0x17), paper=(0x15, 0x22, 0x27), toward=_WHITE, wash=16)


def normal_color(text: str) -> str:
    """Return six lowercase hexadecimal digits, or an empty string if the text is no colour."""
    match = _HEX.fullmatch(text.strip())
    return match.group(1).lower() if match else ""


def stylesheet(color: str) -> str:
    """Return the rules that set the --brand properties for a colour, in light and in dark."""
    brand = _parse(color)
    light, dark = _properties(brand, LIGHT), _properties(brand, DARK)
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def ink_on(color: str) -> str:
    """Return white or black, whichever reads better on the colour."""
    return _hex(_ink(_parse(color)))


def contrast(one: _Color, other: _Color) -> float:
    """Return the contrast of two colours as WCAG defines it, from 1 to 21."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _properties(brand: _Color, scheme: Scheme) -> str:
    edge = _until(brand, scheme, EDGE_CONTRAST, (scheme.page, scheme.paper))
    wash = _mix(brand, scheme.paper, scheme.wash)
    text = _until(brand, scheme, TEXT_CONTRAST, (scheme.page, scheme.paper, wash))
    named = {"": brand, "-ink": _ink(brand), "-edge": edge, "-text": text, "-wash": wash}
    return ";".join(f"--brand{name}:{_hex(color)}" for name, color in named.items())


def _ink(ground: _Color) -> _Color:
    return max(_WHITE, _BLACK, key=lambda candidate: contrast(candidate, ground))


def _until(color: _Color, scheme: Scheme, least: float, grounds: tuple[_Color, ...]) -> _Color:
    """Darken (or lighten) a colour just enough for its contrast with every background."""
    for step in range(STEPS + 1):
        mixed = _mix(scheme.toward, color, step * 100 // STEPS)
        if all(contrast(mixed, ground) >= least for ground in grounds):
            return mixed
    return scheme.toward


def _mix(one: _Color, other: _Color, percent: int) -> _Color:
    red, green, blue = (
        (a * percent + b * (100 - percent)) // 100 for a, b in zip(one, other, strict=True)
    )
    return red, green, blue


def _luminance(color: _Color) -> float:
    red, green, blue = (_linear(channel / 255) for channel in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4


def _parse(color: str) -> _Color:
    return int(color[:2], 16), int(color[2:4], 16), int(color[4:], 16)


def _hex(color: _Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
