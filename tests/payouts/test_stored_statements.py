"""What is stored of a bank's statement, and what an amended one changes of it"""

import pytest

from payouts.errors import BankFileUnfit
from payouts.models import BankEntry, BankFile, BankStatement
from tests.payouts.bank_files import entry, read, statement

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]
LATER = {"message_id": "M-2", "written": "2026-01-21T08:00:00"}
FEE, OTHER = (entry(40, reference=name) for name in ("FEE", "OTHER"))


def states():
    return dict(BankEntry.objects.values_list("bank_reference", "state"))


def test_it_is_stored_with_who_has_read_it():
    read(statement(FEE, opening=500, closing=460))

    file = BankFile.objects.get()
    assert (file.created_by, file.message_id, file.source) == ("staff:ann", "M-1", "statement")
    found = BankStatement.objects.get()
    amounts = found.opening_amount, found.closing_amount, found.entries_amount
    assert (found.file, amounts) == (file, (500, 460, -40))


def test_what_takes_the_place_of_an_entry_of_that_amount_amends_it():
    read(statement(FEE, opening=500))

    done = read(statement(OTHER, opening=500, **LATER))

    assert states() == {"FEE": "other", "OTHER": "unmatched"}
    assert [each.bank_reference for each in done.stored.set_aside] == ["FEE"]
    assert BankStatement.objects.count() == 2


def test_what_adds_up_to_nothing_is_added_to_it():
    read(statement(FEE, opening=500))
    back = entry(70, reference="BACK", direction="CRDT")

    done = read(statement(FEE, entry(70, reference="OUT"), back, opening=500, **LATER))

    assert (done.stored.known, done.stored.set_aside) == (1, ())
    assert states() == dict.fromkeys(("FEE", "OUT", "BACK"), "unmatched")
    assert BankStatement.objects.count() == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"opening": 500}, {"opening": 501}),
        ({"opening": 500}, {}),
        ({}, {"closing": 460}),
        ({"closing": 460}, {"closing": 461}),
    ],
)
def test_other_balances_amend_it(before, after):
    read(statement(FEE, **before))

    done = read(statement(FEE, **after, **LATER))

    assert (done.stored.known, done.stored.set_aside) == (1, ())
    assert BankStatement.objects.count() == 2


def test_what_other_statements_contain_stays_as_it_is():
    read(statement(OTHER, number="0", message_id="M-0", end="2020-01-02T00:00:00Z"))
    first = {"start": "2020-01-03T00:00:00Z", "end": "2020-01-04T00:00:00Z"}
    read(statement(FEE, opening=500, **first))

    done = read(statement(opening=500, **first, **LATER))

    assert [each.bank_reference for each in done.stored.set_aside] == ["FEE"]
    assert states() == {"OTHER": "unmatched", "FEE": "other"}


def test_what_waits_no_more_is_not_set_aside_again():
    read(statement(FEE, OTHER))
    read(statement(OTHER, **LATER))

    done = read(statement(message_id="M-3", written="2026-01-22T08:00:00"))

    assert [each.bank_reference for each in done.stored.set_aside] == ["OTHER"]


def test_without_the_time_of_its_making_nothing_is_newer():
    read(statement(FEE, opening=500))

    with pytest.raises(BankFileUnfit, match="and is no newer"):
        read(statement(opening=500, message_id="M-2", written=""))

    assert states() == {"FEE": "unmatched"}


def test_of_two_statements_in_a_file_each_sets_its_own_aside():
    def both(*entries, **options):
        parts = [
            statement(*rows, number=str(number), start=f"2020-01-0{number}T00:00:00Z", **options)
            for number, rows in enumerate(entries, start=1)
        ]
        inner = parts[1][parts[1].index("<Stmt>") : parts[1].index("</BkToCstmrStmt>")]
        return parts[0].replace("</Stmt>", f"</Stmt>{inner}")

    read(both([FEE], [OTHER]))

    done = read(both([], [], **LATER))

    assert sorted(each.bank_reference for each in done.stored.set_aside) == ["FEE", "OTHER"]
    assert done.stored.known == 0
