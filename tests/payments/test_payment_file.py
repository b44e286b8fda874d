"""Payments as a file for a spreadsheet."""

import csv
import io
import json
import tracemalloc

import pytest

from core.spreadsheets import csv_download, csv_text
from payments.statuses import PaymentStatus
from tests.factories import MerchantFactory, PaymentFactory
from tests.payments.journeys import bring_to

# As released: programs may go by the place of a column.
IN_THEIR_PLACES = """
    id status currency amount fee net amount_refunded amount_cents payment_mode description order_id
    invoice_number reference customer_id payment_link_id static_payment_id transaction_id
    created_at completed_at expires_at tip metadata
"""


def rows_of(response):
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_it_is_a_file_with_a_row_for_each_payment(api, merchant, payment):
    paid = bring_to(PaymentFactory(merchant=merchant, amount=1_999), PaymentStatus.COMPLETED)
    response = api(merchant).get("/v1/payments", {"format": "csv"})

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="payments.csv"'
    first, second = rows_of(response)
    assert (first["id"], first["amount"], first["amount_cents"]) == (paid.id, "19.99", "1999")
    assert (first["status"], second["status"]) == ("completed", "created")
    assert first["completed_at"].endswith("Z")
    assert second["fee"] == ""


def test_what_a_shop_needs_besides_stands_last(api, merchant):
    kept = {"order_id": "1001", "express": True}
    PaymentFactory(merchant=merchant, amount=1_150, tip=150, metadata=kept)
    PaymentFactory(merchant=merchant)

    second, first = rows_of(api(merchant).get("/v1/payments?format=csv"))
    assert list(first) == IN_THEIR_PLACES.split()
    assert (first["tip"], json.loads(first["metadata"])) == ("1.50", kept)
    assert (second["tip"], second["metadata"]) == ("", "")


def test_the_filters_and_the_page_hold(api, merchant):
    ids = [PaymentFactory(merchant=merchant, amount=100 + n).id for n in range(3)]
    ask = {"format": "csv", "amount_min": "101"}

    assert [row["id"] for row in rows_of(api(merchant).get("/v1/payments", ask))] == ids[:0:-1]
    page = api(merchant).get("/v1/payments", ask | {"limit": "1", "starting_after": ids[2]})
    assert [row["id"] for row in rows_of(page)] == [ids[1]]


def test_the_header_asks_for_a_file_too(api, merchant, payment):
    response = api(merchant).get("/v1/payments", Accept="text/csv")

    assert [row["id"] for row in rows_of(response)] == [payment.id]


def test_who_takes_json_as_well_gets_that(api, merchant, payment):
    response = api(merchant).get("/v1/payments", Accept="application/json, text/csv")

    assert response.json()["total"] == 1


@pytest.mark.parametrize("sign", ["=", "\uff1d"])
def test_no_text_becomes_a_formula(api, merchant, sign):
    PaymentFactory(merchant=merchant, description=f"{sign}1+1")

    assert rows_of(api(merchant).get("/v1/payments?format=csv"))[0]["description"] == f"'{sign}1+1"


@pytest.mark.parametrize("text", ["=1+1", "a;=1+1;b", "a; -5", "\t=1", "1 x tea; 2 x cake"])
def test_metadata_is_no_formula_and_is_read_as_it_was_stored(api, merchant, text):
    PaymentFactory(merchant=merchant, metadata={"note": text, "a;": "@b"})

    [row] = rows_of(api(merchant).get("/v1/payments?format=csv"))

    assert json.loads(row["metadata"]) == {"note": text, "a;": "@b"}
    for part in row["metadata"].replace('"', "").split(";"):
        assert not part.strip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("splits", [";", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        *("a;=1+1;", "a; =1+1;", 'a;"=1+1;', "a\t@SUM(A1)\t", "a;\u3000\uff1d1+1;", "a;\0=1;"),
        *("Two teas:\n- one\n+ one", "a\r-1\r", ";=1;=2;\n=3"),
    ],
)
def test_no_part_of_a_text_becomes_a_formula_where_a_spreadsheet_splits(splits, text):
    """Where decimals have a comma, it splits at semicolons, and takes the quotes for text."""
    written = csv_text(("id", "text", "more"), [("pay_1", text, "x")])

    for line in csv.reader(io.StringIO(written, newline=""), delimiter=splits):
        for cell in line:
            assert not cell.strip("\0 \u3000").startswith(("=", "+", "-", "@", "\uff1d"))


@pytest.mark.parametrize(
    "text",
    ["1 x tea; 2 x cake", "a-b; c=d; e@f.example", "Café «Bleu»", 'The "=" sign', "Line\nby line"],
)
def test_other_texts_are_written_as_they_are(text):
    written = csv_text(("text",), [(text,)])

    assert list(csv.reader(io.StringIO(written, newline="")))[1] == [text]


def test_a_file_is_encoded_row_by_row():
    rows = (["x" * 10_000] for _ in range(1_000))

    tracemalloc.start()
    csv_download("large", ("text",), rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 15_000_000  # the file has 10 MB


def test_another_format_is_refused_and_a_stranger_gets_no_row(api, merchant, payment):
    assert api(merchant).get("/v1/payments?format=xls").status_code == 400
    assert rows_of(api(MerchantFactory()).get("/v1/payments?format=csv")) == []


def test_the_reference_shows_its_columns(api, merchant, openapi):
    answer = json.loads(openapi)["paths"]["/v1/payments"]["get"]["responses"]["200"]

    empty = api(merchant).get("/v1/payments", {"format": "csv"})

    assert answer["content"]["text/csv"]["example"] == empty.content.decode()
