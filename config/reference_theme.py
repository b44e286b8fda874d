"""The look of the API reference at /docs: the colours and fonts of our pages, for ReDoc."""

from typing import Any

_SANS = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif'
_MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_BRAND, _INK, _QUIET = "#0b6b66", "#10242b", "#4d6169"

_LIGHT: dict[str, Any] = {
    "colors": {"primary": {"main": _BRAND}, "text": {"primary": _INK, "secondary": _QUIET}},
    "spacing": {"unit": 4, "sectionHorizontal": 36, "sectionVertical": 20},
    "typography": {
        "fontFamily": _SANS,
        "fontSize": "15px",
        "lineHeight": "1.6em",
        "headings": {"fontFamily": _SANS, "fontWeight": "650"},
        "code": {
            "fontFamily": _MONO,
            "fontSize": "12.5px",
            "color": _BRAND,
            "backgroundColor": "#eaf0f1",
            "wrap": True,
        },
    },
    "sidebar": {"width": "250px", "backgroundColor": "#f4f7f8", "textColor": _INK},
    "rightPanel": {"width": "40%", "backgroundColor": "#152227"},
    "codeBlock": {"backgroundColor": "#0b1417"},
}

_PAGE, _PAPER, _LINE, _ACTIVE = "#0b1417", "#152227", "#2d3e44", "#1c2d33"
_DARK_BRAND, _DARK_INK, _DARK_QUIET = "#6fd6c8", "#e9f1f2", "#a3b6bb"
_DARK: dict[str, Any] = {
    "colors": {
        "primary": {"main": _DARK_BRAND},
        "success": {"main": "#6fd69a"},
        "warning": {"main": "#f3cb6b"},
        "error": {"main": "#ff9d94"},
        "gray": {"50": _PAPER, "100": _PAPER},
        "text": {"primary": _DARK_INK, "secondary": _DARK_QUIET},
        "border": {"dark": _LINE, "light": _LINE},
        "responses": {
            "success": {"backgroundColor": "#11301f"},
            "error": {"backgroundColor": "#3a1716"},
            "redirect": {"backgroundColor": "#352808"},
            "info": {"color": "#8ecbe6", "backgroundColor": "#12303d"},
        },
    },
    "schema": {"nestedBackground": _PAPER, "linesColor": _LINE},
    "typography": {"code": {"color": _DARK_BRAND, "backgroundColor": _PAPER}},
    "sidebar": {
        "backgroundColor": "#0f1b1f",
        "textColor": _DARK_INK,
        "groupItems": {"activeBackgroundColor": _ACTIVE},
        "level1Items": {"activeBackgroundColor": _ACTIVE},
    },
    "rightPanel": {
        "servers": {
            "overlay": {"backgroundColor": _PAGE, "textColor": _DARK_INK},
            "url": {"backgroundColor": _PAPER},
        }
    },
}


def _over(light: dict[str, Any], dark: dict[str, Any]) -> dict[str, Any]:
    both = {
        name: _over(light.get(name, {}), value) if isinstance(value, dict) else value
        for name, value in dark.items()
    }
    return light | both


THEMES = {"light": _LIGHT, "dark": _over(_LIGHT, _DARK)}
