"""What counts as the bank's charge: only what it states itself, of the currency, to the cent"""

from xml.etree.ElementTree import Element, fromstring

import pytest

from payouts.bank.charges import charge_beside, charge_within, is_charge


def payment(*words: str) -> Element:
    return fromstring(f"<TxDtls>{''.join(words)}</TxDtls>")


def of(amount: str, currency: str = "BSD", tag: str = "Amt") -> str:
    return f'<{tag} Ccy="{currency}">{amount}</{tag}>'


def record(amount: str, direction: str = "", included: str = "", currency: str = "BSD") -> str:
    sign = f"<CdtDbtInd>{direction}</CdtDbtInd>" if direction else ""
    flag = f"<ChrgInclInd>{included}</ChrgInclInd>" if included else ""
    return f"<Rcrd>{of(amount, currency)}{sign}{flag}</Rcrd>"


def charges(*words: str) -> str:
    return f"<Chrgs>{''.join(words)}</Chrgs>"


def total(amount: str, currency: str = "BSD") -> str:
    return of(amount, currency, "TtlChrgsAndTaxAmt")


BESIDE = [
    ([], 0),
    ([charges()], 0),
    ([charges(record("0.00"))], 0),
    ([charges(record("0.01"))], 1),
    ([charges(record("0.50"), record("0.25"))], 75),
    ([charges(record("0.50", "DBIT"), record("0.20", "CRDT"))], 30),
    ([charges(record("0.50", "CRDT"))], 0),
    # Booked by itself: it is in no amount of this payment.
    ([charges(record("0.50", included="false"))], 0),
    ([charges(record("0.50", included="0"), record("0.25", included="1"))], 25),
    # The total counts where no record says more than nothing, or one is of other money.
    ([charges(total("0.50"))], 50),
    ([charges(total("0.01"))], 1),
    ([charges(total("0.50"), record("0.00"))], 50),
    ([charges(total("0.50"), record("0.20"), record("0.30", currency="USD"))], 50),
    ([charges(total("0.50"), record("0.45"))], 45),
    ([charges(total("0.50", "USD"))], 0),
    ([charges(record("0.50", currency="USD"))], 0),
    ([charges(record("0.505"))], 0),
    # As before version 4: each charge by itself.
    ([charges(of("0.50")), charges(of("0.25"))], 75),
]


@pytest.mark.parametrize(("words", "cents"), BESIDE)
def test_what_is_stated_beside_a_transfer(words: list[str], cents: int) -> None:
    assert charge_beside(payment(*words), "BSD") == cents


@pytest.mark.parametrize(("currency", "amount", "units"), [("USD", "0.50", 50), ("JPY", "5", 5)])
def test_in_any_currency(currency: str, amount: str, units: int) -> None:
    stated = payment(charges(record(amount, currency=currency)))

    assert charge_beside(stated, currency) == units
    assert charge_beside(stated, "BSD") == 0
    included = payment(charges(record(amount, included="true", currency=currency)))
    assert charge_within((1_300, currency), included) == units
    assert charge_within((1_300, "BSD"), included) == 0


TX_AMT, INSTD_AMT = (f"<AmtDtls><{tag}>{{}}</{tag}></AmtDtls>" for tag in ("TxAmt", "InstdAmt"))
TOTAL_OF_RUN = "<NtryDtls><Btch>{}</Btch></NtryDtls>"
FIFTY = charges(record("0.50"))


@pytest.mark.parametrize("around", ["{}", TX_AMT, INSTD_AMT])
def test_it_adds_up_with_an_amount_of_the_payment(around: str) -> None:
    stated = payment(around.format(of("12.50")), FIFTY)

    assert charge_within((1_300, "BSD"), stated) == 50
    for booked in ((1_299, "BSD"), (1_301, "BSD"), (1_250, "BSD"), (50, "BSD"), (1_300, "USD")):
        assert charge_within(booked, stated) == 0


@pytest.mark.parametrize("around", ["{}", TX_AMT, INSTD_AMT])
def test_an_amount_of_another_currency_adds_up_to_nothing(around: str) -> None:
    stated = payment(around.format(of("12.50", "USD")), FIFTY)

    assert charge_within((1_300, "BSD"), stated) == 0


def test_charge_and_amount_may_stand_in_different_elements() -> None:
    part, whole = payment(of("12.50")), payment(of("13.00"), FIFTY)

    assert charge_within((1_300, "BSD"), part, whole) == 50
    assert charge_within((1_300, "BSD"), whole, part) == 50
    assert charge_within((1_300, "BSD"), whole) == 0


def test_it_adds_up_with_the_total_of_a_run_or_of_its_parts() -> None:
    run = payment(TOTAL_OF_RUN.format(of("12.50", tag="TtlAmt")), FIFTY)

    assert charge_within((1_300, "BSD"), run) == 50
    assert charge_within((1_300, "BSD"), payment(FIFTY), stated=[1_250]) == 50
    assert charge_within((1_300, "BSD"), payment(FIFTY), stated=[1_249, 1_251]) == 0


INCLUDED = [
    (("0.01", "true"), 1),
    (("0.50", "true"), 50),
    (("0.50", "1"), 50),
    (("12.99", "true"), 1_299),
    # As much as all that was booked, or nothing: no transfer with a charge in it.
    (("13.00", "true"), 0),
    (("13.01", "true"), 0),
    (("0.00", "true"), 0),
    (("0.50", ""), 0),
    (("0.50", "false"), 0),
]


@pytest.mark.parametrize(("said", "cents"), INCLUDED)
def test_what_the_bank_says_is_included_need_not_add_up(said: tuple[str, str], cents: int) -> None:
    amount, included = said

    assert charge_within((1_300, "BSD"), payment(charges(record(amount, "", included)))) == cents


def test_all_of_it_must_be_said_to_be_included() -> None:
    records = record("0.20", included="true"), record("0.30")
    apart = record("0.30", included="false")

    assert charge_within((1_300, "BSD"), payment(charges(*records))) == 0
    assert charge_within((1_300, "BSD"), payment(charges(records[0], apart))) == 20
    # One element that says so does not speak for another.
    assert charge_within((1_300, "BSD"), payment(FIFTY), payment(charges(records[0]))) == 20


CHARGES = ("CHRG", "FEES", "COME", "COMI", "COMT", "TAXE")


@pytest.mark.parametrize("code", [*CHARGES, "ESCT", ""])
def test_a_booking_is_a_charge_by_its_code(code: str) -> None:
    inside = f"<BkTxCd><Domn><Fmly><SubFmlyCd>{code}</SubFmlyCd></Fmly></Domn></BkTxCd>"

    assert is_charge(payment(inside)) is (code in CHARGES)
    assert is_charge(payment(), payment(inside)) is (code in CHARGES)
