"""The look of the API reference at /docs: the colours and fonts of our pages, for ReDoc."""

from typing import Any

_SANS = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif'
_MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_BRAND, _INK, _QUIET = "#0b6b66", "#10242b", "#4d6169"

THEME: dict[str, Any] = {
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
