"""Who takes part, and what may happen: each step with its weight, and when it happens for sure."""

from datetime import timedelta

from django.conf import settings

from backoffice.roles import Role
from customers.services import find_or_create
from tests.backoffice.conftest import staff_as
from tests.client import Api
from tests.factories import MerchantFactory
from tests.payouts.bank_files import ACCOUNT
from tests.simulation import (
    bank_steps,
    mistaken_steps,
    money_in_steps,
    office_steps,
    ticks,
    trading_steps,
)
from tests.simulation.payout_trail import CURRENCIES
from tests.simulation.shadow_books import BookedShop
from tests.simulation.virtual_weeks import Happening, VirtualWeeks

HALF_A_DAY, DAY = timedelta(hours=12), timedelta(days=1)
FEES = (0, 250, 333, 290)
PHONES = [f"+1242359100{digit}" for digit in range(5)]

# Time that will be lost makes no new payouts: what the restored database has never heard of, and
# the bank has paid, is for people, not for a program.
STEPS = {
    step.name: step
    for step in (
        Happening(trading_steps.fill_wallet, 60),
        Happening(money_in_steps.add_money, 20),
        Happening(trading_steps.sell, 220),
        Happening(trading_steps.refund, 60),
        Happening(trading_steps.ask_for_payout, 60, in_lost_time=False),
        Happening(trading_steps.cancel_payout, 10),
        Happening(trading_steps.repeat_request, 20),
        Happening(ticks.tick_quietly, 100),
        Happening(ticks.tick_needed, 5, HALF_A_DAY),
        Happening(ticks.retry_refunds, 20),
        Happening(ticks.schedule_payouts, 15, HALF_A_DAY, in_lost_time=False),
        Happening(ticks.tick_wildly, 10, in_lost_time=False),
        Happening(office_steps.ask_for_run, 30, HALF_A_DAY),
        Happening(office_steps.decide_run, 20, HALF_A_DAY),
        Happening(office_steps.export_dinars, 10, DAY),
        Happening(office_steps.send_files, 20, HALF_A_DAY),
        Happening(office_steps.close_account, 12),
        Happening(office_steps.suspend, 10, 2 * DAY),
        Happening(bank_steps.bank_works, 40, HALF_A_DAY),
        Happening(bank_steps.bank_closes_day, 5, DAY),
        Happening(bank_steps.read_any_file, 40),
        Happening(bank_steps.read_old_files, 0, 2 * DAY),
        Happening(bank_steps.read_wrong_file, 10),
        Happening(mistaken_steps.pay_rent, 10, DAY),
        Happening(mistaken_steps.match_wrongly, 30),
        Happening(mistaken_steps.ask_to_undo, 10, HALF_A_DAY),
        Happening(mistaken_steps.decide_to_undo, 10, HALF_A_DAY),
        Happening(bank_steps.back_up, 12),
        Happening(bank_steps.reconcile, 2, DAY),
    )
}


def prepare(weeks: VirtualWeeks) -> None:
    """Four merchants with different fees, all but one paid out daily, and five customers."""
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = ACCOUNT, "BOTIBSNS"
    api = Api()
    for number, fee in enumerate(FEES):
        daily = number > 0
        merchant = MerchantFactory.create(
            fee_basis_points=fee, payout_schedule="daily" if daily else "manual"
        )
        weeks.merchants[merchant.id] = merchant
        weeks.clients[merchant.id] = api(merchant, live=True)
        weeks.books.shops[merchant.id] = BookedShop(merchant.id, fee, daily, {})
        for currency in CURRENCIES:
            office_steps.open_account(weeks, merchant.id, currency)
    for phone in PHONES:
        customer = find_or_create(phone=phone, now=weeks.tick())
        weeks.customers.append(customer.id)
    weeks.staff = {name: staff_as(Role.FINANCE, name) for name in ("ann", "bob")}
