"""Contact sheets: each screen of the checkout in every language, light and dark, at three widths.

`manage.py preview` serves the screens; `python -m tests.contact_sheets --of receipt --to FOLDER`
writes one PNG per screen, to be looked at.
"""

import argparse
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.chromium import launched

LANGUAGES = ("en", "ht", "es", "fr")
WIDTHS = (360, 390, 1280)
HEIGHT, GAP, SCALE = 640, 12, 0.5
Picture = tuple[int, int, Image.Image]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", default="http://localhost:8090", help="where preview serves")
    parser.add_argument("--of", default="", help="only the screens whose name has this in it")
    parser.add_argument("--to", type=Path, required=True, help="the folder of the sheets")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        page = browser.new_context(reduced_motion="reduce").new_page()
        listed = page.request.get(f"{options.site}/preview", params={"of": options.of}).text()
        for name in re.findall(r'src="/preview/([a-z-]+)', listed):
            sheet = assembled(list(pictures(page, f"{options.site}/preview/{name}")))
            sheet.save(options.to / f"{name}.png")


def pictures(page: Page, address: str) -> Iterator[Picture]:
    """Yield each picture of a screen with its column and row."""
    for row, scheme in enumerate(("light", "dark")):
        page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        for column, (width, language) in enumerate((w, code) for w in WIDTHS for code in LANGUAGES):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.goto(f"{address}?lang={language}")
            shot = Image.open(BytesIO(page.screenshot(full_page=True)))
            yield column, row, shot.resize((int(width * SCALE), int(shot.height * SCALE)))


def assembled(found: list[Picture]) -> Image.Image:
    """Return one picture of all: a column per width and language, a row per colour scheme."""
    rows = 1 + max(row for _column, row, _shot in found)
    heights = [max(shot.height for _c, at, shot in found if at == row) for row in range(rows)]
    widths = {column: shot.width for column, _row, shot in found}
    size = (sum(widths.values()) + GAP * len(widths), sum(heights) + GAP * rows)
    sheet = Image.new("RGB", size, "gray")
    for column, row, shot in found:
        left = sum(widths[before] + GAP for before in range(column))
        sheet.paste(shot, (left, sum(heights[:row]) + GAP * row))
    return sheet


if __name__ == "__main__":
    main()
