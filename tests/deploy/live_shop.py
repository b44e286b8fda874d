"""A live merchant's money, in the database of the environment, by the services that move it.

`python -m tests.deploy.live_shop schedule`: a payout is scheduled. `… send FILE`: it leaves for the
bank, whose statement of that is written to the file. `… show`: print the payout's status.
"""

import sys
from pathlib import Path

import django


def main() -> None:
    django.setup()
    from payouts.models import Payout
    from tests.client import Api
    from tests.payouts.bank_files import entry, order_of, statement
    from tests.payouts.batching import batch_of, live_payout

    order, *files = sys.argv[1:]
    if order == "schedule":
        live_payout(Api(), amount=1250)
    elif order == "send":
        batch_of()
        payout = Payout.objects.get()
        Path(files[0]).write_text(statement(entry(payout.amount, order_of(payout))))
    _sign_head()
    sys.stdout.write(Payout.objects.get().status)


def _sign_head() -> None:
    """Let the witnesses have all that there is."""
    from core.clock import utc_now
    from ledger.checkpoints import sign_head
    from ledger.sealing import log_rows
    from ledger.witnesses import inform_witnesses

    log_rows(now=utc_now(), limit=1_000)
    sign_head(now=utc_now())
    inform_witnesses(now=utc_now())


if __name__ == "__main__":
    main()
