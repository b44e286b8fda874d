"""What an output reads of the row or mapping that it shows."""

from core.fields import TextField
from core.serializers import Output


class TwiceTheSame(Output):
    page = TextField(max_length=40, source="url")
    link = TextField(max_length=40, source="url")


class CountedReads:
    """A row that counts how often its address is computed."""

    def __init__(self) -> None:
        self.times = 0

    @property
    def url(self) -> str:
        self.times += 1
        return "/shop"


def test_what_two_fields_show_is_read_once() -> None:
    row = CountedReads()

    assert TwiceTheSame.of(row) == {"page": "/shop", "link": "/shop"}
    assert row.times == 1


def test_a_mapping_is_shown_as_a_row_is() -> None:
    shown = TwiceTheSame.each([CountedReads(), {"url": "/shop"}, CountedReads()])

    assert shown == [{"page": "/shop", "link": "/shop"}] * 3
