from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from core.clock import utc_now
from core.commands import RefusableCommand
from core.json import dump_json
from merchants.models import MAX_FEE_BASIS_POINTS
from merchants.serializers import NewMerchant, RegistrationOutput
from merchants.services import Registration, create_merchant
from merchants.statuses import MerchantStatus

_S = MerchantStatus
TEXTS = (
    "slug",
    "category",
    "phone",
    "description",
    "website",
    "support_email",
    "time_zone",
    "payout_schedule",
)


class Command(RefusableCommand):
    help = "Register a merchant and print its two API keys, which are only shown once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True, help="the business, as customers know it")
        parser.add_argument(
            "--email", required=True, help="the address for e-mails to the merchant"
        )
        for name in TEXTS:
            parser.add_argument(f"--{name.replace('_', '-')}")
        parser.add_argument("--verified", action="store_true", help="let live keys work at once")
        parser.add_argument(
            "--fee-basis-points",
            type=_basis_points,
            default=0,
            metavar="N",
            help=f"the service's fee in basis points, 0 to {MAX_FEE_BASIS_POINTS}",
        )
        parser.add_argument("--json", action="store_true", help="print what the API would return")

    def handle(self, *args: Any, **options: Any) -> None:
        given = {name: options[name] for name in ("name", "email", *TEXTS)}
        registration = create_merchant(
            fee_basis_points=options["fee_basis_points"],
            status=_S.VERIFIED if options["verified"] else _S.UNVERIFIED,
            now=utc_now(),
            **NewMerchant.parse(given),
        )
        body = RegistrationOutput.of(registration)
        self.stdout.write(dump_json(body).decode() if options["json"] else _lines(registration))


def _basis_points(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > MAX_FEE_BASIS_POINTS:
        raise ArgumentTypeError(f"must be a whole number from 0 to {MAX_FEE_BASIS_POINTS}")
    return int(text)


def _lines(registration: Registration) -> str:
    merchant = registration.merchant
    return "\n".join(
        (
            f"merchant  {merchant.id}  {merchant.slug}  {merchant.status}",
            f"test key  {registration.test.secret}  ({registration.test.key.id})",
            f"live key  {registration.live.secret}  ({registration.live.key.id})",
        )
    )
