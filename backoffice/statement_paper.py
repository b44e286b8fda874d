"""A statement as PDF."""

from collections.abc import Sequence
from datetime import datetime

from checkout.paper import Paper

INK, QUIET, LINE = "#10242b", "#4d6169", "#c3d0d3"
WIDTH, HEIGHT, MARGIN = 297, 210, 14  # A4 across, in millimetres
NAME, BODY, SMALL = 16, 9, 7.5  # points
ROW, HAIRLINE, DAY, SUM = 5.5, 0.14, 24, 40
FOOT = 10  # from the lower edge, in millimetres
FIGURES = {"tnum": True}  # all figures equally wide, or the points of a column would not align
Row = Sequence[str]


class StatementPaper(Paper):
    """A PDF whose pages each end with what they are part of: printed pages get separated."""

    foot = ""

    def footer(self) -> None:
        """Write the foot and the page's number; fpdf2 calls this at the end of each page."""
        self.set_y(-FOOT)
        self.write_with(SMALL, QUIET)
        self.line_of(self.foot, self.foot, width=self.epw - SUM, height=ROW)
        with self.local_context(text_shaping=None):  # fpdf2 replaces {nb} in unshaped text only
            self.cell(SUM, ROW, f"Page {self.page_no()} of {{nb}}", align="R")


def written(
    *,
    title: str,
    lines: Row,
    sums: Sequence[Row],
    columns: Row,
    days: Sequence[Row],
    foot: str,
    made_at: datetime,
) -> bytes:
    """Write the title, merchant and period, the sums, and a row per day.

    The head of the days and the foot are on each page.
    """
    paper = StatementPaper(WIDTH, HEIGHT, title=title, made_at=made_at)
    paper.foot = foot
    paper.set_margin(MARGIN)
    paper.set_auto_page_break(auto=True, margin=MARGIN)
    paper.set_draw_color(LINE)
    paper.set_line_width(HAIRLINE)
    paper.add_page()
    paper.write_with(NAME, INK, bold=True)
    paper.lines(title, height=8)
    paper.write_with(BODY, QUIET)
    for line in lines:
        paper.lines(line, height=4.6)
    paper.set_text_shaping(features=FIGURES)
    paper.ln(5)
    _sums(paper, sums)
    paper.ln(7)
    _days(paper, columns, days)
    return bytes(paper.output())


def _sums(paper: Paper, sums: Sequence[Row]) -> None:
    """Set the sums, with the balances before and after them in bold."""
    for number, row in enumerate(sums):
        paper.write_with(BODY, INK, bold=number in (0, len(sums) - 1))
        _row(paper, row, first=SUM, others=SUM)


def _days(paper: Paper, columns: Row, days: Sequence[Row]) -> None:
    others = (paper.epw - DAY) / (len(columns) - 1)
    for number, row in enumerate(days):
        if number == 0 or paper.will_page_break(ROW):
            if number:
                paper.add_page()
            paper.write_with(BODY, QUIET, bold=True)
            _row(paper, columns, first=DAY, others=others)
            paper.write_with(BODY, INK)
        _row(paper, row, first=DAY, others=others)


def _row(paper: Paper, row: Row, *, first: float, others: float) -> None:
    """Set a name on the left, and figures right-aligned in their columns, above a line."""
    name, *figures = row
    paper.cell(first, ROW, name)
    for figure in figures:
        paper.cell(others, ROW, figure, align="R")
    paper.ln(ROW)
    width = first + others * len(figures)
    paper.line(MARGIN, paper.y, MARGIN + width, paper.y)
